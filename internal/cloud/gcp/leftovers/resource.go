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
	"encoding/json"
	stderrors "errors"
	"net/url"
	"path"
	"strings"
)

// Collections of the API.
const (
	attachments    = "serviceAttachments"
	endpointGroups = "networkEndpointGroups"
	instanceGroups = "instanceGroups"
	healthChecks   = "healthChecks"
	httpChecks     = "httpHealthChecks"
	httpsChecks    = "httpsHealthChecks"
	certificates   = "sslCertificates"
	firewalls      = "firewalls"
	instances      = "instances"
	disks          = "disks"
)

// balancers are the collections that load balancers consist of, in the order in
// which they are taken apart.
var balancers = []string{
	attachments, "forwardingRules", "targetHttpProxies", "targetHttpsProxies", "urlMaps", "backendServices", "targetPools",
	endpointGroups, instanceGroups, healthChecks, httpChecks, httpsChecks, certificates, firewalls,
}

// version of the API. What comes after it in a link is the path of a resource.
const version = "/compute/v1/"

// collection is the path of one; what is in zones and regions is listed at once.
func collection(project, kind string) string {
	scope := "aggregated"
	switch kind {
	case firewalls, httpChecks, httpsChecks:
		scope = "global"
	}
	return "projects/" + url.PathEscape(project) + "/" + scope + "/" + kind
}

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
	// Size of a group: how many members it has.
	Size int `json:"size"`

	// kind is its collection, path its link without the API's address, and
	// refers are the paths of others in it.
	kind, path string
	refers     []string
}

// scope is the path of the project, region or zone that something is in.
func (r resource) scope() string { return path.Dir(path.Dir(r.path)) }

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
