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
	"regexp"
	"time"

	"github.com/fluxcd/pkg/apis/meta"
	sourcev1 "github.com/fluxcd/source-controller/api/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/target"
)

const (
	// blameAfter is how long a layer may wait for its objects before we ask
	// which of them it is: most are ready by then.
	blameAfter = 5 * time.Second

	// maxBlamed bounds the objects of one kind that are looked at.
	maxBlamed = 100
)

// Waiting is the layer that only waits for its objects to become ready, and is
// the reason why the sync is not; empty if there is none. Its own message does
// not say which of them are not, or only once its timeout is over.
func (h *Health) Waiting() v1alpha1.Layer { return h.waiting }

// Because says what a waiting layer waits for.
func (h *Health) Because(cause string) {
	if cause == "" || h.waiting == "" {
		return
	}
	h.Message = clip(cause + " (" + string(h.waiting) + ")")
	for i := range h.Layers {
		if h.Layers[i].Name == h.waiting {
			h.Layers[i].Message = clip(cause)
		}
	}
}

// Blame looks for the object that a layer waits for, and returns what that says
// itself; nothing if none has anything to say. Root causes come first: a source
// before the releases that need it. It makes at most five calls.
func Blame(ctx context.Context, c client.Client, namespace string, layer v1alpha1.Layer) (string, error) {
	of := []client.ListOption{
		client.MatchingLabels{labelKustomization: layer.KustomizationName(), labelKustomizationNamespace: namespace},
		client.Limit(maxBlamed),
	}

	repos, err := blameKind(ctx, c, sourcev1.GroupVersion.WithKind(sourcev1.HelmRepositoryKind), of)
	if err != nil || repos.failed() {
		return repos.String(), err
	}
	release, err := blameKind(ctx, c, helmRelease, of)
	if err != nil {
		return "", err
	}
	if release != nil {
		return blameRelease(ctx, c, release)
	}
	return blameDeployments(ctx, c, of)
}

// A culprit is an object that is not ready.
type culprit struct {
	object    *unstructured.Unstructured
	condition metav1.Condition
}

// failed tells whether it has failed, and not only takes its time.
func (b *culprit) failed() bool { return b != nil && b.condition.Status == metav1.ConditionFalse }

// String is the kind, the name and the message.
func (b *culprit) String() string {
	if b == nil {
		return ""
	}
	return clip(b.object.GetKind() + " " + b.object.GetName() + ": " + clip(b.condition.Message))
}

// blameKind returns the first object of a kind that has failed or, if none has,
// the first that is not ready; nil if all are.
func blameKind(ctx context.Context, c client.Client, gvk schema.GroupVersionKind, of []client.ListOption) (*culprit, error) {
	l := &unstructured.UnstructuredList{}
	l.SetGroupVersionKind(gvk.GroupVersion().WithKind(gvk.Kind + "List"))
	if err := list(ctx, c, l, of...); err != nil {
		return nil, err
	}
	var first *culprit
	for i := range l.Items {
		b, err := blameObject(&l.Items[i])
		switch {
		case err != nil:
			return nil, err
		case b.failed() && b.condition.Reason != meta.DependencyNotReadyReason:
			return b, nil
		case first == nil:
			first = b
		}
	}
	return first, nil
}

// blameObject returns an object that is not ready; nil if it is.
func blameObject(u *unstructured.Unstructured) (*culprit, error) {
	status := struct {
		Conditions []metav1.Condition `json:"conditions"`
	}{}
	if s, ok := u.Object["status"].(map[string]any); ok {
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(s, &status); err != nil {
			return nil, errors.Wrapf(err, "cannot read the status of %s %s", u.GetKind(), u.GetName())
		}
	}
	ready := apimeta.FindStatusCondition(status.Conditions, meta.ReadyCondition)
	if ready == nil || ready.Status == metav1.ConditionTrue {
		return nil, nil //nolint:nilnil // Nobody to blame is no error.
	}
	return &culprit{object: u, condition: *ready}, nil
}

// blameRelease says what a release waits for: its chart, or its pods.
func blameRelease(ctx context.Context, c client.Client, b *culprit) (string, error) {
	if b.condition.Reason == meta.ArtifactFailedReason || b.condition.Reason == sourceNotReady {
		chart := chartOf(b.object)
		if chart == nil {
			return b.String(), nil
		}
		if found, err := Get(ctx, c, chart); err != nil || !found {
			return b.String(), err
		}
		if of, err := blameObject(chart); err != nil || of != nil {
			return of.String(), err
		}
		return b.String(), nil
	}
	if b.failed() && !timedOut.MatchString(b.condition.Message) {
		return b.String(), nil
	}

	ns, _, _ := unstructured.NestedString(b.object.Object, "spec", "targetNamespace")
	if ns == "" {
		ns = b.object.GetNamespace()
	}
	pod, err := blamePods(ctx, c, client.InNamespace(ns))
	if err != nil || pod == "" {
		return b.String(), err
	}
	return "HelmRelease " + b.object.GetName() + ": " + pod, nil
}

// sourceNotReady is helm-controller's reason of a release whose chart is not there yet.
const sourceNotReady = "SourceNotReady"

// timedOut matches what Helm says of a release whose objects did not become ready.
var timedOut = regexp.MustCompile(`deadline exceeded|timed out|timeout waiting`)

// blameDeployments says why the first Deployment that is not available is not.
func blameDeployments(ctx context.Context, c client.Client, of []client.ListOption) (string, error) {
	l := &appsv1.DeploymentList{}
	if err := list(ctx, c, l, of...); err != nil {
		return "", err
	}
	for i := range l.Items {
		d := &l.Items[i]
		if d.Status.AvailableReplicas > 0 && d.Status.UnavailableReplicas == 0 {
			continue
		}
		pod, err := blamePods(ctx, c, client.InNamespace(d.GetNamespace()))
		if err != nil || pod == "" {
			return "", err
		}
		return "Deployment " + d.GetName() + ": " + pod, nil
	}
	return "", nil
}

// blamePods returns the trouble of the first pod that has any.
func blamePods(ctx context.Context, c client.Client, of ...client.ListOption) (string, error) {
	l := &corev1.PodList{}
	if err := c.List(ctx, l, append(of, client.Limit(maxBlamed))...); err != nil {
		return "", target.Classify(err)
	}
	for i := range l.Items {
		if why := trouble(&l.Items[i]); why != "" {
			return clip(why), nil
		}
	}
	return "", nil
}
