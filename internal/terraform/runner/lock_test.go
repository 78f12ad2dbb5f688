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

package runner

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kubeopera/provider-kubeopera/internal/terraform/run"
)

const s3Locked = `Error acquiring the state lock: Error message: operation error S3: PutObject, https response error StatusCode: 412, api error PreconditionFailed
Lock Info:
  ID:        6e4e7d0e-0e12-8a55-3f0c-6b3d2b1c6a77
  Path:      kubeopera-terraform-state-prod/terraform.tfstate
  Operation: OperationTypeApply
  Who:       root@provision-prod-x7k2p
  Version:   1.12.6
  Created:   2026-11-29 22:11:03.123456789 +0000 UTC
  Info:      


OpenTofu acquires a state lock to protect the state from being written`

func TestHolder(t *testing.T) {
	want := holder{
		ID: "6e4e7d0e-0e12-8a55-3f0c-6b3d2b1c6a77", Path: "kubeopera-terraform-state-prod/terraform.tfstate",
		Operation: "OperationTypeApply", Who: "root@provision-prod-x7k2p", Created: "2026-11-29 22:11:03.123456789 +0000 UTC",
	}
	cases := map[string]struct {
		reason, text string
		want         holder
		ok           bool
	}{
		"S3":      {"OpenTofu prints who holds the lock.", s3Locked, want, true},
		"Boxed":   {"Commands for people draw boxes.", "│ Lock Info:\n│   ID:        17\n│   Who:       a@b\n", holder{ID: "17", Who: "a@b"}, true},
		"Nothing": {"Without information nothing is known.", "Error acquiring the state lock: 412", holder{}, false},
		"NoID":    {"A lock without id cannot be broken.", "Lock Info:\n  Who: a@b\n", holder{Who: "a@b"}, false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, ok := parseHolder(tc.text)
			if ok != tc.ok {
				t.Errorf("%s\nparseHolder(): want %t, got %t", tc.reason, tc.ok, ok)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestGone(t *testing.T) {
	cases := map[string]struct {
		reason string
		who    string
		ended  []string
		gone   bool
	}{
		"Ended":    {"A pod that is known to have ended.", "root@pod-1", []string{"pod-0", "pod-1"}, true},
		"Self":     {"This host, whose own lock we have.", "root@here", nil, true},
		"Other":    {"Nothing is known of any other host.", "root@pod-2", []string{"pod-1"}, false},
		"Prefix":   {"A name that only begins alike is another host.", "root@pod-1-x", []string{"pod-1"}, false},
		"AtInUser": {"A user name may have an @.", "a@corp@pod-1", []string{"pod-1"}, true},
		"Nobody":   {"Without a host nothing is known.", "root@", []string{""}, false},
		"Empty":    {"Nor without a holder.", "", []string{""}, false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := (holder{Who: tc.who}).gone(tc.ended, "here"); got != tc.gone {
				t.Errorf("%s\ngone(): want %t, got %t", tc.reason, tc.gone, got)
			}
		})
	}
}

func TestLocked(t *testing.T) {
	h, _ := parseHolder(s3Locked)
	err := h.locked(run.State{Backend: "s3", Bucket: "b", Key: "terraform.tfstate"})
	want := "state locked by root@provision-prod-x7k2p since 2026-11-29 22:11:03.123456789 +0000 UTC (OperationTypeApply): another run is at work; if it has ended for certain, delete terraform.tfstate.tflock from bucket b"
	if diff := cmp.Diff(want, err.Error()); diff != "" {
		t.Errorf("locked(): -want, +got:\n%s", diff)
	}
	if got := classOf(err); got != run.ClassLock {
		t.Errorf("locked(): want class Lock, got %s", got)
	}
}
