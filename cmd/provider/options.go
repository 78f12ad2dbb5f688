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

package main

import (
	"flag"
	"io"
	"os"
	"time"

	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/controller-runtime/pkg/client/config"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/controller/provisionedcluster"
	"github.com/kubeopera/provider-kubeopera/internal/flags"
)

// Values of --environment.
const (
	production  = "production"
	development = "development"
)

// runnerImageFlag is a flag whose variable is called as the product's documents have it.
const runnerImageFlag = "runner-image"

// options are what the command line and the environment say.
type options struct {
	environment             string
	namespace               string
	allNamespaces           bool
	probeAddress            string
	metricsAddress          string
	pprofAddress            string
	leaderElection          bool
	pollInterval            time.Duration
	pollJitter              float64
	maxReconcileRate        int
	maxConcurrentReconciles int
	syncTimeout             time.Duration
	debug                   bool

	clusterProviderConfigs bool
	maxRuns                int
	runnerImage            string
	jobNamespace           string
	modulesRepoURL         string
	modulesRepoRef         string
	runnerPath             string
	localRunDir            string
}

// flags returns the flag set that fills the options. Its values are the defaults.
func (o *options) flags() *flag.FlagSet {
	fs := flag.NewFlagSet("provider", flag.ContinueOnError)
	fs.StringVar(&o.environment, "environment", production, "`mode` of logging: production (JSON) or development (for people)")
	fs.StringVar(&o.namespace, "namespace", v1alpha1.PlatformNamespace, "`namespace` that is watched; nothing outside it is read")
	fs.BoolVar(&o.allNamespaces, "all-namespaces", false, "watch all namespaces, which takes rights in all of them; --namespace is where the lease is")
	fs.StringVar(&o.probeAddress, "health-probe-bind-address", ":8081", "`address` of /healthz and /readyz; 0 for none")
	fs.StringVar(&o.metricsAddress, "metrics-bind-address", ":8080", "`address` of /metrics; 0 for none")
	fs.StringVar(&o.pprofAddress, "pprof-bind-address", "0", "`address` of Go's profiles, for those who look for memory or time; 0 for none")
	fs.BoolVar(&o.leaderElection, "leader-election", false, "let only one of several replicas work")
	fs.DurationVar(&o.pollInterval, "poll-interval", time.Minute, "`time` between two looks at what is ready")
	fs.Float64Var(&o.pollJitter, "poll-jitter", 0.1, "largest `part` of the poll interval, 0 to 1, by which looks are spread")
	fs.IntVar(&o.maxReconcileRate, "max-reconcile-rate", 100, "`number` of reconciles a second of all controllers together")
	fs.IntVar(&o.maxConcurrentReconciles, "max-concurrent-reconciles", 10, "`number` of objects of one kind that are worked on at the same time")
	fs.DurationVar(&o.syncTimeout, "sync-timeout", 2*time.Minute, "`time` that the caches may take to fill; then the provider ends with what is missing")
	fs.BoolVar(&o.debug, "debug", false, "log more")
	fs.BoolVar(&o.clusterProviderConfigs, "cluster-provider-configs", false, "use ClusterProviderConfigs, too, which needs the right to read them and the Secrets that they name")
	fs.IntVar(&o.maxRuns, "max-runs", provisionedcluster.DefaultMaxRuns, "`number` of Terraform runs that go on at the same time; those beyond wait")
	fs.StringVar(&o.runnerImage, runnerImageFlag, provisionedcluster.DefaultRunnerImage(), "`image` of terraform-runner, where a ProviderConfig names none")
	fs.StringVar(&o.jobNamespace, "job-namespace", v1alpha1.ProvisioningNamespace, "`namespace` of Terraform's Jobs, where a ProviderConfig names no other")
	fs.StringVar(&o.modulesRepoURL, "modules-repo-url", "", "`URL` of a Git repository with Terraform modules instead of those built in, where a ProviderConfig names none")
	fs.StringVar(&o.modulesRepoRef, "modules-repo-ref", "", "`ref` of it to check out: a branch, tag or commit")
	fs.StringVar(&o.runnerPath, "runner-path", "", "`path` of terraform-runner for runs as child processes (default: beside this program)")
	fs.StringVar(&o.localRunDir, "local-run-dir", "", "`directory` of such runs (default: in the user's cache directory)")
	config.RegisterFlags(fs) // --kubeconfig
	return fs
}

// environment returns the variable that stands for a flag.
func environment(flagName string) string {
	if flagName == runnerImageFlag {
		return "TERRAFORM_RUNNER_IMAGE"
	}
	return flags.Variable(flagName)
}

// parse reads the options: the command line wins over the environment, and that over the defaults. The error names
// the flag or the variable that is wrong. out takes the help.
func parse(args []string, getenv func(string) string, out io.Writer) (options, error) {
	o := options{}
	if err := flags.Parse(o.flags(), args, getenv, environment, out); err != nil {
		return o, err
	}
	err := o.validate()
	return o, err
}

// watched are the namespaces that are watched; none stands for all.
func (o *options) watched() []string {
	if o.allNamespaces {
		return nil
	}
	return []string{o.namespace}
}

// validate refuses what would only show later, or never.
func (o *options) validate() error {
	switch {
	case o.environment != production && o.environment != development:
		return errors.Errorf("cannot use --environment=%s: it must be %s or %s", o.environment, production, development)
	case len(validation.IsDNS1123Label(o.namespace)) > 0:
		return errors.Errorf("cannot use --namespace=%s: it must be the name of a namespace", o.namespace)
	case o.pollInterval < time.Second:
		return errors.Errorf("cannot use --poll-interval=%s: it must be at least 1s", o.pollInterval)
	case o.pollJitter < 0 || o.pollJitter > 1:
		return errors.Errorf("cannot use --poll-jitter=%g: it must be from 0 to 1", o.pollJitter)
	case o.maxReconcileRate < 1:
		return errors.Errorf("cannot use --max-reconcile-rate=%d: it must be at least 1", o.maxReconcileRate)
	case o.maxConcurrentReconciles < 1:
		return errors.Errorf("cannot use --max-concurrent-reconciles=%d: it must be at least 1", o.maxConcurrentReconciles)
	case o.syncTimeout < time.Second:
		return errors.Errorf("cannot use --sync-timeout=%s: it must be at least 1s", o.syncTimeout)
	case o.maxRuns < 1:
		return errors.Errorf("cannot use --max-runs=%d: it must be at least 1", o.maxRuns)
	case len(validation.IsDNS1123Label(o.jobNamespace)) > 0:
		return errors.Errorf("cannot use --job-namespace=%s: it must be the name of a namespace", o.jobNamespace)
	case (o.modulesRepoURL == "") != (o.modulesRepoRef == ""):
		return errors.New("cannot use --modules-repo-url without --modules-repo-ref, or the other way round: what runs must be known")
	}
	return nil
}

// fromProcess reads the options of this process.
func fromProcess() (options, error) { return parse(os.Args[1:], os.Getenv, os.Stderr) }
