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

// Package cloud turns a ProviderConfig into credentials of a cloud account:
// read, checked and in the form that their user needs, be it files for a
// Terraform run, an AWS SDK's configuration or an OAuth2 token source. Whatever
// is missing or malformed is said at once, by the name of the Secret and its key.
package cloud
