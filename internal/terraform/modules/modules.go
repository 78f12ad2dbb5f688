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

// Package modules holds the Terraform modules that clusters are made with. What
// they take and give is in docs/modules.md, and checked against the providers'
// own schemas by the tests.
package modules

import "embed"

// Files of the modules: <module>/<file>.tf.
//
//go:embed */*.tf
var Files embed.FS
