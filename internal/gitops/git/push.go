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

package git

import (
	"bytes"
	"context"
	"io"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/capability"
	"github.com/go-git/go-git/v5/plumbing/transport"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/internal/fault"
)

// push moves the branch from the commit that was cloned to a new one. The
// server does so only if the branch is still there: that is never a force-push.
func (r *Repository) push(ctx context.Context, c *clone, b *objects, commit plumbing.Hash) error {
	ctx, cancel := context.WithTimeout(ctx, pushTimeout)
	defer cancel()

	t, ep, err := r.transport(ctx)
	if err != nil {
		return err
	}

	s, err := t.NewReceivePackSession(ep, r.auth)
	if err != nil {
		return r.classifyPush(err)
	}
	defer s.Close()

	refs, err := s.AdvertisedReferencesContext(ctx)
	if err != nil && !errors.Is(err, transport.ErrEmptyRemoteRepository) {
		return r.classifyPush(err)
	}

	old := plumbing.ZeroHash
	if c.commit != nil {
		old = c.commit.Hash
	}

	if refs == nil {
		refs = packp.NewAdvRefs()
	}

	if refs.References[r.ref().String()] != old {
		return errMoved
	}

	// What the server says beside its report is often the reason.
	said := &bytes.Buffer{}

	req, err := r.request(refs, c, b, &packp.Command{Name: r.ref(), Old: old, New: commit}, said)
	if err != nil {
		return err
	}

	report, err := s.ReceivePack(ctx, req)
	if report == nil {
		if err == nil {
			err = io.ErrUnexpectedEOF
		}

		return r.classifyPush(err)
	}

	return r.judge(report, said.String())
}

func (r *Repository) request(refs *packp.AdvRefs, c *clone, b *objects, cmd *packp.Command, said io.Writer) (*packp.ReferenceUpdateRequest, error) {
	req := packp.NewReferenceUpdateRequestFromCapabilities(refs.Capabilities)
	req.Commands = []*packp.Command{cmd}
	req.Progress = said

	for _, band := range []capability.Capability{capability.Sideband64k, capability.Sideband} {
		if refs.Capabilities.Supports(band) {
			if err := req.Capabilities.Set(band); err != nil {
				return nil, errors.Wrap(err, "cannot ask the Git server for its messages")
			}

			break
		}
	}

	pack := &bytes.Buffer{}
	if _, err := packfile.NewEncoder(pack, c.store, false).Encode(b.made, 0); err != nil {
		return nil, errors.Wrap(err, "cannot pack the commit")
	}

	req.Packfile = io.NopCloser(pack)

	return req, nil
}

// judge the server's report.
func (r *Repository) judge(report *packp.ReportStatus, said string) error {
	reason := ""

	for _, s := range report.CommandStatuses {
		if s.Error() != nil {
			reason = s.Status
		}
	}

	switch {
	case reason == "" && report.Error() == nil:
		return nil
	case reason == "":
		return fault.Newf(fault.Failing, "Git server %s did not take the commit: %s", r.endpoint.Host, r.redact.clean(report.UnpackStatus+" "+said))
	case moved(reason):
		return errMoved
	case protected(reason + " " + said):
		return fault.Newf(fault.Denied, "branch %s is protected: let these credentials push to it, or name another: %s", r.opts.Branch, r.redact.clean(reason+" "+said))
	}

	return fault.Newf(fault.Failing, "Git server %s did not take the commit: %s", r.endpoint.Host, r.redact.clean(reason+" "+said))
}

// classifyPush classifies an error of a push. Servers that let us read but not
// write say so in many ways; one of them is to hang up.
func (r *Repository) classifyPush(err error) error {
	if errors.Is(err, transport.ErrAuthenticationRequired) || errors.Is(err, transport.ErrAuthorizationFailed) || errors.Is(err, transport.ErrRepositoryNotFound) {
		return fault.Newf(fault.Denied, "Git credentials may read but not write on %s: give them the right to push", r.endpoint.Host)
	}

	return r.classify(err, "push to the Git repository")
}
