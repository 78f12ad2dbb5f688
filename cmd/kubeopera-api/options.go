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

package main

import (
	"flag"
	"io"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/controller-runtime/pkg/client/config"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/flags"
)

// Values of --environment.
const (
	production  = "production"
	development = "development"
)

// options are what the command line and the environment say.
type options struct {
	environment  string
	address      string
	namespace    string
	jobNamespace string
	certificate  string
	key          string
	audiences    string
	streams      int
	streamsEach  int
	debug        bool
}

// flags returns the flag set that fills the options. Its values are the defaults.
func (o *options) flags() *flag.FlagSet {
	fs := flag.NewFlagSet("kubeopera-api", flag.ContinueOnError)
	fs.StringVar(&o.environment, "environment", production, "`mode` of logging: production (JSON) or development (for people)")
	fs.StringVar(&o.address, "bind-address", ":8080", "`address` to serve at")
	fs.StringVar(&o.namespace, "namespace", v1alpha1.PlatformNamespace, "`namespace` of requests that name none")
	fs.StringVar(&o.jobNamespace, "job-namespace", v1alpha1.ProvisioningNamespace, "`namespace` of Terraform's Jobs, where the provider has not said")
	fs.StringVar(&o.certificate, "tls-cert", "", "`file` with the certificate to serve HTTPS with; it is read again when it changes")
	fs.StringVar(&o.key, "tls-key", "", "`file` with its key")
	fs.StringVar(&o.audiences, "token-audiences", "", "`audiences` that tokens have to be meant for, separated by commas (default: the API server's own)")
	fs.IntVar(&o.streams, "max-log-streams", 64, "`number` of logs that are read at the same time")
	fs.IntVar(&o.streamsEach, "max-log-streams-per-user", 8, "`number` of them of one user")
	fs.BoolVar(&o.debug, "debug", false, "log more")
	config.RegisterFlags(fs) // --kubeconfig
	return fs
}

// parse reads the options: the command line wins over the environment, and that over the defaults.
func parse(args []string, getenv func(string) string, out io.Writer) (options, error) {
	o := options{}
	if err := flags.Parse(o.flags(), args, getenv, flags.Variable, out); err != nil {
		return o, err
	}
	err := o.validate()
	return o, err
}

// validate refuses what would only show later, or never.
func (o *options) validate() error {
	switch {
	case o.environment != production && o.environment != development:
		return errors.Errorf("cannot use --environment=%s: it must be %s or %s", o.environment, production, development)
	case len(validation.IsDNS1123Label(o.namespace)) > 0:
		return errors.Errorf("cannot use --namespace=%s: it must be the name of a namespace", o.namespace)
	case len(validation.IsDNS1123Label(o.jobNamespace)) > 0:
		return errors.Errorf("cannot use --job-namespace=%s: it must be the name of a namespace", o.jobNamespace)
	case (o.certificate == "") != (o.key == ""):
		return errors.New("cannot use --tls-cert without --tls-key, or the other way round")
	case o.streams < 1 || o.streamsEach < 1:
		return errors.New("cannot use --max-log-streams and --max-log-streams-per-user: they must be at least 1")
	}
	return nil
}

// accepted are the audiences of tokens.
func (o *options) accepted() []string {
	return strings.FieldsFunc(o.audiences, func(r rune) bool { return r == ',' || r == ' ' })
}
