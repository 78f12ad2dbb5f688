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

package runner

import (
	"context"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/fault"
	"github.com/kubeopera/provider-kubeopera/internal/terraform/bootstrap"
	"github.com/kubeopera/provider-kubeopera/internal/terraform/run"
)

// nodes is a cloud with the parameters of a cluster, whose control planes act
// each time that somebody looks.
type nodes struct {
	Cloud

	params map[string]string
	writes []string
	act    []func(params map[string]string) // one a look, the last one from then on
	fail   error
}

func (n *nodes) Parameters(_ context.Context, prefix string, names ...string) (map[string]string, error) {
	if n.fail != nil {
		return nil, n.fail
	}
	if n.params["upgrade/wanted"] != "" && len(n.act) > 0 {
		n.act[0](n.params)
		n.act = n.act[min(1, len(n.act)-1):]
	}
	seen := map[string]string{}
	for name, value := range n.params {
		if prefix == "/kubeopera/ko-prod/" && slices.Contains(names, name) {
			seen[name] = value
		}
	}
	return seen, nil
}

func (n *nodes) SetParameter(_ context.Context, _, name, value string) error {
	if value == "" {
		delete(n.params, name)
		n.writes = append(n.writes, "-"+name)
		return nil
	}
	n.params[name] = value
	n.writes = append(n.writes, name)
	return nil
}

// sets is an act of control planes that writes parameters.
func sets(kv ...string) func(map[string]string) {
	return func(params map[string]string) {
		for i := 0; i < len(kv); i += 2 {
			params[kv[i]] = kv[i+1]
		}
	}
}

