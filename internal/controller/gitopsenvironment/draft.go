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

package gitopsenvironment

import (
	"path"
	"time"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/fault"
	"github.com/kubeopera/provider-kubeopera/internal/gitops"
	"github.com/kubeopera/provider-kubeopera/internal/gitops/git"
	"github.com/kubeopera/provider-kubeopera/internal/gitops/render"
	"github.com/kubeopera/provider-kubeopera/internal/gitops/seal"
)

// A draft is all that a tree is made from, besides what Git holds already.
type draft struct {
	in      render.Input
	owner   gitops.Owner
	sealer  seal.Sealer
	secrets []seal.Input
	ring    seal.Keyring
	now     time.Time
}

// plans what becomes of each sealed secret.
func (d draft) plans(s *git.Snapshot) []seal.Plan {
	out := make([]seal.Plan, 0, len(d.secrets))

	for _, in := range d.secrets {
		earlier := s.Files[path.Join(string(v1alpha1.LayerSecrets), in.Name+".yaml")].Content
		out = append(out, d.sealer.Plan(in, earlier, d.ring, d.now))
	}

	return out
}

// read compares what Git holds with what its pass would write now. It seals
// nothing: a secret that has to be sealed anew says enough.
func (d draft) read(r gitops.Remote, s *git.Snapshot) (current bool, worst seal.Verdict, fingerprint string, err error) {
	in := d.in
	in.Sealed = map[string][]byte{}

	for _, p := range d.plans(s) {
		worst = max(worst, p.Verdict)
		in.Sealed[p.Input.Name] = p.Manifest

		if p.Fingerprint != "" {
			fingerprint = p.Fingerprint
		}
	}

	if r.Pass == render.None || r.Pass == render.Environment && worst == seal.Sealable {
		return false, worst, fingerprint, nil
	}

	t, _, err := render.Render(in, r.Pass)
	if err != nil {
		return false, worst, "", err
	}

	return gitops.Current(t, s), worst, fingerprint, nil
}

// write makes the tree of a pass, given what Git holds.
func (d draft) write(pass render.Pass, s *git.Snapshot) (render.Tree, string, error) {
	in := d.in
	in.Sealed = map[string][]byte{}

	if pass == render.Environment {
		for _, p := range d.plans(s) {
			m, err := d.manifest(p)
			if err != nil {
				return nil, "", err
			}

			in.Sealed[p.Input.Name] = m
		}
	}

	return render.Render(in, pass)
}

func (d draft) manifest(p seal.Plan) ([]byte, error) {
	switch p.Verdict {
	case seal.Sealed, seal.Stale:
		return p.Manifest, nil
	case seal.Sealable:
		if k, ok := seal.Newest(d.ring.Keys, d.now); ok {
			return d.sealer.Seal(p.Input, k)
		}
	case seal.Missing:
	}

	return nil, fault.New(fault.Waiting, "no sealing key on the cluster yet")
}
