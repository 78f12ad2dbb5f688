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

package hostcluster

import (
	"context"
	"maps"
	"slices"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/google/go-cmp/cmp"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/logging"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/function"
	"github.com/kubeopera/provider-kubeopera/internal/plan"
)

var _ = Describe("The composition function", func() {
	DescribeTable("desires what the controller creates, at every phase",
		func(ctx context.Context, mode v1alpha1.Mode, change func(*v1alpha1.HostClusterSpec)) {
			w := newWorld(cp.Client, namespace(ctx), mode)
			if change != nil {
				change(&w.hc.Spec)
			}

			t := &twins{world: w.create(ctx)}
			t.walk(ctx)
		},
		Entry("connect_existing", v1alpha1.ModeConnectExisting, nil),
		Entry("connect_existing, with everything", v1alpha1.ModeConnectExisting, func(s *v1alpha1.HostClusterSpec) {
			s.Provider, s.Region, s.GitOpsBranch, s.Profile = "", "", "trunk", v1alpha1.ProfileMinimal
			s.RegistryPullSecretRef = new("registry")
		}),
		Entry("in_cluster, managed from Git, without an administrator", v1alpha1.ModeInCluster, func(s *v1alpha1.HostClusterSpec) {
			s.AdminEmail, s.AdminUsername = nil, nil
		}),
		Entry("in_cluster, registered only", v1alpha1.ModeInCluster, func(s *v1alpha1.HostClusterSpec) {
			s.GitOpsRepoURL, s.GitOpsPath, s.GitCredentialsSecretRef, s.Domain, s.AdminEmail, s.AdminUsername = nil, nil, nil, nil, nil, nil
		}),
		Entry("provision_vanilla", v1alpha1.ModeProvisionVanilla, func(s *v1alpha1.HostClusterSpec) {
			s.Provisioning.Topology, s.Provisioning.ControlPlaneCount = v1alpha1.TopologyVanilla, new(int32(3))
			s.Provisioning.APIServerAllowedCIDRs = []v1alpha1.CIDR{"203.0.113.0/24"}
		}),
		Entry("provision_eks, to be destroyed", v1alpha1.ModeProvisionEKS, func(s *v1alpha1.HostClusterSpec) {
			s.DeletionPolicy = v1alpha1.DeletionDestroy
			s.Provisioning.Tags = map[string]v1alpha1.TagValue{"team": "platform"}
		}),
		Entry("provision_gke", v1alpha1.ModeProvisionGKE, func(s *v1alpha1.HostClusterSpec) {
			s.Provider, s.Provisioning.Topology, s.Provisioning.CapacityType = "", v1alpha1.TopologyGKE, "Spot"
		}),
	)
})

// twins are a HostCluster's controller and the function, which must agree.
type twins struct {
	*world

	// known are the kinds of children that were there at the last look.
	known []string
}

// walk through all phases, and compare the two after every step.
func (t *twins) walk(ctx context.Context) {
	GinkgoHelper()

	first := v1alpha1.PhaseValidatingAccess
	if t.hc.Spec.Mode.Provisions() {
		first = v1alpha1.PhaseProvisioning
		t.agree(ctx, first)
		t.becomes(ctx, &v1alpha1.ProvisionedCluster{}, notReady(v1alpha1.ReasonInProgress, "Terraform is running"))
		t.agree(ctx, first)
		t.provisioned(ctx)
	}

	t.agree(ctx, first)
	t.becomes(ctx, &v1alpha1.ClusterAccess{}, notReady(v1alpha1.ReasonRefused, "The kubeconfig has an exec plugin that is not allowed"))
	t.agree(ctx, v1alpha1.PhaseFailed)
	t.validated(ctx)

	if t.hc.Spec.GitOpsRepoURL == nil {
		t.agree(ctx, v1alpha1.PhaseReady)

		return
	}

	t.agree(ctx, v1alpha1.PhaseBootstrappingFlux)
	t.fluxInstalled(ctx)
	t.agree(ctx, v1alpha1.PhaseGeneratingGitOpsTree)
	t.pushed(ctx)
	t.agree(ctx, v1alpha1.PhaseGeneratingGitOpsTree)
	t.applied(ctx, "h1")
	t.agree(ctx, v1alpha1.PhaseGeneratingGitOpsTree)
	t.pushedAll(ctx)
	t.agree(ctx, v1alpha1.PhaseInstallingKubeOpera)
	t.applied(ctx, "h2")

	if t.hc.Spec.AdminEmail != nil {
		t.agree(ctx, v1alpha1.PhaseInstallingKubeOpera)
		t.administered(ctx)
	}

	t.agree(ctx, v1alpha1.PhaseReady)

	hc, err := t.get(ctx)
	Expect(err).NotTo(HaveOccurred())

	before := hc.DeepCopy()
	hc.Spec.RegistryPullSecretRef = new("another-registry")
	Expect(t.client.Patch(ctx, hc, client.MergeFrom(before))).To(Succeed())
	t.agree(ctx, v1alpha1.PhaseReady)
}

