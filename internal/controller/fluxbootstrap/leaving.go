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
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/event"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/flux"
)

// How long a target holds up the deletion of its FluxBootstrap.
const (
	// lostDeadline is for one that cannot be looked at. Looks at it become rarer,
	// up to one a minute, so that it ends within about two minutes.
	lostDeadline = 75 * time.Second

	// disconnectDeadline is for one that answers, but lets us finish nothing:
	// rights that were taken away, or somebody who undoes each step. Without
	// that a disconnect takes seconds, and with controllers that are down not
	// two minutes.
	disconnectDeadline = 10 * time.Minute
)

// reasonLeftBehind is the reason of the event about what a disconnect left on a target.
const reasonLeftBehind event.Reason = "LeftBehind"

var errUnfinished = errors.New("the cluster did not let us finish in time")

// collectLeaving reads the State of a FluxBootstrap that is being deleted. It
// always succeeds: a target that is gone must not keep it for ever.
func (w *workflow) collectLeaving(ctx context.Context, fb *v1alpha1.FluxBootstrap, s State, connectErr error) Leaving {
	l, err := Leaving{}, connectErr
	if err == nil {
		l, err = readLeaving(ctx, fb, s)
	}

	deleted := fb.GetDeletionTimestamp().Time
	switch {
	case err == nil && (l.empty() || s.Now.Sub(deleted) <= disconnectDeadline):
		return l
	case err == nil:
		l.Abandoned = true
		w.tellLeftBehind(fb, errUnfinished, l.left(namespace(fb)))
		return l
	case untouched(fb):
		return Leaving{Lost: err, Abandoned: true}
	case s.Now.Sub(deleted) <= lostDeadline:
		return Leaving{Lost: err}
	default:
		w.tellLeftBehind(fb, err, leftBehind(fb))
		return Leaving{Lost: err, Abandoned: true}
	}
}

// empty tells whether nothing of ours is left.
func (l Leaving) empty() bool { return len(l.Brought.Next()) == 0 && len(l.Credentials) == 0 }

// left lists what is left, the first of each kind of work.
func (l Leaving) left(namespace string) []string {
	var out []string
	for _, u := range l.Brought.Next() {
		out = append(out, u.GetKind()+" "+u.GetNamespace()+"/"+u.GetName())
	}
	if len(out) > 0 {
		out = append(out, "what depends on that")
	}
	for _, s := range l.Credentials {
		out = append(out, "Secret "+namespace+"/"+s.GetName())
	}
	return append(out, "Flux in namespace "+namespace)
}

func readLeaving(ctx context.Context, fb *v1alpha1.FluxBootstrap, s State) (Leaving, error) {
	l := Leaving{}
	var err error
	if l.Brought, err = flux.ReadBrought(ctx, s.Target.Client, namespace(fb), id(fb)); err != nil {
		return l, err
	}
	for _, name := range []string{v1alpha1.SyncName, flux.ProxyName} {
		secret := corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace(fb), Name: name}}
		found, err := flux.Get(ctx, s.Target.Client, &secret)
		if err != nil {
			return l, err
		}
		if found && flux.Ours(&secret, id(fb)) {
			l.Credentials = append(l.Credentials, secret)
		}
	}
	return l, nil
}

// untouched tells whether nothing was ever done on the target.
func untouched(fb *v1alpha1.FluxBootstrap) bool {
	at := fb.Status.AtProvider
	return at.Version == "" && len(at.Components) == 0 && len(at.Layers) == 0 && at.SourceRevision == ""
}

// tellLeftBehind says in an event, and in the log since a terminating namespace
// takes no events, what is still on the target.
func (w *workflow) tellLeftBehind(fb *v1alpha1.FluxBootstrap, cause error, left []string) {
	msg := "Disconnected, but not completely: " + cause.Error() + ". Left behind: " + strings.Join(left, ", ")
	w.log.Info(msg, "namespace", fb.GetNamespace(), "name", fb.GetName())
	w.events.Event(fb, event.Warning(reasonLeftBehind, errors.New(msg)))
}

// leftBehind lists what the status knows of.
func leftBehind(fb *v1alpha1.FluxBootstrap) []string {
	ns := namespace(fb)
	var out []string
	if fb.Spec.ForProvider.Sync != nil {
		for _, kind := range []string{"Kustomization", "GitRepository", "Secret"} {
			out = append(out, fmt.Sprintf("%s %s/%s", kind, ns, v1alpha1.SyncName))
		}
	}
	for _, l := range fb.Status.AtProvider.Layers {
		out = append(out, fmt.Sprintf("Kustomization %s/%s and its HelmReleases and sources", ns, l.Name.KustomizationName()))
	}
	return append(out, "Flux in namespace "+ns)
}
