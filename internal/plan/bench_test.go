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

package plan

import (
	"testing"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
)

// BenchmarkPlan plans for an installed cluster, which is what most plans are
// for, and for one on its way. The aim is less than 50 µs.
func BenchmarkPlan(b *testing.B) {
	for name, act := range map[string]func(t *testing.T, w *world){
		"New":       func(*testing.T, *world) {},
		"Installed": func(t *testing.T, w *world) { t.Helper(); w.install(t) },
	} {
		b.Run(name, func(b *testing.B) {
			w := newWorld(v1alpha1.ModeConnectExisting)
			act(&testing.T{}, w)

			in := w.input()

			b.ReportAllocs()

			for b.Loop() {
				if _, err := Plan(in); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
