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

package cloud

import (
	"context"
	"encoding/json"
	stderrors "errors"
	"net/http"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/sts"
	"github.com/aws/smithy-go"
	"golang.org/x/oauth2"

	"github.com/kubeopera/provider-kubeopera/internal/fault"
)

const (
	// checkTimeout bounds a check. A healthy answer takes well under a second.
	checkTimeout = 10 * time.Second
	// maxReason bounds what is repeated of a cloud's own words.
	maxReason = 256
)

// Check asks the cloud whether it takes the credentials, within 10 s. Its
// errors are faults: Denied if it does not, Unreachable if it does not answer,
// Refused if there is nothing to ask with.
func (c *Credentials) Check(ctx context.Context, region string) error {
	if c.None() {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	if !c.AWS() {
		ts, err := c.TokenSource(ctx)
		if err != nil {
			return err
		}
		_, err = ts.Token()
		return c.Classify(err)
	}
	cfg, err := c.AWSConfig(ctx, region)
	if err != nil {
		return err
	}
	_, err = sts.NewFromConfig(cfg, func(o *sts.Options) { o.RetryMaxAttempts = 2 }).GetCallerIdentity(ctx, nil)
	return c.Classify(err)
}

// Classify says what an error of a cloud means for these credentials: Denied or
// Unreachable. It returns nil for nil.
func (c *Credentials) Classify(err error) error {
	if err == nil {
		return nil
	}
	if r, ok := stderrors.AsType[*oauth2.RetrieveError](err); ok && r.Response != nil && isRefusal(r.Response.StatusCode) {
		return fault.Newf(fault.Denied, "Google Cloud refuses the key: %s (%s)", c.brief(reason(r)), c.From)
	}
	code, words := "", ""
	if api, ok := stderrors.AsType[smithy.APIError](err); ok {
		code, words = api.ErrorCode(), api.ErrorMessage()
	}
	if !IsTransient(err) {
		what := "AWS refuses the access key"
		switch {
		case strings.HasPrefix(code, "AccessDenied") && c.Role != nil:
			what = "AWS lets nobody assume the role with these credentials"
		case c.Injected():
			what = "AWS refuses the provider's own identity"
		}
		return fault.Newf(fault.Denied, "%s: %s (%s)", what, c.brief(code+" "+words), c.From)
	}
	cloud := "AWS"
	if !c.AWS() {
		cloud = "Google Cloud"
	}
	return fault.Newf(fault.Unreachable, "%s does not answer: %s", cloud, c.brief(root(err)))
}

// reason is what an authorization server says. Of some grants the library
// keeps only the body.
func reason(r *oauth2.RetrieveError) string {
	if r.ErrorCode != "" {
		return r.ErrorCode + " " + r.ErrorDescription
	}
	said := struct {
		Error       string `json:"error"`
		Description string `json:"error_description"`
	}{}
	if json.Unmarshal(r.Body, &said) != nil || said.Error == "" {
		return r.Response.Status
	}
	return said.Error + " " + said.Description
}

// isRefusal tells whether a status is about the caller, not about the service.
func isRefusal(status int) bool {
	return status >= 400 && status < 500 && status != http.StatusTooManyRequests && status != http.StatusRequestTimeout
}

// root is the innermost cause: SDKs tell their own story around it.
func root(err error) string {
	for {
		next := stderrors.Unwrap(err)
		if next == nil {
			return err.Error()
		}
		err = next
	}
}

// brief makes words of others short and free of secrets.
func (c *Credentials) brief(words string) string {
	words = strings.Join(strings.Fields(words), " ")
	for _, s := range c.Secrets() {
		words = strings.ReplaceAll(words, s, "(redacted)")
	}
	if len(words) > maxReason {
		words = strings.ToValidUTF8(words[:maxReason], "") + "…"
	}
	return words
}
