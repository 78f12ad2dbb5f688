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

package flux

import (
	"slices"
	"strings"
	"time"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	kustomizev1 "github.com/fluxcd/kustomize-controller/api/v1"
	"github.com/fluxcd/pkg/apis/meta"
	sourcev1 "github.com/fluxcd/source-controller/api/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
)

// defaultGrace is how long an object without a timeout of its own may move
// before that counts as unhealthy.
const defaultGrace = 5 * time.Minute

// Expected is what health is judged by.
type Expected struct {
	// TreeHash that every layer must carry.
	TreeHash string

	// Layers that there must be, in the order in which they depend on each other.
	Layers []v1alpha1.Layer

	// Settled: this very tree was healthy the last time. Until then every layer
	// has to have applied the source's present revision, since a layer's tree
	// hash alone does not mean that it was applied. From then on a layer that
	// moves to the revision of somebody else's commit is healthy, as long as
	// that takes no longer than its timeout.
	Settled bool

	// Credentials of the source, for people: which Secret they come from.
	Credentials string

	// Now is the present time.
	Now time.Time
}

// Health of a sync.
type Health struct {
	Ready bool

	// Reason and Message say what is not ready and why, root cause first.
	Reason  xpv2.ConditionReason
	Message string

	// Revision of the source.
	Revision string

	// Layers, in the order of the expected ones.
	Layers []v1alpha1.LayerStatus

	// waiting is the layer that waits for its objects, if that is why.
	waiting v1alpha1.Layer
}

// A finding is something that is not ready.
type finding struct {
	reason  xpv2.ConditionReason
	message string

	// since when it is in motion; zero if it is not.
	since time.Time

	// waits: for its objects to become ready, and does not say which.
	waits bool

	// follows: it only waits for something else, which has a finding of its own.
	follows bool
}

// What is judged besides the layers.
const (
	ofSource = "Git source"
	ofRoot   = "root"
)

// Judge how the sync goes.
func Judge(o Observed, e Expected) Health {
	h := Health{Ready: true, Revision: revision(o.Source)}
	consider := func(what string, f *finding, grace time.Duration) bool {
		if f == nil || e.Settled && f.tolerable(e.Now, grace) {
			return true
		}
		if h.Ready || h.Reason == v1alpha1.ReasonInProgress && f.reason == v1alpha1.ReasonUnhealthy {
			h.Reason, h.Message, h.waiting = f.reason, clip(what+": "+f.message), ""
			if f.waits && e.Now.Sub(f.since) >= blameAfter && what != ofSource && what != ofRoot {
				h.waiting = v1alpha1.Layer(what)
			}
		}
		h.Ready = false
		return false
	}

	consider(ofSource, judgeSource(o.Source, e.Credentials), grace(sourceTimeout(o.Source)))
	consider(ofRoot, judgeKustomization(o.Root, o.Source), grace(timeoutOf(o.Root)))
	for _, name := range e.Layers {
		k := o.Layers[name]
		f := judgeTree(k, e.TreeHash)
		if f == nil {
			f = judgeKustomization(k, o.Source)
		}
		l := v1alpha1.LayerStatus{Name: name, Ready: consider(string(name), f, grace(timeoutOf(k)))}
		if k != nil {
			l.Revision = k.Status.LastAppliedRevision
			l.TreeHash = k.Annotations[v1alpha1.AnnotationTreeHash]
		}
		if !l.Ready {
			l.Message = clip(f.message)
		}
		h.Layers = append(h.Layers, l)
	}
	return h
}

// tolerable tells whether a finding about a settled sync is only the wake of
// somebody else's commit.
func (f finding) tolerable(now time.Time, grace time.Duration) bool {
	return f.follows || !f.since.IsZero() && now.Sub(f.since) < grace
}

