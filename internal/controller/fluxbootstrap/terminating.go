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

package fluxbootstrap

import (
	"context"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/flux"
	"github.com/kubeopera/provider-kubeopera/internal/target"
)

// terminatingGrace is how long whoever deletes the namespace of Flux leaves to
// the controllers in it. They are deleted with it, mostly before they have let
// go of their objects, which then hold the namespace for ever.
const terminatingGrace = 30 * time.Second

// Terminating is the State of a namespace of Flux that is being deleted.
type Terminating struct {
	// Since when it is being deleted.
	Since time.Time

	// Alone tells whether no controller of Flux is left on the target.
	Alone bool

	flux.Stuck
}

// collectTerminating reads what holds the namespace.
func (w *workflow) collectTerminating(ctx context.Context, fb *v1alpha1.FluxBootstrap, t *target.Cluster, ns *corev1.Namespace) (*Terminating, error) {
	all, err := flux.ReadComponents(ctx, t.Client)
	if err != nil {
		return nil, err
	}
	out := &Terminating{Since: ns.GetDeletionTimestamp().Time, Alone: len(all) == 0}
	out.Stuck, err = flux.ReadStuck(ctx, t.Client, ns, id(fb))
	return out, err
}

// letsGo tells whether we let go of our objects: once nobody else does.
func (t Terminating) letsGo(now time.Time) bool {
	return t.Alone && len(t.Ours) > 0 && now.Sub(t.Since) >= terminatingGrace
}

// message says what holds the namespace, and what helps.
func (t Terminating) message(namespace string) string {
	what := "Namespace " + namespace + " is being deleted"
	switch {
	case len(t.Ours) > 0:
		u := t.Ours[0]
		return fmt.Sprintf("%s, %s %s waits for Flux, which is gone with it. We let go of it at %s", what, u.GetKind(), u.GetName(),
			t.Since.Add(terminatingGrace).UTC().Format(time.RFC3339))
	case len(t.Others) > 0:
		u := t.Others[0]
		return fmt.Sprintf("%s, %s %s holds it: kubectl -n %s patch %s %s --type=merge -p '{\"metadata\":{\"finalizers\":null}}'", what, u.GetKind(), u.GetName(),
			namespace, strings.ToLower(u.GetKind()), u.GetName())
	case t.Says != "":
		return what + ": " + t.Says
	default:
		return what + ". Flux is installed again after that"
	}
}
