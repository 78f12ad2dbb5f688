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

package provisionedcluster

import (
	"context"
	"encoding/json"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/cloud"
	"github.com/kubeopera/provider-kubeopera/internal/fault"
	"github.com/kubeopera/provider-kubeopera/internal/terraform/executor"
	"github.com/kubeopera/provider-kubeopera/internal/terraform/names"
	"github.com/kubeopera/provider-kubeopera/internal/terraform/render"
	"github.com/kubeopera/provider-kubeopera/internal/terraform/run"
)

// stateKey is the key of the state in its bucket, and its prefix on GCS.
const stateKey = "terraform.tfstate"

// Accounts reads ProviderConfigs and their credentials.
type Accounts interface {
	// Config that a managed resource in a namespace refers to.
	Config(ctx context.Context, ref *xpv2.ProviderConfigReference, namespace string) (*v1alpha1.ProviderConfigSpec, error)
	// Resolve its credentials; the namespace is empty for a ClusterProviderConfig.
	Resolve(ctx context.Context, spec v1alpha1.ProviderConfigSpec, namespace string) (*cloud.Credentials, error)
}

// collectWanted says which run is asked for, and looks at its credentials if
// that matters by now.
func (w *workflow) collectWanted(ctx context.Context, pc *v1alpha1.ProvisionedCluster, account v1alpha1.ProviderConfigSpec, s *State) error {
	wanted, err := w.wanted(pc, account, *s)
	if err != nil {
		return err
	}
	s.Wanted = wanted
	if !asks(*s) {
		return nil
	}

	namespace := pc.GetNamespace()
	if pc.GetProviderConfigReference().Kind == v1alpha1.ClusterProviderConfigKind {
		namespace = ""
	}
	c, err := w.accounts.Resolve(ctx, account, namespace)
	if err != nil {
		return err
	}
	said, err := json.Marshal(account)
	if err != nil {
		return errors.Wrap(err, "cannot read the ProviderConfig")
	}
	region := s.Wanted.Spec.Region
	s.Wanted.credentials = c
	s.Wanted.Inputs = digest(s.Cluster.Owner, string(said), c.Digest(), pc.GetAnnotations()[meta.AnnotationKeyReconcileRequestedAt])
	s.Wanted.Setup.Credentials = c.Files()
	s.Wanted.Setup.Env = func(dir string) map[string]string { return c.Env(dir, region) }
	if c.Injected() {
		s.Wanted.Setup.PassOn = cloud.InjectedEnv()
	}
	return nil
}

// wanted is the run that the spec asks for. What cannot be rendered any more,
// for instance as its Kubernetes version has ended since, stays as it was
// applied, and can be destroyed like that.
func (w *workflow) wanted(pc *v1alpha1.ProvisionedCluster, account v1alpha1.ProviderConfigSpec, s State) (*Wanted, error) {
	spec := specOf(pc, account, s, w.settings)
	wanted := &Wanted{Spec: spec, Setup: executor.Setup{Image: w.settings.RunnerImage}}
	if e := account.Execution; e != nil {
		wanted.Setup.Resources = e.Resources
		wanted.Setup.Image = or(deref(e.Image), w.settings.RunnerImage)
	}
	last := s.Seen.Record
	if err := moved(spec, s.Seen); err != nil {
		return nil, err
	}
	request, err := requestOf(pc, spec)
	if err != nil {
		return nil, err
	}
	wanted.Request = request
	out, err := render.Render(render.Input{
		ID: spec.Cluster, CloudName: spec.CloudName, Cluster: pc.Spec.ForProvider, Project: spec.Project, RoleARN: spec.RoleARN,
		State: spec.State, External: spec.Modules != nil,
	})
	switch {
	case err == nil:
		wanted.Config = out.Config
	case last != nil && len(last.Config) > 0 && (meta.WasDeleted(pc) || last.Request == request):
		wanted.Config = last.Config
	default:
		return nil, err
	}
	wanted.Spec.Revision = run.Revision(wanted.Config)
	return wanted, nil
}

// requestOf is a digest of what a user asks for: the spec, and a new value of
// the annotation that asks for another look.
func requestOf(pc *v1alpha1.ProvisionedCluster, spec run.Spec) (string, error) {
	asked, err := json.Marshal(pc.Spec.ForProvider)
	if err != nil {
		return "", errors.Wrap(err, "cannot read the spec")
	}
	return digest(spec.Owner, string(asked), pc.GetAnnotations()[meta.AnnotationKeyReconcileRequestedAt]), nil
}

// moved refuses to look for the state, or for the cluster, where they are not:
// a second cluster would be made, and the first one forgotten.
func moved(spec run.Spec, seen executor.Seen) error {
	if !made(seen) {
		return nil
	}
	switch last := seen.Record.Spec; {
	case last.State != spec.State:
		return fault.Newf(fault.Refused, "state of the cluster is in bucket %s at %s: set state of the ProviderConfig back, a state cannot move",
			last.State.Bucket, or(last.State.Endpoint, "the cloud's own store"))
	case last.Project != spec.Project:
		return fault.Newf(fault.Refused, "cluster is in project %s: set gcp.project of the ProviderConfig back, a cluster cannot move", last.Project)
	default:
		return nil
	}
}

// specOf a run, but for its revision. It is pure.
func specOf(pc *v1alpha1.ProvisionedCluster, account v1alpha1.ProviderConfigSpec, s State, o Settings) run.Spec {
	p := pc.Spec.ForProvider
	spec := run.Spec{
		Version:   run.Version,
		Action:    run.Apply,
		Cluster:   pc.GetName(),
		Namespace: pc.GetNamespace(),
		Owner:     s.Cluster.Owner,
		Topology:  p.Topology,
		CloudName: names.CloudName(pc.GetName()),
		Region:    p.Region,
		State:     run.State{Backend: "s3", Bucket: names.StateBucket(pc.GetName()), Region: p.Region, Key: stateKey},
		Publish:   run.Publish{Namespace: s.Place.Namespace, Secret: run.OutputsName(pc.GetName())},
	}
	if meta.WasDeleted(pc) {
		spec.Action = run.Destroy
	}
	if p.Topology == v1alpha1.TopologyGKE {
		spec.State.Backend = "gcs"
	}
	if g := account.GCP; g != nil {
		spec.Project = g.Project
	}
	if a := account.AWS; a != nil && account.Type == v1alpha1.CredentialAWSAssumeRole {
		spec.RoleARN, spec.ExternalID = deref(a.RoleARN), deref(a.ExternalID)
	}
	if st := account.State; st != nil && spec.State.Backend == "gcs" {
		spec.State.Endpoint = deref(st.GCSEndpoint)
	} else if st != nil {
		spec.State.Endpoint = deref(st.S3Endpoint)
	}
	switch {
	case account.Modules != nil:
		spec.Modules = &run.Modules{RepoURL: string(account.Modules.RepoURL), Ref: account.Modules.Ref}
	case o.Modules != nil:
		m := *o.Modules
		spec.Modules = &m
	}
	return spec
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
