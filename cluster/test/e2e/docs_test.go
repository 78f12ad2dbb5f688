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
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/gbytes"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/hack/sandbox"
)

// What the documents have people type is typed here: a command of theirs is in one of these lists, or a test fails.

// connecting are the commands that connect a cluster with a provider from source, in the order of docs/install.md.
func connecting() []string {
	return []string{
		"make build",
		"kubectl apply --server-side -f package/crds",
		"kubectl create namespace kubeopera-system",
		theProvider,
		"kubectl -n kubeopera-system create secret generic my-cluster-input-kubeconfig --from-file=kubeconfig=my-cluster.kubeconfig",
		`kubectl -n kubeopera-system create secret generic gitops-iac-credentials --from-literal=username=git --from-literal=password="$TOKEN"`,
		"kubectl apply -f examples/hostcluster-connect.yaml",
		theWatch,
	}
}

const (
	theProvider = "bin/provider --namespace=kubeopera-system"
	theWatch    = "kubectl -n kubeopera-system get hc -w"
)

// installing are the commands that install the provider without Crossplane. Here no node runs its pod, so that it does
// not get in the way of the other.
func installing() []string {
	return []string{"kubectl apply -k cluster/install", "kubectl apply -k cluster/install/in-cluster"}
}

// elsewhere are the commands that are not typed here, and why.
func elsewhere() map[string]string {
	return map[string]string{
		"make demo":    "is typed by the test of the demo",
		"make test":    "runs all the other tests",
		"make package": "builds for two architectures: the test of Crossplane builds the packages for this one",
		`crank xpkg push -f dist/provider-kubeopera-v0.1.0-amd64.xpkg,dist/provider-kubeopera-v0.1.0-arm64.xpkg "$REGISTRY/provider-kubeopera:v0.1.0"`: "needs a registry: the test of Crossplane has one of its own",
	}
}

// manuals are the documents whose commands are typed.
func manuals() []string { return []string{"README.md", "docs/install.md"} }

var (
	fence   = regexp.MustCompile("(?m)^```([a-z]+)\n((?:[^`].*\n|\n)*)```$")
	comment = regexp.MustCompile(`(^|\s+)#.*$`)
)

// blocks of a document that are in a language.
func blocks(file, language string) []string {
	GinkgoHelper()
	content, err := os.ReadFile(filepath.Join(root, file))
	Expect(err).NotTo(HaveOccurred())
	var found []string
	for _, match := range fence.FindAllStringSubmatch(string(content), -1) {
		if match[1] == language {
			found = append(found, match[2])
		}
	}
	return found
}

// commands of the documents, without comments.
func commands() []string {
	GinkgoHelper()
	var found []string
	for _, file := range manuals() {
		for _, block := range blocks(file, "bash") {
			for line := range strings.SplitSeq(strings.ReplaceAll(block, "\\\n", " "), "\n") {
				if line = strings.TrimSpace(comment.ReplaceAllString(line, "")); line != "" {
					found = append(found, line)
				}
			}
		}
	}
	return found
}

var _ = Describe("The documents' commands", func() {
	It("are all typed, or there is a reason why not", func() {
		known := append(append(connecting(), installing()...), packaged()...)
		for command := range elsewhere() {
			known = append(known, command)
		}
		for _, command := range commands() {
			Expect(known).To(ContainElement(command), "type it in a test, or say why not, in docs_test.go")
		}
		for _, command := range known {
			Expect(commands()).To(ContainElement(command), "no document has it any more: take it out of docs_test.go")
		}
	})
})

// itFollowsTheDocuments connects the cluster by the commands of the documents.
func itFollowsTheDocuments(get func() *world) {
	It("is connected by the documents' commands", func(ctx SpecContext) {
		w := get()
		w.hc = &v1alpha1.HostCluster{}
		w.hc.SetNamespace(v1alpha1.PlatformNamespace)
		w.hc.SetName("my-cluster")
		dir := w.checkout()
		for _, command := range connecting() {
			GinkgoWriter.Println("$ " + command)
			cmd := w.shell(ctx, dir, command)
			switch command {
			case theProvider:
				var err error
				w.provider, err = w.sandbox.StartCommand(cmd)
				Expect(err).NotTo(HaveOccurred())
				w.peek(w.provider.Process())
			case theWatch:
				w.watchUntilReady(ctx, cmd)
			default:
				out, err := cmd.CombinedOutput()
				Expect(err).NotTo(HaveOccurred(), "%s: %s", command, out)
			}
			if strings.Contains(command, "secret generic gitops-iac-credentials") {
				w.fitGitCredentials(ctx)
			}
		}
		w.awaitReady(ctx)
	}, SpecTimeout(startTimeout+readyTimeout))
}

