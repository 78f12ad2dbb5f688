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
	"encoding/json"
	"strings"
	"time"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/fault"
	"github.com/kubeopera/provider-kubeopera/internal/terraform/bootstrap"
	"github.com/kubeopera/provider-kubeopera/internal/terraform/names"
	"github.com/kubeopera/provider-kubeopera/internal/terraform/run"
)

// An upgrade of the control planes of a kubeadm cluster, which they do
// themselves: package bootstrap says how.
type upgrade struct {
	*runner

	prefix string
	to     string
}

// upgrade makes the control planes those of the configuration's version before
// it is applied, since no worker may be newer than they are, and waits for that.
// A cluster that is not up yet has nothing to upgrade. An upgrade that was
// interrupted goes on by itself, and the next run waits for it.
func (r *runner) upgrade(ctx context.Context) error {
	to := versionOf(r.config)
	if r.spec.Topology != v1alpha1.TopologyVanilla || to == "" {
		return nil
	}
	u := upgrade{runner: r, prefix: names.ParameterPrefix(r.spec.CloudName), to: to}
	seen, err := r.cloud.Parameters(ctx, u.prefix, bootstrap.VersionParameter, bootstrap.CAParameter, bootstrap.UpgradeWantedParameter, bootstrap.UpgradeFailureParameter)
	switch {
	case err != nil:
		return err
	case seen[bootstrap.VersionParameter] != "":
	case seen[bootstrap.CAParameter] != "":
		return u.earlier(ctx)
	default:
		return nil
	}
	done, err := reached(seen[bootstrap.VersionParameter], to)
	switch {
	case err != nil:
		return err
	case done && seen[bootstrap.UpgradeWantedParameter] == "" && seen[bootstrap.UpgradeFailureParameter] == "":
		return nil
	case done:
		// What an earlier run asked for must not begin later.
		return u.withdraw(ctx)
	}
	r.pub.step(u.step(""))
	if seen[bootstrap.UpgradeWantedParameter] != u.wanted() {
		if err := u.ask(ctx); err != nil {
			return err
		}
	}
	if err := u.wait(ctx); err != nil {
		if ctx.Err() == nil {
			return u.stop(ctx, err)
		}
		return err
	}
	return u.withdraw(ctx)
}

// versionOf returns the Kubernetes version that a configuration of a kubeadm
// cluster is for, or "".
func versionOf(config []byte) string {
	var c struct {
		Module struct {
			Compute struct {
				Version string `json:"kubernetes_version"`
			} `json:"compute"`
		} `json:"module"`
	}
	if json.Unmarshal(config, &c) != nil {
		return "" // OpenTofu says it better.
	}
	return c.Module.Compute.Version
}

// wanted names the upgrade: control planes try each once.
func (u upgrade) wanted() string { return u.to + " " + u.spec.ID }

// ask the control planes. They begin when they see the last parameter.
func (u upgrade) ask(ctx context.Context) error {
	script, err := bootstrap.Upgrade(bootstrap.Params{
		CloudName: u.spec.CloudName, Region: u.spec.Region, ParameterPrefix: u.prefix, KubernetesVersion: u.to,
	})
	if err != nil {
		return failWrap(err, run.ClassInvalid, "cannot write the upgrade")
	}
	for _, p := range [][2]string{
		{bootstrap.UpgradeFailureParameter, ""},
		{bootstrap.UpgradeProgressParameter, ""},
		{bootstrap.UpgradeScriptParameter, script},
		{bootstrap.UpgradeWantedParameter, u.wanted()},
	} {
		if err := u.cloud.SetParameter(ctx, u.prefix, p[0], p[1]); err != nil {
			return err
		}
	}
	return nil
}

// wait until all control planes are of the version, one has failed, or none has
// come further for too long.
func (u upgrade) wait(ctx context.Context) error {
	last, since := "", time.Now()
	for {
		seen, err := u.cloud.Parameters(ctx, u.prefix, bootstrap.VersionParameter, bootstrap.UpgradeProgressParameter, bootstrap.UpgradeFailureParameter)
		switch {
		case fault.Is(err, fault.Denied):
			return err
		case err == nil:
			if done, err := reached(seen[bootstrap.VersionParameter], u.to); done || err != nil {
				return err
			}
			if err := u.failed(seen[bootstrap.UpgradeFailureParameter]); err != nil {
				return err
			}
			if now := u.mine(seen[bootstrap.UpgradeProgressParameter]); now != last {
				last, since = now, time.Now()
				u.pub.step(u.step(now))
			}
		}
		switch {
		case time.Since(since) < u.Upgrade:
		case err != nil:
			return err
		default:
			return failf(run.ClassDependency, "no control plane was upgraded to Kubernetes %s within %s (%s): see `journalctl -u kubeopera-upgrade` on them", u.to, u.Upgrade, orNone(last))
		}
		if !pause(ctx, u.Poll) {
			return context.Cause(ctx)
		}
	}
}

func orNone(progress string) string {
	if progress == "" {
		return "none has begun"
	}
	return progress
}

func (u upgrade) step(progress string) string {
	if progress != "" {
		progress = ": " + progress
	}
	return "Upgrading the control planes to Kubernetes " + u.to + progress
}

// mine is what follows the first line of a parameter that answers this request.
func (u upgrade) mine(value string) string {
	wanted, text, _ := strings.Cut(value, "\n")
	if wanted != u.wanted() {
		return ""
	}
	return text
}

// failed is what a control plane says of its failure.
func (u upgrade) failed(value string) error {
	text := u.mine(value)
	if text == "" {
		return nil
	}
	lines := append(strings.SplitN(text, "\n", 4), "", "", "")
	class := run.ClassDependency
	if lines[0] == string(run.ClassInvalid) {
		class = run.ClassInvalid
	}
	msg := lines[2] + ": " + lines[1] + " was not upgraded to Kubernetes " + u.to
	if log := strings.Join(strings.Fields(lines[3]), " "); log != "" {
		msg += ": " + log
	}
	return failf(class, "%s", msg)
}

// stop an upgrade that has failed, and keep why. A control plane that is at
// work comes to its end.
func (u upgrade) stop(ctx context.Context, cause error) error {
	if err := u.remove(ctx, bootstrap.UpgradeWantedParameter, bootstrap.UpgradeScriptParameter, bootstrap.UpgradeProgressParameter); err != nil {
		u.log.Sayf("%v", err)
	}
	return cause
}

// withdraw what was asked for. Without the script nobody begins any more; the
// parameter by which the next run sees that something is left goes last.
func (u upgrade) withdraw(ctx context.Context) error {
	return u.remove(ctx, bootstrap.UpgradeScriptParameter, bootstrap.UpgradeProgressParameter, bootstrap.UpgradeFailureParameter, bootstrap.UpgradeWantedParameter)
}

func (u upgrade) remove(ctx context.Context, parameters ...string) error {
	for _, name := range parameters {
		if err := u.cloud.SetParameter(ctx, u.prefix, name, ""); err != nil {
			return err
		}
	}
	return nil
}
