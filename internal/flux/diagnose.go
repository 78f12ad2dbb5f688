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
	"context"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kubeopera/provider-kubeopera/internal/target"
)

// Diagnose says why a controller of Flux does not run, as its pods know it: a
// Deployment only counts them. It returns nothing if they know of no trouble.
func Diagnose(ctx context.Context, c client.Client, of Component) (string, error) {
	l := &corev1.PodList{}
	// Every way of installing Flux labels the pods like this.
	if err := c.List(ctx, l, client.InNamespace(of.Namespace), client.MatchingLabels{"app": of.Name}); err != nil {
		return "", target.Classify(err)
	}
	for i := range l.Items {
		if p := trouble(&l.Items[i]); p != "" {
			return clip(p), nil
		}
	}
	return "", nil
}

// trouble of a pod that does not pass by itself in a moment.
func trouble(p *corev1.Pod) string {
	for _, s := range p.Status.ContainerStatuses {
		switch w := s.State.Waiting; {
		case w == nil, w.Reason == "ContainerCreating", w.Reason == "PodInitializing":
		case s.LastTerminationState.Terminated != nil:
			return w.Reason + ": " + s.LastTerminationState.Terminated.Reason + " " + w.Message
		default:
			return w.Reason + ": " + w.Message
		}
	}
	for _, c := range p.Status.Conditions {
		if c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse {
			return c.Reason + ": " + c.Message
		}
	}
	return ""
}
