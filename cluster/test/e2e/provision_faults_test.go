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

package e2e

import (
	"context"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/kubeopera/provider-kubeopera/hack/sandbox"
	"github.com/kubeopera/provider-kubeopera/internal/cloud/cloudtest"
)

// A row is a fault that the runs of one cluster meet with, what people notice of it, and what comes of it. Several may
// follow each other on one cluster.
type row struct {
	// name of the cluster, and the fault in words.
	name, fault string
	// kind of its machine, on paper unless it says otherwise: what the faults are about is done before a cluster boots.
	kind string
	// held says that the cloud does not get done with the machine until f.release is called.
	held bool
	// prepare what is there before the HostCluster, and strike it.
	prepare, strike func(ctx context.Context, f *faulty)
	// says is part of what the HostCluster says then, and notices looks at what else there is to be seen.
	says    string
	notices func(ctx context.Context, f *faulty)
	// then is what comes of it, and follows brings that about and looks.
	then    string
	follows func(ctx context.Context, f *faulty)
	// later says that it takes half a minute, for which the other rows do not wait.
	later bool
	// runs that there ever were by then; not looked at if there are none. machines that were ever made.
	runs     []string
	machines int
}

var _ = Describe("Runs that meet with faults", Ordered, ContinueOnFailure, func() {
	all := map[string]*faulty{}
	rows := append(interrupted(), refused()...)

	BeforeAll(func(ctx SpecContext) {
		w := startCloud(ctx, "provision-faults")
		Expect(w.sandbox.InstallProvider(ctx, "--environment=development", "--poll-interval="+pollInterval.String())).To(Succeed())
		w.replicate(ctx)
		census := w.countRuns(ctx)
		for _, r := range rows {
			if all[r.name] == nil {
				all[r.name] = w.begin(ctx, r, census)
			}
		}
	}, NodeTimeout(startTimeout+startTimeout))

	follow := func(r row) {
		if r.follows == nil {
			return
		}
		It(r.name+": "+r.then, func(ctx SpecContext) {
			f := all[r.name]
			r.follows(ctx, f)
			if r.runs != nil {
				Expect(f.runs()).To(Equal(r.runs))
			}
			Expect(f.sandbox.Cloud.Machines.Created(f.cluster)).To(Equal(r.machines))
		}, SpecTimeout(readyTimeout))
	}
	for _, r := range rows {
		It(r.name+": "+r.fault, func(ctx SpecContext) {
			f := all[r.name]
			if r.held {
				Eventually(ctx, f.sandbox.Cloud.Machines.Awaited, readyTimeout, "100ms").WithArguments(f.cluster).Should(BeTrue(), "it is being applied")
			}
			if r.strike != nil {
				r.strike(ctx, f)
			}
			if r.says != "" {
				f.expectMessage(ctx, r.says)
			}
			if r.notices != nil {
				r.notices(ctx, f)
			}
		}, SpecTimeout(readyTimeout+readyTimeout))
		if !r.later {
			follow(r)
		}
	}
	for _, r := range rows {
		if r.later {
			follow(r)
		}
	}

	It("leave nothing behind when their clusters are destroyed", func(ctx SpecContext) {
		for _, f := range all {
			f.delete(ctx)
		}
		for name, f := range all {
			f.expectAway(ctx)
			runs := f.runs()
			Expect(runs[len(runs)-1]).To(HavePrefix("destroy-"))
			if name != "taken" {
				Expect(f.traces(ctx)).To(BeEmpty())
			}
		}
		taken := all["taken"]
		Expect(taken.sandbox.Cloud.Buckets()).To(Equal(map[string]cloudtest.Bucket{taken.bucket: taken.theirs}))
		Expect(taken.sandbox.Cloud.Machines.Names()).To(BeEmpty())
		Expect(taken.sandbox.Cloud.Parameters(sandbox.CloudAccount, sandbox.CloudRegion)).To(BeEmpty())
	}, SpecTimeout(readyTimeout+readyTimeout))
})
