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

package main

import (
	"context"
	"fmt"
	"path/filepath"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/hack/sandbox"
	"github.com/kubeopera/provider-kubeopera/internal/terraform/names"
)

func (d demo) runProvision(ctx context.Context) error {
	s, err := d.start(ctx, sandbox.Options{ManagementNode: true, Cloud: true})
	if err != nil {
		return err
	}
	defer s.Stop()
	return d.provision(ctx, s)
}

// provision makes a cluster in the sandbox's cloud by Terraform in Jobs, gives it another size, and destroys it.
func (d demo) provision(ctx context.Context, s *sandbox.Sandbox) error {
	if err := s.InstallProvider(ctx, "--environment=development"); err != nil {
		return err
	}
	d.say("installed the provider: kubectl apply --server-side -f package/crds; kubectl apply -k cluster/install")
	d.explain(s, "kubectl --namespace kubeopera-system logs deployment/host-cluster-controller")
	hc, err := s.Provision(ctx, filepath.Join("examples", "hostcluster-provision.yaml"),
		func(_ *v1alpha1.ProviderConfig, hc *v1alpha1.HostCluster) {
			hc.Spec.DeletionPolicy = v1alpha1.DeletionDestroy
		})
	if err != nil {
		return err
	}
	d.say("applied examples/hostcluster-provision.yaml, with the sandbox's Git repository, cloud and modules in it")
	if err := d.follow(ctx, s, hc, nil); err != nil {
		return err
	}
	if err := d.visit(ctx, s, hc); err != nil {
		return err
	}
	if !d.exit {
		d.say("everything stays as it is until Ctrl-C")
		<-ctx.Done()
		return nil
	}
	if err := d.resize(ctx, s, hc); err != nil {
		return err
	}
	return d.destroy(ctx, s, hc)
}

// visit says how to reach the cluster that was made, and goes there.
func (d demo) visit(ctx context.Context, s *sandbox.Sandbox, hc *v1alpha1.HostCluster) error {
	machine := s.Cloud.Machines.Get(names.CloudName(hc.GetName()))
	if machine == nil {
		return errors.New("cannot find the machine of the HostCluster")
	}
	cfg, err := clientcmd.BuildConfigFromFlags("", machine.Kubeconfig)
	if err != nil {
		return errors.Wrap(err, "cannot use the new cluster's kubeconfig")
	}
	c, err := client.New(cfg, client.Options{})
	if err != nil {
		return errors.Wrap(err, "cannot make a client of the new cluster")
	}
	pods := &corev1.PodList{}
	if err := c.List(ctx, pods); err != nil {
		return errors.Wrap(err, "cannot list the new cluster's pods")
	}
	d.say(fmt.Sprintf("the new cluster answers, with %d pods: KUBECONFIG=%s kubectl get pods --all-namespaces", len(pods.Items), machine.Kubeconfig))
	return nil
}

// resize asks for one more node and waits until a run has given it.
func (d demo) resize(ctx context.Context, s *sandbox.Sandbox, hc *v1alpha1.HostCluster) error {
	want := hc.Spec.Provisioning.NodeCount + 1
	base := hc.DeepCopy()
	hc.Spec.Provisioning.NodeCount = want
	if err := s.Management.Client.Patch(ctx, hc, client.MergeFrom(base)); err != nil {
		return errors.Wrap(err, "cannot change the HostCluster's size")
	}
	d.say(fmt.Sprintf("asked for %d nodes", want))
	err := d.until(ctx, func(context.Context) (bool, error) {
		for _, name := range s.Cloud.Machines.Names() {
			if m := s.Cloud.Machines.Get(name); m != nil && m.Nodes == int(want) {
				return true, nil
			}
		}
		return false, nil
	})
	if err != nil {
		return errors.Wrap(err, "HostCluster did not get its new size")
	}
	d.say(fmt.Sprintf("a second run gave it %d nodes; the state and the cluster are the same", want))
	return d.follow(ctx, s, hc, nil)
}

// destroy deletes the HostCluster and waits until nothing is left of its cluster.
func (d demo) destroy(ctx context.Context, s *sandbox.Sandbox, hc *v1alpha1.HostCluster) error {
	if err := s.Management.Client.Delete(ctx, hc); err != nil {
		return errors.Wrap(err, "cannot delete the HostCluster")
	}
	d.say("deleted the HostCluster, whose deletionPolicy is Destroy")
	last := ""
	err := d.until(ctx, func(ctx context.Context) (bool, error) {
		err := s.Management.Client.Get(ctx, client.ObjectKeyFromObject(hc), hc)
		if err != nil {
			return true, client.IgnoreNotFound(err)
		}
		if line := progress(hc); line != last {
			last = line
			d.say(line)
		}
		return false, nil
	})
	if err != nil {
		return errors.Wrap(err, "HostCluster is not gone")
	}
	left := len(s.Cloud.Machines.Names()) + len(s.Cloud.Buckets()) + len(s.Cloud.Parameters(sandbox.CloudAccount, sandbox.CloudRegion))
	if left > 0 {
		return errors.Errorf("the cloud still has %d machines, buckets and parameters", left)
	}
	d.say("it is gone: the cluster, its state bucket with all versions, and its SSM parameters")
	return nil
}

// until polls, for no longer than the demo may take.
func (d demo) until(ctx context.Context, done wait.ConditionWithContextFunc) error {
	return wait.PollUntilContextTimeout(ctx, pollInterval, d.timeout, true, done)
}
