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

package provisions

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/internal/web/reply"
)

// Reasons of this API.
const (
	// InvalidSpec: no such cluster can be made (422).
	InvalidSpec reply.Reason = "InvalidSpec"
	// CredentialMissing: there is nothing to make it with (422).
	CredentialMissing reply.Reason = "CredentialMissing"
	// Exists: the id is taken by another spec (409).
	Exists reply.Reason = "Exists"
	// Destroying: it is being destroyed (409).
	Destroying reply.Reason = "Destroying"
	// InUse: it is a HostCluster's (409).
	InUse reply.Reason = "InUse"
	// NotReady: it has not come that far (409).
	NotReady reply.Reason = "NotReady"
	// LogElsewhere: the log is where this program cannot read it (409).
	LogElsewhere reply.Reason = "LogElsewhere"
	// Changed: it was changed at the same time (409).
	Changed reply.Reason = "Changed"
)

// retryAfter is how soon it is worth trying again what the API server did not do.
const retryAfter = 5 * time.Second

// explain an error of the API server to the one who asked.
func explain(err error, what, namespace string) error {
	status := kerrors.APIStatus(nil)
	said := errors.As(err, &status)
	switch {
	case err == nil:
		return nil
	case said && kerrors.HasStatusCause(err, corev1.NamespaceTerminatingCause):
		return reply.Errorf(http.StatusConflict, Destroying, "namespace %s is being deleted", namespace)
	case kerrors.IsInvalid(err):
		return invalid(causes(status.Status())).Because(errors.New("the API server does not take it")) // Its words show what was sent.
	case kerrors.IsForbidden(err) && !missesRight(status.Status()):
		return reply.Errorf(http.StatusForbidden, reply.Denied, "the API server does not admit it: %s", status.Status().Message)
	case kerrors.IsForbidden(err), kerrors.IsUnauthorized(err):
		return reply.Errorf(http.StatusServiceUnavailable, reply.Unavailable, "kubeopera-api itself may not %s in namespace %s: bind the Roles of cluster/install/api there", what, namespace).Because(err)
	case kerrors.IsNotFound(err):
		return reply.Errorf(http.StatusNotFound, reply.NotFound, "namespace %s or what is asked for is not there", namespace)
	case kerrors.IsConflict(err), kerrors.IsAlreadyExists(err):
		return reply.Errorf(http.StatusConflict, Changed, "it was changed at the same time: look at it and try again")
	case kerrors.IsBadRequest(err):
		return reply.Errorf(http.StatusBadRequest, reply.Invalid, "the API server does not understand it").Because(err)
	}
	e := reply.Errorf(http.StatusServiceUnavailable, reply.Unavailable, "the API server does not answer: try again").Because(errors.Wrap(err, "cannot "+what))
	e.RetryAfter = retryAfter
	return e
}

// missesRight tells RBAC's refusal of this program from one that is about what was asked for.
func missesRight(s metav1.Status) bool { return strings.Contains(s.Message, " cannot ") }

// causes of an object that is not taken, in a request's words.
func causes(s metav1.Status) []reply.Cause {
	if s.Details == nil || len(s.Details.Causes) == 0 {
		return []reply.Cause{{Message: "the API server does not take it"}}
	}
	all := make([]reply.Cause, 0, len(s.Details.Causes))
	for _, c := range s.Details.Causes {
		all = append(all, reply.Cause{Field: fieldOf(c.Field), Message: withoutValue(c.Message)})
	}
	return all
}

// fieldOf a request that became a field of a ProvisionedCluster.
func fieldOf(path string) string {
	switch path {
	case "metadata.name", "<nil>":
		return "id"
	case "spec.forProvider":
		return ""
	}
	return strings.TrimPrefix(strings.TrimPrefix(path, "spec.forProvider."), "spec.")
}

// withoutValue takes the value out of a message of the API server, which may
// be anything: `Invalid value: "x": must be a network` is only "must be a network".
func withoutValue(msg string) string {
	for _, kind := range []string{"Invalid value: ", "Unsupported value: ", "Duplicate value: ", "Not found: "} {
		rest, ok := strings.CutPrefix(msg, kind)
		if !ok {
			continue
		}
		n := valueLength(rest)
		if n == 0 {
			return rest // Rules about a whole object show none.
		}
		if after, ok := strings.CutPrefix(rest[n:], ": "); ok {
			return after
		}
		return "has a value that is not taken"
	}
	return msg
}

// valueLength of what a message begins with: a string as Go writes it, or
// anything else in JSON; 0 if that is no value.
func valueLength(s string) int {
	if quoted, err := strconv.QuotedPrefix(s); err == nil {
		return len(quoted)
	}
	d := json.NewDecoder(strings.NewReader(s))
	var value any
	if d.Decode(&value) != nil {
		return 0
	}
	return int(d.InputOffset())
}
