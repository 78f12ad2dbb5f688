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
	"fmt"
	"net/http"
	"strings"
	"sync"
	gotesting "testing"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
)

// ErrCrashed is what every call returns once a Crash has happened.
var ErrCrashed = errors.New("the process has crashed (injected by the test)")

// maxWrites bounds CrashAfterEachWrite: no operation of ours writes as often, so one that does never ends.
const maxWrites = 200

// Crash kills a process in a test's imagination: its n-th write still takes effect, but nobody learns of it, and from
// then on every call fails, reads too. That is what code sees of a SIGKILL right after a write. All clients of one
// Crash count together. Restart ends it.
type Crash struct {
	mu      sync.Mutex
	after   int
	writes  int
	down    bool
	crashed bool
}

// NewCrash returns a Crash that happens after the n-th write; n <= 0 never happens.
func NewCrash(n int) *Crash { return &Crash{after: n} }

// Crashed reports whether the crash has happened, restarted or not.
func (c *Crash) Crashed() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.crashed
}

// Writes is the number of writes that took effect so far.
func (c *Crash) Writes() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.writes
}

// Restart brings the process up again: no call fails any more.
func (c *Crash) Restart() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.after, c.down = 0, false
}

// read runs a call that changes nothing.
func (c *Crash) read(call func() error) error {
	c.mu.Lock()
	down := c.down
	c.mu.Unlock()
	if down {
		return ErrCrashed
	}
	return call()
}

// write runs a call that changes something, and crashes after it if its turn has come. A write that was refused does
// not count: nothing has happened.
func (c *Crash) write(call func() error) error {
	if err := c.read(call); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.writes++
	if c.after > 0 && c.writes >= c.after {
		c.down, c.crashed = true, true
		return ErrCrashed
	}
	return nil
}

// CrashAfterEachWrite runs the scenario with a crash after the first write, after the second, and so on, until a run
// ends without one. Each run has to build a fresh world, run the operation through clients of the Crash, call Restart,
// run the operation again and assert what has to be true whenever the crash was.
func CrashAfterEachWrite(t *gotesting.T, scenario func(t *gotesting.T, c *Crash)) {
	t.Helper()
	for n := 1; n <= maxWrites; n++ {
		c := NewCrash(n)
		if !t.Run(fmt.Sprintf("after write %d", n), func(t *gotesting.T) { scenario(t, c) }) {
			return
		}
		if !c.Crashed() {
			if n == 1 {
				t.Fatal("the operation wrote nothing through a client of the Crash")
			}
			return
		}
	}
	t.Fatalf("the operation still writes after %d writes", maxWrites)
}

// Client returns a client that is part of the crashing process. Fake clients work too.
func (c *Crash) Client(cl client.WithWatch) client.WithWatch {
	return interceptor.NewClient(cl, interceptor.Funcs{
		Get: func(ctx context.Context, w client.WithWatch, k client.ObjectKey, o client.Object, opts ...client.GetOption) error {
			return c.read(func() error { return w.Get(ctx, k, o, opts...) })
		},
		List: func(ctx context.Context, w client.WithWatch, l client.ObjectList, opts ...client.ListOption) error {
			return c.read(func() error { return w.List(ctx, l, opts...) })
		},
		Watch: func(ctx context.Context, w client.WithWatch, l client.ObjectList, opts ...client.ListOption) (i watch.Interface, err error) {
			err = c.read(func() error { i, err = w.Watch(ctx, l, opts...); return err })
			return i, err
		},
		Create: func(ctx context.Context, w client.WithWatch, o client.Object, opts ...client.CreateOption) error {
			return c.write(func() error { return w.Create(ctx, o, opts...) })
		},
		Delete: func(ctx context.Context, w client.WithWatch, o client.Object, opts ...client.DeleteOption) error {
			return c.write(func() error { return w.Delete(ctx, o, opts...) })
		},
		DeleteAllOf: func(ctx context.Context, w client.WithWatch, o client.Object, opts ...client.DeleteAllOfOption) error {
			return c.write(func() error { return w.DeleteAllOf(ctx, o, opts...) })
		},
		Update: func(ctx context.Context, w client.WithWatch, o client.Object, opts ...client.UpdateOption) error {
			return c.write(func() error { return w.Update(ctx, o, opts...) })
		},
		Patch: func(ctx context.Context, w client.WithWatch, o client.Object, p client.Patch, opts ...client.PatchOption) error {
			return c.write(func() error { return w.Patch(ctx, o, p, opts...) })
		},
		Apply: func(ctx context.Context, w client.WithWatch, o runtime.ApplyConfiguration, opts ...client.ApplyOption) error {
			return c.write(func() error { return w.Apply(ctx, o, opts...) })
		},
		SubResourceGet: func(ctx context.Context, w client.Client, n string, o, s client.Object, opts ...client.SubResourceGetOption) error {
			return c.read(func() error { return w.SubResource(n).Get(ctx, o, s, opts...) })
		},
		SubResourceCreate: func(ctx context.Context, w client.Client, n string, o, s client.Object, opts ...client.SubResourceCreateOption) error {
			return c.write(func() error { return w.SubResource(n).Create(ctx, o, s, opts...) })
		},
		SubResourceUpdate: func(ctx context.Context, w client.Client, n string, o client.Object, opts ...client.SubResourceUpdateOption) error {
			return c.write(func() error { return w.SubResource(n).Update(ctx, o, opts...) })
		},
		SubResourcePatch: func(ctx context.Context, w client.Client, n string, o client.Object, p client.Patch, opts ...client.SubResourcePatchOption) error {
			return c.write(func() error { return w.SubResource(n).Patch(ctx, o, p, opts...) })
		},
		SubResourceApply: func(ctx context.Context, w client.Client, n string, o runtime.ApplyConfiguration, opts ...client.SubResourceApplyOption) error {
			return c.write(func() error { return w.SubResource(n).Apply(ctx, o, opts...) })
		},
	})
}

// Config returns a client configuration that is part of the crashing process, for code that makes its own clients
// (Helm, managers). Reviews of tokens and access count as reads.
func (c *Crash) Config(cfg *rest.Config) *rest.Config {
	out := rest.CopyConfig(cfg)
	out.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return roundTripper(func(req *http.Request) (res *http.Response, err error) {
			call := func() error {
				res, err = next.RoundTrip(req) //nolint:bodyclose // The caller closes it.
				if err == nil && res.StatusCode >= http.StatusBadRequest {
					return errRefused
				}
				return err
			}
			run := c.write
			if req.Method == http.MethodGet || req.Method == http.MethodHead || strings.HasSuffix(req.URL.Path, "reviews") {
				run = c.read
			}
			if err := run(call); err != nil && !errors.Is(err, errRefused) {
				if res != nil {
					_ = res.Body.Close() // The answer is lost.
				}
				return nil, err
			}
			return res, nil
		})
	})
	return out
}

// errRefused marks an answer that is an error: the caller gets it as it is, and it does not count as a write.
var errRefused = errors.New("refused")

type roundTripper func(*http.Request) (*http.Response, error)

// RoundTrip implements http.RoundTripper.
func (f roundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }
