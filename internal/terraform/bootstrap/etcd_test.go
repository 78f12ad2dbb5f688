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

package bootstrap

import (
	"fmt"
	"slices"
	"strings"
)

// crictl lists and asks the etcd of the machine.
func (w *world) crictl(m *machine, c call) result {
	i := slices.IndexFunc(w.members, func(e member) bool { return e.ip == m.ip && e.started })
	if i < 0 {
		return result{}
	}
	if c.Args[0] == "ps" {
		return result{Out: "etcd-of-" + m.id + "\n"}
	}
	switch args := strings.Join(c.Args, " "); {
	case strings.HasSuffix(args, "member list"):
		b := &strings.Builder{}
		for _, e := range w.members {
			fmt.Fprintf(b, "%s, started, %s, https://%s:2380, https://%s:2379, %t\n", e.id, e.name, e.ip, e.ip, e.learner)
		}
		return result{Out: b.String()}
	case strings.HasSuffix(args, "endpoint health --cluster"):
		if w.sick != "" {
			return result{Code: 1, Err: "https://" + w.sick + ":2379 is unhealthy: failed to commit proposal: context deadline exceeded\n"}
		}
		return result{}
	case strings.HasSuffix(args, "endpoint health"):
		if m.slow > 0 {
			m.slow--
			return result{Code: 1, Err: "context deadline exceeded\n"}
		}
		if w.members[i].learner {
			return result{Code: 1, Err: "etcdserver: rpc not supported for learner\n"}
		}
		return result{}
	case strings.Contains(args, "member remove "):
		w.members = slices.DeleteFunc(w.members, func(e member) bool { return e.id == c.Args[len(c.Args)-1] })
		return result{}
	}
	w.faultf("crictl does not know %v", c.Args)
	return result{Code: 1}
}
