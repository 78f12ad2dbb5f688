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
	"bytes"
	stdcmp "cmp"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files")

// params of a role in a common cluster.
func params(r Role) Params {
	p := Params{
		CloudName: "shop-eu", Region: "eu-central-1", ParameterPrefix: "/kubeopera/shop-eu/", KubernetesVersion: "1.36.2", Role: r,
		ControlPlanes: 3, PodCIDR: "10.244.0.0/16", ServiceCIDR: "10.96.0.0/12",
	}
	if r == ControlPlane {
		p.Index = 2
	}
	return p
}

// largest has every value as long as it may be.
func largest(r Role) Params {
	p := params(r)
	p.CloudName = strings.Repeat("n", 100)
	p.Region = "ap-southeast-12"
	p.ParameterPrefix = "/kubeopera/" + p.CloudName + "/"
	p.KubernetesVersion = "v1.135.112"
	p.PodCIDR, p.ServiceCIDR = "100.100.100.0/24", "100.101.100.0/24"
	p.Components = Components{
		CloudControllerManager: "123456789012.dkr.ecr.ap-southeast-12.amazonaws.com/mirror/" + DefaultComponents(newest).CloudControllerManager + "@sha256:" + strings.Repeat("a", 64),
		CalicoManifest:         "https://" + strings.Repeat("m", 63) + ".example.com/a/long/path/to/a/mirror/of/projectcalico/calico/v3.32.1/manifests/calico-vxlan.yaml",
		CalicoSHA256:           strings.Repeat("a", 64),
	}
	if r == ControlPlane {
		p.ControlPlanes, p.Index = 99, 98
	}
	return p
}

// rendered cases by name.
func rendered(t *testing.T) map[string][]byte {
	t.Helper()
	cases := map[string][]byte{}
	for _, r := range []Role{FirstControlPlane, ControlPlane, Worker} {
		for name, p := range map[string]Params{string(r): params(r), "largest-" + string(r): largest(r)} {
			text, err := UserData(p)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			cases[name] = text
		}
	}
	for name, p := range map[string]Params{"upgrade": params(ControlPlane), "largest-upgrade": largest(ControlPlane).withDefaults()} {
		text, err := upgradeText(p.withDefaults())
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		cases[name] = text
	}
	return cases
}

func TestGolden(t *testing.T) {
	for name, text := range rendered(t) {
		if strings.HasPrefix(name, "largest-") {
			continue
		}
		file := filepath.Join("testdata", name+".sh")
		if *update {
			if err := os.WriteFile(file, text, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), string(text)); diff != "" {
			t.Errorf("%s: -want, +got (write with -update):\n%s", file, diff)
		}
	}
}

func TestSize(t *testing.T) {
	for name, text := range rendered(t) {
		t.Logf("%s: %d bytes", name, len(text))
		if !strings.HasSuffix(name, "upgrade") && len(text) > 16384 {
			t.Errorf("%s has %d bytes; EC2 takes 16,384", name, len(text))
		}
	}
	// Digests do not get smaller when they are packed.
	p := largest(ControlPlane)
	digest := fmt.Sprintf("%x", sha256.Sum256([]byte("manifest")))
	p.Components.CalicoSHA256, p.Components.CloudControllerManager = digest, strings.ReplaceAll(p.Components.CloudControllerManager, strings.Repeat("a", 64), digest)
	packed, err := Upgrade(p)
	t.Logf("upgrade: %d bytes in SSM", len(packed))
	if err != nil || len(packed) > 8192 {
		t.Errorf("an upgrade has %d bytes; SSM takes 8,192 (%v)", len(packed), err)
	}
}

