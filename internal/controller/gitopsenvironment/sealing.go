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

package gitopsenvironment

import (
	"context"
	"crypto/rand"
	"encoding/base64"

	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/fault"
)

// Keys of the Secret with the generated values.
const (
	keySeal            = "seal-key"
	keySession         = "session-key"
	keyGrafanaPassword = "grafana-password"
)

// generated values: each is 32 random bytes in base64, which is what
// kubeopera-api takes as a session key and fits for a password.
func generated() []string { return []string{keySeal, keySession, keyGrafanaPassword} }

const randomBytes = 32

// sealing returns the Secret with the generated values, or nil. A cache that
// is behind must not let us make it twice.
func (w *workflow) sealing(ctx context.Context, mg *v1alpha1.GitOpsEnvironment) (*corev1.Secret, error) {
	key := client.ObjectKey{Namespace: mg.Namespace, Name: v1alpha1.SealingSecretName(mg.Name)}
	sec := &corev1.Secret{}

	err := w.kube.Get(ctx, key, sec)
	if kerrors.IsNotFound(err) || err == nil && !complete(sec) {
		err = w.live.Get(ctx, key, sec)
	}

	if kerrors.IsNotFound(err) {
		return nil, nil //nolint:nilnil // A Secret that is not there yet is no error.
	}

	if err != nil {
		return nil, errors.Wrap(err, "cannot get the Secret with the generated values")
	}

	if sec.Labels[v1alpha1.LabelManagedBy] != v1alpha1.ManagedBy {
		return nil, fault.Newf(fault.Conflict, "Secret %s is not ours: delete or rename it", sec.Name)
	}

	return sec, nil
}

// complete tells whether a Secret has every generated value.
func complete(sec *corev1.Secret) bool {
	for _, k := range generated() {
		if len(sec.Data[k]) == 0 {
			return false
		}
	}

	return true
}

// ensureSealing makes the Secret, or adds values to it that an earlier version
// did not know. A value that is there is never replaced.
func (w *workflow) ensureSealing(ctx context.Context, mg *v1alpha1.GitOpsEnvironment) error {
	sec, err := w.sealing(ctx, mg)
	if err != nil {
		return err
	}

	if sec != nil {
		generate(sec)

		return errors.Wrap(w.kube.Update(ctx, sec), "cannot complete the Secret with the generated values")
	}

	sec = &corev1.Secret{}
	sec.SetNamespace(mg.Namespace)
	sec.SetName(v1alpha1.SealingSecretName(mg.Name))
	sec.SetLabels(map[string]string{
		v1alpha1.LabelHostCluster: mg.Spec.ForProvider.ClusterName,
		v1alpha1.LabelManagedBy:   v1alpha1.ManagedBy,
	})
	generate(sec)

	// Whoever was first has made it: its values count.
	err = w.kube.Create(ctx, sec)
	if kerrors.IsAlreadyExists(err) {
		return nil
	}

	return errors.Wrap(err, "cannot make the Secret with the generated values")
}

func generate(sec *corev1.Secret) {
	if sec.Data == nil {
		sec.Data = map[string][]byte{}
	}

	for _, k := range generated() {
		if len(sec.Data[k]) > 0 {
			continue
		}

		b := make([]byte, randomBytes)
		_, _ = rand.Read(b) // It never fails: the program would end instead.
		sec.Data[k] = []byte(base64.StdEncoding.EncodeToString(b))
	}
}
