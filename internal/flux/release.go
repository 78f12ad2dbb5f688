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

package flux

import (
	"context"
	"strconv"

	rcommon "helm.sh/helm/v4/pkg/release/common"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kubeopera/provider-kubeopera/internal/target"
)

// maxHistory is how many revisions of the release are kept, about 120 kB each.
const maxHistory = 3

// A Release is the last revision of the Helm release of Flux.
type Release struct {
	// Revision counts from 1; 0 means that there is no release.
	Revision int

	// Status that Helm gave it.
	Status rcommon.Status

	// Digest of the chart and values that we made it from. A release that
	// somebody else made has none.
	Digest string
}

// Exists tells whether there is a release at all.
func (r Release) Exists() bool { return r.Revision > 0 }

// Ours tells whether this provider made it.
func (r Release) Ours() bool { return r.Digest != "" }

// Broken tells whether a crash, or somebody with helm, left it in a state that
// Helm does not go on from. A process that is at work on it would be this one.
func (r Release) Broken() bool {
	switch r.Status {
	case "", rcommon.StatusDeployed, rcommon.StatusFailed, rcommon.StatusSuperseded:
		return false
	default:
		return true
	}
}

// Deployed tells whether the chart with this digest is what the release is.
func (r Release) Deployed(digest string) bool {
	return r.Status == rcommon.StatusDeployed && r.Digest == digest
}

// ReadRelease reads the last revision of the release. It reads no more than the
// metadata of Helm's Secrets: their content is large, and asked for every second
// while something is not ready.
func ReadRelease(ctx context.Context, c client.Client, namespace string) (Release, error) {
	l := &metav1.PartialObjectMetadataList{}
	l.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("SecretList"))
	err := c.List(ctx, l, client.InNamespace(namespace), client.MatchingLabels{"owner": "helm", "name": ReleaseName})
	if err != nil {
		return Release{}, target.Classify(err)
	}

	last := Release{}
	for _, s := range l.Items {
		revision, err := strconv.Atoi(s.Labels["version"])
		if err != nil || revision <= last.Revision {
			continue
		}
		last = Release{Revision: revision, Status: rcommon.Status(s.Labels["status"]), Digest: s.Labels[labelDigest]}
	}
	return last, nil
}