func TestUpgrade(t *testing.T) {
	const wanted = "1.37.0 apply-2-5f2c9a1b"
	asked := []string{"-upgrade/failure", "-upgrade/progress", "upgrade/script", "upgrade/wanted"}
	stopped := slices.Concat(asked, []string{"-upgrade/wanted", "-upgrade/script", "-upgrade/progress"})
	withdrawn := []string{"-upgrade/script", "-upgrade/progress", "-upgrade/failure", "-upgrade/wanted"}
	over := slices.Concat(asked, withdrawn)
	nothing := sets()

	cases := map[string]struct {
		reason string
		to     string
		params map[string]string
		act    []func(map[string]string)
		fail   error
		class  run.Class
		msg    string
		writes []string
		left   map[string]string
	}{
		"NotUp":     {reason: "A cluster that is not up yet has nothing to upgrade.", params: map[string]string{}, left: map[string]string{}},
		"NoVersion": {reason: "Modules of one's own may have no version.", to: "none", params: map[string]string{"version": "1.36.2"}, left: map[string]string{"version": "1.36.2"}},
		"Same":      {reason: "Nothing is written without need.", to: "1.36.2", params: map[string]string{"version": "1.36.2", "join/ca": "CA"}, left: map[string]string{"version": "1.36.2", "join/ca": "CA"}},
		"SetBack": {
			reason: "What an earlier run asked for must not begin later.", to: "1.36.2", params: map[string]string{"version": "1.36.2", "upgrade/wanted": "1.37.0 apply-1"},
			writes: withdrawn, left: map[string]string{"version": "1.36.2"},
		},
		"Minor": {
			reason: "The control planes do it, and nothing is left of it.", params: map[string]string{"version": "1.36.2"},
			act: []func(map[string]string){
				nothing, sets("version", "1.36.2 1.37.0", "upgrade/progress", wanted+"\n0 of 3, now a"), sets("upgrade/progress", wanted+"\n2 of 3, now c"), sets("version", "1.37.0"),
			},
			writes: over, left: map[string]string{"version": "1.37.0"},
		},
		"Patch": {
			reason: "A patch is no other thing.", to: "1.36.6", params: map[string]string{"version": "1.36.2"},
			act: []func(map[string]string){sets("version", "1.36.6")}, writes: over, left: map[string]string{"version": "1.36.6"},
		},
		"Resumed": {
			reason: "What an interrupted run has begun goes on, with what the new one brings.", params: map[string]string{"version": "1.36.2 1.37.0", "upgrade/wanted": "1.37.0 apply-1", "upgrade/failure": "1.37.0 apply-1\nDependency\na\nold"},
			act: []func(map[string]string){nothing, sets("upgrade/failure", "1.37.0 apply-1\nDependency\na\nold"), sets("version", "1.37.0")}, writes: over, left: map[string]string{"version": "1.37.0"},
		},
		"Further": {
			reason: "A newer patch takes the place of one that has not come to its end.", to: "1.37.1", params: map[string]string{"version": "1.36.2 1.37.0"},
			act: []func(map[string]string){sets("version", "1.37.1")}, writes: over, left: map[string]string{"version": "1.37.1"},
		},
		"Failed": {
			reason: "A control plane's own words are the cause.", params: map[string]string{"version": "1.36.2"},
			act:   []func(map[string]string){nothing, sets("upgrade/failure", wanted+"\nDependency\nip-10-0-0-12.ec2.internal\nkubeadm: etcd is not healthy\nline one\nline two")},
			class: run.ClassDependency, msg: "kubeadm: etcd is not healthy: ip-10-0-0-12.ec2.internal was not upgraded to Kubernetes 1.37.0: line one line two",
			writes: stopped, left: map[string]string{"version": "1.36.2", "upgrade/failure": wanted + "\nDependency\nip-10-0-0-12.ec2.internal\nkubeadm: etcd is not healthy\nline one\nline two"},
		},
		"FailedForGood": {
			reason: "What can not become better by itself is not tried again.", params: map[string]string{"version": "1.36.2"},
			act:   []func(map[string]string){sets("upgrade/failure", wanted+"\nInvalid\na\npkgs.k8s.io has no Kubernetes 1.37.0")},
			class: run.ClassInvalid, msg: "pkgs.k8s.io has no Kubernetes 1.37.0: a was not upgraded to Kubernetes 1.37.0",
			writes: stopped, left: map[string]string{"version": "1.36.2", "upgrade/failure": wanted + "\nInvalid\na\npkgs.k8s.io has no Kubernetes 1.37.0"},
		},
		"Stalled": {
			reason: "The wait is bounded.", params: map[string]string{"version": "1.36.2"}, act: []func(map[string]string){sets("upgrade/progress", wanted+"\n1 of 3, now b")},
			class: run.ClassDependency, msg: "no control plane was upgraded to Kubernetes 1.37.0 within 50ms (1 of 3, now b): see `journalctl -u kubeopera-upgrade` on them",
			writes: stopped, left: map[string]string{"version": "1.36.2"},
		},
		"Silent": {
			reason: "So it is where nobody begins.", params: map[string]string{"version": "1.36.2"},
			class: run.ClassDependency, msg: "no control plane was upgraded to Kubernetes 1.37.0 within 50ms (none has begun): see `journalctl -u kubeopera-upgrade` on them",
			writes: stopped, left: map[string]string{"version": "1.36.2"},
		},
		"Back": {
			reason: "kubeadm does not go back, not by a patch either.", to: "1.36.1", params: map[string]string{"version": "1.36.2"},
			class: run.ClassInvalid, msg: "Kubernetes cannot go back from 1.36.2 to 1.36.1: set kubernetesVersion to 1.36.2 or a newer one", left: map[string]string{"version": "1.36.2"},
		},
		"BackFromBegun": {
			reason: "Nor from what has begun.", to: "1.36.2", params: map[string]string{"version": "1.36.2 1.37.0"},
			class: run.ClassInvalid, msg: "Kubernetes cannot go back from 1.37.0 to 1.36.2: set kubernetesVersion to 1.37.0 or a newer one", left: map[string]string{"version": "1.36.2 1.37.0"},
		},
		"Skip": {
			reason: "One minor version at a time.", to: "1.38.0", params: map[string]string{"version": "1.36.2"},
			class: run.ClassInvalid, msg: "Kubernetes cannot skip from 1.36.2 to 1.38.0: set kubernetesVersion to 1.37 first", left: map[string]string{"version": "1.36.2"},
		},
		"Garbage": {
			reason: "What is no version is not guessed.", params: map[string]string{"version": "x"},
			class: run.ClassInvalid, msg: `parameter version holds "x", which is not a version`, left: map[string]string{"version": "x"},
		},
		"Denied": {
			reason: "Missing rights end it.", params: map[string]string{"version": "1.36.2"}, fail: fault.New(fault.Denied, "no"),
			class: run.ClassAuth, msg: "no", left: map[string]string{"version": "1.36.2"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			cloud := &nodes{params: maps.Clone(tc.params), act: tc.act, fail: tc.fail}
			r := upgrading(tc.to, cloud)
			err := r.upgrade(t.Context())
			if tc.msg == "" && err != nil || tc.msg != "" && (err == nil || err.Error() != tc.msg || classOf(err) != tc.class) {
				t.Fatalf("%s\nupgrade(): want %s %q, got %v", tc.reason, tc.class, tc.msg, err)
			}
			if diff := cmp.Diff(tc.writes, cloud.writes); diff != "" {
				t.Errorf("%s\nwrites: -want, +got:\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(tc.left, cloud.params); diff != "" {
				t.Errorf("%s\nparameters: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// upgrading is a run of a cluster that is to become of a version; 1.37.0 if none is given.
func upgrading(to string, cloud Cloud) *runner {
	config := `{"module": {"compute": {"kubernetes_version": "1.37.0"}}}`
	switch to {
	case "":
	case "none":
		config = `{"module": {"compute": {}}}`
	default:
		config = strings.ReplaceAll(config, "1.37.0", to)
	}
	log := &logger{out: io.Discard, redact: newRedactor(nil)}
	return &runner{
		Options: Options{Times: Times{Poll: time.Millisecond, Upgrade: 50 * time.Millisecond}},
		spec:    run.Spec{ID: "apply-2-5f2c9a1b", Topology: v1alpha1.TopologyVanilla, CloudName: "ko-prod", Region: "eu-central-1"},
		config:  []byte(config), log: log, cloud: cloud, pub: &publisher{log: log, wake: make(chan struct{}, 1)},
	}
}

// TestUpgradeStep: who waits sees how far it is.
func TestUpgradeStep(t *testing.T) {
	cloud := &nodes{params: map[string]string{"version": "1.36.2"}, act: []func(map[string]string){
		sets("upgrade/progress", "1.37.0 apply-2-5f2c9a1b\n1 of 3, now b"),
	}}
	r := upgrading("", cloud)
	if err := r.upgrade(t.Context()); err == nil {
		t.Fatal("it ends only when the version is there")
	}
	if got, want := r.pub.now().Progress.Step, "Upgrading the control planes to Kubernetes 1.37.0: 1 of 3, now b"; got != want {
		t.Errorf("want %q, got %q", want, got)
	}
}

// TestUpgradeInterrupted: the control planes go on, and the next run waits for them.
func TestUpgradeInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cloud := &nodes{params: map[string]string{"version": "1.36.2"}, act: []func(map[string]string){func(map[string]string) { cancel(Interrupt()) }}}
	r := upgrading("", cloud)
	if report := reportOf(ctx, r.upgrade(ctx)); report == nil || report.Class != run.ClassTransient || !strings.HasPrefix(report.Message, "interrupted") {
		t.Errorf("want interrupted, got %v", report)
	}
	if got := cloud.params[bootstrap.UpgradeWantedParameter]; got != "1.37.0 apply-2-5f2c9a1b" {
		t.Errorf("want it still to be asked for, got %q", got)
	}
}

// TestUpgradeOther: EKS and GKE upgrade their own control planes.
func TestUpgradeOther(t *testing.T) {
	for _, topology := range []v1alpha1.Topology{v1alpha1.TopologyEKS, v1alpha1.TopologyGKE} {
		r := upgrading("", &nodes{fail: fault.New(fault.Denied, "nobody may ask")})
		r.spec.Topology = topology
		if err := r.upgrade(t.Context()); err != nil {
			t.Errorf("%s: %v", topology, err)
		}
	}
}
