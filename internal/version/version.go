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

// Package version knows the version of this build.
package version

// version is the next release unless the build says otherwise:
// go build -ldflags "-X github.com/kubeopera/provider-kubeopera/internal/version.version=v1.2.3".
var version = "v0.1.0"

// String returns the version, for instance v1.2.3. It is the tag of this project's images.
func String() string { return version }
