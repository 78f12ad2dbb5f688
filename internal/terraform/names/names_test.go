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
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
)

// A rule is what a cloud takes as a name.
type rule struct {
	name  func(id string) string
	min   int
	max   int
	valid *regexp.Regexp
}

func cloud(f func(string) string) func(string) string {
	return func(id string) string { return f(CloudName(id)) }
}

var rules = map[string]rule{
	"StateBucket":        {StateBucket, 3, MaxBucket, regexp.MustCompile(`^[a-z0-9][a-z0-9-]*[a-z0-9]$`)},
	"CloudName":          {CloudName, 1, MaxCloudName, regexp.MustCompile(`^[a-z]([a-z0-9-]*[a-z0-9])?$`)},
	"ParameterPrefix":    {cloud(ParameterPrefix), 1, MaxParameter, regexp.MustCompile(`^/[a-zA-Z0-9_.-]+/[a-zA-Z0-9_.-]+/$`)},
	"ControlPlanePrefix": {cloud(func(c string) string { return RolePrefix(c, "control-plane") }), 1, MaxRolePrefix, regexp.MustCompile(`^[a-z][a-z0-9-]*-control-plane-$`)},
	"NodePrefix":         {cloud(func(c string) string { return RolePrefix(c, "node") }), 1, MaxRolePrefix, regexp.MustCompile(`^[a-z][a-z0-9-]*-node-$`)},
	"LoadBalancer":       {cloud(LoadBalancer), 1, MaxLoadBalancer, regexp.MustCompile(`^[a-z][a-z0-9-]*[a-z0-9]$`)},
	"TargetGroup":        {cloud(TargetGroup), 1, MaxTargetGroup, regexp.MustCompile(`^[a-z][a-z0-9-]*[a-z0-9]$`)},
	"ServiceAccount":     {cloud(ServiceAccount), MinServiceAccount, MaxServiceAccount, regexp.MustCompile(`^[a-z]([a-z0-9-]*[a-z0-9])$`)},
	"ClusterTag":         {cloud(ClusterTag), 1, MaxTagKey, regexp.MustCompile(`^kubernetes\.io/cluster/[a-z0-9-]+$`)},
}

func (r rule) broken(id string) string {
	got := r.name(id)
	switch {
	case len(got) < r.min || len(got) > r.max:
		return "is too long or short: " + got
	case !r.valid.MatchString(got):
		return "has the wrong characters: " + got
	case strings.HasPrefix(got, "internal-"):
		return "begins with internal-: " + got
	case got != r.name(id):
		return "changes: " + got
	default:
		return ""
	}
}

func TestNames(t *testing.T) {
	const uuid = "7e9d3a1b-52c4-4f0e-9a6b-0d1c2b3a4f5e"
	long := strings.Repeat("a", 53)

	cases := map[string]struct {
		reason string
		id     string
		bucket string
		cloud  string
		lb     string
	}{
		"Plain":        {"A short name is kept as it is.", "production", "kubeopera-terraform-state-production", "ko-production", "ko-production-api"},
		"UUID":         {"The id of the documents is kept in bucket and cluster.", uuid, "kubeopera-terraform-state-" + uuid, "ko-" + uuid, "ko-7e9d3a1b-52c4-c1412897d2-api"},
		"Longest":      {"The longest id of a HostCluster is cut.", long, "kubeopera-terraform-state-" + strings.Repeat("a", 26) + "-abe346a725", "", ""},
		"LongestOther": {"Another one with the same start is another name.", strings.Repeat("a", 52) + "b", "", "", ""},
		"Dots":         {"Dots break TLS to a bucket.", "eu.production", "", "", ""},
		"DotsAlike":    {"What becomes alike stays apart.", "eu-production", "kubeopera-terraform-state-eu-production", "ko-eu-production", "ko-eu-production-api"},
		"Digits":       {"A cluster's name begins with a letter.", "1", "kubeopera-terraform-state-1", "ko-1", "ko-1-api"},
		"Upper":        {"Nothing is in upper case.", "Production", "", "", ""},
		"LikeHashed":   {"A name that looks like a cut one is not taken for it.", "eu-production-0123456789", "", "", ""},
		"Google":       {"GCS refuses its owner's name.", "my-google-cluster", "", "ko-my-google-cluster", "ko-my-google-cluster-api"},
		"S3Alias":      {"S3 keeps some ends to itself.", "prod-s3alias", "", "ko-prod-s3alias", "ko-prod-s3alias-api"},
		"S3AliasLong":  {"Also where the end is found by cutting.", "ggoogleoogle-s3alias-s3alias", "", "", ""},
		"Odd":          {"Nothing but odd characters still makes a name.", "...", "", "", ""},
		"Empty":        {"So does nothing at all.", "", "", "", ""},
		"Unicode":      {"Other letters are not ASCII.", "größe-ελ", "", "", ""},
		"Hyphens":      {"Cutting leaves no hyphen at the end.", strings.Repeat("-a", 60), "", "", ""},
		"Internal":     {"AWS keeps internal- to itself.", "internal-api", "", "", ""},
		"Longer":       {"A ProvisionedCluster of its own may have 253 characters.", strings.Repeat("x", 253), "", "", ""},
	}

	for rname, r := range rules {
		seen := map[string]string{}
		for name, tc := range cases {
			if broken := r.broken(tc.id); broken != "" {
				t.Errorf("%s\n%s(%q) of %s %s", tc.reason, rname, tc.id, name, broken)
			}
			if other, ok := seen[r.name(tc.id)]; ok {
				t.Errorf("%s\n%s of %s and %s are both %q", tc.reason, rname, name, other, r.name(tc.id))
			}
			seen[r.name(tc.id)] = name
		}
	}
	for name, tc := range cases {
		for what, pair := range map[string][2]string{"StateBucket": {tc.bucket, StateBucket(tc.id)}, "CloudName": {tc.cloud, CloudName(tc.id)}, "LoadBalancer": {tc.lb, LoadBalancer(CloudName(tc.id))}} {
			if pair[0] != "" && pair[0] != pair[1] {
				t.Errorf("%s\n%s of %s: want %q, got %q", tc.reason, what, name, pair[0], pair[1])
			}
		}
		if b := StateBucket(tc.id); refused.MatchString(b) {
			t.Errorf("%s\nStateBucket of %s is refused: %q", tc.reason, name, b)
		}
	}
}

