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

package leftovers

import (
	"crypto/sha256"
	"encoding/json"
	"regexp"
	"strings"
)

// GKE's controllers put into names and descriptions which cluster they are of
// (k8s.io/ingress-gce, pkg/utils/namer and pkg/utils/negdescription.go). Such a
// mark is one of
//
//	uid/<UID>           the UID of namespace kube-system, in the description of
//	                    endpoint groups: {"cluster-uid":"<UID>",…}
//	hash/<8 letters>    its hash, in k8s2-fr-<hash>-…, k8s2-<hash>-…
//	id/<8 digits>       the start of the id that is in ConfigMap ingress-uid, in
//	                    k8s1-<id>-…, k8s-be-…--<id>, k8s-<id>-node
//	node/<name>         how GKE itself begins names, gke-<cluster>-<hash>: in
//	                    the tag of machines and the names of firewall rules

// idLength is how many digits of a cluster's id are looked at: k8s1- has no
// more, and GKE's own controllers clean up by them.
const idLength = 8

// nameLength is the most that a name has. What would be longer is cut, and a 0
// put to its end.
const nameLength = 63

// givenName is how names begin that only controllers give. A person may call a
// firewall rule k8s-something, too; those for Services have a description.
var givenName = regexp.MustCompile(`^(k8s[12]-|gkegw[0-9]-|k8s-((be|ig|um|rm|tp|tps|fws|ssl)-|fw-l7--|[0-9a-f]{16}-node|a[0-9a-f]{31}-))`)

var (
	idInName  = regexp.MustCompile(`^k8s1-([0-9a-f]{8})-`)
	idAtEnd   = regexp.MustCompile(`^k8s-.*--([0-9a-f]+)$`)
	idOfNodes = regexp.MustCompile(`^k8s-([0-9a-f]{16})-node(-hc|-http-hc)?$`)
	hashed    = regexp.MustCompile(`^k8s(?:2-(?:[0-9a-z]{2,3}-)?|1-sa-)([0-9a-z]{8})-`)
	nodeTag   = regexp.MustCompile(`^(gke-.+-[0-9a-f]{8})-node$`)
	gkeRule   = regexp.MustCompile(`^(gke-.+-[0-9a-f]{8})-[a-z]+$`)
)

// marks of clusters that a resource bears.
func (r resource) marks() []string {
	var out []string
	add := func(kind, value string) {
		if value != "" {
			out = append(out, kind+"/"+value)
		}
	}
	if uid := r.uid(); uid != "" {
		add("uid", uid)
		add("hash", contentHash(uid, 8))
	}
	add("hash", first(hashed, r.Name))
	add("id", first(idInName, r.Name))
	add("id", endID(r.Name))
	if id := first(idOfNodes, r.Name); id != "" {
		add("id", id[:idLength])
	}
	if r.kind == firewalls {
		add("node", first(gkeRule, r.Name))
	}
	return out
}

// uid of namespace kube-system in a description; empty if there is none.
func (r resource) uid() string {
	d := struct {
		UID string `json:"cluster-uid"`
	}{}
	if r.kind != endpointGroups || json.Unmarshal([]byte(r.Description), &d) != nil {
		return ""
	}
	return d.UID
}

// endID is the start of the id that a name ends with. Of a name that was cut
// there has to be enough of it.
func endID(name string) string {
	id := first(idAtEnd, name)
	if len(name) == nameLength {
		id = strings.TrimSuffix(id, "0")
	} else if len(id) != 2*idLength {
		return ""
	}
	if len(id) < idLength {
		return ""
	}
	return id[:idLength]
}

// markOfTag is the mark in a tag that GKE gives to the machines of a cluster,
// whose name it may have cut; empty for every other tag.
func markOfTag(tag, cluster string) string {
	begin := first(nodeTag, tag)
	i := strings.LastIndex(begin, "-")
	if i < 0 || !strings.HasPrefix("gke-"+cluster, begin[:i]) {
		return ""
	}
	return "node/" + begin
}

// contentHash of a UID, as GKE's controllers make it: letters and digits of
// base 36, one for each byte of its SHA-256.
func contentHash(s string, n int) string {
	const letters = "0123456789abcdefghijklmnopqrstuvwxyz"
	sum := sha256.Sum256([]byte(s))
	out := make([]byte, n)
	for i := range out {
		out[i] = letters[int(sum[i])%len(letters)]
	}
	return string(out)
}

// first group of an expression in a text.
func first(re *regexp.Regexp, text string) string {
	if m := re.FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return ""
}
