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

// Command render shows the examples of examples/render: what crank render makes of each of them with this tree's
// function, without Docker and without a cluster.
//
//	CRANK=/path/to/crank go run ./hack/render [-root DIR] [EXAMPLE...]
//
// With UPDATE set it writes the golden files that the test compares with instead.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
)

func main() {
	root := flag.String("root", ".", "the folder of this repository's go.mod")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)

	err := run(ctx, *root, flag.Args(), os.Stdout)
	stop()

	if err != nil {
		fmt.Fprintln(os.Stderr, "render:", err)
		os.Exit(1)
	}
}

// run renders the examples that are named, or all.
func run(ctx context.Context, root string, examples []string, out io.Writer) error {
	previews, err := find(root)
	if err != nil {
		return err
	}
	if previews, err = chosen(previews, examples); err != nil {
		return err
	}

	r, err := start(ctx, root)
	if err != nil {
		return err
	}
	defer r.stop()

	for _, p := range previews {
		b, err := r.render(ctx, p)
		if err != nil {
			return errors.Wrapf(err, "cannot render %s", p)
		}
		if os.Getenv("UPDATE") != "" {
			err = write(filepath.Join(root, p.golden()), b)
		} else {
			_, err = fmt.Fprintf(out, "# %s\n%s\n", p, b)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func write(path string, b []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		return err
	}
	return os.WriteFile(path, b, 0o600)
}