// agree waits for a phase, in which what the controller has made of the children and of the status is what the
// function would make of them.
func (t *twins) agree(ctx context.Context, phase v1alpha1.Phase) {
	GinkgoHelper()

	var live map[string]*unstructured.Unstructured

	Eventually(func(g Gomega) {
		hc := t.live(ctx, g, v1alpha1.HostClusterKind)
		g.Expect(hc).NotTo(BeNil())

		live = map[string]*unstructured.Unstructured{}

		for _, kind := range childKinds() {
			if u := t.live(ctx, g, kind); u != nil {
				live[kind] = u
			}
		}

		rsp := t.run(ctx, g, hc, live)
		g.Expect(hc.Object["status"]).To(HaveKeyWithValue("phase", string(phase)))
		sameStatus(g, hc, rsp)

		desired := desiredOf(rsp)
		g.Expect(slices.Sorted(maps.Keys(desired))).To(Equal(slices.Sorted(maps.Keys(live))))

		for kind, u := range desired {
			t.sameObject(ctx, g, live[kind], u)
		}

		// What is new was desired before it was there, and just so.
		before := maps.Clone(live)
		maps.DeleteFunc(before, func(kind string, _ *unstructured.Unstructured) bool { return !slices.Contains(t.known, kind) })
		g.Expect(cmp.Diff(desired, desiredOf(t.run(ctx, g, hc, before)))).To(BeEmpty())
	}).Should(Succeed())

	t.known = slices.Collect(maps.Keys(live))
}

func childKinds() []string {
	return []string{
		v1alpha1.ProvisionedClusterKind, v1alpha1.ClusterAccessKind, v1alpha1.FluxBootstrapKind,
		v1alpha1.GitOpsEnvironmentKind, v1alpha1.AdministratorKind,
	}
}

// live object of a kind; nil if it is not there.
func (t *twins) live(ctx context.Context, g Gomega, kind string) *unstructured.Unstructured {
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(v1alpha1.SchemeGroupVersion.WithKind(kind))

	if err := t.client.Get(ctx, client.ObjectKeyFromObject(t.hc), u); err != nil {
		g.Expect(client.IgnoreNotFound(err)).To(Succeed())

		return nil
	}

	return u
}

// run the function for what is observed.
func (t *twins) run(ctx context.Context, g Gomega, hc *unstructured.Unstructured, children map[string]*unstructured.Unstructured) *fnv1.RunFunctionResponse {
	req := &fnv1.RunFunctionRequest{Observed: &fnv1.State{
		Composite: &fnv1.Resource{Resource: asStruct(g, hc)},
		Resources: map[string]*fnv1.Resource{},
	}}
	for kind, u := range children {
		req.Observed.Resources[kind] = &fnv1.Resource{Resource: asStruct(g, u)}
	}

	rsp, err := function.New(logging.NewNopLogger(), clock.RealClock{}).RunFunction(ctx, req)
	g.Expect(err).NotTo(HaveOccurred())

	for _, r := range rsp.GetResults() {
		g.Expect(r.GetSeverity()).NotTo(Equal(fnv1.Severity_SEVERITY_FATAL), r.GetMessage())
		g.Expect(r.GetMessage()).NotTo(ContainSubstring("ignored"), "the function must know all that a real object has")
	}

	return rsp
}

func asStruct(g Gomega, u *unstructured.Unstructured) *structpb.Struct {
	// What goes over the wire is JSON.
	b, err := u.MarshalJSON()
	g.Expect(err).NotTo(HaveOccurred())

	s := &structpb.Struct{}
	g.Expect(s.UnmarshalJSON(b)).To(Succeed())

	return s
}

// desiredOf a response, by kind.
func desiredOf(rsp *fnv1.RunFunctionResponse) map[string]*unstructured.Unstructured {
	m := map[string]*unstructured.Unstructured{}

	for _, r := range rsp.GetDesired().GetResources() {
		u := &unstructured.Unstructured{Object: r.GetResource().AsMap()}
		m[u.GetKind()] = u
	}

	return m
}

// sameObject: if the controller applied what the function desires, nothing would change, not even who manages which
// field. So the two set the same fields to the same values.
func (t *twins) sameObject(ctx context.Context, g Gomega, live, desired *unstructured.Unstructured) {
	u := desired.DeepCopy()
	u.SetOwnerReferences(live.GetOwnerReferences())
	g.Expect(t.client.Apply(ctx, client.ApplyConfigurationFromUnstructured(u), fieldManager, client.ForceOwnership, client.DryRunAll)).To(Succeed())
	g.Expect(cmp.Diff(live.Object, u.Object)).To(BeEmpty())
}

// sameStatus: but for Ready and Synced, and for times.
func sameStatus(g Gomega, live *unstructured.Unstructured, rsp *fnv1.RunFunctionResponse) {
	hc := &v1alpha1.HostCluster{}
	g.Expect(runtime.DefaultUnstructuredConverter.FromUnstructured(live.Object, hc)).To(Succeed())

	got := &v1alpha1.HostCluster{}
	g.Expect(runtime.DefaultUnstructuredConverter.FromUnstructured(rsp.GetDesired().GetComposite().GetResource().AsMap(), got)).To(Succeed())

	want := map[string]string{}

	for _, c := range hc.Status.Conditions {
		if plan.Ours(c.Type) && !xpv2.IsSystemConditionType(c.Type) {
			want[string(c.Type)] = string(c.Status) + " " + string(c.Reason) + " " + c.Message
		}
	}

	conditions := map[string]string{}

	for _, c := range rsp.GetConditions() {
		status := map[fnv1.Status]string{
			fnv1.Status_STATUS_CONDITION_TRUE: "True", fnv1.Status_STATUS_CONDITION_FALSE: "False", fnv1.Status_STATUS_CONDITION_UNKNOWN: "Unknown",
		}[c.GetStatus()]
		conditions[c.GetType()] = status + " " + c.GetReason() + " " + c.GetMessage()
	}

	g.Expect(cmp.Diff(want, conditions)).To(BeEmpty())

	for _, s := range []*v1alpha1.HostClusterStatus{&hc.Status, &got.Status} {
		s.Conditions, s.LastReconciledAt = nil, nil
		for i := range s.PhaseHistory {
			s.PhaseHistory[i].StartedAt, s.PhaseHistory[i].FinishedAt = nil, nil
		}
	}

	g.Expect(cmp.Diff(hc.Status, got.Status)).To(BeEmpty())
}
