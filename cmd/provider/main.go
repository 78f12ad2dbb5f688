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

// Command provider runs the controllers of provider-kubeopera.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"go.uber.org/zap/zapcore"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/logging"

	"github.com/kubeopera/provider-kubeopera/internal/controller"
	"github.com/kubeopera/provider-kubeopera/internal/version"
)

func main() {
	o, err := fromProcess()
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err == nil {
		err = run(ctrl.SetupSignalHandler(), o)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "provider:", err)
		os.Exit(1)
	}
}

// run runs the controllers until the context ends.
func run(ctx context.Context, o options) error {
	zl := zap.New(zap.UseDevMode(o.environment == development), zap.Level(o.level()))
	ctrl.SetLogger(zl)
	klog.SetLogger(zl) // client-go's own lines, leader election among them.
	log := logging.NewLogrLogger(zl)

	cfg, err := findAPIServer()
	if err != nil {
		return err
	}
	gated, err := maySeeCRDs(ctx, cfg, o.packaged())
	if err != nil {
		return err
	}
	mgr, err := newManager(cfg, o, gated)
	if err != nil {
		return err
	}
	if err := checkNamespace(ctx, mgr.GetAPIReader(), o.namespace); err != nil {
		return err
	}
	if err := sayMissing(ctx, cfg, o, log); err != nil {
		log.Info("Cannot tell which rights are missing", "error", err.Error())
	}
	controllers, err := withMetrics(o.forControllers(log))
	if err != nil {
		return err
	}
	setup := controller.Setup
	if gated {
		setup = controller.SetupGated
	}
	if err := setup(mgr, controllers, o.forProvisioning()); err != nil {
		return err
	}
	log.Info("Starting", "version", version.String(), "namespace", o.namespace, "all-namespaces", o.allNamespaces, "gated", gated, "poll-interval", o.pollInterval.String())
	return errors.Wrap(mgr.Start(ctx), "cannot go on")
}

// level of what is logged.
func (o *options) level() zapcore.Level {
	if o.debug {
		return zapcore.DebugLevel
	}
	return zapcore.InfoLevel
}
