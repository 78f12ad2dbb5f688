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

// Command package builds this project's images and Crossplane packages for
// several architectures, without a Docker daemon or a registry.
//
// It writes <name>-<version>-<architecture>.tar for each image and
// <name>-<version>-<architecture>.xpkg for each package, which is what crank
// xpkg push takes: all files of one package together make one tag. A package
// without an image is one file, <name>-<version>.xpkg.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()

	var b builder
	architectures := ""
	flag.StringVar(&b.out, "out", "dist", "`directory` to write to")
	flag.StringVar(&architectures, "architectures", "amd64,arm64", "comma separated `names` of architectures, in Go's words")
	flag.Parse()

	if err := b.all(ctx, strings.Split(architectures, ",")); err != nil {
		fmt.Fprintln(os.Stderr, "package:", err)
		os.Exit(1) //nolint:gocritic // stop only forgets the signals
	}
}
