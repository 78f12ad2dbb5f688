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

package controller

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"encoding/pem"
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/bitnami-labs/sealed-secrets/pkg/crypto"
	kustomizev1 "github.com/fluxcd/kustomize-controller/api/v1"
	fluxmeta "github.com/fluxcd/pkg/apis/meta"
	sourcev1 "github.com/fluxcd/source-controller/api/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/gitops/render"
	"github.com/kubeopera/provider-kubeopera/internal/gitops/seal"
)

// A puppet rests between two looks for some times as long as the last one has
// taken, within bounds, so that many of them leave the machine to what is tested.
const (
	puppetShare   = 5
	puppetMinRest = 100 * time.Millisecond
	puppetMaxRest = time.Second
)

// A puppet does on a target what kubelets, Flux and Sealed Secrets would: there
// are no nodes for them to run on. What it reconciles it reads from the real
// Git repository, and applies to the real API server.
type puppet struct {
	c      client.Client
	repo   string // The bare repository.
	branch string
}

// run until the test ends, or the function that it returns is called.
func (p *puppet) run(tb testing.TB) (stop func()) {
	tb.Helper()

	ctx, cancel := context.WithCancel(context.WithoutCancel(tb.Context()))
	ended := make(chan struct{})

	go func() {
		defer close(ended)
		for rest := puppetMinRest; ; {
			select {
			case <-ctx.Done():
				return
			case <-time.After(rest):
			}

			began := time.Now()
			_ = p.look(ctx) // An error is the end of this look, not of the puppet: the target may be gone.
			rest = min(max(puppetMinRest, puppetShare*time.Since(began)), puppetMaxRest)
		}
	}()

	stop = func() {
		cancel()
		<-ended
	}
	tb.Cleanup(stop)

	return stop
}

func (p *puppet) look(ctx context.Context) error {
	if err := p.deployments(ctx); err != nil {
		return err
	}

	source := &sourcev1.GitRepository{}
	if err := p.c.Get(ctx, client.ObjectKey{Namespace: v1alpha1.FluxNamespace, Name: v1alpha1.SyncName}, source); err != nil {
		return err
	}

	commit, err := p.git(ctx, "rev-parse", p.branch)
	if err != nil {
		return err
	}

	revision := p.branch + "@sha1:" + strings.TrimSpace(commit)
	if err := p.fetch(ctx, source, revision); err != nil {
		return err
	}

	ks := &kustomizev1.KustomizationList{}
	if err := p.c.List(ctx, ks, client.InNamespace(v1alpha1.FluxNamespace)); err != nil {
		return err
	}

	for i := range ks.Items {
		if err := p.kustomize(ctx, &ks.Items[i], revision); err != nil {
			return err
		}
	}

	return p.sealingKey(ctx)
}

// deployments run at once.
func (p *puppet) deployments(ctx context.Context) error {
	l := &appsv1.DeploymentList{}
	if err := p.c.List(ctx, l); err != nil {
		return err
	}

	for i := range l.Items {
		d := &l.Items[i]
		if d.Status.ObservedGeneration == d.Generation {
			continue
		}

		d.Status = appsv1.DeploymentStatus{
			ObservedGeneration: d.Generation, Replicas: 1, UpdatedReplicas: 1, ReadyReplicas: 1, AvailableReplicas: 1,
			Conditions: []appsv1.DeploymentCondition{
				{Type: appsv1.DeploymentAvailable, Status: corev1.ConditionTrue},
				{Type: appsv1.DeploymentProgressing, Status: corev1.ConditionTrue, Reason: "NewReplicaSetAvailable"},
			},
		}
		if err := p.c.Status().Update(ctx, d); err != nil {
			return err
		}
	}

	return nil
}

// fetch is what source-controller does.
func (p *puppet) fetch(ctx context.Context, s *sourcev1.GitRepository, revision string) error {
	if s.Spec.Suspend || s.Status.Artifact != nil && s.Status.Artifact.Revision == revision && s.Status.ObservedGeneration == s.Generation {
		return nil
	}

	s.Status.ObservedGeneration = s.Generation
	s.Status.Artifact = &fluxmeta.Artifact{Revision: revision, Path: "p", URL: "http://s/p", Digest: "sha256:" + strings.Repeat("0", 64), LastUpdateTime: metav1.Now()}
	succeed(&s.Status.Conditions)

	return p.c.Status().Update(ctx, s)
}

// sealingKey is what the controller of Sealed Secrets makes when it starts.
func (p *puppet) sealingKey(ctx context.Context) error {
	s := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{
		Namespace: render.SealedSecretsNamespace, Name: "sealed-secrets-key", Labels: map[string]string{seal.KeyLabel: seal.ActiveKey},
	}}

	err := p.c.Get(ctx, client.ObjectKeyFromObject(s), &corev1.Secret{})
	if !kerrors.IsNotFound(err) {
		return err
	}

	d := &appsv1.DeploymentList{}
	if err := p.c.List(ctx, d, client.InNamespace(render.SealedSecretsNamespace)); err != nil || len(d.Items) == 0 {
		return err
	}

	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return errors.Wrap(err, "cannot make a key")
	}

	cert, err := crypto.SignKey(rand.Reader, key, time.Hour, "sealed-secrets")
	if err != nil {
		return errors.Wrap(err, "cannot make a certificate")
	}

	s.Type = corev1.SecretTypeTLS
	s.Data = map[string][]byte{
		corev1.TLSCertKey:       pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert.Raw}),
		corev1.TLSPrivateKeyKey: []byte("is nobody's business but the cluster's own"),
	}

	return p.c.Create(ctx, s)
}

func (p *puppet) git(ctx context.Context, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, "git", append([]string{"-C", p.repo}, args...)...).Output()

	return string(out), errors.Wrap(err, fmt.Sprint("cannot run git ", args))
}

func succeed(cs *[]metav1.Condition) {
	apimeta.SetStatusCondition(cs, metav1.Condition{Type: fluxmeta.ReadyCondition, Status: metav1.ConditionTrue, Reason: "Succeeded", Message: "done"})
}
