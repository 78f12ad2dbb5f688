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

package executor

import (
	"net/url"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubeopera/provider-kubeopera/internal/fault"
)

// passed are the variables of the provider that a run gets, too: how to reach
// the cloud, and nothing that is secret.
var passed = []string{
	"AWS_CA_BUNDLE", "SSL_CERT_FILE", "STORAGE_EMULATOR_HOST",
	"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy",
}

// endpointPrefix begins the names of the variables that lead SDKs elsewhere.
const endpointPrefix = "AWS_ENDPOINT_URL"

// PassedOn returns the variables of an environment ("NAME=value") that a run
// gets, in order.
func PassedOn(environ []string) []corev1.EnvVar {
	var vars []corev1.EnvVar
	for _, e := range slices.Sorted(slices.Values(environ)) {
		name, value, _ := strings.Cut(e, "=")
		if value != "" && (slices.Contains(passed, name) || name == endpointPrefix || strings.HasPrefix(name, endpointPrefix+"_")) {
			vars = append(vars, corev1.EnvVar{Name: name, Value: value})
		}
	}
	return vars
}

// withoutPasswords refuses variables that hold a password: a Job's spec may be
// read by many.
func withoutPasswords(vars []corev1.EnvVar) error {
	for _, v := range vars {
		value := v.Value
		if !strings.Contains(value, "://") {
			value = "http://" + value // Proxies may be given without a scheme.
		}
		u, err := url.Parse(value)
		isList := strings.EqualFold(v.Name, "NO_PROXY")
		if isList || err == nil && u.User == nil {
			continue
		}
		if err != nil && !strings.Contains(value, "@") {
			continue
		}
		return fault.Newf(fault.Refused, "%s of the provider holds a password, which a Job's spec would show: use a proxy without one, or execution.mode Local", v.Name)
	}
	return nil
}
