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

	"k8s.io/apimachinery/pkg/api/equality"
	ctrl "sigs.k8s.io/controller-runtime"
	rtclient "sigs.k8s.io/controller-runtime/pkg/client"
)

// quietManager has a client that sends no status that is there already. The
// reconciler of managed resources writes the status after every look, and the
// API server drops what is no change, but only after admission and audit: with
// hundreds of clusters these would be most of all requests.
type quietManager struct {
	ctrl.Manager
}

// GetClient returns the quiet client.
func (m quietManager) GetClient() rtclient.Client { return quietClient{m.Manager.GetClient()} }

type quietClient struct {
	rtclient.Client
}

// Status returns a quiet writer.
func (c quietClient) Status() rtclient.SubResourceWriter {
	return quietStatus{SubResourceWriter: c.Client.Status(), cache: c.Client}
}

type quietStatus struct {
	rtclient.SubResourceWriter

	cache rtclient.Reader
}

// Update the status, unless it is the one that the cache has. Were the cache
// behind, the API server would have refused the update by the resourceVersion,
// and the object would come again; it does so too when the cache catches up.
func (w quietStatus) Update(ctx context.Context, o rtclient.Object, opts ...rtclient.SubResourceUpdateOption) error {
	seen, ok := o.DeepCopyObject().(rtclient.Object)
	if ok && w.cache.Get(ctx, rtclient.ObjectKeyFromObject(o), seen) == nil && equality.Semantic.DeepEqual(o, seen) {
		return nil
	}

	return w.SubResourceWriter.Update(ctx, o, opts...)
}
