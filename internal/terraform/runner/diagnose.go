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

package runner

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"

	tferrors "github.com/crossplane/upjet/v2/pkg/terraform/errors"

	"github.com/kubeopera/provider-kubeopera/internal/terraform/run"
)

// maxMessage is the longest message of a failed run, in bytes.
const maxMessage = 4096

// A sign of a class in a diagnostic.
type sign struct {
	class run.Class
	text  *regexp.Regexp
}

func signs(class run.Class, patterns ...string) sign {
	return sign{class: class, text: regexp.MustCompile(`(?i)` + strings.Join(patterns, "|"))}
}

// classSigns are how clouds and OpenTofu spell what went wrong. The first that
// is found counts: the error codes of the clouds' API references come before
// what their messages only suggest.
var classSigns = []sign{
	signs(run.ClassLock,
		`Error acquiring the state lock`, `state blob is already locked`, `Error locking state`),
	signs(run.ClassTransient, // what looks like another class, but passes by itself
		`Throttling`, `RequestLimitExceeded`, `TooManyRequestsException`, `SlowDown`, `rateLimitExceeded`, `RATE_LIMIT_EXCEEDED`, `userRateLimitExceeded`,
		`ExpiredToken`, `RequestExpired`, `PriorRequestNotComplete`),
	signs(run.ClassCapacity,
		`Insufficient\w*Capacity`, `InsufficientFreeAddressesInSubnet`, `UnfulfillableCapacity`, `ZONE_RESOURCE_POOL_EXHAUSTED`, `GCE_STOCKOUT`, `STOCKOUT`,
		`does not have enough resources available`, `UnsupportedAvailabilityZoneException`, `currently do not have sufficient .* capacity`, `SpotMaxPriceTooLow`, `NoCapacity`),
	signs(run.ClassQuota,
		`\w*(?:Limit|Count)Exceeded\w*`, `VcpuLimit`, `QuotaExceeded`, `QUOTA_EXCEEDED`, `Quota '?\w+'? exceeded`, `exceed(?:s|ed|ing)? (?:the |your )?(?:quota|limit)`,
		`ResourceLimitExceeded`, `TooManyLoadBalancers`, `TooManyTargetGroups`, `TooManyBuckets`, `quotaExceeded`, `maximum number of \w+ has been reached`,
		`Insufficient regional quota`, `insufficient quota`, `Cannot exceed quota for`, `You have reached (?:the|your) (?:limit|maximum)`),
	signs(run.ClassAuth,
		`UnauthorizedOperation`, `AccessDenied`, `AuthFailure`, `InvalidClientTokenId`, `SignatureDoesNotMatch`, `UnrecognizedClient`, `OptInRequired`, `InvalidAccessKeyId`,
		`No valid credential sources`, `failed to refresh cached credentials`, `not authorized to perform`, `PERMISSION_DENIED`, `Error 401`, `Error 403`, `statusCode: 403`,
		`Required '[\w.]+' permission`, `invalid_grant`, `could not find default credentials`, `SERVICE_DISABLED`, `accessNotConfigured`, `BILLING_DISABLED`, `expired.* credential`),
	signs(run.ClassDependency,
		`DependencyViolation`, `ResourceInUse\w*`, `resourceInUseByAnotherResource`, `is already being used by`, `has dependencies and cannot be deleted`,
		`has a dependent object`, `DeleteConflict`, `must be (?:detached|deleted) first`, `currently in use`, `is in use`, `OperationNotPermitted.*in use`, `BucketNotEmpty`, `in use by another resource`),
	signs(run.ClassTransient,
		`connection (?:refused|reset)`, `i/o timeout`, `TLS handshake timeout`, `no such host`, `(?-i:\bEOF\b)`, `context deadline exceeded`, `timeout while waiting`,
		`ServiceUnavailable`, `InternalError`, `InternalFailure`, `InternalServerError`, `Error 50\d`, `StatusCode: 5\d\d`, `backendError`, `try again later`,
		`Failed to (?:query available provider packages|install provider)`, `Failed to save state`, `Error releasing the state lock`),
	signs(run.ClassInvalid,
		`(?-i:\bInvalid[A-Z]\w+)`, `(?m:^Invalid )`, `ValidationE\w+`, `MalformedPolicyDocument`, `ParameterValue`, `Unsupported (?:argument|block|attribute|Operation)`, `UnsupportedOperation`, `Missing required argument`, `Reference to undeclared`, `Extraneous JSON object property`, `Missing JSON object property`,
		`does not exist`, `NotFound`, `is not supported`, `unsupported Kubernetes version`, `Error 400`, `badRequest`, `AlreadyExists`, `EntityAlreadyExists`, `already exists`, `Error 409`,
		`Unreadable module directory`, `Module not (?:found|installed)`, `cannot import state`, `Resource precondition failed`, `Unsuitable value`, `Provider produced inconsistent`),
}

// weight orders the classes: what stops the retries comes before what does not.
var weight = map[run.Class]int{
	run.ClassQuota: 8, run.ClassAuth: 7, run.ClassConflict: 6, run.ClassInvalid: 5,
	run.ClassCapacity: 4, run.ClassLock: 3, run.ClassDependency: 2, run.ClassTransient: 1,
}

// classify returns the class of one diagnostic.
func classify(text string) run.Class {
	for _, s := range classSigns {
		if s.text.MatchString(text) {
			return s.class
		}
	}
	return run.ClassTransient
}

// diagnose returns the class of a command that failed, and its message: that
// of the diagnostics, with the one first that made the class.
func diagnose(command string, events []event) (run.Class, string) {
	class, first := run.ClassTransient, 0
	for i, e := range events {
		if c := classify(e.Diagnostic.Summary + "\n" + e.Diagnostic.Detail); i == 0 || weight[c] > weight[class] {
			class, first = c, i
		}
	}
	sorted := append([]event{events[first]}, append(append([]event(nil), events[:first]...), events[first+1:]...)...)
	return class, message(command, sorted)
}

// message puts diagnostics into words, as upjet's providers do.
func message(command string, events []event) string {
	var logs bytes.Buffer
	for _, e := range events {
		e.Level = "error"
		// An event always encodes.
		line, _ := json.Marshal(e) //nolint:errchkjson // Strings and numbers only.
		logs.Write(append(line, '\n'))
	}
	var err error
	switch command {
	case "destroy":
		err = tferrors.NewDestroyFailed(logs.Bytes())
	case "apply":
		err = tferrors.NewApplyFailed(logs.Bytes())
	default:
		err = tferrors.NewPlanFailed(logs.Bytes())
	}
	// The cause comes first: that an apply failed shows in the run's phase.
	_, msg, ok := strings.Cut(err.Error(), " failed: ")
	if !ok {
		msg = err.Error()
	}
	return cutTo(strings.TrimSpace(msg), maxMessage)
}

// decoration is what OpenTofu draws around diagnostics for people.
var decoration = regexp.MustCompile(`(?m)^[│╷╵|\s]*`)

// plainDiagnostic makes a diagnostic of text for people.
func plainDiagnostic(text string) event {
	text = strings.TrimSpace(decoration.ReplaceAllString(text, ""))
	if _, after, ok := strings.Cut(text, "Error: "); ok {
		text = after
	}
	summary, detail, _ := strings.Cut(text, "\n")
	return event{Level: "error", Message: summary, Diagnostic: &diagnostic{Severity: "error", Summary: summary, Detail: strings.TrimSpace(detail)}}
}
