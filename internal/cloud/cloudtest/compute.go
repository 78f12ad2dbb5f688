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

package cloudtest

import (
	"encoding/json"
	"maps"
	"net/http"
	"path"
	"slices"
	"strings"
)

// computeRoot is where the API of Compute Engine is.
const computeRoot = "/compute/v1/"

// A ComputeResource of Google Cloud is something in a network, or a disk.
type ComputeResource struct {
	// Path of it: projects/<project>/global/firewalls/<name>.
	Path string
	// Fields in the words of the API. Links in them may be paths.
	Fields map[string]any
	// Members are the paths of the machines in a group of machines or endpoints.
	Members []string
	// Lingers is how many times it is still listed after its deletion.
	Lingers int

	deleted bool
}

// SetCompute puts resources there, in place of those that were.
func (c *Cloud) SetCompute(r ...ComputeResource) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.compute = nil
	for _, x := range r {
		c.compute = append(c.compute, &x)
	}
}

// AddCompute puts more resources there.
func (c *Cloud) AddCompute(r ...ComputeResource) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, x := range r {
		c.compute = append(c.compute, &x)
	}
}

// LoseCompute takes resources away, whoever uses them.
func (c *Cloud) LoseCompute(paths ...string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.compute = slices.DeleteFunc(c.compute, func(r *ComputeResource) bool { return slices.Contains(paths, r.Path) })
}

// Compute returns the names of the resources that are still there, in order.
func (c *Cloud) Compute() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := []string{}
	for _, r := range c.compute {
		out = append(out, path.Base(r.Path))
	}
	slices.Sort(out)
	return out
}

func (r *ComputeResource) kind() string { return path.Base(path.Dir(r.Path)) }

// scope is global, or regions/<region> or zones/<zone>.
func (r *ComputeResource) scope() string {
	_, rest, _ := strings.Cut(strings.TrimPrefix(r.Path, "projects/"), "/")
	return path.Dir(path.Dir(rest))
}

func (r *ComputeResource) json(host string) map[string]any {
	out := maps.Clone(r.Fields)
	if out == nil {
		out = map[string]any{}
	}
	out["name"], out["selfLink"] = path.Base(r.Path), "http://"+host+computeRoot+r.Path
	if r.Members != nil {
		out["size"] = len(r.Members)
	}
	return out
}

func (c *Cloud) serveCompute(w http.ResponseWriter, r *http.Request) {
	at := strings.TrimPrefix(r.URL.Path, computeRoot)
	if err := c.begin(Call{serviceCompute, r.Method + " " + path.Base(path.Dir(at)) + "/" + path.Base(at)}); err != nil {
		writeError(w, r, serviceStorage, err)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch r.Method {
	case http.MethodGet:
		writeJSON(w, http.StatusOK, map[string]any{"items": c.listCompute(at, r.Host)})
	case http.MethodPost:
		items, err := c.listMembers(at, r.Host)
		if err != nil {
			writeError(w, r, serviceStorage, err)
			return
		}
		writeJSON(w, http.StatusOK, map[string]any{"items": items})
	case http.MethodDelete:
		if err := c.removeCompute(at); err != nil {
			writeError(w, r, serviceStorage, err)
			return
		}
		writeJSON(w, http.StatusOK, map[string]any{"kind": "compute#operation", "status": "PENDING"})
	default:
		writeError(w, r, serviceStorage, fail(http.StatusMethodNotAllowed, "notAllowed", "The fake only lists and deletes."))
	}
}

// listCompute lists a collection: of all scopes, or of one.
func (c *Cloud) listCompute(at, host string) any {
	kind := path.Base(at)
	project, _, _ := strings.Cut(strings.TrimPrefix(at, "projects/"), "/")
	scopes := map[string]map[string]any{}
	var all []map[string]any
	c.compute = slices.DeleteFunc(c.compute, func(r *ComputeResource) bool {
		if r.kind() != kind || !strings.HasPrefix(r.Path, "projects/"+project+"/") {
			return false
		}
		if r.deleted && r.Lingers == 0 {
			return true
		}
		if r.deleted {
			r.Lingers--
		}
		one := r.json(host)
		all = append(all, one)
		s := scopes[r.scope()]
		if s == nil {
			s = map[string]any{kind: []map[string]any{}}
			scopes[r.scope()] = s
		}
		if list, ok := s[kind].([]map[string]any); ok {
			s[kind] = append(list, one)
		}
		return false
	})
	if strings.Contains(at, "/aggregated/") {
		return scopes
	}
	return all
}

// listMembers lists the members of a group: endpoints name their machines,
// instances are links to them.
func (c *Cloud) listMembers(at, host string) ([]map[string]any, *Error) {
	group, verb := path.Dir(at), path.Base(at)
	i := slices.IndexFunc(c.compute, func(r *ComputeResource) bool { return r.Path == group })
	if i < 0 || c.compute[i].deleted {
		return nil, fail(http.StatusNotFound, "notFound", "The resource '%s' was not found", group)
	}
	items := []map[string]any{}
	for _, m := range c.compute[i].Members {
		switch verb {
		case "listNetworkEndpoints":
			items = append(items, map[string]any{"networkEndpoint": map[string]any{"instance": path.Base(m), "port": 80}})
		case "listInstances":
			items = append(items, map[string]any{"instance": "http://" + host + computeRoot + m})
		default:
			return nil, fail(http.StatusMethodNotAllowed, "notAllowed", "The fake has no %s.", verb)
		}
	}
	return items, nil
}

// removeCompute deletes a resource, unless another one leads to it.
func (c *Cloud) removeCompute(at string) *Error {
	i := slices.IndexFunc(c.compute, func(r *ComputeResource) bool { return r.Path == at })
	if i < 0 || c.compute[i].deleted {
		return fail(http.StatusNotFound, "notFound", "The resource '%s' was not found", at)
	}
	for _, r := range c.compute {
		if fields, err := json.Marshal(r.Fields); err == nil && strings.Contains(string(fields), at+`"`) {
			return fail(http.StatusBadRequest, "resourceInUseByAnotherResource", "The resource '%s' is already being used by '%s'", at, r.Path)
		}
	}
	c.compute[i].deleted = true
	if c.compute[i].Lingers == 0 {
		c.compute = slices.Delete(c.compute, i, i+1)
	}
	return nil
}
