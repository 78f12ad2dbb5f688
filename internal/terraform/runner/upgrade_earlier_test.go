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
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/kubeopera/provider-kubeopera/internal/terraform/run"
)

// reachable are nodes whose API server answers at a URL.
type reachable struct {
	*nodes

	url  string
	user clientcmdapi.AuthInfo
}

func (r reachable) Kubeconfig(context.Context, string, time.Duration, time.Duration) ([]byte, error) {
	return clientcmd.Write(clientcmdapi.Config{
		Clusters: map[string]*clientcmdapi.Cluster{"it": {Server: r.url}}, AuthInfos: map[string]*clientcmdapi.AuthInfo{"it": &r.user},
		Contexts: map[string]*clientcmdapi.Context{"it": {Cluster: "it", AuthInfo: "it"}}, CurrentContext: "it",
	})
}

// TestUpgradeEarlier: control planes of an earlier release have no version, and
// would not see that they are asked.
func TestUpgradeEarlier(t *testing.T) {
	cases := map[string]struct {
		reason string
		serves string
		user   clientcmdapi.AuthInfo
		to     string
		class  run.Class
		msg    string
	}{
		"Same":    {reason: "It is as before.", serves: "v1.36.2", to: "1.36.2"},
		"Patch":   {reason: "New workers may have a newer patch.", serves: "v1.36.2+vendor", to: "1.36.6"},
		"ByHand":  {reason: "Somebody has upgraded them.", serves: "v1.37.0", to: "1.37.0"},
		"Minor":   {reason: "No worker may be newer.", serves: "v1.36.2", to: "1.37.0", class: run.ClassInvalid, msg: "control planes of an earlier release cannot upgrade themselves from Kubernetes 1.36.2 to 1.37.0: "},
		"Back":    {reason: "Never back.", serves: "v1.37.0", to: "1.36.2", class: run.ClassInvalid, msg: "control planes of an earlier release cannot upgrade themselves from Kubernetes 1.37.0 to 1.36.2: "},
		"Silent":  {reason: "What nobody can tell is not guessed.", to: "1.36.2", class: run.ClassDependency, msg: "cannot ask the cluster for its Kubernetes version: "},
		"Garbage": {reason: "Nor is what is no version.", serves: "x", to: "1.36.2", class: run.ClassInvalid, msg: "control planes of an earlier release cannot upgrade themselves from Kubernetes x"},
		"File": {
			reason: "Whoever writes the parameter must not get a file of ours.", serves: "v1.36.2", to: "1.36.2",
			user:  clientcmdapi.AuthInfo{TokenFile: "/var/run/secrets/kubernetes.io/serviceaccount/token"},
			class: run.ClassDependency, msg: "cannot ask the cluster for its Kubernetes version: tokenFile",
		},
		"Program": {
			reason: "Nor run a program.", serves: "v1.36.2", to: "1.36.2",
			user:  clientcmdapi.AuthInfo{Exec: &clientcmdapi.ExecConfig{APIVersion: "client.authentication.k8s.io/v1", Command: "sh", InteractiveMode: "Never"}},
			class: run.ClassDependency, msg: "cannot ask the cluster for its Kubernetes version: ",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			bad := tc.user.TokenFile != "" || tc.user.Exec != nil
			if !bad {
				tc.user.Token = "theirs"
			}
			asked := false
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				asked = true
				if tc.serves == "" {
					http.Error(w, "starting", http.StatusBadGateway)
					return
				}
				w.Header().Set("Content-Type", "application/json")
				_, _ = fmt.Fprintf(w, `{"major": "1", "gitVersion": %q}`, tc.serves)
			}))
			defer server.Close()
			cloud := &nodes{params: map[string]string{"join/ca": "CA"}}
			err := upgrading(tc.to, reachable{nodes: cloud, url: server.URL, user: tc.user}).upgrade(t.Context())
			if tc.msg == "" && err != nil || tc.msg != "" && (err == nil || !strings.HasPrefix(err.Error(), tc.msg) || classOf(err) != tc.class) {
				t.Errorf("%s\nupgrade(): want %s %q, got %v", tc.reason, tc.class, tc.msg, err)
			}
			if asked && bad {
				t.Errorf("%s\nit was asked", tc.reason)
			}
			if len(cloud.writes) > 0 {
				t.Errorf("%s\nit writes %v", tc.reason, cloud.writes)
			}
		})
	}
}
