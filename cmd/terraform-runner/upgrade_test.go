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

package main

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kubeopera/provider-kubeopera/internal/cloud/cloudtest"
	"github.com/kubeopera/provider-kubeopera/internal/terraform/bootstrap"
	"github.com/kubeopera/provider-kubeopera/internal/terraform/names"
	"github.com/kubeopera/provider-kubeopera/internal/terraform/run"
)

// of makes the configuration one of a Kubernetes version, whose workers it
// writes down.
func (b *bed) of(version string) {
	b.Helper()
	b.write("modules/compute/main.tf", computeModule+`
variable "kubernetes_version" { type = string }
resource "terraform_data" "workers" {
  triggers_replace = var.kubernetes_version
  provisioner "local-exec" { command = "echo workers ${var.kubernetes_version} >> $BED/order" }
}
`)
	b.root = map[string]any{"module": map[string]any{"compute": map[string]any{
		"source": "./modules/compute", "nodes": b.nodes, "script": b.script, "kubernetes_version": version,
	}}}
}

// set parameters of the cluster.
func (b *bed) set(kv ...string) {
	for i := 0; i < len(kv); i += 2 {
		b.cloud.SetParameter(cloudtest.DefaultKey.Account, region, names.ParameterPrefix(b.spec.CloudName)+kv[i], kv[i+1])
	}
}

// whenAsked has the control planes do something, once, when an upgrade is asked for.
func (b *bed) whenAsked(do func(wanted string)) (stop func()) {
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
			}
			if wanted := b.parameters()[names.ParameterPrefix(b.spec.CloudName)+bootstrap.UpgradeWantedParameter]; wanted != "" {
				do(wanted)
				return
			}
		}
	}()
	return func() {
		close(done)
		<-ended
	}
}

// left are the names of the cluster's parameters.
func (b *bed) left() []string {
	var left []string
	for name := range maps.Keys(b.parameters()) {
		left = append(left, strings.TrimPrefix(name, names.ParameterPrefix(b.spec.CloudName)))
	}
	slices.Sort(left)
	return left
}

// TestUpgrade makes a cluster one of another version: control planes first,
// then what Terraform applies.
func TestUpgrade(t *testing.T) {
	b := newBed(t)
	b.boot()
	b.set("version", "1.36.2")
	b.of("1.36.2")
	b.run()

	b.of("1.37.0")
	stop := b.whenAsked(func(string) {
		if script := b.parameters()[names.ParameterPrefix(b.spec.CloudName)+bootstrap.UpgradeScriptParameter]; len(script) < 4096 {
			t.Errorf("they were asked without a script: %d bytes", len(script))
		}
		before, err := os.ReadFile(b.path("bed/order"))
		if err != nil {
			t.Error(err)
		}
		b.must(os.WriteFile(b.path("bed/order"), append(before, "control planes 1.37.0\n"...), 0o600))
		b.set("version", "1.37.0")
	})
	b.run()
	stop()
	order, err := os.ReadFile(b.path("bed/order"))
	b.must(err)
	if diff := cmp.Diff("workers 1.36.2\ncontrol planes 1.37.0\nworkers 1.37.0\n", string(order)); diff != "" {
		t.Errorf("order: -want, +got:\n%s", diff)
	}
	if diff := cmp.Diff([]string{"kubeconfig", "version"}, b.left()); diff != "" {
		t.Errorf("parameters: -want, +got:\n%s", diff)
	}
}

// TestUpgradeFails: the control planes' own words are the cause, nothing is
// applied, and the next run goes on.
func TestUpgradeFails(t *testing.T) {
	b := newBed(t)
	b.boot()
	b.set("version", "1.36.2")
	b.of("1.36.2")
	b.run()

	b.of("1.38.0")
	if e := b.fail(run.ClassInvalid); !strings.HasPrefix(e.Message, "Kubernetes cannot skip from 1.36.2 to 1.38.0: set kubernetesVersion to 1.37 first") {
		t.Errorf("error: %+v", e)
	}

	b.of("1.37.0")
	stop := b.whenAsked(func(wanted string) {
		b.set("version", "1.36.2 1.37.0", "upgrade/failure", wanted+"\nDependency\nip-10-0-0-12\nkubeadm: etcd is not healthy\ntoken abcdef.0123456789abcdef")
	})
	e := b.fail(run.ClassDependency)
	stop()
	if !strings.HasPrefix(e.Message, "kubeadm: etcd is not healthy: ip-10-0-0-12 was not upgraded to Kubernetes 1.37.0") || strings.Contains(e.Message, "abcdef.") {
		t.Errorf("error: %+v", e)
	}
	if diff := cmp.Diff([]string{"kubeconfig", "upgrade/failure", "version"}, b.left()); diff != "" {
		t.Errorf("parameters: -want, +got:\n%s", diff)
	}
	b.of("1.36.2")
	if e := b.fail(run.ClassInvalid); !strings.HasPrefix(e.Message, "Kubernetes cannot go back from 1.37.0 to 1.36.2") {
		t.Errorf("error: %+v", e)
	}
	order, err := os.ReadFile(b.path("bed/order"))
	b.must(err)
	if diff := cmp.Diff("workers 1.36.2\n", string(order)); diff != "" {
		t.Errorf("what a run that fails applies: -want, +got:\n%s", diff)
	}

	b.of("1.37.0")
	stop = b.whenAsked(func(string) { b.set("version", "1.37.0") })
	b.run()
	stop()
}
