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
	"slices"
	"strings"
)

// Words in the descriptions that Kubernetes' controllers write.
const (
	kubernetesWord = "kubernetes.io/"
	gkeWord        = "networking.gke.io/"
)

// set of paths or marks.
type set map[string]bool

// A knowledge of one cluster is what tells its leftovers from others'. All of
// it comes from the cluster's machines, so it has to be kept for the time after
// them.
type knowledge struct {
	// Machines are their paths.
	Machines set `json:"machines"`
	// Marks that the cluster's controllers put onto what they make.
	Marks set `json:"marks"`
	// Made are the paths of what was found to be made by them.
	Made set `json:"made"`
}

func newKnowledge() knowledge { return knowledge{Machines: set{}, Marks: set{}, Made: set{}} }

// size tells whether something was learned.
func (k knowledge) size() int { return len(k.Machines) + len(k.Marks) + len(k.Made) }

// meet the machines of a cluster.
func (k knowledge) meet(machines []resource, cluster string) {
	for _, m := range machines {
		k.Machines[m.path] = true
		for _, t := range m.Tags.Items {
			if mark := markOfTag(t, cluster); mark != "" {
				k.Marks[mark] = true
			}
		}
	}
}

// learn the marks of what leads to the machines, and of endpoint groups whose
// one mark is known: they bear a UID besides.
func (k knowledge) learn(there []resource) {
	for before := -1; before != len(k.Marks); {
		before = len(k.Marks)
		for _, r := range there {
			if !r.byKubernetes() || !k.leads(r) && !k.targets(r) && (r.kind != endpointGroups || !k.bears(r)) {
				continue
			}
			for _, m := range r.marks() {
				k.Marks[m] = true
			}
		}
	}
}

// leads tells whether something leads to a machine of the cluster.
func (k knowledge) leads(r resource) bool {
	return slices.ContainsFunc(r.refers, func(p string) bool { return k.Machines[p] })
}

// targets tells whether a firewall rule is for machines of the cluster alone.
func (k knowledge) targets(r resource) bool {
	return len(r.TargetTags) > 0 && !slices.ContainsFunc(r.TargetTags, func(t string) bool {
		return !k.Marks["node/"+first(nodeTag, t)]
	})
}

// bears tells whether something has a mark of the cluster.
func (k knowledge) bears(r resource) bool {
	return slices.ContainsFunc(r.marks(), func(m string) bool { return k.Marks[m] })
}

// byKubernetes tells whether a controller has made something: its name or its
// description says so.
func (r resource) byKubernetes() bool {
	return givenName.MatchString(r.Name) || r.kind != firewalls && strings.HasPrefix(r.Name, "k8s-fw-") || r.uid() != "" ||
		strings.Contains(r.Description, kubernetesWord) || strings.Contains(r.Description, gkeWord)
}

// ours are those of some resources that controllers of a cluster made, in the
// order in which they can be deleted: what leads to its network or its machines
// or bears its mark, what leads to that, and so on upwards. What GKE itself
// made goes with the cluster; once it is gone, what is left of that goes, too.
// It is pure.
func (k knowledge) ours(there []resource, network, cluster string, gone bool) []resource {
	theirs := func(r resource) bool {
		byGKE := r.kind == firewalls && (strings.HasPrefix(r.Name, "gke-"+cluster+"-") || k.bears(r))
		return !r.byKubernetes() && (!gone || !byGKE)
	}
	mine := set{}
	for more := true; more; {
		more = false
		for _, r := range there {
			if mine[r.path] || theirs(r) {
				continue
			}
			if k.Made[r.path] || k.leads(r) || k.targets(r) || k.bears(r) ||
				slices.ContainsFunc(r.refers, func(p string) bool { return p == network || mine[p] }) {
				mine[r.path], more = true, true
			}
		}
	}
	k.leave(there, mine)
	for _, p := range parts(there, mine) {
		mine[p] = true
	}
	return slices.DeleteFunc(slices.Clone(there), func(r resource) bool { return !mine[r.path] })
}

// leave takes what serves others, too, out of what is mine: a load balancer
// that leads to several clusters, with all that leads to it.
func (k knowledge) leave(there []resource, mine set) {
	serves := set{}
	for _, r := range there {
		switch r.kind {
		case healthChecks, httpChecks, httpsChecks, certificates:
		default:
			serves[r.path] = true
		}
	}
	for more := true; more; {
		more = false
		for _, r := range there {
			if !mine[r.path] || k.Made[r.path] || k.bears(r) {
				continue
			}
			if slices.ContainsFunc(r.refers, func(p string) bool { return serves[p] && !mine[p] }) {
				delete(mine, r.path)
				more = true
			}
		}
	}
}

// parts are the paths of the checks and certificates of some load balancers
// that nobody else uses.
func parts(there []resource, mine set) []string {
	users, others := set{}, set{}
	for _, r := range there {
		for _, p := range r.refers {
			users[p] = users[p] || mine[r.path]
			others[p] = others[p] || !mine[r.path]
		}
	}
	var out []string
	for _, r := range there {
		switch r.kind {
		case healthChecks, httpChecks, httpsChecks, certificates:
			if r.byKubernetes() && users[r.path] && !others[r.path] {
				out = append(out, r.path)
			}
		}
	}
	return out
}
