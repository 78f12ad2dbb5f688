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

package target

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// bounded bounds every call of a client in time, and knows the kinds that are
// known. The timeout of the HTTP client bounds one request only: a call may
// wait for the rate limiter before, and be told to try again several times.
type bounded struct {
	client.Client

	timeout time.Duration
}

func bound(c client.Client, timeout time.Duration) client.Client {
	return &bounded{Client: c, timeout: timeout}
}

// Get reads an object.
func (b *bounded) Get(ctx context.Context, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
	ctx, cancel := context.WithTimeout(ctx, b.timeout)
	defer cancel()
	return noMatch(b.Client, obj, b.Client.Get(ctx, key, obj, opts...))
}

// List reads objects.
func (b *bounded) List(ctx context.Context, list client.ObjectList, opts ...client.ListOption) error {
	ctx, cancel := context.WithTimeout(ctx, b.timeout)
	defer cancel()
	return noMatch(b.Client, list, b.Client.List(ctx, list, opts...))
}

// Apply applies a configuration.
func (b *bounded) Apply(ctx context.Context, obj runtime.ApplyConfiguration, opts ...client.ApplyOption) error {
	ctx, cancel := context.WithTimeout(ctx, b.timeout)
	defer cancel()
	err := b.Client.Apply(ctx, obj, opts...)
	if o, ok := obj.(runtime.Object); ok {
		return noMatch(b.Client, o, err)
	}
	return err
}

// Create creates an object.
func (b *bounded) Create(ctx context.Context, obj client.Object, opts ...client.CreateOption) error {
	ctx, cancel := context.WithTimeout(ctx, b.timeout)
	defer cancel()
	return noMatch(b.Client, obj, b.Client.Create(ctx, obj, opts...))
}

// Delete deletes an object.
func (b *bounded) Delete(ctx context.Context, obj client.Object, opts ...client.DeleteOption) error {
	ctx, cancel := context.WithTimeout(ctx, b.timeout)
	defer cancel()
	return noMatch(b.Client, obj, b.Client.Delete(ctx, obj, opts...))
}

// Update updates an object.
func (b *bounded) Update(ctx context.Context, obj client.Object, opts ...client.UpdateOption) error {
	ctx, cancel := context.WithTimeout(ctx, b.timeout)
	defer cancel()
	return noMatch(b.Client, obj, b.Client.Update(ctx, obj, opts...))
}

// Patch patches an object.
func (b *bounded) Patch(ctx context.Context, obj client.Object, patch client.Patch, opts ...client.PatchOption) error {
	ctx, cancel := context.WithTimeout(ctx, b.timeout)
	defer cancel()
	return noMatch(b.Client, obj, b.Client.Patch(ctx, obj, patch, opts...))
}

// DeleteAllOf deletes objects.
func (b *bounded) DeleteAllOf(ctx context.Context, obj client.Object, opts ...client.DeleteAllOfOption) error {
	ctx, cancel := context.WithTimeout(ctx, b.timeout)
	defer cancel()
	return noMatch(b.Client, obj, b.Client.DeleteAllOf(ctx, obj, opts...))
}

// Status returns a writer of the subresource status.
func (b *bounded) Status() client.SubResourceWriter { return b.SubResource("status") }

// SubResource returns a client of a subresource.
func (b *bounded) SubResource(name string) client.SubResourceClient {
	return &boundedSub{next: b.Client.SubResource(name), timeout: b.timeout}
}

type boundedSub struct {
	next    client.SubResourceClient
	timeout time.Duration
}

// Get reads a subresource.
func (b *boundedSub) Get(ctx context.Context, obj, sub client.Object, opts ...client.SubResourceGetOption) error {
	ctx, cancel := context.WithTimeout(ctx, b.timeout)
	defer cancel()
	return b.next.Get(ctx, obj, sub, opts...)
}

// Create creates a subresource.
func (b *boundedSub) Create(ctx context.Context, obj, sub client.Object, opts ...client.SubResourceCreateOption) error {
	ctx, cancel := context.WithTimeout(ctx, b.timeout)
	defer cancel()
	return b.next.Create(ctx, obj, sub, opts...)
}

// Update updates a subresource.
func (b *boundedSub) Update(ctx context.Context, obj client.Object, opts ...client.SubResourceUpdateOption) error {
	ctx, cancel := context.WithTimeout(ctx, b.timeout)
	defer cancel()
	return b.next.Update(ctx, obj, opts...)
}

// Patch patches a subresource.
func (b *boundedSub) Patch(ctx context.Context, obj client.Object, patch client.Patch, opts ...client.SubResourcePatchOption) error {
	ctx, cancel := context.WithTimeout(ctx, b.timeout)
	defer cancel()
	return b.next.Patch(ctx, obj, patch, opts...)
}

// Apply applies a subresource.
func (b *boundedSub) Apply(ctx context.Context, obj runtime.ApplyConfiguration, opts ...client.SubResourceApplyOption) error {
	ctx, cancel := context.WithTimeout(ctx, b.timeout)
	defer cancel()
	return b.next.Apply(ctx, obj, opts...)
}
