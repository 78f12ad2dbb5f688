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

// Package bootstrap renders the user data with which a machine of a vanilla
// cluster makes itself a node, alone and without SSH: Amazon Linux 2023,
// containerd, kubeadm with an external cloud provider, the AWS cloud controller
// manager and Calico.
//
// The shell is in parts/, a file a concern. A node gets the parts of its role
// behind a head of assignments, which is all that is rendered. What it finds
// and leaves in SSM, below Params.ParameterPrefix:
//
//	endpoint              host:port of the API, written by Terraform
//	join/ca               the cluster's CA: others may join now
//	join/worker           bootstrap token of workers, of 24 hours, renewed by a timer after 12
//	lock/1, lock/2, …     the chain of holders of the lock: one joins at a time
//	join/request          what the holder needs: a token and a certificate key that it made itself
//	join/asked, answered  nonces: a healthy control plane has installed what join/request holds
//	kubeconfig            of the administrator, after /readyz
//	failure               why the first control plane failed
//	join/failure/<id>     why a further one failed
//	version               of Kubernetes: that of all control planes; two while they are upgraded, from and to
//	upgrade/…             an upgrade that a run asks for, see Upgrade
//
// A clustered etcd takes one learner at a time. The lock goes from holder to
// holder when the new member votes and is healthy. It is taken from a holder
// only when EC2 says that its machine was terminated; what that one left in
// etcd is removed by who answers the next request. Upgrades take the same lock.
package bootstrap

import (
	"bytes"
	"embed"
	"fmt"
	"strings"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
)

// limit is what EC2 takes as user data, in bytes, before it is base64-encoded.
const limit = 16384

//go:embed parts/*.sh
var parts embed.FS

// partsOf a role, in order.
var partsOf = map[Role][]string{
	FirstControlPlane: {"common", "repository", "install", "admin", "keep", "ccm", "components", "first", "main"},
	ControlPlane:      {"common", "repository", "install", "admin", "keep", "join", "lock", "control-plane", "main"},
	Worker:            {"common", "repository", "install", "join", "worker", "main"},
}

// UserData returns what a machine runs at its first boot, as plain text without
// any secret. It does not depend on the number of control planes, so that
// another size changes no machine that is there. It fails if p is not valid or
// if the text is larger than what EC2 takes.
func UserData(p Params) ([]byte, error) {
	p = p.withDefaults()
	if err := p.validate(); err != nil {
		return nil, err
	}
	b, err := text(fmt.Sprintf("Makes this machine a %s of the Kubernetes cluster %s.", strings.ReplaceAll(string(p.Role), "-", " "), p.CloudName), p.assignments(), partsOf[p.Role])
	if err != nil {
		return nil, err
	}
	if len(b) > limit {
		return nil, errors.Errorf("user data of %d bytes is more than the %d that EC2 takes", len(b), limit)
	}
	return b, nil
}

// text of a program: what it does, its assignments, and its parts.
func text(what string, head [][2]string, names []string) ([]byte, error) {
	b := &bytes.Buffer{}
	fmt.Fprintf(b, "#!/bin/bash\n# %s\n", what)
	fmt.Fprintln(b, "# The same text with comments: internal/terraform/bootstrap/parts of provider-kubeopera.")
	for _, a := range head {
		fmt.Fprintf(b, "%s='%s'\n", a[0], a[1])
	}
	for _, name := range names {
		part, err := parts.ReadFile("parts/" + name + ".sh")
		if err != nil {
			return nil, errors.Wrapf(err, "cannot read the part %s", name)
		}
		fmt.Fprintf(b, "\n%s", dense(string(part)))
	}
	return b.Bytes(), nil
}

// dense leaves out comments, empty lines, and tabs at the beginning of lines,
// which bash takes off here-documents anyway: they are for readers of parts/,
// and do not fit into what EC2 and SSM take.
func dense(text string) string {
	b := &strings.Builder{}
	for line := range strings.Lines(text) {
		t := strings.TrimSpace(line)
		if t == "" || strings.HasPrefix(t, "# ") {
			continue
		}
		b.WriteString(strings.TrimLeft(line, "\t"))
	}
	return b.String()
}
