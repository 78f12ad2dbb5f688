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
	"net/http"
	"strings"
)

// An EKSCluster that can be described.
type EKSCluster struct {
	Account, Region, Name string
	// Status, such as ACTIVE or CREATING.
	Status string
	// Version is the minor version of Kubernetes.
	Version string
	// Endpoint is the URL of the API server.
	Endpoint string
	// CA is the cluster's certificate authority, in base64.
	CA string
}

// An EKSVersion of Kubernetes on offer.
type EKSVersion struct {
	Version string `json:"clusterVersion"`
	// Status is STANDARD_SUPPORT, EXTENDED_SUPPORT or UNSUPPORTED.
	Status  string `json:"versionStatus"`
	Default bool   `json:"defaultVersion"`
}

func defaultVersions() []EKSVersion {
	return []EKSVersion{
		{Version: "1.37", Status: "STANDARD_SUPPORT"},
		{Version: "1.36", Status: "STANDARD_SUPPORT", Default: true},
		{Version: "1.35", Status: "STANDARD_SUPPORT"},
		{Version: "1.34", Status: "EXTENDED_SUPPORT"},
	}
}

// SetEKSCluster puts a cluster there, or another one in its place.
func (c *Cloud) SetEKSCluster(k EKSCluster) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.clusters[k.Account+"/"+k.Region+"/"+k.Name] = k
}

// SetEKSVersions sets the versions on offer.
func (c *Cloud) SetEKSVersions(v ...EKSVersion) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.versions = v
}

func (c *Cloud) serveEKS(w http.ResponseWriter, r *http.Request, id identity) {
	c.mu.Lock()
	defer c.mu.Unlock()
	name, isCluster := strings.CutPrefix(r.URL.Path, "/clusters/")
	switch {
	case r.Method == http.MethodGet && isCluster:
		k, ok := c.clusters[id.account+"/"+id.region+"/"+name]
		if !ok {
			writeError(w, r, serviceEKS, fail(404, "ResourceNotFoundException", "No cluster found for name: %s.", name))
			return
		}
		writeJSON(w, http.StatusOK, map[string]any{"cluster": map[string]any{
			"name": k.Name, "status": k.Status, "version": k.Version, "endpoint": k.Endpoint,
			"arn":                  "arn:aws:eks:" + k.Region + ":" + k.Account + ":cluster/" + k.Name,
			"certificateAuthority": map[string]string{"data": k.CA},
		}})
	case r.Method == http.MethodGet && r.URL.Path == "/cluster-versions":
		writeJSON(w, http.StatusOK, map[string]any{"clusterVersions": c.versions})
	default:
		writeError(w, r, serviceEKS, fail(400, "InvalidRequestException", "%s %s is not faked", r.Method, r.URL.Path))
	}
}
