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
	"errors"
	"maps"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	xperrors "github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/internal/cloud/cloudtest"
)

// CloudRegion is the region that the sandbox's clusters are in.
const CloudRegion = "eu-north-1"

// CloudAccount is the account that they are in.
var CloudAccount = cloudtest.DefaultKey.Account

// Cloud stands in for a cloud account: S3, SSM and STS as internal/cloud/cloudtest fakes them at the wire, and
// machines, each of which is a real Kubernetes.
type Cloud struct {
	*cloudtest.Cloud

	// URL of the cloud's services in the network of the provider and its Jobs.
	URL string
	// ModulesURL is a Git repository with Terraform modules for this cloud, ModulesRef the tag to use.
	ModulesURL string
	ModulesRef string
	// Machines that were made.
	Machines *Machines

	server  *http.Server
	modules *modulesServer
	cut     sync.Map // buckets that answer nobody
}

// startCloud starts the cloud, if it was asked for, and lets the provider's network reach it.
func (s *Sandbox) startCloud(ctx context.Context) error {
	if !s.opts.Cloud {
		return nil
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return xperrors.Wrap(err, "cannot listen for requests to the cloud")
	}
	c := &Cloud{Cloud: cloudtest.New(cloudtest.Options{}), URL: "http://" + cloudAddress, ModulesRef: modulesTag}
	c.Machines = newMachines(s, c.Cloud)
	mux := http.NewServeMux()
	mux.Handle("/machines/", c.Machines)
	mux.HandleFunc("/", c.serve)
	c.server = &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	go func() {
		if err := c.server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			s.opts.Log("cloud: " + err.Error())
		}
	}()
	s.Cloud = c
	home := s.home()
	if home == nil {
		return xperrors.New("a cloud needs a management node: the provider and the machines share its network")
	}
	if err := s.expose(ctx, home, cloudAddress, l.Addr().String()); err != nil {
		return err
	}
	if c.modules, err = serveModules(ctx, s.Path(cloudDir, "git"), c.URL); err != nil {
		return err
	}
	c.ModulesURL = "http://" + modulesAddress + "/" + modulesRepo
	if err := s.expose(ctx, home, modulesAddress, c.modules.listen); err != nil {
		return err
	}
	s.opts.Log("cloud: S3, SSM and STS are faked at the wire, its machines are real")
	return nil
}

// CutOff makes a bucket answer nobody, as if its store was down, until it is restored.
func (c *Cloud) CutOff(bucket string) (restore func()) {
	c.cut.Store(bucket, true)
	return func() { c.cut.Delete(bucket) }
}

// serve answers requests to the cloud's services.
func (c *Cloud) serve(w http.ResponseWriter, r *http.Request) {
	bucket, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	if _, cut := c.cut.Load(bucket); cut {
		panic(http.ErrAbortHandler) // which closes the connection
	}
	c.Handler().ServeHTTP(w, r)
}

// cloudEnvironment leads a provider that is a process of this machine, and the runs that it starts, to the cloud and
// to their programs.
func (s *Sandbox) cloudEnvironment() []string {
	if s.Cloud == nil {
		return nil
	}
	return append(s.endpoints(), "PATH="+s.programs.path+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// endpoints are the variables that lead SDKs to the cloud.
func (s *Sandbox) endpoints() []string {
	var out []string
	env := cloudtest.Env(s.Cloud.URL)
	for _, name := range slices.Sorted(maps.Keys(env)) {
		out = append(out, name+"="+env[name])
	}
	return out
}

func (c *Cloud) stop() {
	_ = c.server.Close()
	if c.modules != nil {
		c.modules.stop()
	}
	c.Machines.stop()
}
