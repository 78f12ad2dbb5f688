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

package plan

import (
	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
)

// A Preview is what becomes of a HostCluster.
type Preview struct {
	Output

	// Children as they are once the desired ones are applied, whoever they belong to.
	Children Children
}

// Step is what one reconcile of the controller leads to: the children that are
// desired now, and the status once they are applied.
func Step(in Input) (Preview, error) {
	first, err := Plan(in)
	if err != nil {
		return Preview{}, err
	}

	in.Observed = in.Observed.with(first.Desired)

	out, err := Plan(in)
	out.Desired = first.Desired

	return Preview{Output: out, Children: in.Observed}, err
}

// maxSteps bounds how often Complete steps: each kind of child comes to be,
// and FluxBootstrap's sync is set and changed.
const maxSteps = 2*kinds + 2

// Complete is what it comes to if all goes well: each child succeeds with what
// it is told, until nothing new is desired. What only the real cluster or
// repository can tell is KnownLater, or is left out. A child that cannot be
// ours, or that is being deleted, ends it early, and the status says so.
func Complete(in Input) (Preview, error) {
	for range maxSteps {
		p, err := Step(in)
		if err != nil {
			return Preview{}, err
		}

		played := p.Children.succeed(p.Desired, stamp(in.Now))
		if equality.Semantic.DeepEqual(played, in.Observed) {
			return p, nil
		}

		in.Observed = played
	}

	return Preview{}, errors.New("cannot complete the plan: there is always something new")
}
