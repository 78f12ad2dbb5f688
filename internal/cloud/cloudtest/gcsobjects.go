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
	"crypto/md5" //nolint:gosec // Cloud Storage tells the MD5 of each object.
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"hash/crc32"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

func unescape(s string) string {
	out, err := url.PathUnescape(s)
	if err != nil {
		return s
	}
	return out
}

// resource is an object in the words of the API.
func (o *gcsObject) resource(bucket string) map[string]any {
	sum := md5.Sum(o.data) //nolint:gosec // See above.
	crc := binary.BigEndian.AppendUint32(nil, crc32.Checksum(o.data, crc32.MakeTable(crc32.Castagnoli)))
	out := map[string]any{
		"kind": "storage#object", "bucket": bucket, "name": o.name, "size": strconv.Itoa(len(o.data)),
		"generation": strconv.FormatInt(o.generation, 10), "metageneration": "1",
		"md5Hash": base64.StdEncoding.EncodeToString(sum[:]), "crc32c": base64.StdEncoding.EncodeToString(crc),
		"timeCreated": o.at.UTC().Format(time.RFC3339Nano), "updated": o.at.UTC().Format(time.RFC3339Nano),
	}
	if !o.live {
		out["timeDeleted"] = o.at.UTC().Format(time.RFC3339Nano)
	}
	return out
}

// precondition checks the generation of the live object.
func precondition(r *http.Request, o *gcsObject) *Error {
	have := "0"
	if o != nil {
		have = strconv.FormatInt(o.generation, 10)
	}
	q := r.URL.Query()
	match, not := q.Get("ifGenerationMatch"), q.Get("ifGenerationNotMatch")
	if (match != "" && match != have) || (not != "" && not == have) {
		return fail(412, "conditionNotMet", "At least one of the pre-conditions you specified did not hold.")
	}
	return nil
}

// onObject reads or deletes an object. The lock is held.
func (c *Cloud) onObject(w http.ResponseWriter, r *http.Request, bucket, name string, media bool) *Error {
	b := c.gcs.buckets[bucket]
	if b == nil {
		return fail(404, "notFound", "The specified bucket does not exist.")
	}
	generation := r.URL.Query().Get("generation")
	o := b.find(name, generation)
	if o == nil {
		return fail(404, "notFound", "No such object: %s/%s", bucket, name)
	}
	if err := precondition(r, o); err != nil {
		return err
	}
	switch {
	case r.Method == http.MethodDelete:
		if generation == "" && b.versioned() {
			o.live = false
		} else {
			b.objects = slices.DeleteFunc(b.objects, func(x *gcsObject) bool { return x == o })
		}
		w.WriteHeader(http.StatusNoContent)
	case media:
		w.Header().Set("X-Goog-Generation", strconv.FormatInt(o.generation, 10))
		w.Header().Set("X-Goog-Metageneration", "1")
		w.Header().Set("Last-Modified", o.at.UTC().Format(http.TimeFormat))
		w.Header().Set("Content-Type", "application/octet-stream")
		_, _ = w.Write(o.data)
	default:
		writeJSON(w, http.StatusOK, o.resource(bucket))
	}
	return nil
}

// listObjects lists the live objects of a bucket, or all generations.
func (c *Cloud) listObjects(w http.ResponseWriter, r *http.Request, bucket string) *Error {
	b := c.gcs.buckets[bucket]
	if b == nil {
		return fail(404, "notFound", "The specified bucket does not exist.")
	}
	q := r.URL.Query()
	limit := 1000
	if n, err := strconv.Atoi(q.Get("maxResults")); err == nil && n > 0 {
		limit = n
	}
	// A token is the last generation of the page before.
	after, _ := strconv.ParseInt(q.Get("pageToken"), 10, 64)
	items, next := []any{}, ""
	for _, o := range b.objects {
		if o.generation <= after || !strings.HasPrefix(o.name, q.Get("prefix")) || (!o.live && q.Get("versions") != "true") {
			continue
		}
		if len(items) == limit {
			next = strconv.FormatInt(after, 10)
			break
		}
		items = append(items, o.resource(bucket))
		after = o.generation
	}
	out := map[string]any{"kind": "storage#objects", "items": items}
	if next != "" {
		out["nextPageToken"] = next
	}
	writeJSON(w, http.StatusOK, out)
	return nil
}

// upload writes an object that comes in one request.
func (c *Cloud) upload(w http.ResponseWriter, r *http.Request, bucket string) *Error {
	b := c.gcs.buckets[bucket]
	if b == nil {
		return fail(404, "notFound", "The specified bucket does not exist.")
	}
	name, data, err := body(r)
	if err != nil {
		return err
	}
	old := b.find(name, "")
	if err := precondition(r, old); err != nil {
		return err
	}
	if old != nil {
		old.live = false
		if !b.versioned() {
			b.objects = slices.DeleteFunc(b.objects, func(x *gcsObject) bool { return x == old })
		}
	}
	c.gcs.generation++
	o := &gcsObject{name: name, data: data, generation: c.gcs.generation, at: c.options.Clock.Now(), live: true}
	b.objects = append(b.objects, o)
	writeJSON(w, http.StatusOK, o.resource(bucket))
	return nil
}

// body reads the name and the content of an upload.
func body(r *http.Request) (string, []byte, *Error) {
	name := r.URL.Query().Get("name")
	switch kind := r.URL.Query().Get("uploadType"); kind {
	case "media":
		data, err := io.ReadAll(r.Body)
		if err != nil {
			return "", nil, fail(400, "badRequest", "%s", err)
		}
		return name, data, nil
	case "multipart":
		_, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
		if err != nil {
			return "", nil, fail(400, "badRequest", "%s", err)
		}
		parts := [][]byte{}
		for mr := multipart.NewReader(r.Body, params["boundary"]); len(parts) < 2; {
			p, err := mr.NextPart()
			if err != nil {
				return "", nil, fail(400, "badRequest", "%s", err)
			}
			data, err := io.ReadAll(p)
			if err != nil {
				return "", nil, fail(400, "badRequest", "%s", err)
			}
			parts = append(parts, data)
		}
		in := struct {
			Name string `json:"name"`
		}{}
		if err := json.Unmarshal(parts[0], &in); err != nil {
			return "", nil, fail(400, "parseError", "%s", err)
		}
		if in.Name == "" {
			in.Name = name
		}
		return in.Name, parts[1], nil
	default:
		return "", nil, fail(400, "notImplemented", "uploadType %q is not faked", kind)
	}
}
