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
	"encoding/xml"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// A Bucket as it is seen from outside.
type Bucket struct {
	Account, Region string
	Tags            map[string]string
	// Settings that were put to it, by the name of their subresource, in XML.
	Settings map[string]string
}

// Buckets returns all buckets of S3 by name.
func (c *Cloud) Buckets() map[string]Bucket {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := map[string]Bucket{}
	for name, b := range c.buckets {
		s := Bucket{Account: b.account, Region: b.region, Tags: map[string]string{}, Settings: map[string]string{}}
		for k, v := range b.settings {
			s.Settings[k] = string(v)
		}
		set := tagSet{}
		if data := b.settings["tagging"]; len(data) > 0 && xml.Unmarshal(data, &set) == nil {
			for _, t := range set.Tags {
				s.Tags[t.Key] = t.Value
			}
		}
		out[name] = s
	}
	return out
}

// SetBucket makes a bucket of somebody.
func (c *Cloud) SetBucket(name string, b Bucket) {
	c.mu.Lock()
	defer c.mu.Unlock()
	tags := []tag{}
	for k, v := range b.Tags {
		tags = append(tags, tag{k, v})
	}
	kept := &bucket{account: b.Account, region: b.Region, settings: map[string][]byte{}}
	for k, v := range b.Settings {
		kept.settings[k] = []byte(v)
	}
	c.keepBucket(name, kept, tags)
}

// Object returns what is in a bucket of S3 under a key, and whether there is anything.
func (c *Cloud) Object(bucket, key string) (content string, there bool) {
	rec := c.object(http.MethodGet, bucket, key, "")
	return rec.Body.String(), rec.Code == http.StatusOK
}

// SetObject puts something into a bucket of S3 under a key.
func (c *Cloud) SetObject(bucket, key, content string) {
	c.object(http.MethodPut, bucket, key, content)
}

// RemoveObject removes what is in a bucket of S3 under a key.
func (c *Cloud) RemoveObject(bucket, key string) {
	c.object(http.MethodDelete, bucket, key, "")
}

// object does something to an object, whosever it is.
func (c *Cloud) object(method, bucket, key, content string) *httptest.ResponseRecorder {
	rec := httptest.NewRecorder()
	r := &http.Request{Method: method, URL: &url.URL{Path: "/" + bucket + "/" + key}, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(content))}
	r.Header.Set("Content-Length", strconv.Itoa(len(content)))
	c.objects.ServeHTTP(rec, r)
	return rec
}

// s3Operation names what a request does.
func s3Operation(r *http.Request) string {
	_, key := s3Path(r)
	op := r.Method + " bucket"
	if key != "" {
		op = r.Method + " object"
	}
	for _, k := range append(slices.Collect(maps.Keys(settings)), "versioning", "versions", "uploads", "delete", "location") {
		if r.URL.Query().Has(k) {
			op = r.Method + " " + k
		}
	}
	return op
}

// listUploads lists unfinished uploads. Where there are none S3 has an empty
// list, gofakes3 an error.
func (c *Cloud) listUploads(w http.ResponseWriter, r *http.Request, name string) {
	rec := httptest.NewRecorder()
	c.objects.ServeHTTP(rec, r)
	if rec.Code == http.StatusNotFound {
		writeXML(w, http.StatusOK, struct {
			XMLName   xml.Name `xml:"ListMultipartUploadsResult"`
			Bucket    string
			Truncated bool `xml:"IsTruncated"`
		}{Bucket: name})
		return
	}
	maps.Copy(w.Header(), rec.Header())
	w.WriteHeader(rec.Code)
	_, _ = w.Write(rec.Body.Bytes())
}
