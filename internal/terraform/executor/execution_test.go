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
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubeopera/provider-kubeopera/internal/terraform/run"
)

func TestExecutionOf(t *testing.T) {
	now := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	job := func(id string, end batchv1.JobConditionType) batchv1.Job {
		j := batchv1.Job{ObjectMeta: metav1.ObjectMeta{
			Name: "provision-a", Namespace: "jobs", UID: "u-" + "1", Labels: map[string]string{run.LabelRun: id}, CreationTimestamp: metav1.NewTime(now.Add(-time.Minute)),
		}}
		if end != "" {
			j.Status.Conditions = []batchv1.JobCondition{{Type: end, Status: corev1.ConditionTrue, LastTransitionTime: metav1.NewTime(now), Reason: "BackoffLimitExceeded"}}
		}
		return j
	}
	deleted := job("1", batchv1.JobFailed)
	deleted.DeletionTimestamp = &metav1.Time{Time: now}
	pod := func(id string, phase corev1.PodPhase, s ...corev1.ContainerState) corev1.Pod {
		p := corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Name: "provision-a-" + id, Labels: map[string]string{run.LabelRun: id}},
			Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: runnerContainer}}},
			Status:     corev1.PodStatus{Phase: phase},
		}
		for _, state := range s {
			p.Status.ContainerStatuses = append(p.Status.ContainerStatuses, corev1.ContainerStatus{Name: runnerContainer, State: state})
		}
		return p
	}
	exited := func(code int32, reason string) corev1.ContainerState {
		return corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: code, Reason: reason}}
	}
	says := func(s corev1.ContainerState, words string) corev1.ContainerState {
		s.Terminated.Message = words
		return s
	}
	works := corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}
	left := []Leftover{{Name: "provision-a", UID: "u-1"}}

	cases := map[string]struct {
		reason string
		wanted string
		jobs   []batchv1.Job
		pods   []corev1.Pod
		want   Execution
	}{
		"Nothing": {reason: "There was no run yet.", want: Execution{}},
		"Runs": {
			"The wanted run's pod works.", "1",
			[]batchv1.Job{job("1", "")},
			[]corev1.Pod{pod("1", corev1.PodRunning, works)},
			Execution{RunID: "1", Running: true},
		},
		"Succeeded": {
			"Its Job is the execution, its pod has provably ended.", "1",
			[]batchv1.Job{job("1", batchv1.JobComplete)},
			[]corev1.Pod{pod("1", corev1.PodSucceeded, exited(0, "Completed"))},
			Execution{RunID: "1", Ended: now, Left: left, Holders: []string{"provision-a-1"}},
		},
		"Unreported": {
			"Its last words say why it could not report.", "1",
			[]batchv1.Job{job("1", batchv1.JobFailed)},
			[]corev1.Pod{pod("1", corev1.PodFailed, says(exited(2, "Error"), "a line\nrun.json has version 2\n"))},
			Execution{RunID: "1", Ended: now, Trouble: "container terraform-runner of pod provision-a-1 ended with exit code 2 (Error): run.json has version 2", Left: left, Holders: []string{"provision-a-1"}},
		},
		"Killed": {
			"Kubernetes knows why.", "1",
			[]batchv1.Job{job("1", batchv1.JobFailed)},
			[]corev1.Pod{pod("1", corev1.PodFailed, exited(137, "OOMKilled"))},
			Execution{RunID: "1", Ended: now, Trouble: "container terraform-runner of pod provision-a-1 ended with exit code 137 (OOMKilled)", Left: left, Holders: []string{"provision-a-1"}},
		},
		"NodeLost": {
			"A pod that was given up without its kubelet may still work: its lock is not stale.", "1",
			[]batchv1.Job{job("1", batchv1.JobFailed)},
			[]corev1.Pod{pod("1", corev1.PodFailed, works)},
			Execution{RunID: "1", Ended: now, Trouble: "Job provision-a: BackoffLimitExceeded", Left: left},
		},
		"Earlier": {
			"The finished Job of an earlier run is left over.", "2",
			[]batchv1.Job{job("1", batchv1.JobComplete)},
			nil,
			Execution{Left: left},
		},
		"EarlierRuns": {
			"An earlier run that goes on is waited for.", "2",
			[]batchv1.Job{job("1", "")},
			[]corev1.Pod{pod("1", corev1.PodPending)},
			Execution{RunID: "1", Running: true},
		},
		"Orphan": {
			"The Job was deleted, and its pod has an hour to end.", "1", nil,
			[]corev1.Pod{pod("1", corev1.PodRunning, works)},
			Execution{RunID: "1", Running: true},
		},
		"Going": {
			"A Job that is being deleted is no result.", "1",
			[]batchv1.Job{deleted},
			nil,
			Execution{Left: []Leftover{{Name: "provision-a", UID: "u-1", Deleting: true}}},
		},
		"NoPod": {
			"A Job without a pod says what may be missing.", "1",
			[]batchv1.Job{job("1", "")},
			nil,
			Execution{RunID: "1", Running: true, Trouble: "Job provision-a gets no pod: see"},
		},
		"Image": {
			"A pod that does not start says why.", "1",
			[]batchv1.Job{job("1", "")},
			[]corev1.Pod{pod("1", corev1.PodPending, corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ImagePullBackOff"}})},
			Execution{RunID: "1", Running: true, Trouble: "Pod provision-a-1 does not start: ImagePullBackOff"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := executionOf(tc.wanted, tc.jobs, tc.pods, now, Bundle)
			if strings.HasPrefix(got.Trouble, tc.want.Trouble) && tc.want.Trouble != "" {
				got.Trouble = tc.want.Trouble
			}
			if diff := cmp.Diff(tc.want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
