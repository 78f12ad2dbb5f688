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

package main

import (
	"bytes"
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"google.golang.org/grpc"
	"k8s.io/utils/clock"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/logging"

	"github.com/kubeopera/provider-kubeopera/internal/function"
)

// A renderer runs crank with this tree's function, which it serves itself.
type renderer struct {
	crank  string
	root   string
	target string
	server *grpc.Server
	ended  chan struct{}
}

// start serving the function on a port of its own.
func start(ctx context.Context, root string) (*renderer, error) {
	crank, err := crank()
	if err != nil {
		return nil, err
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, errors.Wrap(err, "cannot serve the function")
	}
	r := &renderer{crank: crank, root: root, target: l.Addr().String(), server: grpc.NewServer(), ended: make(chan struct{})}
	fnv1.RegisterFunctionRunnerServiceServer(r.server, function.New(logging.NewNopLogger(), clock.RealClock{}))
	go func() {
		defer close(r.ended)
		_ = r.server.Serve(l) // It ends when it is stopped.
	}()
	return r, nil
}

// stop serving. Nobody calls any more, so there is nothing to wait for.
func (r *renderer) stop() {
	r.server.Stop()
	<-r.ended
}

// render one preview: the XR's status, the composed resources, and what the function says.
func (r *renderer) render(ctx context.Context, p preview) ([]byte, error) {
	args := []string{
		"render", p.xr, p.composition, functions, "--include-function-results",
		"--function-annotations", "render.crossplane.io/runtime-development-target=" + r.target,
	}
	if p.xrd != "" {
		args = append(args, "--xrd", p.xrd)
	}
	if p.observed != "" {
		args = append(args, "--observed-resources", p.observed)
	}
	var out, trouble bytes.Buffer
	cmd := exec.CommandContext(ctx, r.crank, args...) //nolint:gosec // The paths are those of this repository.
	cmd.Dir, cmd.Stdout, cmd.Stderr = r.root, &out, &trouble
	if err := cmd.Run(); err != nil {
		return nil, errors.Errorf("%s: %s", err, strings.TrimSpace(trouble.String()))
	}
	return out.Bytes(), nil
}

// crank is found where CRANK says, or where hack/tools/build puts it.
func crank() (string, error) {
	if path := os.Getenv("CRANK"); path != "" {
		return path, nil
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	path := filepath.Join(cache, "kubeopera", "bin", "crank")
	if _, err := os.Stat(path); err != nil {
		return "", errors.New("crank is not built yet: run hack/tools/build crank, or set CRANK to where it is")
	}
	return path, nil
}
