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

package executor

import (
	"cmp"
	"context"
	"os"
	"sync"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/fault"
	"github.com/kubeopera/provider-kubeopera/internal/terraform/run"
)

// Jobs executes runs as Kubernetes Jobs of one namespace. It asks for no more
// rights there than the Role of cluster/install/provisioning has.
type Jobs struct {
	store

	namespace string
	// pods reads logs.
	pods kubernetes.Interface
	max  int
	// starting guards the count of the running Jobs until the next one is there.
	starting *sync.Mutex
	environ  func() []string
	clock    clock.PassiveClock
}

var _ Executor = &Jobs{}

// JobOptions of an executor of Jobs.
type JobOptions struct {
	// Namespace of the Jobs.
	Namespace string
	// Bundle is the command that adds the rights to run Jobs, Bundle by default.
	Bundle string
	// MaxRuns is the number of Jobs that run at the same time.
	MaxRuns int
	// Starting is shared by all executors of a process.
	Starting *sync.Mutex
	// Environ of the provider, os.Environ by default.
	Environ func() []string
	// Clock, the real one by default.
	Clock clock.PassiveClock
}

// NewJobs returns an executor of Jobs. The reader must have no cache. Without
// pods there are no logs.
func NewJobs(kube client.Client, live client.Reader, pods kubernetes.Interface, o JobOptions) *Jobs {
	j := &Jobs{
		store: store{live: live, kube: kube, bundle: cmp.Or(o.Bundle, Bundle)}, namespace: o.Namespace, pods: pods,
		max: o.MaxRuns, starting: o.Starting, environ: o.Environ, clock: o.Clock,
	}
	if j.environ == nil {
		j.environ = os.Environ
	}
	if j.clock == nil {
		j.clock = clock.RealClock{}
	}
	if j.starting == nil {
		j.starting = &sync.Mutex{}
	}
	return j
}

// Look at a cluster's record, Jobs, pods and report. The report is read last,
// so that it is there for a Job that was seen to have ended.
func (j *Jobs) Look(ctx context.Context, c Cluster) (Seen, error) {
	jobs, err := j.jobs(ctx, c)
	if err != nil {
		return Seen{}, err
	}
	pods := &corev1.PodList{}
	of := client.MatchingLabels{v1alpha1.LabelHostCluster: c.ID, run.LabelNamespace: c.Namespace}
	if err := j.live.List(ctx, pods, client.InNamespace(j.namespace), of); err != nil {
		return Seen{}, j.explain(err, j.namespace, "list pods")
	}
	seen, err := j.look(ctx, j.namespace, c)
	if err != nil {
		return seen, err
	}
	if seen.Credentials, err = j.credentials(ctx, j.namespace, c); err != nil {
		return seen, err
	}
	wanted := ""
	if seen.Record != nil {
		wanted = seen.Record.Spec.ID
	}
	seen.Execution = executionOf(wanted, jobs, pods.Items, j.clock.Now(), j.bundle)
	return seen, nil
}

// jobs of a cluster that are there, whichever action they do.
func (j *Jobs) jobs(ctx context.Context, c Cluster) ([]batchv1.Job, error) {
	var jobs []batchv1.Job
	for _, a := range []run.Action{run.Apply, run.Destroy} {
		job := batchv1.Job{}
		err := j.live.Get(ctx, types.NamespacedName{Namespace: j.namespace, Name: run.JobName(a, c.ID)}, &job)
		switch {
		case kerrors.IsNotFound(err):
			continue
		case err != nil:
			return nil, j.explain(err, j.namespace, "get jobs")
		}
		if err := owned(c, "Job", &job); err != nil {
			return nil, err
		}
		jobs = append(jobs, job)
	}
	return jobs, nil
}

// Record a run before it starts.
func (j *Jobs) Record(ctx context.Context, c Cluster, r Record) error {
	if err := withoutPasswords(PassedOn(j.environ())); err != nil {
		return err
	}
	return j.record(ctx, j.namespace, c, r)
}

// Supply the Secret that the Job mounts.
func (j *Jobs) Supply(ctx context.Context, c Cluster, s Setup) error {
	return j.supply(ctx, j.namespace, c, s.Credentials)
}

// Clear deletes finished Jobs, with their pods first, so that a Job which is
// gone has left none.
func (j *Jobs) Clear(ctx context.Context, _ Cluster, e Execution) error {
	for _, l := range e.Left {
		if l.Deleting {
			continue
		}
		uid := types.UID(l.UID)
		job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: j.namespace, Name: l.Name}}
		err := j.kube.Delete(ctx, job, client.PropagationPolicy(metav1.DeletePropagationForeground), client.Preconditions{UID: &uid})
		if err := client.IgnoreNotFound(err); err != nil {
			return j.explain(err, j.namespace, "delete jobs")
		}
	}
	return nil
}

// Start creates the Job of a run. One that is there is taken for what it is
// when we look again.
func (j *Jobs) Start(ctx context.Context, c Cluster, r Record, s Setup) error {
	env := PassedOn(j.environ())
	if err := withoutPasswords(env); err != nil {
		return err
	}

	j.starting.Lock()
	defer j.starting.Unlock()
	n, err := j.Running(ctx)
	if err != nil {
		return err
	}
	if n >= j.max {
		return Queued(n, j.max)
	}
	err = j.kube.Create(ctx, Job(j.namespace, c, r, s, env))
	if kerrors.IsAlreadyExists(err) {
		return nil
	}
	return j.explain(err, j.namespace, "create jobs")
}

// Queued is what a run gets for which there is no room yet.
func Queued(running, limit int) error {
	return fault.Newf(fault.Waiting, "Queued: %d of at most %d runs are going on", running, limit)
}

// Running counts the Jobs of all clusters that have not finished.
func (j *Jobs) Running(ctx context.Context) (int, error) {
	l := &batchv1.JobList{}
	err := j.live.List(ctx, l, client.InNamespace(j.namespace), client.MatchingLabels{v1alpha1.LabelManagedBy: v1alpha1.ManagedBy})
	if err != nil {
		return 0, j.explain(err, j.namespace, "list jobs")
	}
	n := 0
	for i := range l.Items {
		if !finished(&l.Items[i]) {
			n++
		}
	}
	return n, nil
}

// Unsaved names the Secret with a state that is nowhere else.
func (j *Jobs) Unsaved(ctx context.Context, c Cluster) (string, error) {
	return j.unsaved(ctx, j.namespace, c)
}

// Forget the credentials and the record. The Jobs are cleared before.
func (j *Jobs) Forget(ctx context.Context, c Cluster) error { return j.forget(ctx, j.namespace, c) }

// ForgetReport removes the Secret with the report.
func (j *Jobs) ForgetReport(ctx context.Context, c Cluster) error {
	return j.forgetReport(ctx, j.namespace, c)
}
