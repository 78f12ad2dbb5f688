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

// Package names makes the names of a cluster's resources in a cloud account
// out of the cluster's id. Each is stable, fits the cloud's limit and
// alphabet, and is another one for every other id: what had to be changed or
// cut ends with a hash of what it was, and nothing else ends like that.
package names

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strings"
)

// Limits of names, in characters.
const (
	// MaxBucket of S3 (docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html)
	// and of GCS for a name without dots (cloud.google.com/storage/docs/buckets#naming).
	MaxBucket = 63
	// MaxCloudName is the least of what may be called like the cluster: a GKE
	// cluster has 40 (container.googleapis.com v1, Cluster.name), an EKS
	// cluster 100 (docs.aws.amazon.com/eks/latest/APIReference/API_CreateCluster.html).
	MaxCloudName = 40
	// MaxRolePrefix: an IAM role has 64
	// (docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html), of
	// which Terraform's name_prefix takes 26.
	MaxRolePrefix = 38
	// MaxRole of an IAM role, see MaxRolePrefix.
	MaxRole = 64
	// MaxLoadBalancer and MaxTargetGroup (docs.aws.amazon.com/elasticloadbalancing/latest/APIReference,
	// CreateLoadBalancer and CreateTargetGroup).
	MaxLoadBalancer = 32
	MaxTargetGroup  = 32
	// MaxServiceAccount of a GCP service account's id, which has at least
	// MinServiceAccount (cloud.google.com/iam/docs/service-accounts-create).
	MaxServiceAccount = 30
	MinServiceAccount = 6
	// MaxTagKey and MaxTagValue (docs.aws.amazon.com/AWSEC2/latest/UserGuide/Using_Tags.html).
	MaxTagKey   = 128
	MaxTagValue = 256
	// MaxLabel of a GCP label's key or value (cloud.google.com/compute/docs/labeling-resources),
	// and of a GCP resource's name (RFC 1035, cloud.google.com/compute/docs/naming-resources).
	MaxLabel = 63
	// MaxParameter of an SSM parameter's name, with the ARN that goes before
	// it (docs.aws.amazon.com/systems-manager/latest/APIReference/API_PutParameter.html).
	MaxParameter = 1011
)

// hashLength is how many hexadecimal digits of a hash a changed name ends
// with: 40 bits, so two of a million clusters meet with a chance of one half
// in a million.
const hashLength = 10

// hashed is how a changed name ends.
var hashed = regexp.MustCompile(`-[0-9a-f]{10}$`)

// refused are what S3 and GCS refuse in a bucket's name though its alphabet
// is right (see MaxBucket): GCS keeps its owner's name to itself, S3 some ends.
var refused = regexp.MustCompile(`google|g00gle|(-s3alias|--ol-s3|--x-s3|--table-s3)$`)

// StateBucket is the name of the bucket with the Terraform state of the cluster id.
func StateBucket(id string) string {
	return fit("kubeopera-terraform-state-", id, MaxBucket, refused.MatchString)
}

// CloudName is what the cluster id is called in the cloud account, and what
// the names of its resources begin with. It is an RFC 1035 label.
func CloudName(id string) string { return fit("ko-", id, MaxCloudName, nil) }

// ParameterPrefix is what the names of the SSM parameters of a vanilla
// cluster begin with. It ends with a slash.
func ParameterPrefix(cloudName string) string { return "/kubeopera/" + cloudName + "/" }

// RolePrefix is the name_prefix of the IAM role, and of its instance profile,
// that something of the cluster has, for instance "node". It ends with a hyphen.
func RolePrefix(cloudName, role string) string {
	suffix := "-" + role + "-"
	return fit("", cloudName, MaxRolePrefix-len(suffix), nil) + suffix
}

// LoadBalancer is the name of the load balancer of a vanilla cluster's API
// servers. It has no "internal-" at its start, which AWS keeps to itself.
func LoadBalancer(cloudName string) string {
	return fit("", cloudName, MaxLoadBalancer-4, nil) + "-api"
}

// TargetGroup is the name of the target group behind the LoadBalancer.
func TargetGroup(cloudName string) string { return fit("", cloudName, MaxTargetGroup-4, nil) + "-api" }

// ServiceAccount is the id of the GCP service account of the cluster's nodes.
func ServiceAccount(cloudName string) string {
	return fit("", cloudName, MaxServiceAccount-6, nil) + "-nodes"
}

// fit returns prefix+name within limit characters, in lower case, of letters,
// digits and single hyphens at most where name had them. If that is not what
// name says, or refuse says no, a hash of name goes to the end.
func fit(prefix, name string, limit int, refuse func(string) bool) string {
	clean := clean(name)
	if whole := prefix + clean; clean == name && clean != "" && len(whole) <= limit && !hashed.MatchString(whole) && (refuse == nil || !refuse(whole)) {
		return whole
	}
	for refuse != nil && refuse(clean) {
		clean = strings.Trim(refused.ReplaceAllString(clean, ""), "-")
	}
	sum := sha256.Sum256([]byte(name))
	end := hex.EncodeToString(sum[:])[:hashLength]
	if room := limit - len(prefix) - 1 - hashLength; len(clean) > room {
		clean = strings.TrimRight(clean[:room], "-")
	}
	if clean == "" {
		return strings.TrimSuffix(prefix, "-") + "-" + end
	}
	return prefix + clean + "-" + end
}

// clean keeps lower-case letters and digits, and turns all else into hyphens,
// none of them at the start or end.
func clean(s string) string {
	return strings.Trim(strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return r
		case r >= 'A' && r <= 'Z':
			return r - 'A' + 'a'
		default:
			return '-'
		}
	}, s), "-")
}
