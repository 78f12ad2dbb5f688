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

package bootstrap

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestUpgradeFails: one that fails says why, no other one begins, and the next
// run goes on.
func TestUpgradeFails(t *testing.T) {
	t.Parallel()
	preflight := "[preflight] Running pre-flight checks.\nerror: error execution phase preflight: [preflight] Some fatal errors occurred:\n\t[ERROR ControlPlaneNodesReady]: there are NotReady control-planes in the cluster: [ip-10-0-0-12] abcdef.0123456789abcdef\n"
	cases := map[string]struct {
		reason  string
		version string
		further int    // control planes
		says    string // by kubeadm, on all
		class   string
		cause   string
		after   string // the version parameter
		next    string
	}{
		"Preflight": {"What kubeadm has only looked at has not begun.", "1.37.0", 1, preflight, "Dependency", "kubeadm: ControlPlaneNodesReady: there are NotReady control-planes in the cluster: [ip-10-0-0-12] ***", "1.36.2", "1.36.6"},
		"Begun":     {"What has begun does not go back.", "1.37.0", 1, "[upgrade/control-plane] Upgrading your static Pod-hosted control plane to version \"v1.37.0\"\nerror execution phase control-plane: couldn't upgrade control plane: timed out\n", "Dependency", "kubeadm: control-plane: couldn't upgrade control plane: timed out", "1.36.2 1.37.0", "1.37.0"},
		"Images":    {"Nor has what was cut off before.", "1.37.0", 1, "[upgrade/preflight] Pulling images required for setting up a Kubernetes cluster\n", "Dependency", "kubeadm upgrade apply: failed", "1.36.2", "1.36.6"},
		"Skip":      {"One minor version at a time.", "1.38.0", 0, "", "Invalid", "Kubernetes cannot skip from 1.36.2 to 1.38.0", "1.36.2", "1.37.0"},
		"Back":      {"Never down, not by a patch either.", "1.36.1", 0, "", "Invalid", "Kubernetes cannot go back from 1.36.2 to 1.36.1", "1.36.2", "1.37.0"},
		"None":      {"A patch that there is not.", "1.37.99", 0, "", "Invalid", "pkgs.k8s.io has no Kubernetes 1.37.99", "1.36.2", "1.37.0"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			planes := w.planes(tc.further)
			w.running(planes...)
			for _, m := range planes {
				w.failUpgrade[m.id] = tc.says
			}
			w.secrets["abcdef.0123456789abcdef"] = true
			w.ask(tc.version, "apply-2")
			w.await("the failure", func() bool {
				return w.params[prefix+UpgradeFailureParameter] != nil && w.settle() && w.all(planes, tc.version+" apply-2")
			})
			lines := strings.SplitN(w.params[prefix+UpgradeFailureParameter].value, "\n", 5)
			if diff := cmp.Diff([]string{tc.version + " apply-2", tc.class, tc.cause}, []string{lines[0], lines[1], lines[3]}); diff != "" {
				t.Errorf("%s\nfailure: -want, +got:\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(tc.after, w.params[prefix+VersionParameter].value); diff != "" {
				t.Errorf("%s\nversion: -want, +got:\n%s", tc.reason, diff)
			}
			if got := w.count("kubeadm", "upgrade"); got > 1 {
				t.Errorf("%d control planes have tried, want one", got)
			}
			w.mu.Lock()
			w.failUpgrade = map[string]string{}
			w.mu.Unlock()
			w.ask(tc.next, "apply-3")
			w.upgraded(tc.next, planes...)
		})
	}
}

// all machines have done with what was wanted.
func (w *world) all(machines []*machine, wanted string) bool {
	for _, m := range machines {
		if seen, err := os.ReadFile(m.root + "/var/lib/kubeopera/upgraded"); err != nil || string(seen) != wanted {
			return false
		}
	}
	return true
}
