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

package executor

import (
	"context"
	"io"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/fault"
	"github.com/kubeopera/provider-kubeopera/internal/terraform/run"
)

// maxLog bounds what is read of one log, in bytes.
const maxLog int64 = 16 << 20

// Logs of the newest pod of a cluster. It is Waiting if there is none yet.
func (j *Jobs) Logs(ctx context.Context, c Cluster, o LogOptions) (io.ReadCloser, error) {
	l := &corev1.PodList{}
	of := client.MatchingLabels{v1alpha1.LabelHostCluster: c.ID, run.LabelNamespace: c.Namespace}
	if err := j.live.List(ctx, l, client.InNamespace(j.namespace), of); err != nil {
		return nil, j.explain(err, j.namespace, "list pods")
	}
	p := newest(l.Items)
	if p == nil || j.pods == nil {
		return nil, fault.Newf(fault.Waiting, "cluster %s has no run whose log is still there", c.ID)
	}
	opts := &corev1.PodLogOptions{Container: logContainer(p), Follow: o.Follow, LimitBytes: new(maxLog)}
	if o.Tail > 0 {
		opts.TailLines = new(o.Tail)
	}
	r, err := j.pods.CoreV1().Pods(j.namespace).GetLogs(p.GetName(), opts).Stream(ctx)
	return r, j.explain(err, j.namespace, "get pods/log")
}

func newest(pods []corev1.Pod) *corev1.Pod {
	if len(pods) == 0 {
		return nil
	}
	p := slices.MaxFunc(pods, func(a, b corev1.Pod) int { return a.CreationTimestamp.Compare(b.CreationTimestamp.Time) })
	return &p
}

// logContainer is the container of a pod whose log tells how it stands: the
// one that fetches modules as long as it has not succeeded.
func logContainer(p *corev1.Pod) string {
	for _, s := range p.Status.InitContainerStatuses {
		if s.State.Terminated == nil || s.State.Terminated.ExitCode != 0 {
			return s.Name
		}
	}
	return runnerContainer
}
