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
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"flag"
	"net"
	"strings"
	"testing"
	"time"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/internal/testing/pki"
)

func TestParse(t *testing.T) {
	certs := func(name string) string { return map[string]string{"TLS_SERVER_CERTS_DIR": "/tls/server"}[name] }

	var help bytes.Buffer

	o, err := parse(nil, certs, &help)
	if err != nil || o.tlsDir != "/tls/server" || o.insecure || o.address != ":9443" {
		t.Errorf("parse of what Crossplane sets: %+v, %v", o, err)
	}

	if o, err = parse([]string{"--tls-server-certs-dir", "/mine", "--insecure"}, certs, &help); err != nil || o.tlsDir != "/mine" || !o.insecure {
		t.Errorf("the command line does not win over the environment: %+v, %v", o, err)
	}

	if _, err = parse([]string{"serve"}, certs, &help); err == nil || !strings.Contains(err.Error(), `"serve"`) {
		t.Errorf("an argument that means nothing: %v", err)
	}

	if _, err = parse([]string{"-h"}, certs, &help); !errors.Is(err, flag.ErrHelp) || !strings.Contains(help.String(), "crank render") {
		t.Errorf("help: %v\n%s", err, help.String())
	}
}

func TestServeNeedsCredentials(t *testing.T) {
	if err := (options{address: "127.0.0.1:0"}).serve(); err == nil {
		t.Error("it serves everybody without being told to")
	}
}

// TestServe answers those that it should, over TLS and without.
func TestServe(t *testing.T) {
	dir := t.TempDir()

	ca, err := pki.New(dir)
	if err != nil {
		t.Fatal(err)
	}

	if err := ca.Issue(pki.Identity{File: "tls", Name: "function", Hosts: []string{"127.0.0.1"}}); err != nil {
		t.Fatal(err)
	}

	client, err := ca.Sign(pki.Identity{Name: "crossplane"})
	if err != nil {
		t.Fatal(err)
	}

	pair, err := tls.X509KeyPair(client.Cert, client.Key)
	if err != nil {
		t.Fatal(err)
	}

	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(ca.Certificate())

	cases := map[string]struct {
		reason string
		server options
		client credentials.TransportCredentials
		want   codes.Code
	}{
		"Insecure": {
			reason: "crank render has no certificate.",
			server: options{insecure: true},
			client: insecure.NewCredentials(),
			want:   codes.OK,
		},
		"TLS": {
			reason: "Crossplane has a certificate of the authority.",
			server: options{tlsDir: dir},
			client: credentials.NewTLS(&tls.Config{RootCAs: roots, Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS13}),
			want:   codes.OK,
		},
		"NoCertificate": {
			reason: "Nobody else may call.",
			server: options{tlsDir: dir},
			client: credentials.NewTLS(&tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS13}),
			want:   codes.Unavailable,
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			o := tc.server
			o.address, o.maxRequest = freeAddress(t), 4
			ended := make(chan error, 1)

			go func() { ended <- o.serve() }() // Until the process ends.

			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			defer cancel()

			for {
				if reachable(ctx, o.address) {
					if got := call(ctx, t, o.address, tc.client); got != tc.want {
						t.Errorf("%s\nwant %s, got %s", tc.reason, tc.want, got)
					}

					return
				}

				select {
				case err := <-ended:
					t.Fatalf("%s\nit ended: %v", tc.reason, err)
				case <-ctx.Done():
					t.Fatal("it does not begin to serve")
				case <-time.After(20 * time.Millisecond):
				}
			}
		})
	}
}

// call the function with an empty request, to which it has an answer.
func call(ctx context.Context, t *testing.T, address string, c credentials.TransportCredentials) codes.Code {
	t.Helper()

	conn, err := grpc.NewClient(address, grpc.WithTransportCredentials(c))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()

	rsp, err := fnv1.NewFunctionRunnerServiceClient(conn).RunFunction(ctx, &fnv1.RunFunctionRequest{})
	if err == nil && len(rsp.GetResults()) != 1 {
		t.Errorf("results: %v", rsp.GetResults())
	}

	return status.Code(err)
}

// reachable tells whether somebody listens at an address.
func reachable(ctx context.Context, address string) bool {
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
	if err != nil {
		return false
	}

	return conn.Close() == nil
}

func freeAddress(t *testing.T) string {
	t.Helper()

	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()

	return l.Addr().String()
}
