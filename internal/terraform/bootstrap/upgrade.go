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
	"compress/gzip"
	"encoding/base64"
	"fmt"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
)

// Parameters of an upgrade, below Params.ParameterPrefix. Who asks for one
// writes the script and then what is wanted, and removes both when it is over.
const (
	// VersionParameter has the Kubernetes version of all control planes. While
	// they are upgraded it has two, from and to: from is the oldest that serves,
	// and there is no way back before to. It is there once a cluster is.
	VersionParameter = "version"
	// CAParameter is there when machines may join. A cluster that has it and no
	// VersionParameter was made by an earlier release.
	CAParameter = "join/ca"
	// UpgradeScriptParameter has what Upgrade returns.
	UpgradeScriptParameter = "upgrade/script"
	// UpgradeWantedParameter has the version that is asked for and the id of the
	// run that asks, 1.37.0 apply-2-5f2c9a1b. The control planes try each once.
	UpgradeWantedParameter = "upgrade/wanted"
	// UpgradeProgressParameter has what is wanted and, in a second line, how far it is.
	UpgradeProgressParameter = "upgrade/progress"
	// UpgradeFailureParameter has what was wanted and then, a line each, the
	// class of the failure (Invalid or Dependency), the node, the cause, and the
	// last lines of the log.
	UpgradeFailureParameter = "upgrade/failure"
)

// maxParameter is the size of SSM's advanced parameters, in bytes.
const maxParameter = 8192

// upgradeParts in order.
var upgradeParts = []string{"common", "repository", "lock", "admin", "ccm", "components", "upgrade-node", "upgrade"}

// Upgrade returns the program with which the control planes of a cluster
// upgrade themselves to p.KubernetesVersion, one at a time: base64 of gzip, as
// UpgradeScriptParameter holds it. It needs no Role and no networks. It fails if
// p is not valid or if the text is larger than what SSM takes.
//
// Each control plane takes the lock that joins take, and waits until all members
// of etcd are healthy. The first one has kubeadm upgrade the cluster, the others
// their own node. Then it moves the pods away, for at most five minutes, gets the
// new kubelet, and takes pods again once that is Ready and etcd healthy. The last one brings the cloud controller manager
// and Calico up to date, and writes VersionParameter. A machine that fails says
// why, and no other one begins; what has begun goes on with the next run that
// asks.
func Upgrade(p Params) (string, error) {
	p = p.withDefaults()
	if err := p.validateForms(); err != nil {
		return "", err
	}
	program, err := upgradeText(p)
	if err != nil {
		return "", err
	}
	out := &bytes.Buffer{}
	w, err := gzip.NewWriterLevel(out, gzip.BestCompression)
	if err != nil {
		return "", errors.Wrap(err, "cannot compress")
	}
	if _, err := w.Write(program); err != nil {
		return "", errors.Wrap(err, "cannot compress")
	}
	if err := w.Close(); err != nil {
		return "", errors.Wrap(err, "cannot compress")
	}
	packed := base64.StdEncoding.EncodeToString(out.Bytes())
	if len(packed) > maxParameter {
		return "", errors.Errorf("upgrade of %d bytes is more than the %d that SSM takes", len(packed), maxParameter)
	}
	return packed, nil
}

func upgradeText(p Params) ([]byte, error) {
	head := append([][2]string{
		{"CLOUD_NAME", p.CloudName},
		{"REGION", p.Region},
		{"PREFIX", p.ParameterPrefix},
		{"VERSION", p.KubernetesVersion},
	}, p.Components.assignments()...)
	return text(fmt.Sprintf("Upgrades the control plane of this machine, one of the Kubernetes cluster %s.", p.CloudName), head, upgradeParts)
}
