/*
Copyright 2026 The provider-kubeopera Authors.

Licensed under the Apache License, Version 2.0 (the "License");
you may not use this file except in compliance with the License.
You may obtain a copy of the License at

    http://www.apache.org/licenses/LICENSE-2.0

Unless required by applicable law or agreed to in writing, software
distributed under the License is distributed on an "AS IS" BASIS,
WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
See the License for the specific language governing permissions and
limitations under the License.
*/

package runner

import (
	"context"
	"os"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
)

// Secrets writes Secrets.
type Secrets interface {
	// Put makes a Secret be what it is given.
	Put(ctx context.Context, s *corev1.Secret) error
}

// KubeSecrets writes Secrets to Kubernetes.
type KubeSecrets struct{ Client typedcorev1.SecretsGetter }

// NewKubeSecrets finds the API server as KUBECONFIG says, or around the pod.
func NewKubeSecrets() (*KubeSecrets, error) {
	cfg, err := restConfig(os.Getenv(clientcmd.RecommendedConfigPathEnvVar))
	if err != nil {
		return nil, errors.Wrap(err, "cannot find the Kubernetes API server")
	}
	c, err := typedcorev1.NewForConfig(cfg)
	return &KubeSecrets{Client: c}, errors.Wrap(err, "cannot make a Kubernetes client")
}

func restConfig(kubeconfig string) (*rest.Config, error) {
	if kubeconfig == "" {
		return rest.InClusterConfig()
	}
	return clientcmd.NewNonInteractiveDeferredLoadingClientConfig(
		clientcmd.NewDefaultClientConfigLoadingRules(), &clientcmd.ConfigOverrides{}).ClientConfig()
}

// Put creates a Secret, or updates it where it is there: a runner may do
// nothing else with Secrets, so it cannot read one to keep what is in it.
func (k *KubeSecrets) Put(ctx context.Context, s *corev1.Secret) error {
	c := k.Client.Secrets(s.GetNamespace())
	// Most writes find the Secret of the last one.
	_, err := c.Update(ctx, s, metav1.UpdateOptions{})
	if !apierrors.IsNotFound(err) {
		return err
	}
	_, err = c.Create(ctx, s, metav1.CreateOptions{})
	return err
}
