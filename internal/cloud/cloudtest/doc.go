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

// Package cloudtest is a small cloud on this machine, for tests and for the
// sandbox. It is a fake at the wire: it speaks the protocols of AWS and of
// Google Cloud, so that the real SDKs, Terraform's backends and command line
// tools talk to it, but it holds everything in memory and runs nothing.
//
// What it fakes, and how true it is:
//
//   - Signatures: SigV4 is verified, in headers and presigned, against the
//     access keys that are known. A wrong key is InvalidClientTokenId, a wrong
//     secret SignatureDoesNotMatch, an ended session ExpiredToken.
//   - S3: objects by gofakes3; around it buckets that belong to an account,
//     with tags, encryption, versioning and whatever else is put to a bucket.
//   - SSM parameters: types, versions, tiers and their limits, paths, pages.
//   - STS: GetCallerIdentity and AssumeRole with its external ID.
//   - EKS: clusters that a test has set, and the versions on offer.
//   - EC2 and ELB: what a cluster's own controllers leave behind, and the order
//     in which it can be removed.
//   - Google Cloud: service account tokens, and Cloud Storage's JSON API with
//     labels, versions, generations and preconditions; of Compute Engine what a
//     cluster's own controllers leave behind, and the order in which it can be
//     removed.
//
// All of it listens on one address: the scope of a signature says which
// service is meant.
package cloudtest
