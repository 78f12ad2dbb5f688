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

package cloudtest

import "slices"

// A Leftover is something that a cluster's own controllers made in an account:
// a load balancer, its target group, a security group, a volume or an interface.
type Leftover struct {
	// Kind is one of the kinds below.
	Kind string
	// ID of the resource; of a LoadBalancer and TargetGroup the ARN, of a
	// ClassicLoadBalancer the name.
	ID          string
	Description string
	Tags        map[string]string
	// Status of a volume or an interface: available or in-use.
	Status string
	// Needs are the ids of those that must be gone before this one can be deleted.
	Needs []string
	// Admits are the ids of security groups that the rules of this one name.
	Admits []string
	// Lingers is how many times it is still seen after its deletion.
	Lingers int

	deleted bool
}

// The kinds of leftovers.
const (
	LoadBalancer        = "LoadBalancer"
	ClassicLoadBalancer = "ClassicLoadBalancer"
	TargetGroup         = "TargetGroup"
	SecurityGroup       = "SecurityGroup"
	Volume              = "Volume"
	NetworkInterface    = "NetworkInterface"
)

// network is what is there of EC2 and ELB, in all accounts and regions.
type network struct{ all []*Leftover }

// SetLeftovers puts leftovers there, in place of those that were.
func (c *Cloud) SetLeftovers(l ...Leftover) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.network.all = nil
	for _, x := range l {
		c.network.all = append(c.network.all, &x)
	}
}

// Leftovers returns the ids of those that are still there.
func (c *Cloud) Leftovers() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := []string{}
	for _, l := range c.network.all {
		out = append(out, l.ID)
	}
	slices.Sort(out)
	return out
}

// list returns those of a kind. What was deleted is seen a few times more.
func (n *network) list(kind string) []*Leftover {
	out := []*Leftover{}
	n.all = slices.DeleteFunc(n.all, func(l *Leftover) bool {
		if l.Kind != kind {
			return false
		}
		if l.deleted && l.Lingers == 0 {
			return true
		}
		if l.deleted {
			l.Lingers--
		}
		out = append(out, l)
		return false
	})
	return out
}

func (n *network) find(kind, id string) *Leftover {
	for _, l := range n.all {
		if l.Kind == kind && l.ID == id {
			return l
		}
	}
	return nil
}

// remove deletes one, unless another one needs it or is needed first.
func (n *network) remove(kind, id, missing string) *Error {
	l := n.find(kind, id)
	if l == nil || l.deleted {
		return fail(400, missing, "%s does not exist", id)
	}
	blocked := l.Status == "in-use"
	for _, other := range n.all {
		blocked = blocked || slices.Contains(l.Needs, other.ID) || (other != l && slices.Contains(other.Admits, id))
	}
	if blocked {
		return fail(400, "DependencyViolation", "resource %s has a dependent object", id)
	}
	l.deleted = true
	if l.Lingers == 0 {
		n.all = slices.DeleteFunc(n.all, func(x *Leftover) bool { return x == l })
	}
	return nil
}
