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

package canary

import (
	"encoding/json"
	"maps"
	"strings"

	"sigs.k8s.io/controller-runtime/pkg/metrics"

	kt "github.com/kubeopera/provider-kubeopera/internal/testing"
)

// A secret must be found nowhere but in some Secrets.
type secret struct {
	name  string
	value string
	// at names the Secrets that may hold it, as namespace/name.
	at []string
}

func quoted(s string) string {
	q, err := json.Marshal(s)
	if err != nil {
		return s
	}
	return string(q)
}

// search looks for secrets everywhere.
func (b *bed) search(secrets ...secret) {
	b.Helper()
	places, err := kt.Objects(b.Context(), b.cp.Config)
	b.must(err)
	objects := len(places)
	maps.Copy(places, map[string]string{"the logs": b.logs.String(), "the metrics": b.metrics(), "Git": b.history()})
	var hidden []kt.Hidden
	for _, s := range secrets {
		h := kt.Hidden{Name: s.name, Value: s.value}
		for _, at := range s.at {
			h.At = append(h.At, "Secret "+at)
		}
		hidden = append(hidden, h)
	}
	for _, leak := range kt.Leaks(places, hidden...) {
		b.Error(leak)
	}
	b.Logf("searched %d objects, %d KiB of logs, %d KiB of Git for %d secrets", objects, len(places["the logs"])>>10, len(places["Git"])>>10, len(secrets))
}

func (b *bed) metrics() string {
	b.Helper()
	families, err := metrics.Registry.Gather()
	b.must(err)
	var text strings.Builder
	for _, f := range families {
		text.WriteString(f.String() + "\n")
	}
	return text.String()
}

// history of the Git repositories.
func (b *bed) history() string {
	b.Helper()
	var text strings.Builder
	for _, dir := range b.dirs {
		h, err := kt.History(b.Context(), dir)
		b.must(err)
		text.WriteString(h)
	}
	return text.String()
}