func judgeSource(s *sourcev1.GitRepository, credentials string) *finding {
	if s == nil {
		return &finding{reason: v1alpha1.ReasonInProgress, message: "it is not there yet"}
	}
	if s.Spec.Suspend {
		return &finding{reason: v1alpha1.ReasonUnhealthy, message: "it is suspended (flux resume source git " + s.Name + ")"}
	}
	if f := judgeConditions(s.Status.Conditions, s.Generation, s.Status.ObservedGeneration); f != nil {
		if denied(f.message) && credentials != "" {
			f.message = strings.TrimRight(f.message, ": ") + ": correct the credentials in " + credentials
		}
		return f
	}
	if s.Status.Artifact == nil {
		return &finding{reason: v1alpha1.ReasonInProgress, message: "nothing is fetched yet"}
	}
	return nil
}

// denied tells whether the Git server has refused the credentials, in the words
// of go-git, and of its SSH client.
func denied(message string) bool {
	return slices.ContainsFunc([]string{"authentication required", "authorization failed", "unable to authenticate"}, func(words string) bool {
		return strings.Contains(message, words)
	})
}

// judgeTree tells whether a layer is of our tree at all.
func judgeTree(k *kustomizev1.Kustomization, hash string) *finding {
	if k == nil {
		return &finding{reason: v1alpha1.ReasonInProgress, message: "it is not applied yet"}
	}
	if k.Annotations[v1alpha1.AnnotationTreeHash] != hash {
		return &finding{reason: v1alpha1.ReasonInProgress, message: "it is still of another tree than ours"}
	}
	return nil
}

func judgeKustomization(k *kustomizev1.Kustomization, s *sourcev1.GitRepository) *finding {
	if k == nil {
		return &finding{reason: v1alpha1.ReasonInProgress, message: "it is not there yet"}
	}
	if k.Spec.Suspend {
		return &finding{reason: v1alpha1.ReasonUnhealthy, message: "it is suspended (flux resume kustomization " + k.Name + ")"}
	}
	if f := judgeConditions(k.Status.Conditions, k.Generation, k.Status.ObservedGeneration); f != nil {
		return f
	}
	if want := revision(s); k.Status.LastAppliedRevision != want {
		f := &finding{reason: v1alpha1.ReasonInProgress, message: "it has still to apply " + want}
		if s != nil && s.Status.Artifact != nil {
			f.since = s.Status.Artifact.LastUpdateTime.Time
		}
		return f
	}
	return nil
}

// judgeConditions reads Flux's conditions as kstatus does.
func judgeConditions(conditions []metav1.Condition, generation, observed int64) *finding {
	ready := apimeta.FindStatusCondition(conditions, meta.ReadyCondition)
	if ready == nil {
		return &finding{reason: v1alpha1.ReasonInProgress, message: "it is not reconciled yet"}
	}

	f := &finding{reason: v1alpha1.ReasonInProgress, message: ready.Message, since: ready.LastTransitionTime.Time}
	switch {
	case ready.Status == metav1.ConditionUnknown:
		f.waits = true
		return f
	case ready.Status == metav1.ConditionFalse && (ready.Reason == meta.DependencyNotReadyReason || ready.Reason == meta.ArtifactFailedReason):
		f.follows = true
		return f
	case generation != observed:
		f.message = "it is not reconciled yet since it has changed"
		return f
	case ready.Status == metav1.ConditionFalse:
		f.reason, f.since = v1alpha1.ReasonUnhealthy, time.Time{}
		f.waits = ready.Reason == meta.HealthCheckFailedReason
		return f
	}
	return nil
}

func revision(s *sourcev1.GitRepository) string {
	if s == nil || s.Status.Artifact == nil {
		return ""
	}
	return s.Status.Artifact.Revision
}

func sourceTimeout(s *sourcev1.GitRepository) *metav1.Duration {
	if s == nil {
		return nil
	}
	return s.Spec.Timeout
}

func timeoutOf(k *kustomizev1.Kustomization) *metav1.Duration {
	if k == nil {
		return nil
	}
	return k.Spec.Timeout
}

func grace(d *metav1.Duration) time.Duration {
	if d == nil {
		return defaultGrace
	}
	return d.Duration
}
