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

import "testing"

func TestObject(t *testing.T) {
	c := New(Options{})
	c.SetBucket("state", Bucket{Account: DefaultKey.Account, Region: "eu-central-1"})
	look := func(reason, want string, wantThere bool) {
		t.Helper()
		if got, there := c.Object("state", "a/key"); there != wantThere || there && got != want {
			t.Errorf("%s: want %q, %v, got %q, %v", reason, want, wantThere, got, there)
		}
	}
	look("nothing was put there", "", false)
	c.SetObject("state", "a/key", "content")
	look("what was put there is there", "content", true)
	c.SetObject("state", "a/key", "other content")
	look("the last one counts", "other content", true)
	c.RemoveObject("state", "a/key")
	look("what was removed is gone", "", false)
}
