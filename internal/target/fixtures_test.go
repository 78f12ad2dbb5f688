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

package target

import (
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/kubeopera/provider-kubeopera/internal/kubeconfig"
)

var (
	start  = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	secret = types.NamespacedName{Namespace: "team", Name: "hostcluster-a-kubeconfig"}
)

// write writes a kubeconfig with more lines below cluster.
func write(server, lines, token string) string {
	return fmt.Sprintf(`kind: Config
contexts: [{name: a, context: {cluster: a, user: a}}]
clusters:
- name: a
  cluster:
    server: %s
    %s
users: [{name: a, user: {token: %s}}]
`, server, lines, token)
}

func trusting(s *httptest.Server) string {
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
	return "certificate-authority-data: " + base64.StdEncoding.EncodeToString(ca)
}

func parse(t *testing.T, text string) *kubeconfig.Kubeconfig {
	t.Helper()
	k, err := kubeconfig.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// pool makes a Pool with short timeouts, a clock that stands still, and Secrets.
func pool(o Options, secrets ...*corev1.Secret) (*Pool, *clocktesting.FakePassiveClock) {
	c := clocktesting.NewFakePassiveClock(start)
	o.Clock = c
	o.Timeout = or(o.Timeout, 300*time.Millisecond)
	o.DialTimeout = or(o.DialTimeout, 300*time.Millisecond)
	b := fake.NewClientBuilder().WithScheme(NewScheme())
	for _, s := range secrets {
		b = b.WithObjects(s)
	}
	return NewPool(b.Build(), o), c
}

func secretWith(key, value string) *corev1.Secret {
	return &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: secret.Namespace, Name: secret.Name},
		Data:       map[string][]byte{key: []byte(value)},
	}
}

// answer is an API server that gives every request the same answer.
func answer(code int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		_, _ = w.Write([]byte(body)) // The client sees what is missing.
	}
}
