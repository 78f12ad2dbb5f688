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
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// gcs is Google Cloud Storage.
type gcs struct {
	buckets    map[string]*gcsBucket
	generation int64
}

// gcsBucket is a bucket; its objects are in the order of their generations.
type gcsBucket struct {
	project  string
	resource map[string]any
	meta     int64
	objects  []*gcsObject
}

type gcsObject struct {
	name       string
	data       []byte
	generation int64
	at         time.Time
	// live is false for a generation that was replaced or deleted.
	live bool
}

func (b *gcsBucket) versioned() bool {
	v, _ := b.resource["versioning"].(map[string]any)
	on, _ := v["enabled"].(bool)
	return on
}

// GCSBucket is a bucket as it is seen from outside.
type GCSBucket struct {
	Project string
	// Resource is the bucket in the words of the API.
	Resource map[string]any
	// Objects counts all generations.
	Objects int
}

// GCSBuckets returns all buckets of Cloud Storage by name.
func (c *Cloud) GCSBuckets() map[string]GCSBucket {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := map[string]GCSBucket{}
	for name, b := range c.gcs.buckets {
		out[name] = GCSBucket{Project: b.project, Resource: b.resource, Objects: len(b.objects)}
	}
	return out
}

func (c *Cloud) serveStorage(w http.ResponseWriter, r *http.Request) {
	path := r.URL.EscapedPath()
	for _, p := range []string{"/upload", "/download"} {
		path = strings.TrimPrefix(path, p)
	}
	rest, isJSON := strings.CutPrefix(path, "/storage/v1/b")
	parts := strings.Split(strings.Trim(rest, "/"), "/")
	for i := range parts {
		parts[i] = unescape(parts[i])
	}

	kind := "b"
	if len(parts) > 1 {
		kind = "o"
	}
	if err := c.begin(Call{serviceStorage, r.Method + " " + kind}); err != nil {
		writeError(w, r, serviceStorage, err)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()

	var err *Error
	switch {
	case !isJSON:
		// The client library reads objects by /bucket/object.
		name, key, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
		err = c.onObject(w, r, name, unescape(key), true)
	case parts[0] == "":
		err = c.onBuckets(w, r)
	case len(parts) == 1:
		err = c.onBucket(w, r, parts[0])
	case len(parts) == 2 && strings.HasPrefix(r.URL.Path, "/upload"):
		err = c.upload(w, r, parts[0])
	case len(parts) == 2:
		err = c.listObjects(w, r, parts[0])
	default:
		err = c.onObject(w, r, parts[0], strings.Join(parts[2:], "/"), r.URL.Query().Get("alt") == "media")
	}
	if err != nil {
		writeError(w, r, serviceStorage, err)
	}
}

// onBuckets makes a bucket or lists those of a project.
func (c *Cloud) onBuckets(w http.ResponseWriter, r *http.Request) *Error {
	project := r.URL.Query().Get("project")
	if r.Method == http.MethodGet {
		items := []any{}
		for _, b := range c.gcs.buckets {
			if b.project == project {
				items = append(items, b.resource)
			}
		}
		writeJSON(w, http.StatusOK, map[string]any{"kind": "storage#buckets", "items": items})
		return nil
	}
	in := map[string]any{}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		return fail(400, "parseError", "%s", err)
	}
	name, _ := in["name"].(string)
	if b := c.gcs.buckets[name]; b != nil {
		if b.project == project {
			return fail(409, "conflict", "Your previous request to create the named bucket succeeded and you already own it.")
		}
		return fail(409, "conflict", "The requested bucket name is not available.")
	}
	if project == "" || len(name) < 3 || len(name) > 63 {
		return fail(400, "invalid", "Invalid bucket name or project: %q, %q", name, project)
	}
	b := &gcsBucket{project: project, resource: in, meta: 1}
	c.gcs.buckets[name] = b
	b.stamp(name)
	writeJSON(w, http.StatusOK, b.resource)
	return nil
}

// stamp fills in what the service says of a bucket.
func (b *gcsBucket) stamp(name string) {
	b.resource["kind"], b.resource["id"], b.resource["name"] = "storage#bucket", name, name
	b.resource["metageneration"] = strconv.FormatInt(b.meta, 10)
	b.resource["projectNumber"] = projectNumber(b.project)
	if b.resource["location"] == nil {
		b.resource["location"] = "US"
	}
}

// projectNumber is a number for a project, made of its name.
func projectNumber(project string) string {
	n := uint32(7)
	for _, r := range project {
		n = n*31 + uint32(r) //nolint:gosec // A hash may overflow.
	}
	return strconv.FormatUint(uint64(n), 10)
}

// onBucket gets, changes or deletes a bucket.
func (c *Cloud) onBucket(w http.ResponseWriter, r *http.Request, name string) *Error {
	b := c.gcs.buckets[name]
	if b == nil {
		return fail(404, "notFound", "The specified bucket does not exist.")
	}
	if want := r.URL.Query().Get("ifMetagenerationMatch"); want != "" && want != strconv.FormatInt(b.meta, 10) {
		return fail(412, "conditionNotMet", "At least one of the pre-conditions you specified did not hold.")
	}
	switch r.Method {
	case http.MethodDelete:
		if len(b.objects) > 0 {
			return fail(409, "conflict", "The bucket you tried to delete is not empty.")
		}
		delete(c.gcs.buckets, name)
		w.WriteHeader(http.StatusNoContent)
		return nil
	case http.MethodPatch, http.MethodPut:
		in := map[string]any{}
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			return fail(400, "parseError", "%s", err)
		}
		merge(b.resource, in)
		b.meta++
		b.stamp(name)
	}
	writeJSON(w, http.StatusOK, b.resource)
	return nil
}

// merge is a JSON merge patch.
func merge(into, patch map[string]any) {
	for k, v := range patch {
		sub, isMap := v.(map[string]any)
		old, wasMap := into[k].(map[string]any)
		switch {
		case v == nil:
			delete(into, k)
		case isMap && wasMap:
			merge(old, sub)
		default:
			into[k] = v
		}
	}
}

// find returns an object: a generation of it, or the live one.
func (b *gcsBucket) find(name, generation string) *gcsObject {
	i := slices.IndexFunc(b.objects, func(o *gcsObject) bool {
		if generation != "" {
			return o.name == name && strconv.FormatInt(o.generation, 10) == generation
		}
		return o.name == name && o.live
	})
	if i < 0 {
		return nil
	}
	return b.objects[i]
}
