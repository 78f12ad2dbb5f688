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

// Command eks-token-helper is a credential plugin of kubectl and client-go for
// EKS. It needs no tool of AWS, and makes no call unless the credentials need one.
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

	"github.com/aws/aws-sdk-go-v2/config"

	"github.com/kubeopera/provider-kubeopera/internal/cloud/aws/assume"
	"github.com/kubeopera/provider-kubeopera/internal/cloud/aws/ekstoken"
	"github.com/kubeopera/provider-kubeopera/internal/cloud/execcredential"
)

// timeout bounds everything. kubectl itself waits for as long as we do.
const timeout = 30 * time.Second

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Getenv(execcredential.InfoEnv), os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "eks-token-helper:", err)
		stop()
		os.Exit(1) //nolint:gocritic // Everything deferred is done.
	}
}

// run writes a token for a cluster to out, and nothing else.
func run(ctx context.Context, args []string, info string, out, log io.Writer) error {
	flags := flag.NewFlagSet("eks-token-helper", flag.ContinueOnError)
	flags.SetOutput(log)
	cluster := flags.String("cluster-name", "", "Name of the EKS cluster (required).")
	region := flags.String("region", "", "Region of the EKS cluster (required).")
	role := assume.Role{}
	flags.StringVar(&role.ARN, "role-arn", "", "ARN of a role to assume first.")
	flags.StringVar(&role.ExternalID, "external-id", "", "External ID that the role asks for.")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return nil
		}
		return err
	}
	if *cluster == "" || *region == "" || flags.NArg() > 0 {
		return errors.New("set --cluster-name and --region, and no other arguments: see --help")
	}
	version, err := execcredential.APIVersion(info)
	if err != nil {
		return err
	}

	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	cfg, err := config.LoadDefaultConfig(ctx, config.WithRegion(*region))
	if err != nil {
		return fmt.Errorf("cannot configure AWS: %w", err)
	}
	if role.ARN != "" {
		cfg.Credentials = assume.Credentials(cfg, role)
	}
	t, err := ekstoken.Presign(ctx, cfg, *cluster)
	if err != nil {
		return err
	}
	return execcredential.Write(out, version, t.Value, t.Expires)
}
