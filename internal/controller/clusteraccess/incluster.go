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

package clusteraccess

import (
	"context"
	"strings"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/fault"
	"github.com/kubeopera/provider-kubeopera/internal/kubeconfig"
	"github.com/kubeopera/provider-kubeopera/internal/target"
)

const (
	// tokenLife is how long a token lives that we ask for. API servers of
	// managed clusters grant at most a day.
	tokenLife = 24 * time.Hour
	// A token is renewed when a third of its life is left, so that there is
	// time for trouble.
	renewAtThird = 3
)

// collectInCluster looks at the cluster that the provider runs on.
func (w *workflow) collectInCluster(ctx context.Context, ca *v1alpha1.ClusterAccess, s State) (State, error) {
	store := ca.Spec.ForProvider.InCluster.StoreKubeconfig
	seen, err := look(ctx, w.local, store)
	if err != nil {
		return s, err
	}
	seen.Server = w.local.Config.Host
	if err := w.identify(ctx, ca, seen.UID); err != nil {
		return s, err
	}
	s.Seen = seen
	if !store {
		return s, nil
	}
	if _, err := serviceAccount(seen.Identity); err != nil {
		return s, err
	}

	due, expires, err := w.tokenDue(ctx, ca, s.Stored)
	if err != nil {
		return s, err
	}
	s.TokenDue = due
	if !due {
		s.Kubeconfig = s.Stored.Data[v1alpha1.KubeconfigKey]
		seen.ExpiresAt = expires
	}
	return s, nil
}

// tokenDue says whether the stored kubeconfig is missing, of no use, or near
// its end; if not, when it ends.
func (w *workflow) tokenDue(ctx context.Context, ca *v1alpha1.ClusterAccess, stored *corev1.Secret) (bool, *time.Time, error) {
	if stored == nil {
		return true, nil, nil
	}
	k, err := kubeconfig.Parse(stored.Data[v1alpha1.KubeconfigKey])
	if err != nil || k.Expires == nil || k.RESTConfig().Host != w.local.Config.Host {
		// It is damaged, or the cluster has another address now.
		return true, nil, nil //nolint:nilerr // What cannot be used is made anew.
	}
	from := k.Expires.From
	if from.IsZero() {
		from = k.Expires.At.Add(-tokenLife)
	}
	renew := k.Expires.At.Add(-k.Expires.At.Sub(from) / renewAtThird)
	if !w.clock.Now().Before(renew) {
		return true, nil, nil
	}

	// It ends early if the ServiceAccount is made anew.
	switch err := w.try(ctx, ca, k); {
	case fault.Is(err, fault.Denied):
		return true, nil, nil
	case err != nil:
		return false, nil, err
	default:
		return false, &k.Expires.At, nil
	}
}

// try whether the cluster takes a kubeconfig.
func (w *workflow) try(ctx context.Context, ca *v1alpha1.ClusterAccess, k *kubeconfig.Kubeconfig) error {
	c, err := w.targets.ConnectTo(ctx, k, storedKey(ca))
	if err != nil {
		return err
	}
	_, err = whoAmI(ctx, c.Client)
	return target.Classify(err)
}

// issueToken asks for a token of our own ServiceAccount and stores a
// kubeconfig with it. A token that is lost on the way ends by itself.
func (w *workflow) issueToken(ctx context.Context, ca *v1alpha1.ClusterAccess, s State) error {
	sa, err := serviceAccount(s.Seen.Identity)
	if err != nil {
		return err
	}
	seconds := int64(tokenLife / time.Second)
	tr := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: &seconds}}
	if err := target.Classify(w.local.Client.SubResource("token").Create(ctx, sa, tr)); err != nil {
		return fault.Wrap(err, fault.ClassOf(err), "no token for ServiceAccount "+sa.GetNamespace()+"/"+sa.GetName())
	}
	data, err := render(w.local.Config, tr.Status.Token)
	if err != nil {
		return err
	}
	// One that does not work is not stored, or it would be made anew at once.
	k, err := kubeconfig.Parse(data)
	if err == nil {
		err = w.try(ctx, ca, k)
	}
	if err != nil {
		return fault.Wrap(err, fault.ClassOf(err), "token of ServiceAccount "+sa.GetNamespace()+"/"+sa.GetName()+" does not work")
	}
	if s.Stored == nil {
		return w.create(ctx, ca, s, data)
	}
	return w.refresh(ctx, s, data)
}

// serviceAccount returns the ServiceAccount that a cluster knows us by.
func serviceAccount(identity string) (*corev1.ServiceAccount, error) {
	parts := strings.Split(identity, ":")
	if len(parts) != 4 || parts[0] != "system" || parts[1] != "serviceaccount" {
		return nil, fault.Newf(fault.Refused, "the provider does not run as a ServiceAccount but as %q: a kubeconfig can be stored only inside the cluster", short(identity))
	}
	return &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: parts[2], Name: parts[3]}}, nil
}

// render writes a kubeconfig that leads where a configuration of ours does. It
// reads our own CA file, if there is one.
func render(cfg *rest.Config, token string) ([]byte, error) {
	cfg = rest.CopyConfig(cfg)
	if err := rest.LoadTLSFiles(cfg); err != nil {
		return nil, errors.Wrap(err, "cannot read our own CA")
	}
	const name = "in-cluster"
	kc := clientcmdapi.NewConfig()
	kc.Clusters[name] = &clientcmdapi.Cluster{
		Server:                   cfg.Host,
		TLSServerName:            cfg.ServerName,
		CertificateAuthorityData: cfg.CAData,
		InsecureSkipTLSVerify:    cfg.Insecure,
	}
	kc.AuthInfos[name] = &clientcmdapi.AuthInfo{Token: token}
	kc.Contexts[name] = &clientcmdapi.Context{Cluster: name, AuthInfo: name}
	kc.CurrentContext = name
	data, err := clientcmd.Write(*kc)
	return data, errors.Wrap(err, "cannot write kubeconfig")
}
