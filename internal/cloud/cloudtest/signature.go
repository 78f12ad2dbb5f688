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
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
)

const (
	amzDate = "20060102T150405Z"
	// maxSkew is how old a signature may be, as AWS has it.
	maxSkew = 15 * time.Minute
	// maxBody bounds what is read of a request that is no object.
	maxBody = 1 << 20
)

// signature is what a request says about its signature.
type signature struct {
	key, region, service string
	headers              []string
	value, date, token   string
	presigned            bool
}

// signatureOf reads the signature of a request, from its header or its query.
func signatureOf(r *http.Request) (signature, bool) {
	q := r.URL.Query()
	s := signature{}
	var credential, headers string
	if a, ok := strings.CutPrefix(r.Header.Get("Authorization"), "AWS4-HMAC-SHA256 "); ok {
		for part := range strings.SplitSeq(a, ",") {
			k, v, _ := strings.Cut(strings.TrimSpace(part), "=")
			switch k {
			case "Credential":
				credential = v
			case "SignedHeaders":
				headers = v
			case "Signature":
				s.value = v
			}
		}
		s.date, s.token = r.Header.Get("X-Amz-Date"), r.Header.Get("X-Amz-Security-Token")
	} else if q.Get("X-Amz-Algorithm") == "AWS4-HMAC-SHA256" {
		s.presigned = true
		credential, headers, s.value = q.Get("X-Amz-Credential"), q.Get("X-Amz-SignedHeaders"), q.Get("X-Amz-Signature")
		s.date, s.token = q.Get("X-Amz-Date"), q.Get("X-Amz-Security-Token")
	}
	scope := strings.Split(credential, "/")
	if len(scope) != 5 {
		return signature{}, false
	}
	s.key, s.region, s.service = scope[0], scope[2], scope[3]
	s.headers = strings.Split(headers, ";")
	return s, true
}

// authenticate verifies the signature of a request, and says who signed it.
func (c *Cloud) authenticate(r *http.Request, service string) (identity, *Error) {
	s, ok := signatureOf(r)
	if !ok {
		if k := c.options.Keys[0]; c.options.AllowUnsigned {
			return identity{account: k.Account, arn: k.ARN(), region: "us-east-1"}, nil
		}
		return identity{}, fail(403, "MissingAuthenticationToken", "Missing Authentication Token")
	}
	key, arn, err := c.lookup(s.key, s.token)
	if err != nil {
		if service == serviceS3 && err.Code == "InvalidClientTokenId" {
			err = fail(403, "InvalidAccessKeyId", "The AWS Access Key Id you provided does not exist in our records.")
		}
		if service == serviceSSM || service == serviceEKS {
			err = fail(400, "UnrecognizedClientException", "%s", err.Message)
		}
		return identity{}, err
	}
	at, perr := time.Parse(amzDate, s.date)
	if perr != nil || c.options.Clock.Now().Sub(at).Abs() > maxSkew {
		return identity{}, fail(403, "SignatureDoesNotMatch", "Signature expired: %s", s.date)
	}
	want, serr := s.sign(r, key, at)
	if serr != nil || want != s.value {
		return identity{}, fail(403, "SignatureDoesNotMatch", "The request signature we calculated does not match the signature you provided.")
	}
	return identity{account: key.Account, arn: arn, region: s.region}, nil
}

// sign signs a request once more, as the one who sent it should have.
func (s signature) sign(r *http.Request, key Key, at time.Time) (string, error) {
	clone := &http.Request{Method: r.Method, Host: r.Host, URL: &url.URL{Scheme: "http", Host: r.Host, Path: r.URL.Path, RawPath: r.URL.RawPath, RawQuery: r.URL.RawQuery}, Header: http.Header{}}
	for _, h := range s.headers {
		if v := r.Header.Values(h); len(v) > 0 {
			clone.Header[http.CanonicalHeaderKey(h)] = v
		}
	}
	if slices.Contains(s.headers, "content-length") {
		clone.ContentLength = r.ContentLength
	}
	payload := r.Header.Get("X-Amz-Content-Sha256")
	if payload == "" {
		body, err := peek(r)
		if err != nil {
			return "", err
		}
		sum := sha256.Sum256(body)
		payload = hex.EncodeToString(sum[:])
	}

	signer := v4.NewSigner(func(o *v4.SignerOptions) { o.DisableURIPathEscaping = s.service == serviceS3 })
	creds := aws.Credentials{AccessKeyID: key.ID, SecretAccessKey: key.Secret, SessionToken: s.token}
	if !s.presigned {
		if err := signer.SignHTTP(r.Context(), creds, clone, payload, s.service, s.region, at); err != nil {
			return "", err
		}
		_, value, _ := strings.Cut(clone.Header.Get("Authorization"), "Signature=")
		return value, nil
	}

	q := clone.URL.Query()
	for _, k := range []string{"X-Amz-Signature", "X-Amz-Algorithm", "X-Amz-Credential", "X-Amz-Date", "X-Amz-SignedHeaders", "X-Amz-Security-Token"} {
		q.Del(k)
	}
	clone.URL.RawQuery = q.Encode()
	signed, _, err := signer.PresignHTTP(r.Context(), creds, clone, payload, s.service, s.region, at)
	if err != nil {
		return "", err
	}
	u, err := url.Parse(signed)
	if err != nil {
		return "", err
	}
	return u.Query().Get("X-Amz-Signature"), nil
}

// peek reads the body of a request and leaves it readable.
func peek(r *http.Request) ([]byte, error) {
	if r.Body == nil {
		return nil, nil
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBody))
	r.Body = io.NopCloser(bytes.NewReader(body))
	return body, err
}

// param returns a parameter of a query or of a form.
func param(r *http.Request, name string) string {
	if v := r.URL.Query().Get(name); v != "" {
		return v
	}
	if !strings.HasPrefix(r.Header.Get("Content-Type"), "application/x-www-form-urlencoded") {
		return ""
	}
	body, err := peek(r)
	if err != nil {
		return ""
	}
	form, err := url.ParseQuery(string(body))
	if err != nil {
		return ""
	}
	return form.Get(name)
}
