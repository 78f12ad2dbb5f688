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
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/internal/controller/provisionedcluster"
)

// defaults are the options of an empty command line.
func defaults() options {
	return options{
		environment: "production", namespace: "kubeopera-system", probeAddress: ":8081", metricsAddress: ":8080", pprofAddress: "0",
		pollInterval: time.Minute, pollJitter: 0.1, maxReconcileRate: 100, maxConcurrentReconciles: 10, syncTimeout: 2 * time.Minute,
		maxRuns: 10, runnerImage: provisionedcluster.DefaultRunnerImage(), jobNamespace: "kubeopera-provisioning",
	}
}

func with(change func(o *options)) options {
	o := defaults()
	change(&o)
	return o
}

func TestParse(t *testing.T) {
	cases := map[string]struct {
		reason string
		args   []string
		env    map[string]string
		want   options
	}{
		"Defaults": {reason: "Everything has a default.", want: defaults()},
		"Flags": {
			reason: "Every flag is taken.",
			args: []string{
				"--environment=development", "--namespace=other", "--health-probe-bind-address=:1", "--metrics-bind-address=0", "--pprof-bind-address=:2", "--leader-election",
				"--poll-interval=10s", "--poll-jitter=0.5", "--max-reconcile-rate=7", "--max-concurrent-reconciles=3", "--sync-timeout=5s", "--debug",
				"--cluster-provider-configs", "--max-runs=2", "--runner-image=i", "--job-namespace=jobs", "--modules-repo-url=https://git", "--modules-repo-ref=v1",
				"--runner-path=/r", "--local-run-dir=/d",
			},
			want: options{
				environment: "development", namespace: "other", probeAddress: ":1", metricsAddress: "0", pprofAddress: ":2", leaderElection: true,
				pollInterval: 10 * time.Second, pollJitter: 0.5, maxReconcileRate: 7, maxConcurrentReconciles: 3, syncTimeout: 5 * time.Second, debug: true,
				clusterProviderConfigs: true, maxRuns: 2, runnerImage: "i", jobNamespace: "jobs", modulesRepoURL: "https://git", modulesRepoRef: "v1", runnerPath: "/r", localRunDir: "/d",
			},
		},
		"Environment": {
			reason: "Every flag has a variable.",
			env: map[string]string{
				"ENVIRONMENT": "development", "POD_NAMESPACE": "other", "HEALTH_PROBE_BIND_ADDRESS": ":1", "METRICS_BIND_ADDRESS": "0", "PPROF_BIND_ADDRESS": ":2", "LEADER_ELECTION": "true",
				"POLL_INTERVAL": "10s", "POLL_JITTER": "0.5", "MAX_RECONCILE_RATE": "7", "MAX_CONCURRENT_RECONCILES": "3", "SYNC_TIMEOUT": "5s", "DEBUG": "true",
				"CLUSTER_PROVIDER_CONFIGS": "true", "MAX_RUNS": "2", "TERRAFORM_RUNNER_IMAGE": "i", "JOB_NAMESPACE": "jobs", "MODULES_REPO_URL": "https://git", "MODULES_REPO_REF": "v1",
				"RUNNER_PATH": "/r", "LOCAL_RUN_DIR": "/d",
			},
			want: options{
				environment: "development", namespace: "other", probeAddress: ":1", metricsAddress: "0", pprofAddress: ":2", leaderElection: true,
				pollInterval: 10 * time.Second, pollJitter: 0.5, maxReconcileRate: 7, maxConcurrentReconciles: 3, syncTimeout: 5 * time.Second, debug: true,
				clusterProviderConfigs: true, maxRuns: 2, runnerImage: "i", jobNamespace: "jobs", modulesRepoURL: "https://git", modulesRepoRef: "v1", runnerPath: "/r", localRunDir: "/d",
			},
		},
		"FlagWins": {
			reason: "The command line is nearer than the environment.",
			args:   []string{"--namespace=flag"}, env: map[string]string{"POD_NAMESPACE": "env"},
			want: with(func(o *options) { o.namespace = "flag" }),
		},
		"OneDash": {reason: "Go's own spelling.", args: []string{"-debug"}, want: with(func(o *options) { o.debug = true })},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := parse(tc.args, func(k string) string { return tc.env[k] }, io.Discard)
			if err != nil {
				t.Fatalf("%s\nparse(...): %v", tc.reason, err)
			}
			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(options{})); diff != "" {
				t.Errorf("%s\nparse(...) (-want, +got):\n%s", tc.reason, diff)
			}
		})
	}
}

func TestParseRefuses(t *testing.T) {
	cases := map[string]struct {
		args []string
		env  map[string]string
		want string
	}{
		"UnknownFlag":   {args: []string{"--nonsense"}, want: "nonsense"},
		"Argument":      {args: []string{"start"}, want: `cannot use argument "start"`},
		"BadVariable":   {env: map[string]string{"POLL_INTERVAL": "often"}, want: "cannot use environment variable POLL_INTERVAL"},
		"Environment":   {args: []string{"--environment=staging"}, want: "--environment=staging"},
		"Namespace":     {args: []string{"--namespace="}, want: "--namespace="},
		"PollInterval":  {args: []string{"--poll-interval=0s"}, want: "--poll-interval=0s"},
		"PollJitter":    {args: []string{"--poll-jitter=2"}, want: "--poll-jitter=2"},
		"ReconcileRate": {args: []string{"--max-reconcile-rate=0"}, want: "--max-reconcile-rate=0"},
		"Concurrency":   {args: []string{"--max-concurrent-reconciles=-1"}, want: "--max-concurrent-reconciles=-1"},
		"MaxRuns":       {args: []string{"--max-runs=0"}, want: "--max-runs=0"},
		"JobNamespace":  {args: []string{"--job-namespace=a/b"}, want: "--job-namespace=a/b"},
		"ModulesRef":    {args: []string{"--modules-repo-url=https://git"}, want: "cannot use --modules-repo-url without --modules-repo-ref"},
		"SyncTimeout":   {args: []string{"--sync-timeout=1ms"}, want: "--sync-timeout=1ms"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := parse(tc.args, func(k string) string { return tc.env[k] }, io.Discard)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("parse(%q): got %v, want an error with %q", tc.args, err, tc.want)
			}
		})
	}
}

func TestHelpNamesEveryVariable(t *testing.T) {
	var help strings.Builder
	_, err := parse([]string{"--help"}, func(string) string { return "" }, &help)
	if !errors.Is(err, flag.ErrHelp) {
		t.Errorf("parse(--help): got %v, want %v", err, flag.ErrHelp)
	}
	for _, want := range []string{"--namespace namespace", "[$POD_NAMESPACE]", "[$ENVIRONMENT]", "(default 1m0s)", "--kubeconfig"} {
		if !strings.Contains(help.String(), want) {
			t.Errorf("help does not contain %q:\n%s", want, help.String())
		}
	}
}
