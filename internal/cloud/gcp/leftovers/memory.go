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
	"context"
	"encoding/json"
	"slices"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
)

// A Memory keeps what is known of a cluster from one sweep to the next: once
// its machines are gone nothing else tells whose a load balancer is.
type Memory interface {
	// Read what was written last, nil if nothing was.
	Read(ctx context.Context) ([]byte, error)
	Write(ctx context.Context, data []byte) error
}

// recall what earlier sweeps have learned.
func (s *Sweeper) recall(ctx context.Context) error {
	s.known = newKnowledge()
	if s.Memory == nil {
		return nil
	}
	data, err := s.Memory.Read(ctx)
	if err != nil {
		return errors.Wrap(err, "cannot read what is known of the cluster's leftovers")
	}
	if len(data) == 0 {
		return nil
	}
	return errors.Wrap(json.Unmarshal(data, &s.known), "cannot read what is known of the cluster's leftovers")
}

// remember what is known now.
func (s *Sweeper) remember(ctx context.Context) error {
	if s.Memory == nil {
		return nil
	}
	data, err := json.Marshal(s.known)
	if err != nil {
		return errors.Wrap(err, "cannot keep what is known of the cluster's leftovers")
	}
	return errors.Wrap(s.Memory.Write(ctx, data), "cannot keep what is known of the cluster's leftovers")
}

// ask groups that bear no known mark for their members, until it is known
// whose marks they bear.
func (s *Sweeper) ask(ctx context.Context, there []resource, lack *rights) error {
	if len(s.known.Machines) == 0 {
		return nil // No answer would say anything.
	}
	strange := set{}
	for i := range there {
		r := &there[i]
		if r.kind != endpointGroups && r.kind != instanceGroups || r.Size == 0 || !r.byKubernetes() || s.known.bears(*r) || anyOf(strange, r.marks()) {
			continue
		}
		members, err := s.api.members(ctx, *r)
		if err != nil && !lack.took(err) {
			return err
		}
		r.refers = append(r.refers, members...)
		if s.known.leads(*r) {
			s.known.learn(there)
			continue
		}
		for _, m := range r.marks() {
			strange[m] = len(members) > 0
		}
	}
	return nil
}

func anyOf(s set, keys []string) bool {
	return slices.ContainsFunc(keys, func(k string) bool { return s[k] })
}
