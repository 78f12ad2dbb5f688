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
	"bytes"
	"context"
	"encoding/json"
	stderrors "errors"
	"io"
	"net/http"
	"net/url"
	"path"
	"regexp"

	"golang.org/x/oauth2"
	"google.golang.org/api/googleapi"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/internal/cloud"
	"github.com/kubeopera/provider-kubeopera/internal/cloud/gcp"
)

// root of Google Cloud's APIs for machines and networks.
const root = "https://compute.googleapis.com"

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
		err := c.do(ctx, http.MethodGet, collection(c.project, kind)+"?"+q.Encode(), &page)
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

// members are the paths of the machines in a group of machines or endpoints;
// of a large one, some of them. A group that is gone has none.
func (c *compute) members(ctx context.Context, group resource) ([]string, error) {
	verb := "listInstances"
	if group.kind == endpointGroups {
		verb = "listNetworkEndpoints"
	}
	page := struct {
		Items []struct {
			// Instance is a link in a group of machines, and may be a name in one of endpoints.
			Instance        string `json:"instance"`
			NetworkEndpoint struct {
				Instance string `json:"instance"`
			} `json:"networkEndpoint"`
		} `json:"items"`
	}{}
	err := c.do(ctx, http.MethodPost, group.path+"/"+verb, &page)
	if cloud.StatusOf(err) == http.StatusNotFound {
		return nil, nil
	}
	if err != nil {
		return nil, cloud.Wrap(err, "cannot list the members of "+group.path)
	}
	var out []string
	for _, item := range page.Items {
		name := item.Instance + item.NetworkEndpoint.Instance
		switch p := pathOf(name); {
		case p != "":
			out = append(out, p)
		case name != "":
			out = append(out, group.scope()+"/"+instances+"/"+path.Base(name))
		}
	}
	return out, nil
}

// remove a resource. It is not accepted as long as others use it.
func (c *compute) remove(ctx context.Context, r resource) (accepted bool, user string, err error) {
	err = c.do(ctx, http.MethodDelete, r.path, nil)
	switch {
	case cloud.StatusOf(err) == http.StatusNotFound:
		return false, "", nil
	case isBusy(err):
		return false, userIn(err), nil
	}
	return err == nil, "", cloud.Wrap(err, "cannot delete "+r.path)
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

// usedBy is how Google says who uses what cannot be deleted.
var usedBy = regexp.MustCompile(`used by '([^']+)'`)

// userIn an error: who uses what was to be deleted; empty if it does not say.
func userIn(err error) string {
	if m := usedBy.FindStringSubmatch(err.Error()); m != nil {
		return m[1]
	}
	return ""
}

// do a request, and read its answer.
func (c *compute) do(ctx context.Context, method, path string, into any) error {
	var body io.Reader = http.NoBody
	if method == http.MethodPost {
		body = bytes.NewReader([]byte("{}"))
	}
	req, err := http.NewRequestWithContext(ctx, method, c.root+version+path, body)
	if err != nil {
		return err
	}
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/json")
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
