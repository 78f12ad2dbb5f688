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

package external

import (
	"context"
	"time"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	rtclient "sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"
)

// A paced reconciler looks at what is being deleted as it looks at what is not
// ready yet. The managed reconciler asks for another look after each call of
// Delete, and would get it by the wait after errors, which doubles with every
// look: somebody who waits for a cluster to be destroyed would wait up to a
// minute longer for each of the last steps.
type paced struct {
	reconcile.Reconciler

	client rtclient.Reader
	scheme *runtime.Scheme
	kind   schema.GroupVersionKind
	poll   time.Duration
}

// Reconcile implements reconcile.Reconciler.
func (p paced) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	res, err := p.Reconciler.Reconcile(ctx, req)
	if err != nil || !res.Requeue { //nolint:staticcheck // It is what the managed reconciler returns.
		return res, err
	}

	o, err := p.scheme.New(p.kind)
	if err != nil {
		return res, nil //nolint:nilerr // Of another kind than the scheme has: then it is as slow as ever.
	}

	mg, ok := o.(resource.Managed)
	if !ok || p.client.Get(ctx, req.NamespacedName, mg) != nil {
		return res, nil //nolint:nilerr // It is gone, or the next look says more.
	}

	if after := deletionPoll(mg, time.Now(), p.poll); after > 0 {
		return reconcile.Result{RequeueAfter: after}, nil
	}

	return res, nil
}

// deletionPoll is when to look again at a managed resource that is being
// deleted: soon at first, and the later the longer it takes. It is zero for one
// that is not being deleted, or where that failed: after errors one waits longer.
func deletionPoll(mg resource.Managed, now time.Time, poll time.Duration) time.Duration {
	at := mg.GetDeletionTimestamp()
	if at == nil || mg.GetCondition(xpv2.TypeSynced).Status != corev1.ConditionTrue {
		return 0
	}

	return min(max(now.Sub(at.Time)/patience, unreadyPoll), poll)
}
