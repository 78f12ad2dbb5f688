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

package e2e

import (
	"context"
	"path/filepath"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/hack/sandbox"
	"github.com/kubeopera/provider-kubeopera/internal/target"
)

// world is a sandbox with a HostCluster.
type world struct {
	sandbox  *sandbox.Sandbox
	provider *sandbox.Provider
	hc       *v1alpha1.HostCluster
	// management and target are clients of administrators.
	management, target client.WithWatch
	// said is what the sandbox tells, and peeked what the machine shows of the provider.
	said, peeked notes
	stopPeeking  func()
}

// startWorld starts a sandbox and the provider. DeferCleanup stops both.
func startWorld(ctx context.Context, name string) *world {
	GinkgoHelper()
	w := startSandbox(ctx, name)
	w.startProvider()
	return w
}

// startSandbox starts a sandbox. DeferCleanup stops it, and the provider if there is one by then.
func startSandbox(ctx context.Context, name string) *world {
	GinkgoHelper()
	w := &world{}
	o := options(name)
	tell := o.Log
	o.Log = func(line string) {
		w.said.add(line)
		tell(line)
	}
	var err error
	w.sandbox, err = sandbox.Start(ctx, o)
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(w.sandbox.Stop)
	w.management = w.sandbox.Management.Client
	w.target, err = client.NewWithWatch(w.sandbox.Target, client.Options{Scheme: target.NewScheme()})
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(func(ctx SpecContext) {
		if w.stopPeeking != nil {
			w.stopPeeking()
		}
		if w.provider != nil {
			w.provider.Stop(ctx)
		}
	})
	return w
}

func (w *world) startProvider() {
	GinkgoHelper()
	var err error
	w.provider, err = w.sandbox.StartProvider("--environment=development", "--poll-interval="+pollInterval.String())
	Expect(err).NotTo(HaveOccurred())
}

// connect applies the example.
func (w *world) connect(ctx context.Context) {
	GinkgoHelper()
	var err error
	w.hc, err = w.sandbox.Connect(ctx, example())
	Expect(err).NotTo(HaveOccurred())
}

func example() string { return filepath.Join(root, "examples", "hostcluster-connect.yaml") }

// awaitReady waits until the HostCluster is Ready. If it does not become so, it says what is stuck.
func (w *world) awaitReady(ctx context.Context) {
	GinkgoHelper()
	key := client.ObjectKeyFromObject(w.hc)
	Eventually(ctx, func(ctx context.Context) bool {
		return w.management.Get(ctx, key, w.hc) == nil && sandbox.Ready(w.hc)
	}, readyTimeout, "200ms").Should(BeTrue(), func() string {
		return "not Ready:\n  " + strings.Join(w.sandbox.Stuck(context.WithoutCancel(ctx), key), "\n  ")
	})
}
