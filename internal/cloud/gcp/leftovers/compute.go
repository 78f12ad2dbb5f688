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

package leftovers

import (
	"context"
	"encoding/json"
	stderrors "errors"
	"net/http"
	"net/url"
	"strings"

	"golang.org/x/oauth2"
	"google.golang.org/api/googleapi"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/internal/cloud"
	"github.com/kubeopera/provider-kubeopera/internal/cloud/gcp"
)

const (
	// root of Google Cloud's APIs for machines and networks.
	root = "https://compute.googleapis.com"
	// version of it. What comes after it in a link is the path of a resource.
	version = "/compute/v1/"
)

// A resource of the API, as much of it as matters here.
type resource struct {
	Name        string            `json:"name"`
	SelfLink    string            `json:"selfLink"`
	Description string            `json:"description"`
	Labels      map[string]string `json:"labels"`
	// Users of a disk.
	Users []string `json:"users"`
	// TargetTags of a firewall rule.
	TargetTags []string `json:"targetTags"`
	// Tags of a machine.
	Tags struct {
		Items []string `json:"items"`
	} `json:"tags"`

	// kind is its collection, path its link without the API's address, and
	// refers are the paths of others in it.
	kind, path string
	refers     []string
}

// compute speaks plain JSON: its generated client takes more room than all of
// the runner.
type compute struct {
	project string
	root    string
	client  *http.Client
	tokens  oauth2.TokenSource
}

func newCompute(project string, ts oauth2.TokenSource) *compute {
	c := &compute{project: project, root: root, client: http.DefaultClient, tokens: ts}
	if e := gcp.Emulator(); e != "" {
		c.root = e
	}
	return c
}

// list all resources of a collection, wherever they are.
func (c *compute) list(ctx context.Context, kind string) ([]resource, error) {
	path := "projects/" + url.PathEscape(c.project) + "/aggregated/" + kind
	if kind == firewalls {
		path = "projects/" + url.PathEscape(c.project) + "/global/" + kind
	}
	var out []resource
	for token := ""; ; {
		page := struct {
			Items         json.RawMessage `json:"items"`
			NextPageToken string          `json:"nextPageToken"`
		}{}
		q := url.Values{"maxResults": {"500"}}
		if token != "" {
			q.Set("pageToken", token)
		}
		err := c.do(ctx, http.MethodGet, path+"?"+q.Encode(), &page)
		if err != nil {
			return nil, cloud.Wrap(err, "cannot list "+kind+" of project "+c.project)
		}
		found, err := itemsOf(page.Items, kind)
		if err != nil {
			return nil, errors.Wrap(err, "cannot read "+kind+" of project "+c.project)
		}
		out = append(out, found...)
		if token = page.NextPageToken; token == "" {
			return out, nil
		}
	}
}

// itemsOf a page: a list, or lists by their scope.
func itemsOf(data json.RawMessage, kind string) ([]resource, error) {
	var raw []json.RawMessage
	scopes := map[string]map[string]json.RawMessage{}
	switch {
	case len(data) == 0:
		return nil, nil
	case data[0] == '[':
		if err := json.Unmarshal(data, &raw); err != nil {
			return nil, err
		}
	default:
		if err := json.Unmarshal(data, &scopes); err != nil {
			return nil, err
		}
	}
	for _, s := range scopes {
		var some []json.RawMessage
		if list, ok := s[kind]; ok {
			if err := json.Unmarshal(list, &some); err != nil {
				return nil, err
			}
		}
		raw = append(raw, some...)
	}
	out := make([]resource, 0, len(raw))
	for _, data := range raw {
		r := resource{kind: kind}
		var all any
		if err := stderrors.Join(json.Unmarshal(data, &r), json.Unmarshal(data, &all)); err != nil {
			return nil, err
		}
		r.path = pathOf(r.SelfLink)
		r.refers = refers(all, r.path, nil)
		out = append(out, r)
	}
	return out, nil
}

// pathOf a link; empty if it is none.
func pathOf(link string) string {
	_, path, ok := strings.Cut(link, version)
	if !ok && strings.HasPrefix(link, "projects/") {
		return link
	}
	return path
}

// refers are the paths of all links in a value but that of itself.
func refers(v any, self string, out []string) []string {
	switch v := v.(type) {
	case string:
		if p := pathOf(v); p != "" && p != self {
			out = append(out, p)
		}
	case []any:
		for _, e := range v {
			out = refers(e, self, out)
		}
	case map[string]any:
		for _, e := range v {
			out = refers(e, self, out)
		}
	}
	return out
}

// remove a resource. It is not accepted as long as others use it.
func (c *compute) remove(ctx context.Context, r resource) (accepted bool, err error) {
	err = c.do(ctx, http.MethodDelete, r.path, nil)
	switch {
	case cloud.StatusOf(err) == http.StatusNotFound:
		return false, nil
	case isBusy(err):
		return false, nil
	}
	return err == nil, cloud.Wrap(err, "cannot delete "+r.path)
}

// isBusy tells whether something cannot be deleted for now.
func isBusy(err error) bool {
	e, ok := stderrors.AsType[*googleapi.Error](err)
	if !ok {
		return false
	}
	for _, item := range e.Errors {
		switch item.Reason {
		case "resourceInUseByAnotherResource", "resourceNotReady", "resourceInUse", "rateLimitExceeded", "userRateLimitExceeded":
			return true
		}
	}
	return e.Code == http.StatusConflict || e.Code == http.StatusTooManyRequests
}

// do a request, and read its answer.
func (c *compute) do(ctx context.Context, method, path string, into any) error {
	req, err := http.NewRequestWithContext(ctx, method, c.root+version+path, http.NoBody)
	if err != nil {
		return err
	}
	token, err := c.tokens.Token()
	if err != nil {
		return err
	}
	if token.AccessToken != "" {
		token.SetAuthHeader(req)
	}
	resp, err := c.client.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	if err := googleapi.CheckResponse(resp); err != nil || into == nil {
		return err
	}
	return json.NewDecoder(resp.Body).Decode(into)
}