// TestUpgradePacked: what is in SSM is the text, the same each time.
func TestUpgradePacked(t *testing.T) {
	p := params(ControlPlane)
	packed, err := Upgrade(p)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := Upgrade(p); err != nil || again != packed {
		t.Errorf("another time it is other bytes (%v)", err)
	}
	raw, err := base64.StdEncoding.DecodeString(packed)
	if err != nil {
		t.Fatal(err)
	}
	r, err := gzip.NewReader(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(rendered(t)["upgrade"]), string(got)); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	p.KubernetesVersion = "1.37"
	if _, err := Upgrade(p); err == nil || !strings.Contains(err.Error(), "Kubernetes version") {
		t.Errorf("got %v, want an error: packages are pinned to a patch", err)
	}
	// Random bytes do not get smaller: this one is too large for SSM, and not cut.
	p = params(ControlPlane)
	for i := range 64 {
		p.Components.CalicoManifest = fmt.Sprintf("%s%x", stdcmp.Or(p.Components.CalicoManifest, "https://a.example/"), sha256.Sum256([]byte{byte(i)}))
	}
	p.Components.CalicoSHA256 = strings.Repeat("a", 64)
	if _, err := Upgrade(p); err == nil || !strings.Contains(err.Error(), "8192") {
		t.Errorf("got %v, want an error that tells the limit", err)
	}
}

// TestTooLarge: what does not fit is refused, not cut.
func TestTooLarge(t *testing.T) {
	p := largest(FirstControlPlane)
	p.Components.CalicoManifest += strings.Repeat("x", 2000)
	if _, err := UserData(p); err == nil || !strings.Contains(err.Error(), "16384") {
		t.Errorf("got %v, want an error that tells the limit", err)
	}
}

func TestShell(t *testing.T) {
	if _, err := exec.LookPath("shellcheck"); err != nil {
		t.Fatal("shellcheck is missing: apt-get install shellcheck (https://www.shellcheck.net)")
	}
	for name, text := range rendered(t) {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), name+".sh")
			if err := os.WriteFile(file, text, 0o600); err != nil {
				t.Fatal(err)
			}
			for _, tool := range [][]string{{"bash", "-n"}, {"shellcheck", "--shell=bash", "--severity=style"}} {
				if out, err := exec.CommandContext(t.Context(), tool[0], append(tool[1:], file)...).CombinedOutput(); err != nil {
					t.Errorf("%v: %v\n%s", tool, err, out)
				}
			}
		})
	}
}

// secretLike is what user data must not have: tokens, keys and passwords with
// their values. The digest of the manifest is none.
var secretLike = map[string]*regexp.Regexp{
	"bootstrap token":   regexp.MustCompile(`\b[a-z0-9]{6}\.[a-z0-9]{16}\b`),
	"32 bytes in hex":   regexp.MustCompile(`\b[0-9a-f]{64}\b`),
	"PEM":               regexp.MustCompile(`-----BEGIN`),
	"AWS access key":    regexp.MustCompile(`\b(AKIA|ASIA)[A-Z0-9]{16}\b`),
	"long base64":       regexp.MustCompile(`[A-Za-z0-9+]{80,}={0,2}`),
	"a password":        regexp.MustCompile(`(?i)(password|passwd|secret_access_key|session_token)\s*[=:]\s*\S`),
	"output of a trace": regexp.MustCompile(`set -[a-z]*x`),
}

func TestNoSecret(t *testing.T) {
	for name, text := range rendered(t) {
		if strings.HasPrefix(name, "largest-") {
			continue
		}
		plain := strings.ReplaceAll(string(text), DefaultComponents(36).CalicoSHA256, "")
		for what, like := range secretLike {
			if found := like.FindString(plain); found != "" {
				t.Errorf("%s has %s: %s", name, what, found)
			}
		}
	}
}

// TestNumberOfControlPlanes: another size changes no machine that is there.
func TestNumberOfControlPlanes(t *testing.T) {
	one, five := params(FirstControlPlane), params(FirstControlPlane)
	one.ControlPlanes, five.ControlPlanes = 1, 5
	a, err := UserData(one)
	if err != nil {
		t.Fatal(err)
	}
	b, err := UserData(five)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(a), string(b)); diff != "" {
		t.Errorf("-one, +five:\n%s", diff)
	}
}
