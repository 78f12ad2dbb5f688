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

package main

import (
	"context"
	"os"
	"path/filepath"
	"time"

	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
)

// lookTimeout bounds the look for the namespace.
const lookTimeout = 10 * time.Second

// findAPIServer returns the way to the management cluster.
func findAPIServer() (*rest.Config, error) {
	cfg, err := ctrl.GetConfig()
	if err != nil {
		err = explain(err, os.Getenv(clientcmd.RecommendedConfigPathEnvVar))
	}
	return cfg, errors.Wrap(err, "cannot find a way to the API server")
}

// explain why there is no way to the API server: client-go passes over files of KUBECONFIG that are not there, and
// then says only that there is no configuration.
func explain(err error, kubeconfig string) error {
	if !clientcmd.IsEmptyConfig(err) || kubeconfig == "" {
		return err
	}
	for _, file := range filepath.SplitList(kubeconfig) {
		if _, serr := os.Stat(file); serr != nil { //nolint:gosec // whoever runs the provider names the file
			return errors.Wrap(serr, "KUBECONFIG names a file that cannot be read")
		}
	}
	return errors.Errorf("KUBECONFIG names %s, which holds no configuration", kubeconfig)
}

// checkNamespace makes sure that the namespace to watch exists: one that does not looks like one without HostClusters.
// Who may not look, as with a Role that leaves it out, is not told.
func checkNamespace(ctx context.Context, c client.Reader, namespace string) error {
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	if err := c.Get(ctx, client.ObjectKey{Name: namespace}, &corev1.Namespace{}); kerrors.IsNotFound(err) {
		return errors.Errorf("namespace %[1]s does not exist: create it (kubectl create namespace %[1]s), or name another with --namespace", namespace)
	}
	return nil // Whatever else is wrong shows, and better, when the controllers start.
}
