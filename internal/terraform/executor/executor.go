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

// Package executor starts Terraform runs and looks after them. A run is
// recorded before it starts, and reports by itself, so whoever looks learns how
// it stands from what is there: the record, the execution, and the report.
//
//	record     ConfigMap provision-<id> (a Secret where runs are child
//	           processes): run.json and main.tf.json, and in its annotations
//	           what the next run has to know of this one
//	execution  a Job with its pods, or a child process of the provider
//	report     Secret provision-<id>-outputs, which terraform-runner writes
package executor

import (
	"context"
	"io"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/terraform/run"
)

// A Cluster is whose runs are meant.
type Cluster struct {
	// ID of the cluster.
	ID string
	// Namespace of its ProvisionedCluster.
	Namespace string
	// Owner tells it from every other cluster, as in run.Spec; empty as long
	// as it is not known.
	Owner string
}

// A Record is a run that was fixed before it started, and what the one after
// it has to know.
type Record struct {
	Spec run.Spec
	// Config is the rendered configuration.
	Config []byte
	// Number of the run, counted from 1.
	Number int
	// Failures of the same thing in a row, before this run.
	Failures int
	// Inputs is a digest of what else than the configuration may make a run
	// fail: the ProviderConfig and its credentials.
	Inputs string
	// Request is a digest of what was asked for, as the user wrote it. The same
	// request may be rendered otherwise by another release of the provider.
	Request string
	// Applied is the revision that the last successful apply before this run
	// has brought about. Empty if there was none.
	Applied string

	// version of the ConfigMap.
	version string
}

// An Execution is what was seen of the Jobs or the process of a cluster.
type Execution struct {
	// RunID of the execution; empty if there is none.
	RunID string
	// Running says that something still works, be it of this run or of an
	// earlier one.
	Running bool
	// Trouble says why it does not get on, or why it ended. Empty if it is well.
	Trouble string
	// Ended is when it ended, if it did.
	Ended time.Time
	// Left are finished Jobs that a new one has to replace.
	Left []Leftover
	// Holders are the hosts that have provably ended.
	Holders []string
}

// A Leftover is a finished Job, and whether it is being deleted.
type Leftover struct {
	Name     string
	UID      string
	Deleting bool
}

// Seen is what there is of a cluster's runs.
type Seen struct {
	// Record of the present or last run; nil if there is none.
	Record *Record
	// Execution of the present or last run.
	Execution Execution
	// Status that the last run reported; nil if none did.
	Status *run.Status
	// Outputs of the last successful apply: the keys of package run, without
	// the status.
	Outputs map[string][]byte
	// Credentials that are there for the run; nil if there are none.
	Credentials map[string][]byte
	// Inline says that credentials are handed over by Start, and not before.
	Inline bool
}

// A Setup is how a run is executed. The record does not hold it.
type Setup struct {
	// Image of terraform-runner, for Jobs.
	Image string
	// Resources of a Job's container.
	Resources *corev1.ResourceRequirements
	// Credentials are the files of run.CredentialsDir.
	Credentials map[string][]byte
	// Env returns the variables that name these files, in a directory.
	Env func(credentialsDir string) map[string]string
	// PassOn names further variables of the provider that lead to its own
	// identity. A child process gets them; a Job's pod has its own.
	PassOn []string
}

// LogOptions say which part of a log is wanted.
type LogOptions struct {
	// Follow goes on until the run ends.
	Follow bool
	// Tail is the number of the last lines; all of them if it is 0.
	Tail int64
}

// An Executor starts runs. Every method does no harm when it is done twice, or
// by two processes at the same time. Errors are faults: Denied if rights are
// missing, Conflict if an object belongs to another cluster.
type Executor interface {
	// Look at what is there. It writes nothing.
	Look(ctx context.Context, c Cluster) (Seen, error)
	// Record fixes a run before it starts, over the record that was seen.
	Record(ctx context.Context, c Cluster, r Record) error
	// Supply the credentials of the recorded run.
	Supply(ctx context.Context, c Cluster, s Setup) error
	// Clear deletes what ended executions have left, without waiting.
	Clear(ctx context.Context, c Cluster, e Execution) error
	// Start the recorded run. It is Waiting if enough others are running.
	Start(ctx context.Context, c Cluster, r Record, s Setup) error
	// Unsaved says where the only copy of a state is that could not be written
	// to its bucket; empty if there is none. Forget would remove it.
	Unsaved(ctx context.Context, c Cluster) (string, error)
	// Forget removes the record and what belongs to it, but for the report.
	Forget(ctx context.Context, c Cluster) error
	// ForgetReport removes the report, the last trace of a cluster.
	ForgetReport(ctx context.Context, c Cluster) error
	// Logs of the present or last run.
	Logs(ctx context.Context, c Cluster, o LogOptions) (io.ReadCloser, error)
	// Running counts the runs that are going on.
	Running(ctx context.Context) (int, error)
}

// Final tells whether the recorded run has reported how it ended.
func (s Seen) Final() bool {
	return s.Reports() && (s.Status.Phase == v1alpha1.RunSucceeded || s.Status.Phase == v1alpha1.RunFailed)
}

// Reports tells whether the report is the recorded run's.
func (s Seen) Reports() bool {
	return s.Record != nil && s.Status != nil && s.Status.RunID == s.Record.Spec.ID
}
