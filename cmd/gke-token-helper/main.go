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

// Command gke-token-helper is a credential plugin of kubectl and client-go for
// GKE. It takes the application-default credentials and needs no tool of Google's.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/oauth2/google"

	"github.com/kubeopera/provider-kubeopera/internal/cloud/execcredential"
)

const (
	// timeout bounds everything. kubectl itself waits for as long as we do.
	timeout = 30 * time.Second
	// scope is what tokens are good for; GKE asks for this one.
	scope = "https://www.googleapis.com/auth/cloud-platform"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Getenv(execcredential.InfoEnv), os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "gke-token-helper:", err)
		stop()
		os.Exit(1) //nolint:gocritic // Everything deferred is done.
	}
}

// run writes a token to out, and nothing else.
func run(ctx context.Context, args []string, info string, out, log io.Writer) error {
	flags := flag.NewFlagSet("gke-token-helper", flag.ContinueOnError)
	flags.SetOutput(log)
	// A token is good for every project that its account may see. The flag says
	// in the kubeconfig which one is meant.
	flags.String("project", "", "Project of the GKE cluster.")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return nil
		}
		return err
	}
	if flags.NArg() > 0 {
		return errors.New("no other arguments are taken: see --help")
	}
	version, err := execcredential.APIVersion(info)
	if err != nil {
		return err
	}

	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	ts, err := google.DefaultTokenSource(ctx, scope)
	if err != nil {
		return fmt.Errorf("cannot find credentials of Google Cloud: %w", err)
	}
	t, err := ts.Token()
	if err != nil {
		return fmt.Errorf("cannot get a token: %w", err)
	}
	return execcredential.Write(out, version, t.AccessToken, t.Expiry)
}
