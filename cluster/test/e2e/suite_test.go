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

package e2e

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/kubeopera/provider-kubeopera/hack/sandbox"
	kt "github.com/kubeopera/provider-kubeopera/internal/testing"
)

const (
	// buildTimeout bounds what is built first, from nothing.
	buildTimeout = 45 * time.Minute
	// startTimeout bounds the start of a sandbox of which everything is built.
	startTimeout = 3 * time.Minute
	// readyTimeout bounds the way to Ready, which takes less than a minute on two idle cores.
	readyTimeout = 5 * time.Minute
	// pollInterval of the provider, once something is Ready.
	pollInterval = 5 * time.Second
)

func TestMain(m *testing.M) {
	sandbox.Main()
	os.Exit(m.Run())
}

func TestE2E(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "End to end")
}

// root is the directory of this module.
var root string

var _ = BeforeSuite(func(ctx SpecContext) {
	var err error
	root, err = kt.ModuleRoot()
	Expect(err).NotTo(HaveOccurred())
	Expect(sandbox.Prepare(ctx, options("connect"))).To(Succeed())
}, NodeTimeout(buildTimeout))

// options of a sandbox in a directory of its own.
func options(name string) sandbox.Options {
	return sandbox.Options{
		Dir: filepath.Join(root, ".sandbox", "e2e-"+name),
		Log: func(line string) { GinkgoWriter.Println(line) },
	}
}
