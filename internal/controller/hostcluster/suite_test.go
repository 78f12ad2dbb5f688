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

package hostcluster

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/go-logr/logr"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/crossplane/crossplane-runtime/v2/pkg/controller"
	"github.com/crossplane/crossplane-runtime/v2/pkg/logging"

	"github.com/kubeopera/provider-kubeopera/internal/external"
	kt "github.com/kubeopera/provider-kubeopera/internal/testing"
)

// patience is how long the tests wait for the controller. It is long because
// the machine may be busy; nothing waits that long when all is well.
const patience = 15 * time.Second

func TestMain(m *testing.M) { os.Exit(kt.Main(m)) }

func TestHostCluster(t *testing.T) {
	ctrl.SetLogger(logr.Discard())
	RegisterFailHandler(Fail)
	SetDefaultEventuallyTimeout(patience)
	SetDefaultEventuallyPollingInterval(20 * time.Millisecond)
	RunSpecs(t, "HostCluster")
}

// cp is the control plane of all specs.
var cp *kt.ControlPlane

var _ = BeforeSuite(func() {
	cp = kt.Shared(GinkgoTB())
	run(cp)
})

// run the controller for all namespaces until the suite ends.
func run(cp *kt.ControlPlane) {
	GinkgoHelper()

	mgr, err := ctrl.NewManager(cp.Config, ctrl.Options{
		Scheme:     kt.Scheme(),
		Metrics:    server.Options{BindAddress: "0"},
		Controller: config.Controller{SkipNameValidation: new(true)},
	})
	Expect(err).NotTo(HaveOccurred())
	Expect(Setup(mgr, external.Options{Options: controller.Options{
		Logger:                  logging.NewNopLogger(),
		MaxConcurrentReconciles: 4,
	}})).To(Succeed())

	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error)

	go func() { ended <- mgr.Start(ctx) }()

	DeferCleanup(func() {
		cancel()
		Expect(<-ended).To(Succeed())
	})
}

// namespace of one spec, deleted in the background after it.
func namespace(ctx context.Context) string {
	GinkgoHelper()

	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "test-"}}
	Expect(cp.Client.Create(ctx, ns)).To(Succeed())
	DeferCleanup(func(ctx context.Context) { Expect(client.IgnoreNotFound(cp.Client.Delete(ctx, ns))).To(Succeed()) })

	return ns.GetName()
}
