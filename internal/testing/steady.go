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

package testing

import (
	"context"
	"reflect"
	gotesting "testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
)

// Versions are the resourceVersions of objects by kind, namespace, name and UID: two that are equal mean that nobody
// wrote, created or deleted anything in between.
type Versions map[string]string

// VersionsOf lists everything of the lists' kinds that the options select.
func VersionsOf(ctx context.Context, c client.Client, lists []client.ObjectList, opts ...client.ListOption) (Versions, error) {
	v := Versions{}
	for _, like := range lists {
		// A list of its own: the caller's may be shared, and a list with items decodes into them.
		list, ok := reflect.TypeAssert[client.ObjectList](reflect.New(reflect.TypeOf(like).Elem()))
		if !ok {
			return nil, errors.Errorf("cannot make a new %T", like)
		}
		list.GetObjectKind().SetGroupVersionKind(like.GetObjectKind().GroupVersionKind())
		if err := c.List(ctx, list, opts...); err != nil {
			return nil, errors.Wrapf(err, "cannot list %T", like)
		}
		err := meta.EachListItem(list, func(item runtime.Object) error {
			o, ok := item.(client.Object)
			if !ok {
				return errors.Errorf("cannot use %T as an object", item)
			}
			gvk, err := c.GroupVersionKindFor(o)
			if err != nil {
				return errors.Wrap(err, "cannot tell kind")
			}
			v[gvk.Kind+" "+o.GetNamespace()+"/"+o.GetName()+" "+string(o.GetUID())] = o.GetResourceVersion()
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return v, nil
}

// Steady fails the test if anything that the options select changes within the period: in steady state a controller
// writes nothing. It looks at the end only; a change that was undone shows in the resourceVersion all the same.
func Steady(tb gotesting.TB, c client.Client, period time.Duration, lists []client.ObjectList, opts ...client.ListOption) {
	tb.Helper()
	before, err := VersionsOf(tb.Context(), c, lists, opts...)
	if err != nil {
		tb.Fatal(err)
	}
	if len(before) == 0 {
		tb.Fatal("nothing is there that could stay the same")
	}
	select {
	case <-tb.Context().Done():
		tb.Fatal(tb.Context().Err())
	case <-time.After(period):
	}
	after, err := VersionsOf(tb.Context(), c, lists, opts...)
	if err != nil {
		tb.Fatal(err)
	}
	if diff := cmp.Diff(before, after); diff != "" {
		tb.Errorf("something was written within %s (-before, +after):\n%s", period, diff)
	}
}

// Unchanged fails the test if one of n calls of poll, say a reconcile, changes anything that the options select. It is
// Steady for code that the test drives itself.
func Unchanged(tb gotesting.TB, c client.Client, n int, poll func() error, lists []client.ObjectList, opts ...client.ListOption) {
	tb.Helper()
	before, err := VersionsOf(tb.Context(), c, lists, opts...)
	if err != nil {
		tb.Fatal(err)
	}
	for i := range n {
		if err := poll(); err != nil {
			tb.Fatalf("poll %d: %v", i+1, err)
		}
	}
	after, err := VersionsOf(tb.Context(), c, lists, opts...)
	if err != nil {
		tb.Fatal(err)
	}
	if diff := cmp.Diff(before, after); diff != "" {
		tb.Errorf("something was written in %d polls (-before, +after):\n%s", n, diff)
	}
}
