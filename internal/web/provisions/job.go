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

package provisions

import (
	"cmp"
	"net/url"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/terraform/run"
)

// A Status is how far a job is.
type Status string

// The states of a job.
const (
	Queued     Status = "queued"     // Nothing works yet.
	Running    Status = "running"    // A run goes on.
	Succeeded  Status = "succeeded"  // The cluster is there, as it was asked for.
	Failed     Status = "failed"     // The message says why, and when it is tried again.
	InDestroy  Status = "destroying" // It is being destroyed.
	podMessage        = "The run has ended, and what it reports is being read"
)

// A Job is what there is of a provision.
type Job struct {
	ID        string `json:"id"`
	Namespace string `json:"namespace"`
	Status    Status `json:"status"`
	// Message for people, its cause first.
	Message string `json:"message"`
	// RunID of the present or last run.
	RunID string `json:"runID,omitempty"`
	// Action of that run: Apply or Destroy.
	Action   v1alpha1.RunAction `json:"action,omitempty"`
	Progress *Progress          `json:"progress,omitempty"`
	// Pod of the run, as it is right now. Only where one job is asked for.
	Pod *Pod `json:"pod,omitempty"`
	// Error of the last run, if it failed.
	Error    *v1alpha1.RunError `json:"error,omitempty"`
	Endpoint string             `json:"endpoint,omitempty"`
	// Place where the runs are executed.
	Place *v1alpha1.RunPlace `json:"place,omitempty"`
	// HostCluster that the cluster belongs to.
	HostCluster string       `json:"hostCluster,omitempty"`
	CreatedAt   metav1.Time  `json:"createdAt"`
	StartedAt   *metav1.Time `json:"startedAt,omitempty"`
	FinishedAt  *metav1.Time `json:"finishedAt,omitempty"`
	Links       Links        `json:"links"`
}

// Progress of a run: resources done and in total, and the present step.
type Progress struct {
	Done  int32  `json:"done"`
	Total int32  `json:"total"`
	Step  string `json:"step"`
}

// A Pod that executes a run.
type Pod struct {
	Name  string          `json:"name"`
	Phase corev1.PodPhase `json:"phase"`
}

// Links to what else there is of a job.
type Links struct {
	Self       string `json:"self"`
	Logs       string `json:"logs"`
	Kubeconfig string `json:"kubeconfig,omitempty"`
}

// jobOf a ProvisionedCluster, and of the pod of its run if that is known. The
// namespace is the one that requests need not name. It is pure.
func jobOf(pc *v1alpha1.ProvisionedCluster, pod *corev1.Pod, namespace string) Job {
	at := pc.Status.AtProvider
	j := Job{
		ID:          pc.GetName(),
		Namespace:   pc.GetNamespace(),
		Status:      statusOf(pc),
		RunID:       at.RunID,
		Action:      at.Action,
		Error:       at.LastError,
		Endpoint:    at.Endpoint,
		Place:       at.Place,
		HostCluster: pc.GetLabels()[v1alpha1.LabelHostCluster],
		CreatedAt:   pc.GetCreationTimestamp(),
		StartedAt:   at.StartedAt,
		FinishedAt:  at.FinishedAt,
		Links:       linksOf(pc, namespace),
	}
	if p := at.Progress; p != nil {
		j.Progress = &Progress{Done: p.Done, Total: p.Total, Step: p.Step}
	}
	j.Message = cmp.Or(messageOf(pc), defaultMessage(j.Status))
	return withPod(j, pod)
}

// statusOf a ProvisionedCluster, by what the provider says of it.
func statusOf(pc *v1alpha1.ProvisionedCluster) Status {
	at := pc.Status.AtProvider
	ready := pc.Status.GetCondition(xpv2.TypeReady)
	switch {
	case meta.WasDeleted(pc) && at.Action == v1alpha1.RunDestroy && at.RunStatus == v1alpha1.RunFailed:
		return Failed
	case meta.WasDeleted(pc):
		return InDestroy
	case ready.Status == corev1.ConditionTrue && ready.ObservedGeneration >= pc.GetGeneration():
		return Succeeded
	case at.RunStatus == v1alpha1.RunRunning:
		return Running
	case at.RunStatus == v1alpha1.RunFailed, v1alpha1.IsTerminal(ready.Reason):
		return Failed
	default:
		return Queued
	}
}

// messageOf a ProvisionedCluster: what it waits for, what it does, or why it failed.
func messageOf(pc *v1alpha1.ProvisionedCluster) string {
	ready, synced := pc.Status.GetCondition(xpv2.TypeReady), pc.Status.GetCondition(xpv2.TypeSynced)
	switch {
	case synced.Reason == xpv2.ReasonReconcilePaused:
		return "Paused: remove annotation " + meta.AnnotationKeyReconciliationPaused + " of ProvisionedCluster " + pc.GetName()
	case ready.Message != "":
		return ready.Message
	case synced.Status == corev1.ConditionFalse:
		return synced.Message
	case pc.Status.AtProvider.LastError != nil:
		return pc.Status.AtProvider.LastError.Message
	}
	return ""
}

func defaultMessage(s Status) string {
	switch s {
	case Queued:
		return "Queued: the provider has not looked at it yet"
	case InDestroy:
		return "The cluster is to be destroyed"
	case Succeeded:
		return "The cluster is there"
	default:
		return "See the log"
	}
}

// withPod adds the pod of the run to a job. It is ahead of what the provider
// has said, by up to some seconds.
func withPod(j Job, pod *corev1.Pod) Job {
	if pod == nil {
		return j
	}
	j.Pod = &Pod{Name: pod.GetName(), Phase: pod.Status.Phase}
	if pod.GetLabels()[run.LabelRun] != j.RunID {
		return j // Of an earlier run, or of one that the provider is about to tell of.
	}
	ended := pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
	switch {
	case j.Status == Queued && pod.Status.Phase == corev1.PodRunning:
		j.Status, j.Message = Running, "The run has started"
	case j.Status == Running && ended:
		j.Message = podMessage
	}
	return j
}

// linksOf a job, relative to the server.
func linksOf(pc *v1alpha1.ProvisionedCluster, namespace string) Links {
	self, query := Path+"/"+pc.GetName(), ""
	if pc.GetNamespace() != namespace {
		query = "?namespace=" + url.QueryEscape(pc.GetNamespace())
	}
	l := Links{Self: self + query, Logs: self + "/logs" + query}
	if hasKubeconfig(pc) {
		l.Kubeconfig = self + "/kubeconfig" + query
	}
	return l
}

// hasKubeconfig tells whether an apply has succeeded, and nothing is being
// destroyed. While a later run changes the cluster, its kubeconfig stays.
func hasKubeconfig(pc *v1alpha1.ProvisionedCluster) bool {
	ready := pc.Status.GetCondition(xpv2.TypeReady).Status == corev1.ConditionTrue
	return !meta.WasDeleted(pc) && pc.Spec.WriteConnectionSecretToReference != nil && (ready || pc.Status.AtProvider.AppliedRevision != "")
}
