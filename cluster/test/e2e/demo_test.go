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
	"encoding/base64"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/gbytes"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/hack/sandbox"
	kt "github.com/kubeopera/provider-kubeopera/internal/testing"
)

// demoStopTimeout bounds the end of the demo after Ctrl-C.
const demoStopTimeout = time.Minute

var _ = Describe("make demo", func() {
	It("shows a cluster that becomes Ready, and no secret", func(ctx SpecContext) {
		dir := filepath.Join(root, ".sandbox", "e2e-demo")
		out := gbytes.NewBuffer()
		cmd := exec.Command("make", "demo", "DEMO_ARGS=-dir="+dir) // stopped as people stop it
		cmd.Dir = root
		cmd.Stdout, cmd.Stderr = io.MultiWriter(out, GinkgoWriter), io.MultiWriter(out, GinkgoWriter)
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		Expect(cmd.Start()).To(Succeed())
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		interrupt := func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGINT) }
		DeferCleanup(interrupt)

		Eventually(ctx, func() string {
			select {
			case err := <-ended:
				StopTrying("it ended").Wrap(err).Now()
			default:
			}
			return string(out.Contents())
		}, startTimeout+readyTimeout, "200ms").Should(ContainSubstring("everything stays as it is until Ctrl-C"))

		printed := string(out.Contents())
		for _, phase := range []v1alpha1.Phase{v1alpha1.PhaseBootstrappingFlux, v1alpha1.PhaseGeneratingGitOpsTree, v1alpha1.PhaseInstallingKubeOpera, v1alpha1.PhaseReady} {
			Expect(printed).To(MatchRegexp(`(?m)^ +\d+\.\ds  `+string(phase)+` +\S`), "a phase with a message")
		}
		management := said(printed, `Management cluster  export KUBECONFIG=(.*)`)
		for _, kubeconfig := range []string{management, said(printed, `Target cluster      export KUBECONFIG=(.*)`)} {
			show(ctx, "KUBECONFIG="+kubeconfig+" kubectl get namespaces")
		}
		show(ctx, said(printed, `from this machine (.*)`)+" "+filepath.Join(GinkgoT().TempDir(), "clone"))
		show(ctx, said(printed, `as files +(git .*)`))
		Expect(said(printed, `Provider's log +(.*)`)).To(BeARegularFile())

		password, err := base64.StdEncoding.DecodeString(show(ctx, "KUBECONFIG="+management+
			" kubectl -n kubeopera-system get secret hostcluster-my-cluster-admin-password -o jsonpath={.data.password}"))
		Expect(err).NotTo(HaveOccurred())
		git, err := os.ReadFile(filepath.Join(dir, "git", "credentials"))
		Expect(err).NotTo(HaveOccurred())
		gitPassword := regexp.MustCompile(`:([^:@/]+)@`).FindStringSubmatch(string(git))
		Expect(gitPassword).To(HaveLen(2))
		kubeconfig, err := clientcmd.LoadFromFile(filepath.Join(dir, sandbox.TargetKubeconfig))
		Expect(err).NotTo(HaveOccurred())
		secrets := []kt.Hidden{
			{Name: "the administrator's password", Value: string(password)},
			{Name: "the Git password", Value: gitPassword[1]},
		}
		for _, user := range kubeconfig.AuthInfos {
			secrets = append(secrets, kt.Hidden{Name: "the kubeconfig's key", Value: strings.Split(string(user.ClientKeyData), "\n")[1]})
		}

		interrupt()
		Eventually(ctx, ended, demoStopTimeout).Should(Receive(), "Ctrl-C ends it")
		Expect(kt.Leaks(map[string]string{"what the demo prints": string(out.Contents())}, secrets...)).To(BeEmpty())
	}, SpecTimeout(startTimeout+readyTimeout+demoStopTimeout))
})

// said is the part of a text that a pattern has in parentheses.
func said(text, pattern string) string {
	GinkgoHelper()
	match := regexp.MustCompile(pattern).FindStringSubmatch(text)
	Expect(match).To(HaveLen(2), pattern)
	return strings.TrimSpace(match[1])
}

// show runs a command in a shell and returns what it prints.
func show(ctx SpecContext, command string) string {
	GinkgoHelper()
	cmd := exec.CommandContext(ctx, "bash", "-c", command)
	cmd.Env = append(os.Environ(), "PATH="+kubernetesPrograms()+string(os.PathListSeparator)+os.Getenv("PATH"))
	cmd.Stderr = GinkgoWriter
	out, err := cmd.Output()
	Expect(err).NotTo(HaveOccurred(), command)
	return string(out)
}

// kubernetesPrograms is the directory of kubectl, which is built by now.
func kubernetesPrograms() string {
	GinkgoHelper()
	out, err := exec.Command(filepath.Join(root, "hack", "tools", "build"), "kubernetes").Output()
	Expect(err).NotTo(HaveOccurred())
	return strings.TrimSpace(string(out))
}
