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

package executor

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kubeopera/provider-kubeopera/internal/terraform/run"
)

// A store keeps the records and reads the reports of runs. Both executors have
// one; they differ in the namespace.
type store struct {
	// live reads from the API server: caches would need the right to watch
	// Secrets, and what was just written has to be seen.
	live client.Reader
	kube client.Client
	// secret keeps records in Secrets: a provider that runs no Jobs has no
	// rights on ConfigMaps.
	secret bool
	// bundle is the command that adds rights that are missing.
	bundle string
}

// look at the record and the report of a cluster in a namespace.
func (s store) look(ctx context.Context, namespace string, c Cluster) (Seen, error) {
	var seen Seen
	cm, err := s.get(ctx, namespace, c)
	switch {
	case err == nil:
		if seen.Record, err = recordOf(c, cm); err != nil {
			return seen, err
		}
	case !kerrors.IsNotFound(err):
		return seen, s.explain(err, namespace, "get the record of the run")
	}

	report := &corev1.Secret{}
	switch err := s.live.Get(ctx, types.NamespacedName{Namespace: namespace, Name: run.OutputsName(c.ID)}, report); {
	case err == nil:
		seen.Status = statusOf(report.Data)
		seen.Outputs = outputsOf(report.Data)
	case !kerrors.IsNotFound(err):
		return seen, s.explain(err, namespace, "get the Secret that the run reports in")
	}
	return seen, nil
}

// outputsOf a report, if they are complete.
func outputsOf(data map[string][]byte) map[string][]byte {
	if len(data[run.KubeconfigKey]) == 0 {
		return nil
	}
	out := map[string][]byte{}
	for _, key := range []string{run.KubeconfigKey, run.EndpointKey, run.ClusterCAKey} {
		if len(data[key]) > 0 {
			out[key] = data[key]
		}
	}
	return out
}

// record a run over the one that was seen. Where another process was faster it
// is a conflict of the API server's, so that we look again.
func (s store) record(ctx context.Context, namespace string, c Cluster, r Record) error {
	cm, err := ConfigMap(namespace, c, r)
	if err != nil {
		return err
	}
	var o client.Object = cm
	if s.secret {
		o = secretOf(cm)
	}
	if r.version == "" {
		return s.explain(s.kube.Create(ctx, o), namespace, "create the record of the run")
	}
	return s.explain(s.kube.Update(ctx, o), namespace, "update the record of the run")
}

// get the record of a cluster.
func (s store) get(ctx context.Context, namespace string, c Cluster) (*corev1.ConfigMap, error) {
	key := types.NamespacedName{Namespace: namespace, Name: run.InputName(c.ID)}
	cm := &corev1.ConfigMap{}
	if !s.secret {
		return cm, s.live.Get(ctx, key, cm)
	}
	secret := &corev1.Secret{}
	err := s.live.Get(ctx, key, secret)
	cm.ObjectMeta = secret.ObjectMeta
	cm.Data = map[string]string{}
	for name, data := range secret.Data {
		cm.Data[name] = string(data)
	}
	return cm, err
}

// secretOf a ConfigMap: the same in another kind.
func secretOf(cm *corev1.ConfigMap) *corev1.Secret {
	s := &corev1.Secret{ObjectMeta: cm.ObjectMeta, Data: map[string][]byte{}}
	for name, data := range cm.Data {
		s.Data[name] = []byte(data)
	}
	return s
}

// supply a Secret with credentials.
func (s store) supply(ctx context.Context, namespace string, c Cluster, files map[string][]byte) error {
	want := Credentials(namespace, c, files)
	seen := &corev1.Secret{}
	err := s.live.Get(ctx, client.ObjectKeyFromObject(want), seen)
	if kerrors.IsNotFound(err) {
		return s.explain(s.kube.Create(ctx, want), namespace, "create the Secret with the run's credentials")
	}
	if err != nil {
		return s.explain(err, namespace, "get the Secret with the run's credentials")
	}
	if err := owned(c, "Secret", seen); err != nil {
		return err
	}
	want.ResourceVersion = seen.ResourceVersion
	return s.explain(s.kube.Update(ctx, want), namespace, "update the Secret with the run's credentials")
}

// credentials that are there.
func (s store) credentials(ctx context.Context, namespace string, c Cluster) (map[string][]byte, error) {
	seen := &corev1.Secret{}
	err := s.live.Get(ctx, types.NamespacedName{Namespace: namespace, Name: run.CredentialsName(c.ID)}, seen)
	switch {
	case kerrors.IsNotFound(err):
		return nil, nil //nolint:nilnil // None is no error.
	case err != nil:
		return nil, s.explain(err, namespace, "get the Secret with the run's credentials")
	}
	if err := owned(c, "Secret", seen); err != nil {
		return nil, err
	}
	return seen.Data, nil
}

// rescued is a state that an earlier run could not write to its bucket.
func (s store) rescued(ctx context.Context, namespace string, c Cluster) (map[string][]byte, error) {
	seen := &corev1.Secret{}
	err := s.live.Get(ctx, types.NamespacedName{Namespace: namespace, Name: run.RescueName(c.ID)}, seen)
	if kerrors.IsNotFound(err) {
		return nil, nil //nolint:nilnil // None is no error.
	}
	return seen.Data, s.explain(err, namespace, "get the Secret with a rescued state")
}

// unsaved names the Secret with a state that is nowhere else. Once the state is
// in its bucket, the Secret is left without data.
func (s store) unsaved(ctx context.Context, namespace string, c Cluster) (string, error) {
	data, err := s.rescued(ctx, namespace, c)
	if err != nil || len(data[run.RescueKey]) == 0 {
		return "", err
	}
	return "Secret " + namespace + "/" + run.RescueName(c.ID), nil
}

// remove an object, if it is ours.
func (s store) remove(ctx context.Context, c Cluster, kind string, o client.Object) error {
	err := s.live.Get(ctx, client.ObjectKeyFromObject(o), o)
	if kerrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return s.explain(err, o.GetNamespace(), "get the "+kind+" of the run")
	}
	if ours := owned(c, kind, o) == nil; !ours && kind != reportKind {
		return nil
	}
	uid := o.GetUID()
	err = s.kube.Delete(ctx, o, client.Preconditions{UID: &uid})
	return s.explain(client.IgnoreNotFound(err), o.GetNamespace(), "delete the "+kind+" of the run")
}

// reportKind is a Secret that terraform-runner made: it may have no labels of ours.
const reportKind = "report"

// forget the credentials, a state that was rescued (it is in the bucket, or
// there is nothing left that it is about), and the record, in this order.
func (s store) forget(ctx context.Context, namespace string, c Cluster) error {
	meta := func(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Namespace: namespace, Name: name} }
	if err := s.remove(ctx, c, "Secret", &corev1.Secret{ObjectMeta: meta(run.CredentialsName(c.ID))}); err != nil {
		return err
	}
	if err := s.remove(ctx, c, reportKind, &corev1.Secret{ObjectMeta: meta(run.RescueName(c.ID))}); err != nil {
		return err
	}
	if s.secret {
		return s.remove(ctx, c, "Secret", &corev1.Secret{ObjectMeta: meta(run.InputName(c.ID))})
	}
	return s.remove(ctx, c, "ConfigMap", &corev1.ConfigMap{ObjectMeta: meta(run.InputName(c.ID))})
}

func (s store) forgetReport(ctx context.Context, namespace string, c Cluster) error {
	return s.remove(ctx, c, reportKind, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: run.OutputsName(c.ID)}})
}
