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

// Package execcredential is the protocol between client-go and a credential
// plugin. It imports nothing of Kubernetes: a helper starts anew for every token.
package execcredential

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"
)

// InfoEnv is the variable in which client-go says what it asks for.
const InfoEnv = "KUBERNETES_EXEC_INFO"

const (
	kind    = "ExecCredential"
	v1      = "client.authentication.k8s.io/v1"
	v1beta1 = "client.authentication.k8s.io/v1beta1"
)

// credential is an ExecCredential, with the fields that we use.
type credential struct {
	Kind       string   `json:"kind"`
	APIVersion string   `json:"apiVersion"`
	Spec       struct{} `json:"spec"`
	Status     *status  `json:"status,omitempty"`
}

type status struct {
	// Expires is left out if it is not known.
	Expires string `json:"expirationTimestamp,omitempty"`
	Token   string `json:"token"`
}

// APIVersion returns the version that the value of InfoEnv asks for. Without
// one, as on a terminal, it is v1.
func APIVersion(info string) (string, error) {
	if info == "" {
		return v1, nil
	}
	in := credential{}
	if err := json.Unmarshal([]byte(info), &in); err != nil {
		return "", fmt.Errorf("cannot read %s: %w", InfoEnv, err)
	}
	if in.Kind != kind {
		return "", errors.New("cannot read " + InfoEnv + ": it is no " + kind)
	}
	if in.APIVersion != v1 && in.APIVersion != v1beta1 {
		return "", fmt.Errorf("apiVersion %q is unknown: set %s in the kubeconfig", in.APIVersion, v1)
	}
	return in.APIVersion, nil
}

// Write writes a token as client-go reads it. The zero time means that nobody
// knows when it expires.
func Write(w io.Writer, apiVersion, token string, expires time.Time) error {
	out := credential{Kind: kind, APIVersion: apiVersion, Status: &status{Token: token}}
	if !expires.IsZero() {
		out.Status.Expires = expires.UTC().Format(time.RFC3339)
	}
	if err := json.NewEncoder(w).Encode(out); err != nil {
		return fmt.Errorf("cannot write the token: %w", err)
	}
	return nil
}