// itInstalls installs what the documents say besides.
func itInstalls(get func() *world) {
	It("takes the manifests that the documents install", func(ctx SpecContext) {
		w := get()
		for _, command := range installing() {
			out, err := w.shell(ctx, root, command).CombinedOutput()
			Expect(err).NotTo(HaveOccurred(), "%s: %s", command, out)
			Expect(string(out)).To(ContainSubstring("created"), command)
		}
	})

	It("takes the objects that the documents show", func(ctx SpecContext) {
		w := get()
		kinds, err := filepath.Glob(filepath.Join(root, "docs", "kinds", "*.md"))
		Expect(err).NotTo(HaveOccurred())
		files := manuals()
		for _, kind := range kinds {
			files = append(files, filepath.Join("docs", "kinds", filepath.Base(kind)))
		}
		const empty = "documents" // a namespace where nothing is, so that each object is a new one
		w.kubectl(ctx, "create", "namespace", empty)
		var ours int
		for _, file := range files {
			for _, block := range blocks(file, "yaml") {
				if !strings.HasPrefix(block, "apiVersion: "+v1alpha1.Group+"/") {
					continue // a fragment, or for somebody else: kustomize or Crossplane
				}
				ours++
				block = strings.Replace(block, "namespace: "+v1alpha1.PlatformNamespace, "namespace: "+empty, 1)
				w.kubectlWith(ctx, []byte(block), "create", "--namespace="+empty, "--dry-run=server", "--validate=strict", "--filename", "-")
			}
		}
		Expect(ours).To(BeNumerically(">=", 8), "one HostCluster in the README, and one of each kind")
	})
}

// checkout is a directory with what the commands use of this repository, and with what the documents ask people to
// bring: their kubeconfig, and their repository in the example.
func (w *world) checkout() string {
	GinkgoHelper()
	dir := GinkgoT().TempDir()
	for _, name := range []string{"bin", "cluster", "package"} {
		Expect(os.Symlink(filepath.Join(root, name), filepath.Join(dir, name))).To(Succeed())
	}
	content, err := os.ReadFile(example())
	Expect(err).NotTo(HaveOccurred())
	content = regexp.MustCompile(`(?m)^  gitOpsRepoURL: .*$`).ReplaceAll(content, []byte("  gitOpsRepoURL: "+w.sandbox.Git.URL))
	Expect(os.Mkdir(filepath.Join(dir, "examples"), 0o750)).To(Succeed())
	Expect(os.WriteFile(filepath.Join(dir, "examples", filepath.Base(example())), content, 0o600)).To(Succeed())
	Expect(os.WriteFile(filepath.Join(dir, "my-cluster.kubeconfig"), w.sandbox.TargetKubeconfig, 0o600)).To(Succeed())
	return dir
}

// shell is a shell that types a command, and becomes it if it can. What the documents leave to people is in its
// environment, and so is what makes the provider quick and talkative.
func (w *world) shell(ctx context.Context, dir, command string) *exec.Cmd {
	if strings.HasPrefix(command, "make ") {
		dir = root // Go does not follow links
	}
	if !strings.HasPrefix(command, "make ") {
		command = "exec " + command
	}
	cmd := exec.CommandContext(ctx, "bash", "-c", command)
	if command == "exec "+theProvider {
		cmd = exec.Command("bash", "-c", command) // it outlives the spec
	}
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "KUBECONFIG="+w.sandbox.Path(sandbox.ManagementKubeconfig), "CGO_ENABLED=0",
		"PATH="+filepath.Dir(w.sandbox.Program("kubectl"))+string(os.PathListSeparator)+os.Getenv("PATH"),
		"POLL_INTERVAL="+pollInterval.String(), "ENVIRONMENT=development", "DEBUG=true")
	if strings.Contains(command, "$TOKEN") {
		cmd.Env = append(cmd.Env, "TOKEN="+string(w.sandbox.Git.Credentials["password"]))
	}
	return cmd
}

// watchUntilReady watches with kubectl until the HostCluster is Ready.
func (w *world) watchUntilReady(ctx context.Context, cmd *exec.Cmd) {
	GinkgoHelper()
	out := gbytes.NewBuffer()
	cmd.Stdout, cmd.Stderr = out, out
	Expect(cmd.Start()).To(Succeed())
	defer func() {
		_ = cmd.Process.Signal(syscall.SIGINT) // as people end it
		_ = cmd.Wait()
	}()
	Eventually(ctx, func() *gbytes.Buffer {
		if w.provider.Ended() {
			StopTrying("the provider ended: see " + w.sandbox.ProviderLog()).Now()
		}
		return out
	}, readyTimeout).Should(gbytes.Say(`my-cluster +Ready +True `), func() string {
		return strings.Join(w.sandbox.Stuck(context.WithoutCancel(ctx), client.ObjectKeyFromObject(w.hc)), "\n  ")
	})
}

// fitGitCredentials adds what the sandbox's Git server asks for besides: its authority, and another user name.
func (w *world) fitGitCredentials(ctx context.Context) {
	GinkgoHelper()
	secret := &corev1.Secret{}
	secret.SetNamespace(w.hc.GetNamespace())
	secret.SetName("gitops-iac-credentials")
	Expect(w.management.Get(ctx, client.ObjectKeyFromObject(secret), secret)).To(Succeed())
	Expect(secret.Data).To(HaveKeyWithValue("password", w.sandbox.Git.Credentials["password"]))
	secret.Data = w.sandbox.Git.Credentials
	Expect(w.management.Update(ctx, secret)).To(Succeed())
}
