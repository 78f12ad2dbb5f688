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
	"bytes"
	"context"
	"os/exec"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"sigs.k8s.io/yaml"

	"github.com/kubeopera/provider-kubeopera/hack/sandbox"
)

// kubectl runs kubectl in the HostCluster's namespace and returns what it prints.
func (w *world) kubectl(ctx context.Context, args ...string) string {
	GinkgoHelper()
	return w.kubectlWith(ctx, nil, args...)
}

func (w *world) kubectlWith(ctx context.Context, stdin []byte, args ...string) string {
	GinkgoHelper()
	cmd := exec.CommandContext(ctx, w.sandbox.Program("kubectl"), append([]string{
		"--kubeconfig", w.sandbox.Path(sandbox.ManagementKubeconfig), "--namespace", w.hc.GetNamespace(),
	}, args...)...)
	cmd.Stdin = bytes.NewReader(stdin)
	out, err := cmd.CombinedOutput()
	Expect(err).NotTo(HaveOccurred(), "kubectl %v: %s", args, out)
	return string(out)
}

// apply applies the HostCluster's manifest server-side as another field manager.
func (w *world) apply(ctx context.Context, manager string) string {
	GinkgoHelper()
	manifest, err := w.sandbox.Manifest(example())
	Expect(err).NotTo(HaveOccurred())
	content, err := yaml.Marshal(manifest)
	Expect(err).NotTo(HaveOccurred())
	return w.kubectlWith(ctx, content, "apply", "--server-side", "--field-manager", manager, "--filename", "-")
}
