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

package names

import (
	"regexp"
	"strings"
)

// Tags that every resource of a cluster has on AWS.
const (
	// TagCluster carries the cluster's id.
	TagCluster = "kubeopera.io/cluster-id"
	// TagManagedBy carries ManagedBy.
	TagManagedBy = "kubeopera.io/managed-by"
	// ManagedBy is who makes the resources.
	ManagedBy = "provider-kubeopera"
)

// Labels that every resource of a cluster has on GCP, which knows no tags
// with a slash.
const (
	LabelCluster   = "kubeopera-cluster-id"
	LabelManagedBy = "kubeopera-managed-by"
)

// ClusterTag is the key of the tag that the AWS cloud controller manager knows
// a cluster's resources by. Its value is "owned" on what is deleted with the
// cluster, and "shared" on what is not.
func ClusterTag(cloudName string) string { return "kubernetes.io/cluster/" + cloudName }

// tagChars are what AWS takes everywhere in a tag (see MaxTagKey).
var tagChars = regexp.MustCompile(`^[\pL\pN\s+\-=._:/@]*$`)

// reserved are the starts of keys that are not a user's to set.
var reserved = []string{"aws:", "kubernetes.io/", "kubeopera.io/", "goog", "kubeopera-"}

// CheckTag says what is wrong with a user's tag, or "".
func CheckTag(key, value string) string {
	lower := strings.ToLower(key)
	for _, r := range reserved {
		if strings.HasPrefix(lower, r) {
			return "its key begins with " + r + ", which is reserved"
		}
	}
	switch {
	case key == "" || len(key) > MaxTagKey:
		return "its key must have 1 to 128 characters"
	case len(value) > MaxTagValue:
		return "its value must have at most 256 characters"
	case !tagChars.MatchString(key) || !tagChars.MatchString(value):
		return "only letters, digits, spaces and + - = . _ : / @ are taken"
	default:
		return ""
	}
}

// Label turns the key of a tag into that of a GCP label: lower case, of
// letters, digits, hyphens and underscores, with a letter first, 63 at most.
func Label(key string) string {
	l := LabelValue(key)
	if l == "" || l[0] < 'a' || l[0] > 'z' {
		l = "k" + l
	}
	return l[:min(len(l), MaxLabel)]
}

// LabelValue turns the value of a tag into that of a GCP label.
func LabelValue(value string) string {
	l := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '-', r == '_':
			return r
		case r >= 'A' && r <= 'Z':
			return r - 'A' + 'a'
		default:
			return '_'
		}
	}, value)
	return l[:min(len(l), MaxLabel)]
}
