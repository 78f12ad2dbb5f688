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

package node

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"strings"
)

// IP is the node's address, for its pods and for everything else in its network namespace.
const IP = "10.200.0.2"

// Images that every node needs, under these names.
const (
	PauseImage   = "node.local/pause:1"
	CoreDNSImage = "node.local/coredns:1"
)

const (
	// self is the running program, for the kernel.
	self = "/proc/self/exe"
	// initArg and nodeArg are what the program is called when it is to be a part of the node.
	initArg = "kubeopera-sandbox-init"
	nodeArg = "kubeopera-sandbox-node"
	// configEnv carries the options into the node.
	configEnv = "KUBEOPERA_SANDBOX_NODE"
	// upLine ends the report of progress.
	upLine = "up"

	pkiDir          = "pki"
	adminKubeconfig = "admin.kubeconfig"
)

// Options say what a node is made of.
type Options struct {
	// Dir keeps the node's state, certificates and logs. It is emptied by Start.
	Dir string `json:"dir"`
	// Binaries is a directory with etcd and the Kubernetes programs.
	Binaries string `json:"binaries"`
	// System are the docker-archive tarballs of PauseImage and CoreDNSImage.
	System []string `json:"system"`
	// Images are tarballs of what pods will run.
	Images []string `json:"images"`
	// Log takes a line of progress.
	Log func(line string) `json:"-"`

	// cgroup names the node's own cgroup in each hierarchy.
	cgroup string
}

// cgroupName is the same for each node in a directory, and another for each directory.
func cgroupName(dir string) string {
	sum := sha256.Sum256([]byte(dir))
	return "kubeopera-" + hex.EncodeToString(sum[:4])
}

// lastLine returns the last line of a file, or why there is none.
func lastLine(path string) string {
	content, err := os.ReadFile(path) //nolint:gosec // a log of the node
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimSpace(string(content)), "\n")
	return lines[len(lines)-1]
}
