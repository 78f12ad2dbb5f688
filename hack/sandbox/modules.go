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

package sandbox

import (
	"context"
	"embed"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"text/template"

	"github.com/fluxcd/pkg/gittestserver"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
)

const (
	modulesRepo = "modules.git"
	modulesTag  = "v1"
)

// modules are the Terraform modules of the sandbox's cloud, with the variables and outputs of those built in.
//
//go:embed modules
var modules embed.FS

// modulesServer serves a repository with them to everybody.
type modulesServer struct {
	server *gittestserver.GitServer
	listen string // host and port on this machine
}

// serveModules writes the modules for a cloud at a URL into a repository below root, tags it and serves it.
func serveModules(ctx context.Context, root, cloudURL string) (*modulesServer, error) {
	tree := filepath.Join(root, "tree")
	if err := renderModules(tree, map[string]string{"URL": cloudURL, "API": "https://kubernetes.default.svc"}); err != nil {
		return nil, err
	}
	identity := []string{"-c", "user.name=Sandbox", "-c", "user.email=sandbox@example.org"}
	for _, args := range [][]string{
		{"init", "--quiet", "--initial-branch=" + gitBranch},
		{"add", "."},
		append(identity, "commit", "--quiet", "--message=Begin"),
		{"tag", modulesTag},
		{"clone", "--quiet", "--bare", tree, filepath.Join(root, modulesRepo)},
	} {
		if _, err := run(ctx, tree, "", args...); err != nil {
			return nil, err
		}
	}
	m := &modulesServer{server: gittestserver.NewGitServer(root)}
	if err := m.server.StartHTTP(); err != nil {
		return nil, errors.Wrap(err, "cannot serve the modules")
	}
	address, err := url.Parse(m.server.HTTPAddress())
	if err != nil {
		return nil, errors.Wrap(err, "cannot parse the address of the modules")
	}
	m.listen = address.Host
	return m, nil
}

func (m *modulesServer) stop() { m.server.StopHTTP() }

// renderModules writes the modules' files.
func renderModules(dir string, data map[string]string) error {
	return fs.WalkDir(modules, "modules", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		tmpl, err := template.ParseFS(modules, path)
		if err != nil {
			return errors.Wrapf(err, "cannot parse %s", path)
		}
		name, err := filepath.Rel("modules", path)
		if err != nil {
			return errors.Wrap(err, "cannot name a module's file")
		}
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o750); err != nil {
			return errors.Wrap(err, "cannot make a module's directory")
		}
		f, err := os.Create(file) //nolint:gosec // a file of the sandbox
		if err != nil {
			return errors.Wrap(err, "cannot create a module's file")
		}
		defer f.Close()
		return errors.Wrapf(tmpl.Execute(f, data), "cannot render %s", path)
	})
}
