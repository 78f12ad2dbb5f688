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

// Package flags reads the options of a program: the command line wins over the
// environment, and that over the defaults.
package flags

import (
	"flag"
	"fmt"
	"io"
	"strings"

	"sigs.k8s.io/controller-runtime/pkg/client/config"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
)

// Variable is the environment variable that stands for a flag: its name in
// capitals. The namespace is the one that the downward API calls POD_NAMESPACE
// everywhere; KUBECONFIG is client-go's own business, so that flag has none.
func Variable(flagName string) string {
	switch flagName {
	case "namespace":
		return "POD_NAMESPACE"
	case config.KubeconfigFlagName:
		return ""
	default:
		return strings.ToUpper(strings.ReplaceAll(flagName, "-", "_"))
	}
}

// Parse fills what the flags stand for. variable tells which variable stands
// for a flag, "" if none does. The error names the flag or the variable that is
// wrong; it is flag.ErrHelp where help was asked for. out takes the help.
func Parse(fs *flag.FlagSet, args []string, getenv, variable func(string) string, out io.Writer) error {
	fs.SetOutput(out)
	fs.Usage = func() { usage(fs, variable) }

	var err error
	fs.VisitAll(func(f *flag.Flag) {
		name := variable(f.Name)
		if name == "" || err != nil || getenv(name) == "" {
			return
		}
		err = errors.Wrapf(fs.Set(f.Name, getenv(name)), "cannot use environment variable %s", name)
	})
	if err != nil {
		return err
	}
	if err := fs.Parse(args); err != nil {
		return err
	}
	if fs.NArg() > 0 {
		return errors.Errorf("cannot use argument %q: there are only flags", fs.Arg(0))
	}
	return nil
}

// usage prints the flags with the variables that stand for them.
func usage(fs *flag.FlagSet, variable func(string) string) {
	fmt.Fprintf(fs.Output(), "Usage: %s [flags]\n\nEach flag may be given as an environment variable, too.\n\n", fs.Name())
	fs.VisitAll(func(f *flag.Flag) {
		value, text := flag.UnquoteUsage(f)
		if f.DefValue != "" && f.DefValue != "false" {
			text += " (default " + f.DefValue + ")"
		}
		if name := variable(f.Name); name != "" {
			text += " [$" + name + "]"
		}
		fmt.Fprintf(fs.Output(), "  --%s %s\n        %s\n", f.Name, value, text)
	})
}
