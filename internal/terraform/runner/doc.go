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

// Package runner does one Terraform run: it ensures the state bucket, runs
// OpenTofu, gets the new cluster's kubeconfig and publishes what came of it.
// terraform-runner is its program, package run its contract.
//
// A run may be killed at any line. What it did is in Terraform's state, which
// the next run reads; a state that could not be written to its bucket is
// kept on disk and in a Secret until it could; a lock that a killed run left is
// broken only when that run has provably ended.
package runner
