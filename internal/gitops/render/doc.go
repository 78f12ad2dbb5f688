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

// Package render renders the GitOps tree of a cluster. It is pure: the same
// input gives the same bytes, and nothing is read but what is built in.
//
// The tree is written in two passes. Pass 1 brings the infrastructure, with it
// the controller of Sealed Secrets. Pass 2 brings the rest, once there is a key
// that secrets can be sealed with.
package render