// TestNamesProperty tries many ids that differ little, at the end and beyond
// every limit, and takes every name as an id again.
func TestNamesProperty(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	alphabet := []rune("aab.-0gole3sxéA")
	ids := map[string]bool{}
	for range 1500 {
		id := make([]rune, random.IntN(60))
		for i := range id {
			id[i] = alphabet[random.IntN(len(alphabet))]
		}
		s := strings.Repeat("ab", random.IntN(2)*13) + string(id)
		ids[s], ids[CloudName(s)], ids[strings.TrimPrefix(CloudName(s), "ko-")] = true, true, true
		ids[strings.TrimPrefix(StateBucket(s), "kubeopera-terraform-state-")] = true
	}
	for rname, r := range rules {
		seen := map[string]string{}
		for id := range ids {
			if broken := r.broken(id); broken != "" {
				t.Fatalf("%s(%q) %s", rname, id, broken)
			}
			if other, ok := seen[r.name(id)]; ok {
				t.Fatalf("%s of %q and %q are both %q", rname, id, other, r.name(id))
			}
			seen[r.name(id)] = id
		}
	}
}

func TestTags(t *testing.T) {
	cases := map[string]struct {
		reason string
		key    string
		value  string
		bad    bool
		label  string
	}{
		"Plain":    {"Most tags are fine.", "team", "platform", false, "team"},
		"Upper":    {"GCP has lower case only.", "CostCenter", "0815", false, "costcenter"},
		"Slash":    {"Nor has it slashes.", "acme.com/team", "a b", false, "acme_com_team"},
		"Digit":    {"A label begins with a letter.", "0815", "", false, "k0815"},
		"AWS":      {"AWS keeps aws: to itself.", "AWS:x", "", true, ""},
		"Ours":     {"Our own tags say whose a resource is.", TagCluster, "other", true, ""},
		"Cluster":  {"So does the cloud controller manager's.", ClusterTag("x"), "owned", true, ""},
		"Template": {"Terraform's templates are no tags.", "x", "${file(\"/etc/passwd\")}", true, ""},
		"Long":     {"Keys have a limit.", strings.Repeat("k", 129), "", true, ""},
		"LongV":    {"Values have one, too.", "k", strings.Repeat("v", 257), true, ""},
		"Empty":    {"A tag has a key.", "", "v", true, ""},
	}
	label := regexp.MustCompile(`^[a-z][a-z0-9_-]{0,62}$`)
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := CheckTag(tc.key, tc.value); (got != "") != tc.bad {
				t.Errorf("%s\nCheckTag(): want bad %t, got %q", tc.reason, tc.bad, got)
			}
			got := Label(tc.key)
			if tc.label != "" && got != tc.label || !label.MatchString(got) {
				t.Errorf("%s\nLabel(): want %q, got %q", tc.reason, tc.label, got)
			}
			if got := LabelValue(tc.value); len(got) > MaxLabel {
				t.Errorf("%s\nLabelValue() is too long: %q", tc.reason, got)
			}
		})
	}
}
