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

// Command kubeopera-api serves the provisioning API.
package main

import (
	"context"
	"flag"
	"fmt"
	"net"
	"os"

	"go.uber.org/zap/zapcore"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client/config"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/logging"

	"github.com/kubeopera/provider-kubeopera/internal/version"
	"github.com/kubeopera/provider-kubeopera/internal/web"
)

// Requests a second to the API server: one of ours makes two to eight. Beyond, they wait.
const (
	perSecond = 100
	burst     = 200
)

func main() {
	o, err := parse(os.Args[1:], os.Getenv, os.Stderr)
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err == nil {
		ctx := ctrl.SetupSignalHandler()
		var l net.Listener
		if l, err = (&net.ListenConfig{}).Listen(ctx, "tcp", o.address); err == nil {
			err = run(ctx, o, l)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "kubeopera-api:", err)
		os.Exit(1)
	}
}

// run serves until the context ends.
func run(ctx context.Context, o options, l net.Listener) error {
	level := zapcore.InfoLevel
	if o.debug {
		level = zapcore.DebugLevel
	}
	zl := zap.New(zap.UseDevMode(o.environment == development), zap.Level(level))
	ctrl.SetLogger(zl)
	klog.SetLogger(zl)
	log := logging.NewLogrLogger(zl)

	cfg, err := config.GetConfig()
	if err != nil {
		return errors.Wrap(err, "cannot find the API server: set --kubeconfig or $KUBECONFIG")
	}
	cfg.QPS, cfg.Burst = perSecond, burst
	cfg.UserAgent = "kubeopera-api/" + version.String()
	h, err := web.New(ctx, cfg, web.Options{
		Namespace: o.namespace, JobNamespace: o.jobNamespace, Audiences: o.accepted(), MaxStreams: o.streams, MaxStreamsEach: o.streamsEach,
	}, log)
	if err != nil {
		return err
	}
	log.Info("Serving", "version", version.String(), "address", l.Addr().String(), "namespace", o.namespace, "tls", o.certificate != "")
	return web.Server{Handler: h, Certificate: o.certificate, Key: o.key, Log: log}.Serve(ctx, l)
}
