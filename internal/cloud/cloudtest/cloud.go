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
	"crypto/rsa"
	"net/http"
	"strings"
	"sync"
	"time"

	"k8s.io/utils/clock"
)

// Options of a cloud. The zero value has one account with DefaultKey.
type Options struct {
	// Keys that are accepted; DefaultKey if there are none.
	Keys []Key
	// Roles that can be assumed.
	Roles []Role
	// AllowUnsigned takes requests without a signature as those of the first
	// key, for stand-ins of command line tools.
	AllowUnsigned bool
	// Clock, the real one by default.
	Clock clock.PassiveClock
}

// A Cloud is the state of a local cloud. It is safe for concurrent use.
type Cloud struct {
	options Options
	objects http.Handler

	mu       sync.Mutex
	sessions map[string]session
	buckets  map[string]*bucket
	params   map[string]*parameter
	clusters map[string]EKSCluster
	versions []EKSVersion
	network  network
	gcs      gcs
	compute  []*ComputeResource
	google   func() *rsa.PrivateKey
	tokens   map[string]time.Time
	calls    []Call
	failures []failure
}

// New makes a local cloud. Its Handler may be served anywhere.
func New(o Options) *Cloud {
	if len(o.Keys) == 0 {
		o.Keys = []Key{DefaultKey}
	}
	if o.Clock == nil {
		o.Clock = clock.RealClock{}
	}
	c := &Cloud{
		options:  o,
		sessions: map[string]session{},
		buckets:  map[string]*bucket{},
		params:   map[string]*parameter{},
		clusters: map[string]EKSCluster{},
		versions: defaultVersions(),
		gcs:      gcs{buckets: map[string]*gcsBucket{}},
		google:   sync.OnceValue(newGoogleKey),
		tokens:   map[string]time.Time{},
	}
	c.objects = newObjects()
	return c
}

// A Call that was made, in the service's own words: {"s3", "PUT tagging"},
// {"ssm", "PutParameter"}, {"storage", "GET b"}.
type Call struct{ Service, Operation string }

// Calls returns the calls that were made so far, in order.
func (c *Cloud) Calls() []Call {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]Call(nil), c.calls...)
}

// failure is what the next calls of an operation get instead of an answer.
type failure struct {
	call  Call
	times int
	err   *Error
}

// Fail makes the next calls of an operation fail. An operation "" is any.
func (c *Cloud) Fail(call Call, times int, err *Error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.failures = append(c.failures, failure{call: call, times: times, err: err})
}

// begin records a call, and returns the failure that was asked for.
func (c *Cloud) begin(call Call) *Error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls = append(c.calls, call)
	for i := range c.failures {
		f := &c.failures[i]
		if f.times > 0 && f.call.Service == call.Service && (f.call.Operation == "" || f.call.Operation == call.Operation) {
			f.times--
			return f.err
		}
	}
	return nil
}

// Handler serves all services of the cloud.
func (c *Cloud) Handler() http.Handler { return http.HandlerFunc(c.serve) }

func (c *Cloud) serve(w http.ResponseWriter, r *http.Request) {
	if isGoogle(r) {
		c.serveGoogle(w, r)
		return
	}

	service := serviceOf(r)
	id, err := c.authenticate(r, service)
	if err == nil {
		err = c.begin(Call{service, operationOf(r, service)})
	}
	if err != nil {
		writeError(w, r, service, err)
		return
	}
	switch service {
	case serviceSTS:
		c.serveSTS(w, r, id)
	case serviceSSM:
		c.serveSSM(w, r, id)
	case serviceEKS:
		c.serveEKS(w, r, id)
	case serviceEC2:
		c.serveEC2(w, r, id)
	case serviceELB:
		c.serveELB(w, r, id)
	default:
		c.serveS3(w, r, id)
	}
}

// Services, by the names that signatures have them.
const (
	serviceS3      = "s3"
	serviceSTS     = "sts"
	serviceSSM     = "ssm"
	serviceEKS     = "eks"
	serviceEC2     = "ec2"
	serviceELB     = "elasticloadbalancing"
	serviceStorage = "storage"
	serviceCompute = "compute"
)

// serviceOf tells which service a request is for: its signature says so, and
// without one its form.
func serviceOf(r *http.Request) string {
	if s, ok := signatureOf(r); ok {
		return s.service
	}
	if strings.HasPrefix(r.Header.Get("X-Amz-Target"), "AmazonSSM.") {
		return serviceSSM
	}
	if param(r, "Action") == "GetCallerIdentity" || param(r, "Action") == "AssumeRole" {
		return serviceSTS
	}
	return serviceS3
}

// operationOf names the operation of a request.
func operationOf(r *http.Request, service string) string {
	switch service {
	case serviceSSM:
		_, op, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
		return op
	case serviceSTS, serviceEC2, serviceELB:
		return param(r, "Action")
	case serviceEKS:
		return r.Method + " " + r.URL.Path
	default:
		return s3Operation(r)
	}
}
