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

package clusteraccess

import (
	"fmt"
	"strings"
	"time"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/external"
	"github.com/kubeopera/provider-kubeopera/internal/inventory"
)

const (
	timeFormat = time.RFC3339
	// The bounds of the status' fields.
	maxWarnings      = 16
	maxWarningLength = 512
	maxNameLength    = 128
	maxIdentity      = 1024
)

// Project a State to the status.
func (w *workflow) Project(ca *v1alpha1.ClusterAccess, s State) external.Projection {
	if s.Seen == nil {
		return external.Projection{Exists: s.Stored != nil, Ready: leaving(s)}
	}

	done := next(s) == external.Done
	o := &ca.Status.AtProvider
	o.Server = s.Seen.Server
	o.ServerVersion = clip(s.Seen.Version, maxNameLength)
	if s.Seen.UID != "" {
		o.ClusterUID = clip(s.Seen.UID, maxNameLength)
	}
	o.Nodes = s.Seen.Nodes
	o.Provider = s.Seen.Provider
	o.Region = s.Seen.Region
	o.Identity = clip(s.Seen.Identity, maxIdentity)
	o.ClusterAdmin = s.Seen.Admin
	o.ExpiresAt = nil
	if at := s.Seen.ExpiresAt; at != nil {
		t := metav1.NewTime(at.Truncate(time.Second))
		o.ExpiresAt = &t
	}
	o.Warnings = nil
	for _, warning := range s.Seen.Warnings[:min(len(s.Seen.Warnings), maxWarnings)] {
		o.Warnings = append(o.Warnings, v1alpha1.Warning(clip(warning, maxWarningLength)))
	}

	stores := len(s.Kubeconfig) > 0 || s.TokenDue
	if done && stores {
		o.KubeconfigSecret = s.Stored.GetName()
	}
	p := external.Projection{Exists: s.Stored != nil || !stores, Ready: external.NotReady(v1alpha1.ReasonInProgress, "The kubeconfig is valid and is being stored.")}
	if done {
		p.Ready = external.Ready(xpv2.ReasonAvailable, connected(s.Seen))
	}
	return p
}

// connected tells people what they are connected to.
func connected(s *Seen) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Connected to Kubernetes %s", clip(s.Version, maxNameLength))
	if s.Provider != inventory.Unknown {
		fmt.Fprintf(&b, " on %s", s.Provider)
		if s.Region != inventory.Unknown {
			fmt.Fprintf(&b, " in %s", s.Region)
		}
	}
	if s.Nodes != nil {
		fmt.Fprintf(&b, ", %d of %d nodes ready", s.Nodes.Ready, s.Nodes.Total)
	}
	b.WriteString(".")
	return b.String()
}

// leaving says what deletion waits for.
func leaving(s State) xpv2.Condition {
	c := xpv2.Deleting()
	if len(s.Users) > 0 {
		names := []string{}
		for _, u := range s.Users {
			names = append(names, u.Kind+" "+u.Name)
		}
		c.Message = clip("Waits for "+strings.Join(names, ", "), maxIdentity)
	}
	return c
}

// clip bounds a text in bytes; what is bounded in the API is bounded in characters.
func clip(s string, n int) string {
	s = strings.ToValidUTF8(s, "?")
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "")
}

func short(s string) string { return clip(s, maxNameLength) }
