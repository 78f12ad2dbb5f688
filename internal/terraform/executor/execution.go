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
	"fmt"
	"slices"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/kubeopera/provider-kubeopera/internal/terraform/run"
)

// podPatience is how long a Job may take to get a pod before it is said to be
// in trouble. It takes less than a second.
const podPatience = 30 * time.Second

// executionOf tells from a cluster's Jobs and pods what goes on. It is pure.
// The wanted run's own Job is the execution; finished ones of other runs are
// left over. Whatever has not ended counts as running, whichever run it is of.
func executionOf(wanted string, jobs []batchv1.Job, pods []corev1.Pod, now time.Time, bundle string) Execution {
	var e Execution
	for i := range pods {
		if provablyEnded(&pods[i]) {
			e.Holders = append(e.Holders, pods[i].GetName())
		}
		if !podFinished(&pods[i]) {
			e.Running = true
			e.RunID = pods[i].GetLabels()[run.LabelRun]
			e.Trouble = podTrouble(&pods[i])
		}
	}
	slices.Sort(e.Holders)

	for i := range jobs {
		j := &jobs[i]
		id := j.GetLabels()[run.LabelRun]
		switch {
		case !finished(j):
			e.Running = true
			e.RunID = id
			if len(pods) == 0 && now.Sub(j.GetCreationTimestamp().Time) > podPatience {
				e.Trouble = fmt.Sprintf("Job %s gets no pod: see kubectl describe job -n %s %s; if ServiceAccount %s is missing, run %s",
					j.GetName(), j.GetNamespace(), j.GetName(), ServiceAccount, bundle)
			}
		case id == wanted && wanted != "" && j.DeletionTimestamp.IsZero():
			if !e.Running {
				e.RunID, e.Ended, e.Trouble = id, endedAt(j), whyEnded(j, pods)
			}
		}
		if finished(j) {
			e.Left = append(e.Left, Leftover{Name: j.GetName(), UID: string(j.GetUID()), Deleting: !j.DeletionTimestamp.IsZero()})
		}
	}
	return e
}

// finished tells whether nothing of a Job can run any more.
func finished(j *batchv1.Job) bool {
	return slices.ContainsFunc(j.Status.Conditions, isEnd)
}

func isEnd(c batchv1.JobCondition) bool {
	return (c.Type == batchv1.JobComplete || c.Type == batchv1.JobFailed) && c.Status == corev1.ConditionTrue
}

// endedAt is when a finished Job ended.
func endedAt(j *batchv1.Job) time.Time {
	for _, c := range j.Status.Conditions {
		if isEnd(c) {
			return c.LastTransitionTime.Time
		}
	}
	return time.Time{}
}

// whyEnded says why a Job ended, as far as Kubernetes knows.
func whyEnded(j *batchv1.Job, pods []corev1.Pod) string {
	for i := range pods {
		p := &pods[i]
		if p.GetLabels()[run.LabelRun] != j.GetLabels()[run.LabelRun] {
			continue
		}
		for _, s := range slices.Concat(p.Status.InitContainerStatuses, p.Status.ContainerStatuses) {
			if t := s.State.Terminated; t != nil && t.ExitCode != 0 {
				return fmt.Sprintf("container %s of pod %s ended with exit code %d (%s)%s", s.Name, p.GetName(), t.ExitCode, t.Reason, lastWords(t))
			}
		}
		if p.Status.Reason != "" {
			return fmt.Sprintf("pod %s: %s", p.GetName(), p.Status.Reason)
		}
	}
	for _, c := range j.Status.Conditions {
		if isEnd(c) && c.Type == batchv1.JobFailed {
			return fmt.Sprintf("Job %s: %s", j.GetName(), c.Reason)
		}
	}
	return ""
}

// unreported is the exit code of a runner that could tell nobody how it ended.
const unreported = 2

// lastWords of a container that could report nothing else: the last line of
// its log, which holds no secret.
func lastWords(t *corev1.ContainerStateTerminated) string {
	said := strings.TrimSpace(t.Message)
	if t.ExitCode != unreported || said == "" {
		return ""
	}
	return ": " + said[strings.LastIndexByte(said, '\n')+1:]
}

func podFinished(p *corev1.Pod) bool {
	return p.Status.Phase == corev1.PodSucceeded || p.Status.Phase == corev1.PodFailed
}

// provablyEnded tells whether kubelet itself has seen every container of a pod
// end. The phase alone does not tell: others set it, too, for instance when a
// node does not answer, and on that node Terraform may still work.
func provablyEnded(p *corev1.Pod) bool {
	all := slices.Concat(p.Status.InitContainerStatuses, p.Status.ContainerStatuses)
	if !podFinished(p) || len(p.Status.ContainerStatuses) < len(p.Spec.Containers) {
		return false
	}
	return !slices.ContainsFunc(all, func(s corev1.ContainerStatus) bool { return s.State.Terminated == nil })
}

// podTrouble says why a pod does not start.
func podTrouble(p *corev1.Pod) string {
	for _, s := range slices.Concat(p.Status.InitContainerStatuses, p.Status.ContainerStatuses) {
		if w := s.State.Waiting; w != nil && w.Reason != "" && w.Reason != "ContainerCreating" && w.Reason != "PodInitializing" {
			return fmt.Sprintf("Pod %s does not start: %s", p.GetName(), w.Reason)
		}
	}
	for _, c := range p.Status.Conditions {
		if c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse {
			return fmt.Sprintf("Pod %s is not scheduled: %s", p.GetName(), c.Message)
		}
	}
	return ""
}
