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

package aws

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kubeopera/provider-kubeopera/internal/cloud/cloudtest"
	"github.com/kubeopera/provider-kubeopera/internal/fault"
)

const prefix = "/kubeopera/prod/"

func TestKubeconfig(t *testing.T) {
	large := strings.Repeat("kubeconfig of a large cluster\n", 400)
	packed, err := Encode([]byte(large))
	if err != nil || len(packed) > 8192 || !strings.HasPrefix(packed, gzipMark) {
		t.Fatalf("Encode(): %d bytes, %v", len(packed), err)
	}
	account := cloudtest.DefaultKey.Account
	denied := &cloudtest.Error{Status: 400, Code: "AccessDeniedException", Message: "no"}
	busy := &cloudtest.Error{Status: 400, Code: "ThrottlingException", Message: "slowly"}

	cases := map[string]struct {
		reason string
		params map[string]string
		fail   *cloudtest.Error
		times  int
		want   string
		class  fault.Class
		msg    string
	}{
		"There":     {reason: "It is returned.", params: map[string]string{"kubeconfig": "apiVersion: v1"}, want: "apiVersion: v1"},
		"Large":     {reason: "A large one comes compressed.", params: map[string]string{"kubeconfig": packed}, want: large},
		"Wrapped":   {reason: "base64 breaks lines.", params: map[string]string{"kubeconfig": packed[:76] + "\n" + packed[76:] + "\n"}, want: large},
		"Damaged":   {reason: "Half of one is none.", params: map[string]string{"kubeconfig": packed[:76]}, class: fault.Failing, msg: "cannot decode the kubeconfig of the first control plane: it is cut off"},
		"Failed":    {reason: "A node's last words end the wait.", params: map[string]string{"failure": "kubeadm init failed:\n etcd"}, class: fault.Failing, msg: "a node could not set up Kubernetes: kubeadm init failed: etcd"},
		"FailedOne": {reason: "A cluster that is up counts more than a node that is not.", params: map[string]string{"failure": "x", "kubeconfig": "k"}, want: "k"},
		"Never":     {reason: "The wait is bounded.", class: fault.Unhealthy, msg: "no kubeconfig came within 20m0s: see the first control plane's system log"},
		"Busy":      {reason: "An error that passes is waited for.", params: map[string]string{"kubeconfig": "k"}, fail: busy, times: 4, want: "k"},
		"Denied":    {reason: "Missing rights end it.", params: map[string]string{"kubeconfig": "k"}, fail: denied, times: 1, class: fault.Denied, msg: "cannot read the parameters of the nodes: AccessDeniedException: no"},
	}
	for n, tc := range cases {
		t.Run(n, func(t *testing.T) {
			s, cfg := start(t)
			cfg.RetryMaxAttempts = 1
			for k, v := range tc.params {
				s.SetParameter(account, region, prefix+k, v)
			}
			s.Fail(cloudtest.Call{Service: "ssm"}, tc.times, tc.fail)
			got, err := Kubeconfig(t.Context(), cfg, prefix, Wait{Clock: cloudtest.NewHasty()})
			if tc.msg != "" {
				if err == nil || !fault.Is(err, tc.class) {
					t.Fatalf("%s\nKubeconfig(): want class %s, got %v", tc.reason, tc.class, err)
				}
				if diff := cmp.Diff(tc.msg, err.Error()); diff != "" {
					t.Errorf("%s\nKubeconfig(): -want, +got:\n%s", tc.reason, diff)
				}
				return
			}
			if err != nil || string(got) != tc.want {
				t.Errorf("%s\nKubeconfig(): got %d bytes, %v", tc.reason, len(got), err)
			}
		})
	}
}

func TestDeleteParameters(t *testing.T) {
	s, cfg := start(t)
	account := cloudtest.DefaultKey.Account
	for i := range 23 {
		s.SetParameter(account, region, fmt.Sprintf("%sjoin/%d", prefix, i), "x")
	}
	s.SetParameter(account, region, prefix+"kubeconfig", "x")
	s.SetParameter(account, region, "/kubeopera/prod-2/kubeconfig", "x")
	for range 2 {
		if err := DeleteParameters(t.Context(), cfg, prefix); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(map[string]string{"/kubeopera/prod-2/kubeconfig": "x"}, s.Parameters(account, region)); diff != "" {
		t.Errorf("Only what belongs to the cluster must be gone: -want, +got:\n%s", diff)
	}
	for _, p := range []string{"", "/", "/kubeopera", "/kubeopera/"} {
		if err := DeleteParameters(t.Context(), cfg, p); err == nil {
			t.Errorf("DeleteParameters(%q) must be refused", p)
		}
	}
}
