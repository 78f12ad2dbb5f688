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

// Package sandbox runs all that a HostCluster needs, on this machine and from real parts: a management control plane, a
// target cluster with a node that runs pods, a Git server, and the provider as a process that may be killed.
//
//	management API  127.0.0.1, etcd and API server without a node (internal/testing)
//	target          package node; https://10.200.0.2:6443 in its own network
//	Git             https://10.200.0.2:8443 in the target's network, for its pods and the provider alike
//	provider        a process in the target's network
//
// The target's network is private. Forwards on loopback addresses join it with the machine, in both directions. With a
// target of the user's own there is no such network: everything runs on the machine's, and root is not needed.
//
// The demo, the end-to-end tests and the benchmarks are thin callers of this package. They call Main first.
package sandbox
