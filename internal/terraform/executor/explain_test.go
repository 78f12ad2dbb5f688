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
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubeopera/provider-kubeopera/internal/fault"
)

// TestExplain fails if a missing right does not come with the command that adds it.
func TestExplain(t *testing.T) {
	local, err := NewLocal(nil, nil, LocalOptions{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	packaged, err := NewLocal(nil, nil, LocalOptions{Dir: t.TempDir(), Bundle: PackagedBundle})
	if err != nil {
		t.Fatal(err)
	}
	forbidden := kerrors.NewForbidden(schema.GroupResource{Group: "batch", Resource: "jobs"}, "", nil)
	ending := kerrors.NewForbidden(schema.GroupResource{Group: "batch", Resource: "jobs"}, "", nil)
	ending.ErrStatus.Details.Causes = []metav1.StatusCause{{Type: corev1.NamespaceTerminatingCause}}
	cases := map[string]struct {
		reason string
		s      store
		err    error
		want   string
		class  fault.Class
	}{
		"Plain": {
			"Of plain manifests it is the bundle of provisioning.", NewJobs(nil, nil, nil, JobOptions{}).store, forbidden,
			"may not create jobs in namespace jobs: run kubectl apply -k cluster/install/provisioning: ", fault.Denied,
		},
		"Packaged": {
			"Under Crossplane the provider is somebody else.", NewJobs(nil, nil, nil, JobOptions{Bundle: PackagedBundle}).store, forbidden,
			"may not create jobs in namespace jobs: run kubectl apply -k cluster/install/crossplane: ", fault.Denied,
		},
		"Local": {
			"A child process needs what the provider itself does.", local.store, forbidden,
			"may not create jobs in namespace jobs: run kubectl apply -k cluster/install/provider: ", fault.Denied,
		},
		"PackagedLocal": {
			"The same under Crossplane.", packaged.store, forbidden,
			"may not create jobs in namespace jobs: run kubectl apply -k cluster/install/crossplane: ", fault.Denied,
		},
		"NoNamespace": {
			"The bundle brings the namespace, too.", NewJobs(nil, nil, nil, JobOptions{}).store, kerrors.NewNotFound(schema.GroupResource{Resource: "namespaces"}, "jobs"),
			"namespace jobs is not there: run kubectl apply -k cluster/install/provisioning", fault.Refused,
		},
		"Ending": {
			"Nothing can be made in a namespace that is about to go.", NewJobs(nil, nil, nil, JobOptions{}).store, ending,
			"namespace jobs is being deleted: cannot create jobs", fault.Waiting,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			err := tc.s.explain(tc.err, "jobs", "create jobs")
			if !strings.HasPrefix(err.Error(), tc.want) {
				t.Errorf("%s\nexplain(...): want %q, got %q", tc.reason, tc.want, err)
			}
			if !fault.Is(err, tc.class) {
				t.Errorf("%s\nexplain(...): want class %s, got %s", tc.reason, tc.class, fault.ClassOf(err))
			}
		})
	}
}
