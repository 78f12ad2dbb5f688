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

package controller

import (
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	kt "github.com/kubeopera/provider-kubeopera/internal/testing"
)

const (
	// idleSize is how many HostClusters idle, unless the variable envFleet sets
	// another size, and wave how many of them are connected at the same time.
	idleSize = 500
	wave     = 20

	// idlePoll is the provider's default poll interval.
	idlePoll = time.Minute
)

// BenchmarkIdle measures the memory that an idle HostCluster takes, when there
// are many and the provider, a process of its own, runs with its defaults. The
// aim is 300 KiB. Nothing happens on a target once it is Ready.
func BenchmarkIdle(b *testing.B) {
	size := idleSize
	if n, err := strconv.Atoi(os.Getenv(envFleet)); err == nil {
		size = max(n, 1)
	}

	for b.Loop() {
		f := newFleet(b, idlePoll)
		first := f.connect(b, nil, "first", 1)
		heap, rss := f.memory(b)

		for n := 0; n < size; n += wave {
			f.connect(b, first, fmt.Sprintf("wave-%d", n/wave), min(wave, size-n))
		}

		heap2, rss2 := f.memory(b)
		f.profile(b)
		b.ReportMetric((heap2-heap)/float64(size)/1024, "heap-KiB/cluster")
		b.ReportMetric((rss2-rss)/float64(size)/1024, "rss-KiB/cluster")
	}

	b.ReportMetric(0, "ns/op")
}

// connect some HostClusters, and let their targets rest once they are Ready. It
// returns the last one. Helm is left out where there is one to have Flux from:
// it leaves nothing in the provider's memory, but takes the most time.
func (f *fleet) connect(b *testing.B, from *world, name string, n int) *world {
	b.Helper()

	ctx := b.Context()
	worlds := make([]*world, n)

	for i := range worlds {
		worlds[i] = newWorldFor(b, f.cp, f.namespace, fmt.Sprintf("%s-%d", name, i), f.cp.Target(b, kt.Admin()))
		if from != nil {
			worlds[i].bringFlux(ctx, from)
		}

		worlds[i].supply(ctx).create(ctx)
	}

	for _, w := range worlds {
		w.SetDefaultEventuallyTimeout(time.Hour)
		w.SetDefaultEventuallyPollingInterval(time.Second)
		w.ready(ctx)
		w.rest()
	}

	return worlds[n-1]
}
