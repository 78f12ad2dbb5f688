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

package executor

import (
	"bytes"
	"context"
	"io"
	"os"
	"time"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/internal/fault"
)

// followEvery is how often a log that is followed is looked at.
const followEvery = 500 * time.Millisecond

// Logs of the present or last run. It is Waiting if there was none yet.
func (l *Local) Logs(ctx context.Context, c Cluster, o LogOptions) (io.ReadCloser, error) {
	d := l.directory(c)
	f, err := os.Open(d.logPath())
	if errors.Is(err, os.ErrNotExist) {
		return nil, fault.Newf(fault.Waiting, "cluster %s has no run whose log is still there", c.ID)
	}
	if err != nil {
		return nil, errors.Wrap(err, "cannot open the log of the run")
	}
	if o.Tail > 0 {
		if err := toTail(f, o.Tail); err != nil {
			_ = f.Close()
			return nil, errors.Wrap(err, "cannot read the log of the run")
		}
	}
	if !o.Follow {
		return f, nil
	}
	return &follower{ctx: ctx, f: f, busy: d.busy}, nil
}

// toTail moves to the last lines of a log, which is bounded in size.
func toTail(f *os.File, lines int64) error {
	data, err := io.ReadAll(io.LimitReader(f, maxLogFile))
	if err != nil {
		return err
	}
	at := len(bytes.TrimRight(data, "\n"))
	for ; lines > 0 && at > 0; lines-- {
		at = bytes.LastIndexByte(data[:at], '\n')
	}
	_, err = f.Seek(int64(at+1), io.SeekStart)
	return err
}

// follower reads a log until its run has ended.
type follower struct {
	ctx  context.Context //nolint:containedctx // A reader has no other way to learn that nobody reads on.
	f    *os.File
	busy func() bool
}

// Read what there is, or wait for it.
func (r *follower) Read(p []byte) (int, error) {
	t := time.NewTicker(followEvery)
	defer t.Stop()
	for last := false; ; {
		n, err := r.f.Read(p)
		if n > 0 || err != nil && !errors.Is(err, io.EOF) {
			return n, err
		}
		if last {
			return 0, io.EOF
		}
		last = !r.busy() // One more look, for what was written just before the end.
		select {
		case <-r.ctx.Done():
			return 0, r.ctx.Err()
		case <-t.C:
		}
	}
}

// Close the log.
func (r *follower) Close() error { return r.f.Close() }
