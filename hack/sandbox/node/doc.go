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

// Package node runs a real Kubernetes of one node: etcd, API server, controllers, containerd, kubelet, kube-proxy and
// CoreDNS, in private mount, network, pid, uts and ipc namespaces on this machine. No Docker, no registry, no network.
//
// Start runs the calling program once more as the node's init process, so a program that uses this package calls Main
// first. When init dies the kernel kills everything in the node; when the caller dies the kernel kills init. Nothing is
// left but the state directory and empty cgroup directories, which the next Start removes.
package node
