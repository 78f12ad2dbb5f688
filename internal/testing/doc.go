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

// Package testing runs a real Kubernetes control plane for tests: etcd, kube-apiserver and kube-controller-manager
// as plain processes of the current user, with certificates of its own, below one temporary directory.
//
// There is no kubelet and no scheduler: Pods never run and Deployments get their status from the test. There is a
// garbage collector, a namespace controller, a Job controller and ServiceAccount tokens, so that deletion, owner
// references and RBAC behave as they do in production.
//
// The usual test uses one control plane for its whole package, and a namespace of its own:
//
//	func TestMain(m *testing.M) { os.Exit(kt.Main(m)) }
//
//	func TestThing(t *testing.T) {
//		cp := kt.Shared(t)
//		ns := cp.Namespace(t)
//		...
//	}
//
// `go run ./internal/testing/controlplane -- COMMAND` runs a command, such as `go test ./...`, with one control plane
// that all its packages share (EnvControlPlane).
package testing
