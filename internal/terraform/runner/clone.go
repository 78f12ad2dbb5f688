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

package runner

import (
	"context"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/config"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/transport"
	"github.com/go-git/go-git/v5/storage/memory"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/internal/terraform/run"
)

// clonedFile says for which run the modules were cloned.
const clonedFile = ".kubeopera-run"

var commitSHA = regexp.MustCompile(`^[0-9a-f]{40}$`)

// CloneModules clones the repository that a run takes its modules from into
// the work directory, at the pinned ref: a branch, tag or commit. It does
// nothing if that was done for this run already.
func CloneModules(ctx context.Context, workDir string, s run.Spec) error {
	dir := filepath.Join(workDir, modulesDir)
	done := filepath.Join(workDir, clonedFile)
	if id, err := os.ReadFile(done); err == nil && string(id) == s.ID { //nolint:gosec // Ours.
		return nil
	}
	if err := checkURL(s.Modules.RepoURL); err != nil {
		return err
	}
	if err := os.RemoveAll(dir); err != nil {
		return errors.Wrap(err, "cannot clear the modules")
	}
	if err := within(ctx, maxQuestion, func(ctx context.Context) error { return clone(ctx, dir, *s.Modules) }); err != nil {
		return err
	}
	// Terraform needs the files alone.
	if err := os.RemoveAll(filepath.Join(dir, git.GitDirName)); err != nil {
		return errors.Wrap(err, "cannot write the modules")
	}
	return errors.Wrap(os.WriteFile(done, []byte(s.ID), 0o600), "cannot write the modules")
}

// checkURL refuses what a runner has no credentials for, or would have to keep secret.
func checkURL(raw string) error {
	u, err := url.Parse(raw)
	switch {
	case err != nil:
		return failf(run.ClassInvalid, "modules repository URL cannot be read: give it as https://host/path")
	case u.Scheme != "https" && u.Scheme != "http":
		return failf(run.ClassInvalid, "modules repository URL must begin with https://, since the runner has no key to it")
	case u.User != nil:
		return failf(run.ClassInvalid, "modules repository URL contains credentials: they would be seen in ConfigMaps, leave them out")
	default:
		return nil
	}
}

// clone a repository at a ref, without its history where that is possible.
func clone(ctx context.Context, dir string, m run.Modules) error {
	refs, err := git.NewRemote(memory.NewStorage(), &config.RemoteConfig{Name: "origin", URLs: []string{m.RepoURL}}).
		ListContext(ctx, &git.ListOptions{})
	if err != nil {
		return cloneFailed(err, m)
	}
	if name, ok := findRef(refs, m.Ref); ok {
		_, err := git.PlainCloneContext(ctx, dir, false, &git.CloneOptions{
			URL: m.RepoURL, ReferenceName: name, SingleBranch: true, Depth: 1, Tags: git.NoTags,
		})
		return cloneFailed(err, m)
	}
	if !commitSHA.MatchString(m.Ref) {
		return failf(run.ClassInvalid, "modules repository has no branch or tag %q, nor is it a whole commit id (%s)", m.Ref, m.RepoURL)
	}
	return cloneFailed(cloneCommit(ctx, dir, m), m)
}

// cloneCommit clones one commit: alone where the server gives out commits by
// their id, else with all branches.
func cloneCommit(ctx context.Context, dir string, m run.Modules) error {
	r, err := git.PlainInit(dir, false)
	if err != nil {
		return err
	}
	if _, err := r.CreateRemote(&config.RemoteConfig{Name: "origin", URLs: []string{m.RepoURL}}); err != nil {
		return err
	}
	alone := config.RefSpec(m.Ref + ":refs/heads/pinned")
	if err := r.FetchContext(ctx, &git.FetchOptions{RefSpecs: []config.RefSpec{alone}, Depth: 1, Tags: git.NoTags}); err != nil {
		err := r.FetchContext(ctx, &git.FetchOptions{RefSpecs: []config.RefSpec{"+refs/heads/*:refs/remotes/origin/*"}, Tags: git.AllTags})
		if err != nil && !errors.Is(err, git.NoErrAlreadyUpToDate) {
			return err
		}
	}
	w, err := r.Worktree()
	if err != nil {
		return err
	}
	return w.Checkout(&git.CheckoutOptions{Hash: plumbing.NewHash(m.Ref), Force: true})
}

// findRef finds a branch or tag as `git clone --branch` does: branches first.
func findRef(refs []*plumbing.Reference, ref string) (plumbing.ReferenceName, bool) {
	for _, prefix := range []string{"refs/heads/", "refs/tags/", ""} {
		for _, r := range refs {
			if name := r.Name(); string(name) == prefix+ref && strings.HasPrefix(string(name), "refs/") {
				return name, true
			}
		}
	}
	return "", false
}

// cloneFailed gives an error of Git the class of what it means.
func cloneFailed(err error, m run.Modules) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, transport.ErrRepositoryNotFound), errors.Is(err, transport.ErrEmptyRemoteRepository):
		return failWrap(err, run.ClassInvalid, "no modules repository at "+m.RepoURL)
	case errors.Is(err, transport.ErrAuthenticationRequired), errors.Is(err, transport.ErrAuthorizationFailed):
		return failWrap(err, run.ClassAuth, "modules repository wants credentials, which the runner has not: "+m.RepoURL)
	case errors.Is(err, plumbing.ErrObjectNotFound), errors.Is(err, plumbing.ErrReferenceNotFound):
		return failWrap(err, run.ClassInvalid, "modules repository has no commit "+m.Ref)
	default:
		return failWrap(err, run.ClassTransient, "cannot clone the modules repository")
	}
}

// RunModules clones the modules of a run and returns the exit code. It reports
// only a failure, which ends the run before it begins.
func RunModules(ctx context.Context, o Options) int {
	log := &logger{out: o.Out, redact: newRedactor(o.Redacted)}
	spec, err := ReadSpec(o.RunDir)
	if err != nil {
		log.Sayf("%v", err)
		return Unknown
	}
	if spec.Modules == nil {
		log.Sayf("The modules are built in")
		return Succeeded
	}
	err = os.MkdirAll(o.WorkDir, 0o700)
	if err == nil {
		err = CloneModules(ctx, o.WorkDir, spec)
	}
	if err == nil {
		log.Sayf("Cloned the modules of %s at %s", spec.Modules.RepoURL, spec.Modules.Ref)
		return Succeeded
	}
	return end(ctx, log, publish(ctx, o.Secrets, spec, o.Times, log, firstStatus(spec, "", time.Now().UTC())), nil, err)
}
