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

package controller

import (
	"context"
	"flag"
	"io"
	"log"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"

	xpcontroller "github.com/crossplane/crossplane-runtime/v2/pkg/controller"
	"github.com/crossplane/crossplane-runtime/v2/pkg/feature"
	"github.com/crossplane/crossplane-runtime/v2/pkg/logging"
	"github.com/crossplane/crossplane-runtime/v2/pkg/ratelimiter"

	"github.com/kubeopera/provider-kubeopera/internal/controller/provisionedcluster"
	"github.com/kubeopera/provider-kubeopera/internal/external"
	"github.com/kubeopera/provider-kubeopera/internal/target"
	kt "github.com/kubeopera/provider-kubeopera/internal/testing"
)

const (
	// patience is how long the tests wait for what should take seconds; the
	// machine may be busy with other packages' tests.
	patience = 6 * time.Minute

	// poll interval of these tests; users' is a minute.
	pollInterval = 5 * time.Second

	// Names of what a user supplies.
	inputSecret = "input-kubeconfig"
	gitSecret   = "git-credentials"
)

// suite is what all tests of this package share: a control plane of its own,
// since Targets need Flux's CRDs on it, and all controllers.
var suite struct {
	once   sync.Once
	cp     *kt.ControlPlane
	writes writes
	stop   func()
	err    error
}

func TestMain(m *testing.M) {
	log.SetOutput(io.Discard) // The Git server's.
	ctrl.SetLogger(logr.Discard())
	flag.Parse()

	// No cloud is asked about made-up credentials.
	if err := os.Setenv("AWS_ENDPOINT_URL_STS", "http://127.0.0.1:1"); err != nil {
		panic(err)
	}

	// These tests wait most of the time: two minutes for a target that is lost.
	if err := flag.Set("test.parallel", "16"); err != nil {
		panic(err)
	}

	code := m.Run()

	if suite.stop != nil {
		suite.stop()
	}

	os.Exit(code)
}

// controlPlane with all controllers running.
func controlPlane(tb testing.TB) *kt.ControlPlane {
	tb.Helper()

	suite.once.Do(func() {
		if suite.cp, suite.err = kt.Start(context.Background(), kt.Options{Scheme: target.NewScheme()}); suite.err != nil {
			return
		}

		cfg := rest.CopyConfig(suite.cp.Config)
		cfg.Wrap(suite.writes.count)

		stop, err := start(cfg, pollInterval)
		suite.err = err
		suite.stop = func() {
			if stop != nil {
				stop()
			}

			suite.cp.Stop()
		}
	})

	if suite.err != nil {
		tb.Fatal(suite.err)
	}

	return suite.cp
}

// start all controllers as the provider does; the function stops them.
func start(cfg *rest.Config, poll time.Duration) (func(), error) {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{
		Scheme:     target.NewScheme(),
		Metrics:    server.Options{BindAddress: "0"},
		Controller: config.Controller{SkipNameValidation: new(true)},
	})
	if err != nil {
		return nil, err
	}

	features := &feature.Flags{}
	features.Enable(feature.EnableBetaManagementPolicies)

	o := external.Options{
		Options: xpcontroller.Options{
			Logger:                  logging.NewNopLogger(),
			GlobalRateLimiter:       ratelimiter.NewGlobal(100),
			PollInterval:            poll,
			MaxConcurrentReconciles: 10,
			Features:                features,
		},
		PollJitter: 0.1,
	}
	if err := Setup(mgr, o, provisionedcluster.Settings{}); err != nil {
		return nil, err
	}

	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error)

	go func() { ended <- mgr.Start(ctx) }()

	return func() {
		cancel()
		<-ended
	}, nil
}
