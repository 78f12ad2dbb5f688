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

package kubeconfig

import (
	"regexp"
	"strings"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
)

// The only commands that an exec stanza may name. They are not executed: they
// say which kind of cloud token is wanted.
const (
	EKSTokenHelper = "/eks-token-helper"
	GKETokenHelper = "/gke-token-helper"
)

// Helper is a cloud token that a kubeconfig asks for.
type Helper struct {
	// Command is EKSTokenHelper or GKETokenHelper.
	Command string
	// Cluster and Region are the EKS cluster to sign for.
	Cluster string
	Region  string
	// RoleARN and ExternalID are the role to assume first, if any.
	RoleARN    string
	ExternalID string
	// Project is the GCP project, if one is given.
	Project string
}

// helperArg is one argument of a helper.
type helperArg struct {
	set   func(*Helper, string)
	valid *regexp.Regexp
}

// helperArgs are the arguments of each helper, with the form of their values:
// cluster and region become parts of a signed URL.
var helperArgs = map[string]map[string]helperArg{
	EKSTokenHelper: {
		"--cluster-name": {func(h *Helper, v string) { h.Cluster = v }, regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z_-]{0,99}$`)},
		"--region":       {func(h *Helper, v string) { h.Region = v }, regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+){1,6}$`)},
		"--role-arn":     {func(h *Helper, v string) { h.RoleARN = v }, regexp.MustCompile(`^arn:aws[a-z-]*:iam::[0-9]{12}:role/[\w+=,.@/-]{1,576}$`)},
		"--external-id":  {func(h *Helper, v string) { h.ExternalID = v }, regexp.MustCompile(`^[\w+=,.@:/-]{2,1000}$`)},
	},
	GKETokenHelper: {
		"--project": {func(h *Helper, v string) { h.Project = v }, regexp.MustCompile(`^[a-z][a-z0-9:.-]{1,61}[a-z0-9]$`)},
	},
}

func isHelper(command string) bool {
	_, ok := helperArgs[command]
	return ok
}

// parseHelper reads the arguments of a helper, each as --name=value or --name
// value. Values are not shown: people put secrets into the oddest places.
func parseHelper(e execPlugin, user string) (*Helper, error) {
	if e.APIVersion != "client.authentication.k8s.io/v1" && e.APIVersion != "client.authentication.k8s.io/v1beta1" {
		return nil, errors.Errorf("exec apiVersion must be client.authentication.k8s.io/v1 (user %s)", quote(user))
	}
	if !interactive(e) {
		return nil, errors.Errorf("exec interactiveMode is missing: set it to Never (user %s)", quote(user))
	}
	if len(e.Env) > 0 {
		return nil, errors.Errorf("exec env is refused: give %s its arguments, the ProviderConfig has the credentials (user %s)", e.Command, quote(user))
	}

	h := &Helper{Command: e.Command}
	for i := 0; i < len(e.Args); i++ {
		name, value, inline := strings.Cut(e.Args[i], "=")
		arg, ok := helperArgs[e.Command][name]
		if !ok {
			return nil, errors.Errorf("exec argument %d of %s is unknown: see its --help (user %s)", i+1, e.Command, quote(user))
		}
		if !inline && i+1 < len(e.Args) {
			i++
			value = e.Args[i]
		}
		if !arg.valid.MatchString(value) {
			return nil, errors.Errorf("exec argument %s of %s has no usable value (user %s)", name, e.Command, quote(user))
		}
		arg.set(h, value)
	}
	if h.Command == EKSTokenHelper && (h.Cluster == "" || h.Region == "") {
		return nil, errors.Errorf("%s needs --cluster-name and --region (user %s)", h.Command, quote(user))
	}
	return h, nil
}

// interactive says whether an exec stanza has the interactiveMode that
// client-go wants of it: v1 has no default. We ask nobody anything anyway, but
// what we store has to work with kubectl, too.
func interactive(e execPlugin) bool {
	switch e.InteractiveMode {
	case "Never", "IfAvailable", "Always":
		return true
	case "":
		return e.APIVersion != "client.authentication.k8s.io/v1"
	default:
		return false
	}
}
