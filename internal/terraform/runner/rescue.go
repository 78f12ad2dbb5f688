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

package runner

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/internal/terraform/run"
)

const (
	// rescuedState is such a state out of the Secret.
	rescuedState = "rescued.tfstate"
	// maxState bounds a state, in bytes. Those of our modules have some 200 KiB.
	maxState = 64 << 20
)

// restore writes states to the bucket that earlier runs could not write
// there, before anything reads it: that on disk, then that in the Secret.
func (r *runner) restore(ctx context.Context) error {
	if err := r.pushFile(ctx, run.ErroredState); err != nil {
		return errors.Wrap(err, "cannot write the state of an earlier run to its bucket")
	}
	found, err := r.unpack()
	if err != nil || !found {
		return errors.Wrapf(err, "cannot read the state in Secret %s", run.RescueName(r.spec.Cluster))
	}
	if err := r.pushFile(ctx, rescuedState); err != nil {
		return errors.Wrapf(err, "cannot write the state in Secret %s to its bucket", run.RescueName(r.spec.Cluster))
	}
	r.discard(ctx)
	return nil
}

// hasUnsaved tells whether an earlier run has left a state that it could not
// write to its bucket.
func (r *runner) hasUnsaved() bool {
	for _, file := range []string{filepath.Join(r.WorkDir, run.ErroredState), filepath.Join(r.RescueDir, run.RescueKey)} {
		if info, err := os.Stat(file); err == nil && info.Size() > 0 {
			return true
		}
	}
	return false
}

// pushFile writes a state to the bucket if it is there and newer than what the
// bucket has, and removes the file.
func (r *runner) pushFile(ctx context.Context, name string) error {
	file := filepath.Join(r.WorkDir, name)
	if _, err := os.Stat(file); err != nil {
		if os.IsNotExist(err) {
			return nil
		}
		return err
	}
	r.pub.step("Writing a state that was left over to its bucket")
	err := r.withLock(ctx, func(ctx context.Context) error {
		return within(ctx, maxQuestion, func(ctx context.Context) error { return r.tofu.push(ctx, name) })
	})
	switch {
	case err == nil:
	case strings.Contains(err.Error(), "over newer state with serial"):
		// It was written before, and the run that did so was killed then.
		r.log.Sayf("The bucket has a newer state already")
	case strings.Contains(err.Error(), "unrelated state with lineage"), strings.Contains(err.Error(), "different state that has the same serial"):
		return failWrap(err, run.ClassConflict, "the bucket has another state: compare both and remove one")
	default:
		return err
	}
	return os.Remove(file)
}

// rescue saves a state that this run could not write to its bucket: in the
// bucket if that takes it by now, else in the Secret, and then in the bucket as
// soon as it can. It tells how that ended, nothing if there was no such state.
// It goes on when the run was interrupted: there is nothing more important.
func (r *runner) rescue(ctx context.Context) string {
	ctx = context.WithoutCancel(ctx)
	file := filepath.Join(r.WorkDir, run.ErroredState)
	if _, err := os.Stat(file); err != nil {
		return ""
	}
	err := r.pushFile(ctx, run.ErroredState)
	if err == nil {
		return "The state is in its bucket by now."
	}
	r.log.Sayf("Cannot write the state to its bucket: %v", err)
	kept := r.keep(ctx, file)
	if kept != nil {
		r.log.Sayf("Cannot keep the state in a Secret either, trying again: %v", kept)
	}
	err = retry(ctx, r.PushFor, r.Backoff, func(ctx context.Context) error {
		if kept != nil {
			kept = r.keep(ctx, file)
		}
		return r.pushFile(ctx, run.ErroredState)
	})
	if err == nil {
		if kept == nil {
			r.discard(ctx)
		}
		return "The state is in its bucket by now."
	}
	if kept == nil {
		return "The state is in Secret " + run.RescueName(r.spec.Cluster) + ", from where the next run takes it up."
	}
	return "The state is in " + file + " alone."
}

// keep saves a state in the Secret.
func (r *runner) keep(ctx context.Context, file string) error {
	data, err := os.ReadFile(file) //nolint:gosec // In the work directory.
	if err != nil {
		return err
	}
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(data); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	return r.putRescue(ctx, map[string][]byte{run.RescueKey: b.Bytes()})
}

// discard empties the Secret: a runner may not delete one. What it cannot empty
// does no harm, since the bucket does not take an old state.
func (r *runner) discard(ctx context.Context) {
	if err := r.putRescue(ctx, nil); err != nil {
		r.log.Sayf("Cannot empty Secret %s, whose state is in the bucket: %v", run.RescueName(r.spec.Cluster), err)
	}
}

func (r *runner) putRescue(ctx context.Context, data map[string][]byte) error {
	s := newSecret(r.spec, run.RescueName(r.spec.Cluster))
	s.Data = data
	ctx, cancel := context.WithTimeout(ctx, putTimeout)
	defer cancel()
	return r.Secrets.Put(ctx, s)
}

// unpack writes the state of the Secret into the work directory.
func (r *runner) unpack() (found bool, err error) {
	if r.RescueDir == "" {
		return false, nil
	}
	data, err := os.ReadFile(filepath.Join(r.RescueDir, run.RescueKey))
	if os.IsNotExist(err) || err == nil && len(data) == 0 {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return false, err
	}
	state, err := io.ReadAll(io.LimitReader(z, maxState))
	if err != nil {
		return false, err
	}
	return true, os.WriteFile(filepath.Join(r.WorkDir, rescuedState), state, 0o600) //nolint:gosec // In the work directory.
}
