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

// Command terraform-runner does one Terraform run, as the run directory says:
//
//	terraform-runner [run] [flags]    the run itself
//	terraform-runner modules [flags]  clone the modules that the run takes from a repository, before it
//
// It exits with 0 after a success, 1 after a failure that the run's Secret
// explains, and 2 if nobody could be told.
package main

import (
	"context"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/kubeopera/provider-kubeopera/internal/terraform/modules"
	"github.com/kubeopera/provider-kubeopera/internal/terraform/run"
	"github.com/kubeopera/provider-kubeopera/internal/terraform/runner"
)

// usage is the exit code after flags that are wrong, as flag has it.
const usage = 2

func main() { os.Exit(program(os.Args[1:], modules.Files)) }

func program(args []string, builtIn fs.FS) int {
	command, rest := "run", args
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		command, rest = args[0], args[1:]
	}
	o, asInit, err := parse(rest)
	if err != nil {
		return usage
	}
	o.Modules = builtIn
	if asInit {
		code, err := runner.Init(append(append([]string{command}, rest...), "--init=false"))
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return runner.Unknown
		}
		return code
	}
	if o.Secrets, err = runner.NewKubeSecrets(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return runner.Unknown
	}
	ctx := interruptible()
	switch command {
	case "run":
		return runner.Run(ctx, o)
	case "modules":
		return runner.RunModules(ctx, o)
	default:
		fmt.Fprintf(os.Stderr, "unknown command %q: it is run or modules\n", command)
		return usage
	}
}

// parse reads the flags. asInit tells whether to be the first process of a container only.
func parse(args []string) (o runner.Options, asInit bool, err error) {
	o = runner.Options{
		Out: os.Stdout, Times: runner.DefaultTimes(), Redacted: runner.SecretsIn(os.Getenv),
		Cloud: runner.NewCloud,
	}
	f := flag.NewFlagSet("terraform-runner", flag.ContinueOnError)
	f.StringVar(&o.RunDir, "run-dir", run.InputDir, "directory with "+run.SpecFile+" and "+run.ConfigFile)
	f.StringVar(&o.WorkDir, "work-dir", run.WorkDir, "directory where OpenTofu works")
	f.StringVar(&o.RescueDir, "rescue-dir", run.RescueDir, "directory with "+run.RescueKey+", if there is one")
	f.StringVar(&o.Tofu, "tofu", "tofu", "OpenTofu or Terraform, by its path or a name to look for in PATH")
	f.DurationVar(&o.Run, "timeout", o.Run, "how long OpenTofu may take before it is interrupted")
	f.DurationVar(&o.Grace, "grace", o.Grace, "how long OpenTofu may take to stop after an interrupt")
	f.DurationVar(&o.Earlier, "earlier-run-timeout", o.Earlier, "how long to wait for an earlier run on this host to end")
	f.DurationVar(&o.Poll, "poll-interval", o.Poll, "time between two looks for a vanilla cluster's kubeconfig")
	f.DurationVar(&o.PollFor, "poll-timeout", o.PollFor, "how long to look for a vanilla cluster's kubeconfig")
	f.DurationVar(&o.Sweep, "sweep-interval", o.Sweep, "time between two looks for load balancers and volumes that the cluster's controllers left")
	f.DurationVar(&o.PushFor, "push-timeout", o.PushFor, "how long to try again to write a state to its bucket")
	f.DurationVar(&o.Publish, "publish-interval", o.Publish, "shortest time between two reports")
	f.DurationVar(&o.PublishFor, "publish-timeout", o.PublishFor, "how long to try to report the end of the run")
	f.DurationVar(&o.Backoff, "backoff", o.Backoff, "first pause before something is tried again")
	f.BoolVar(&asInit, "init", os.Getpid() == 1, "reap orphans and hand on one signal, as the first process of a container has to")
	err = f.Parse(args)
	return o, asInit, err
}

// interruptible returns a context that ends with the first SIGTERM or SIGINT.
// Later ones do nothing.
func interruptible() context.Context {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT)
	go func() {
		<-signals
		cancel(runner.Interrupt())
	}()
	return ctx
}
