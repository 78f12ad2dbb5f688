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

package testing

import (
	"context"
	"os"
	"sync"
	gotesting "testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
)

// EnvControlPlane names the directory of a control plane that runs already; Shared uses it instead of starting one.
const EnvControlPlane = "KUBEOPERA_TEST_CONTROL_PLANE"

// cleanupTimeout bounds a request that cleans up.
const cleanupTimeout = 10 * time.Second

// shared is the control plane of this process. It has to be a global: `go test` gives tests of a package nothing else
// in common.
var shared struct {
	sync.Mutex
	cp  *ControlPlane
	err error
}

// Shared returns the control plane that all tests of this process use, which the first call starts (or finds, see
// EnvControlPlane). It fails the test if there is none, missing binaries included. Main stops it.
func Shared(tb gotesting.TB) *ControlPlane {
	tb.Helper()
	shared.Lock()
	defer shared.Unlock()
	if shared.cp == nil && shared.err == nil {
		if dir := os.Getenv(EnvControlPlane); dir != "" {
			shared.cp, shared.err = attach(dir)
		} else {
			shared.cp, shared.err = Start(context.WithoutCancel(tb.Context()), Options{})
		}
	}
	if shared.err != nil {
		tb.Fatal(shared.err)
	}
	return shared.cp
}

// Main runs the tests of a package and then stops the shared control plane. It returns the exit code.
func Main(m *gotesting.M) int {
	defer func() {
		shared.Lock()
		defer shared.Unlock()
		if shared.cp != nil {
			shared.cp.Stop()
		}
	}()
	return m.Run()
}

// Namespace makes a fresh namespace, which is deleted when the test ends.
func (c *ControlPlane) Namespace(tb gotesting.TB) string {
	tb.Helper()
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "test-"}}
	if err := c.Client.Create(tb.Context(), ns); err != nil {
		tb.Fatalf("cannot create namespace: %v", err)
	}
	tb.Cleanup(func() {
		// Not waited for: it goes in the background, and nobody else uses its name.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(tb.Context()), cleanupTimeout)
		defer cancel()
		if err := c.Client.Delete(ctx, ns); err != nil {
			tb.Logf("cannot delete namespace %s: %v", ns.GetName(), err)
		}
	})
	return ns.GetName()
}

// Scheme knows the kinds that tests talk about: Kubernetes' own, CustomResourceDefinitions and ours.
func Scheme() *runtime.Scheme {
	s := runtime.NewScheme()
	utilruntime.Must(clientgoscheme.AddToScheme(s))
	utilruntime.Must(apiextensionsv1.AddToScheme(s))
	utilruntime.Must(v1alpha1.AddToScheme(s))
	return s
}
