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

// demo shows what this provider does: it starts a sandbox, connects its target cluster by
// examples/hostcluster-connect.yaml, prints each phase as it comes, and stays until Ctrl-C.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/hack/sandbox"
)

// pollInterval is how long a phase is at most before it is seen.
const pollInterval = 100 * time.Millisecond

func main() {
	sandbox.Main()
	exit := flag.Bool("exit", false, "end once the HostCluster is Ready, or with an error after the timeout")
	provision := flag.Bool("provision", false, "make a cluster in a stand-in for a cloud, instead of connecting one")
	dir := flag.String("dir", ".sandbox", "`directory` of everything that it writes; one demo at a time can have it")
	timeout := flag.Duration("timeout", 5*time.Minute, "how long the HostCluster may take for each thing, with -exit")
	flag.Parse()

	sandbox.EndWithParent()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	d := demo{begin: time.Now(), exit: *exit, dir: *dir, timeout: *timeout}
	do := d.run
	if *provision {
		do = d.runProvision
	}
	err := do(ctx)
	if ctx.Err() != nil && !d.exit {
		err = nil // Ctrl-C is how it ends
	}
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

type demo struct {
	begin   time.Time
	exit    bool
	dir     string
	timeout time.Duration
}

// say prints a line with the time since the demo began.
func (d demo) say(line string) {
	fmt.Printf("%7.1fs  %s\n", time.Since(d.begin).Seconds(), line)
}

// start starts a sandbox.
func (d demo) start(ctx context.Context, opts sandbox.Options) (*sandbox.Sandbox, error) {
	dir, err := filepath.Abs(d.dir)
	if err != nil {
		return nil, errors.Wrap(err, "cannot find the working directory")
	}
	opts.Dir, opts.Log = dir, d.say
	return sandbox.Start(ctx, opts)
}

func (d demo) run(ctx context.Context) error {
	s, err := d.start(ctx, sandbox.Options{
		TargetKubeconfig: os.Getenv("DEMO_TARGET_KUBECONFIG"), GitAddress: os.Getenv("DEMO_GIT_ADDRESS"),
	})
	if err != nil {
		return err
	}
	defer s.Stop()
	provider, err := s.StartProvider()
	if err != nil {
		return err
	}
	defer provider.Stop(context.WithoutCancel(ctx))
	d.explain(s, s.ProviderLog())

	hc, err := s.Connect(ctx, filepath.Join("examples", "hostcluster-connect.yaml"))
	if err != nil {
		return err
	}
	d.say("applied examples/hostcluster-connect.yaml, with the sandbox's Git repository in it")
	if err := d.follow(ctx, s, hc, provider); err != nil || d.exit {
		return err
	}
	d.say("everything stays as it is until Ctrl-C")
	select {
	case <-ctx.Done():
		return nil
	case <-provider.Done():
		return errors.Errorf("provider ended: see %s", s.ProviderLog())
	}
}

// explain prints where everything is.
func (d demo) explain(s *sandbox.Sandbox, log string) {
	target := "export KUBECONFIG=" + s.Path(sandbox.TargetKubeconfig)
	if s.Cloud != nil {
		target = "is made first; its kubeconfig is named then"
	}
	fmt.Printf(`
  Management cluster  export KUBECONFIG=%s
  Target cluster      %s
  Git repository      %s
    from this machine GIT_SSL_CAINFO=%s GIT_CONFIG_GLOBAL=%s git clone %s
    as files          git -C %s log --stat
  Provider's log      %s

  Look around with    kubectl get hostclusters -A
                      kubectl describe hostcluster -n %s
                      kubectl get kubeopera -n %[9]s

`, s.Path(sandbox.ManagementKubeconfig), target, s.Git.URL,
		s.Git.CAFile, s.Git.ConfigFile, s.Git.LocalURL, s.Git.Dir, log, v1alpha1.PlatformNamespace)
}

// follow prints the HostCluster's progress until it is Ready. The provider is nil if it is a pod.
func (d demo) follow(ctx context.Context, s *sandbox.Sandbox, hc *v1alpha1.HostCluster, provider *sandbox.Provider) error {
	if d.exit {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, d.timeout)
		defer cancel()
	}
	key := client.ObjectKeyFromObject(hc)
	var last string
	err := wait.PollUntilContextCancel(ctx, pollInterval, true, func(ctx context.Context) (bool, error) {
		if provider.Ended() {
			return false, errors.Errorf("provider ended: see %s", s.ProviderLog())
		}
		if err := s.Management.Client.Get(ctx, key, hc); err != nil {
			return false, errors.Wrap(err, "cannot get the HostCluster")
		}
		if line := progress(hc); line != last {
			last = line
			d.say(line)
		}
		return sandbox.Ready(hc), nil
	})
	if err == nil {
		return nil
	}
	// The context may be what ended it.
	look, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	return errors.Errorf("HostCluster %s is not Ready (%v):\n  %s", hc.GetName(), err, strings.Join(s.Stuck(look, key), "\n  "))
}

// progress is a line about a HostCluster: its phase, and what it says about it.
func progress(hc *v1alpha1.HostCluster) string {
	if hc.Status.Phase == "" {
		return "(no phase yet)"
	}
	return strings.TrimSpace(fmt.Sprintf("%-21s %s", hc.Status.Phase, hc.Status.Message))
}
