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

// Command function serves the composition function function-kubeopera.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"

	sdk "github.com/crossplane/function-sdk-go"
	"k8s.io/utils/clock"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/internal/function"
)

func main() {
	o, err := parse(os.Args[1:], os.Getenv, os.Stderr)
	if errors.Is(err, flag.ErrHelp) {
		return
	}

	if err == nil {
		err = o.serve()
	}

	if err != nil {
		fmt.Fprintln(os.Stderr, "function:", err)
		os.Exit(1)
	}
}

// options are what the command line and the environment say.
type options struct {
	address        string
	metricsAddress string
	tlsDir         string
	insecure       bool
	maxRequest     int
	debug          bool
}

// parse the command line. Crossplane says in the environment where it has put
// the certificates. out takes the help.
func parse(args []string, getenv func(string) string, out io.Writer) (options, error) {
	o := options{}
	fs := flag.NewFlagSet("function", flag.ContinueOnError)
	fs.SetOutput(out)
	fs.StringVar(&o.address, "address", sdk.DefaultAddress, "`address` to listen on for gRPC")
	fs.StringVar(&o.metricsAddress, "metrics-address", sdk.DefaultMetricsAddress, "`address` of /metrics; empty for none")
	fs.StringVar(&o.tlsDir, "tls-server-certs-dir", getenv("TLS_SERVER_CERTS_DIR"), "`folder` of tls.crt, tls.key and ca.crt, the authority of those who may call; $TLS_SERVER_CERTS_DIR")
	fs.BoolVar(&o.insecure, "insecure", false, "serve without TLS, to anybody: for crank render on your own machine")
	fs.IntVar(&o.maxRequest, "max-recv-message-size", sdk.DefaultMaxRecvMsgSize/mebi, "largest request, in MiB")
	fs.BoolVar(&o.debug, "debug", false, "log more")

	if err := fs.Parse(args); err != nil {
		return o, err
	}

	if fs.NArg() > 0 {
		return o, errors.Errorf("what is %s? --help lists the flags", strconv.Quote(fs.Arg(0)))
	}

	return o, nil
}

const mebi = 1 << 20

// serve until the process ends.
func (o options) serve() error {
	log, err := sdk.NewLogger(o.debug)
	if err != nil {
		return errors.Wrap(err, "cannot log")
	}

	return sdk.Serve(function.New(log, clock.RealClock{}),
		sdk.Listen(sdk.DefaultNetwork, o.address),
		sdk.MTLSCertificates(o.tlsDir),
		sdk.Insecure(o.insecure),
		sdk.MaxRecvMessageSize(o.maxRequest*mebi),
		sdk.WithMetricsServer(o.metricsAddress))
}
