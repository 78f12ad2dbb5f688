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
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/internal/terraform/run"
)

// lockHost makes this the only run of a state on this host, and returns what
// ends that. OpenTofu and its plugins inherit the lock: it is free only when
// the last of them has ended, even if this process was killed. That is how a
// lock in the bucket which this host left is known to be stale.
func lockHost(ctx context.Context, s run.State, workDir string, wait time.Duration) (func(), error) {
	f, err := openHostLock(s, workDir)
	if err != nil {
		return nil, errors.Wrap(err, "cannot open this host's lock of the state")
	}
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	pause := time.Second
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err == nil {
			// Not closed when another program is started.
			if _, err := unix.FcntlInt(f.Fd(), unix.F_SETFD, 0); err != nil {
				_ = f.Close()
				return nil, errors.Wrap(err, "cannot hand on this host's lock of the state")
			}
			return func() { _ = f.Close() }, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			_ = f.Close()
			return nil, errors.Wrap(err, "cannot lock the state on this host")
		}
		select {
		case <-ctx.Done():
			_ = f.Close()
			return nil, failf(run.ClassLock, "another run of this cluster is still at work on this host: it is waited for")
		case <-time.After(pause):
		}
	}
}

// openHostLock opens the file that stands for a state on this host, or, where
// that may not be written, one in the work directory: a Job's pod has both to
// itself.
func openHostLock(s run.State, workDir string) (*os.File, error) {
	sum := sha256.Sum256([]byte(s.Backend + "\n" + s.Bucket + "\n" + s.Key))
	name := "kubeopera-" + strconv.Itoa(os.Getuid()) + "-" + hex.EncodeToString(sum[:8]) + ".lock"
	const flags = os.O_CREATE | os.O_RDWR | syscall.O_NOFOLLOW
	f, err := os.OpenFile(filepath.Join(os.TempDir(), name), flags, 0o600) //nolint:gosec // The name is a hash.
	if err == nil {
		return f, nil
	}
	return os.OpenFile(filepath.Join(workDir, name), flags, 0o600) //nolint:gosec // The name is a hash.
}
