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
	"log"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
)

// usEast1 is the region that S3 treats in its own ways.
const usEast1 = "us-east-1"

// bucket is what belongs to a bucket besides its objects.
type bucket struct {
	account, region string
	// settings that were put to it, by the name of their subresource.
	settings map[string][]byte
}

// settings of a bucket that are kept as they are put, with the error for those
// that are not there.
var settings = map[string]string{
	"tagging":           "NoSuchTagSet",
	"encryption":        "ServerSideEncryptionConfigurationNotFoundError",
	"publicAccessBlock": "NoSuchPublicAccessBlockConfiguration",
	"ownershipControls": "OwnershipControlsNotFoundError",
	"policy":            "NoSuchBucketPolicy",
	"lifecycle":         "NoSuchLifecycleConfiguration",
}

// tagSet is a set of tags in S3's words.
type tagSet struct {
	XMLName xml.Name `xml:"Tagging"`
	Tags    []tag    `xml:"TagSet>Tag"`
}

type tag struct {
	Key   string `xml:"Key"`
	Value string `xml:"Value"`
}

func newObjects() http.Handler {
	return gofakes3.New(s3mem.New(), gofakes3.WithLogger(gofakes3.StdLog(log.New(io.Discard, "", 0))), gofakes3.WithTimeSkewLimit(0)).Server()
}

// s3Path splits the path of a request, in path style.
func s3Path(r *http.Request) (name, key string) {
	name, key, _ = strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	return name, key
}

// setting returns the subresource of a bucket that a request is about.
func setting(r *http.Request) string {
	for k := range settings {
		if r.URL.Query().Has(k) {
			return k
		}
	}
	return ""
}

func (c *Cloud) serveS3(w http.ResponseWriter, r *http.Request, id identity) {
	name, key := s3Path(r)
	q := r.URL.Query()
	isBucket := name != "" && key == ""
	if isBucket && r.Method == http.MethodPut && setting(r) == "" && !q.Has("versioning") {
		c.createBucket(w, r, id, name)
		return
	}
	if name == "" {
		c.objects.ServeHTTP(w, r)
		return
	}

	b, err := c.bucketOf(r, id, name)
	switch s := setting(r); {
	case err != nil:
		writeError(w, r, serviceS3, err)
	case isBucket && s != "":
		c.serveSetting(w, r, b, s)
	case isBucket && q.Has("location"):
		location := b.region
		if location == usEast1 {
			location = ""
		}
		writeXML(w, http.StatusOK, struct {
			XMLName xml.Name `xml:"LocationConstraint"`
			Region  string   `xml:",chardata"`
		}{Region: location})
	case isBucket && r.Method == http.MethodDelete && !q.Has("uploadId"):
		c.deleteBucket(w, r, name)
	case isBucket && r.Method == http.MethodGet && q.Has("uploads"):
		c.listUploads(w, r, name)
	default:
		if isBucket {
			w.Header().Set("X-Amz-Bucket-Region", b.region)
		}
		c.objects.ServeHTTP(w, r)
	}
}

// bucketOf returns a bucket, if the caller may use it.
func (c *Cloud) bucketOf(r *http.Request, id identity, name string) (*bucket, *Error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	b := c.buckets[name]
	if b == nil {
		return nil, fail(404, "NoSuchBucket", "The specified bucket does not exist")
	}
	want := r.Header.Get("X-Amz-Expected-Bucket-Owner")
	if b.account != id.account || (want != "" && want != b.account) {
		return nil, fail(403, "AccessDenied", "Access Denied")
	}
	return b, nil
}

func (c *Cloud) createBucket(w http.ResponseWriter, r *http.Request, id identity, name string) {
	body, rerr := peek(r)
	if rerr != nil {
		writeError(w, r, serviceS3, fail(400, "IncompleteBody", "%s", rerr))
		return
	}
	in := struct {
		Location string `xml:"LocationConstraint"`
		Tags     []tag  `xml:"Tags>Tag"`
	}{}
	if len(body) > 0 {
		if err := xml.Unmarshal(body, &in); err != nil {
			writeError(w, r, serviceS3, fail(400, "MalformedXML", "%s", err))
			return
		}
	}

	c.mu.Lock()
	defer c.mu.Unlock()
	b := c.buckets[name]
	var err *Error
	switch {
	case len(name) < 3 || len(name) > 63:
		err = fail(400, "InvalidBucketName", "The specified bucket is not valid.")
	case in.Location == usEast1:
		err = fail(400, "InvalidLocationConstraint", "The specified location-constraint is not valid")
	case in.Location != id.region && (in.Location != "" || id.region != usEast1):
		err = fail(400, "IllegalLocationConstraintException", "The %s location constraint is incompatible for the region specific endpoint this request was sent to.", id.region)
	case b != nil && b.account != id.account:
		err = fail(409, "BucketAlreadyExists", "The requested bucket name is not available.")
	case b != nil && b.region == usEast1 && id.region == usEast1:
		// For historical reasons this is no error in us-east-1.
		w.WriteHeader(http.StatusOK)
		return
	case b != nil:
		err = fail(409, "BucketAlreadyOwnedByYou", "Your previous request to create the named bucket succeeded and you already own it.")
	}
	if err != nil {
		writeError(w, r, serviceS3, err)
		return
	}
	c.keepBucket(name, &bucket{account: id.account, region: id.region, settings: map[string][]byte{}}, in.Tags)
	w.Header().Set("Location", "/"+name)
	w.WriteHeader(http.StatusOK)
}

// keepBucket makes a bucket. The lock is held.
func (c *Cloud) keepBucket(name string, b *bucket, tags []tag) {
	if len(tags) > 0 {
		data, err := xml.Marshal(tagSet{Tags: tags})
		if err == nil {
			b.settings["tagging"] = data
		}
	}
	c.buckets[name] = b
	c.forward(http.MethodPut, name)
}

// forward does something to a bucket where the objects are.
func (c *Cloud) forward(method, name string) int {
	rec := httptest.NewRecorder()
	c.objects.ServeHTTP(rec, &http.Request{Method: method, URL: &url.URL{Path: "/" + name}, Header: http.Header{}, Body: http.NoBody})
	return rec.Code
}

func (c *Cloud) deleteBucket(w http.ResponseWriter, r *http.Request, name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if status := c.forward(http.MethodDelete, name); status >= 300 {
		writeError(w, r, serviceS3, fail(409, "BucketNotEmpty", "The bucket you tried to delete is not empty. You must delete all versions in the bucket."))
		return
	}
	delete(c.buckets, name)
	w.WriteHeader(http.StatusNoContent)
}

// serveSetting keeps, returns or removes a setting of a bucket.
func (c *Cloud) serveSetting(w http.ResponseWriter, r *http.Request, b *bucket, name string) {
	body, err := peek(r)
	if err != nil {
		writeError(w, r, serviceS3, fail(400, "IncompleteBody", "%s", err))
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch r.Method {
	case http.MethodPut:
		b.settings[name] = body
		w.WriteHeader(http.StatusOK)
	case http.MethodDelete:
		delete(b.settings, name)
		w.WriteHeader(http.StatusNoContent)
	default:
		data, ok := b.settings[name]
		if !ok {
			writeError(w, r, serviceS3, fail(404, settings[name], "The %s configuration does not exist", name))
			return
		}
		w.Header().Set("Content-Type", "application/xml")
		_, _ = w.Write(data)
	}
}
