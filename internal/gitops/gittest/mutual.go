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

package gittest

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"log"
	"net"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"testing"
)

// StartMutualTLS starts the server like StartTLS, for clients that have a
// certificate of a CA. Its newest version of TLS is maxVersion: from 1.3 on a client
// learns only with the first answer that its certificate is not taken.
func (s *Server) StartMutualTLS(tb testing.TB, ca []byte, maxVersion uint16) string {
	tb.Helper()

	behind, err := url.Parse(s.Start(tb))
	if err != nil {
		tb.Fatal(err)
	}

	pair, err := tls.X509KeyPair(s.cert, s.key)
	if err != nil {
		tb.Fatal(err)
	}

	clients := x509.NewCertPool()
	if !clients.AppendCertsFromPEM(ca) {
		tb.Fatal("the clients' CA is no certificate")
	}

	front := httptest.NewUnstartedServer(httputil.NewSingleHostReverseProxy(&url.URL{Scheme: behind.Scheme, Host: behind.Host}))
	front.Listener = patient{front.Listener}
	front.Config.ErrorLog = log.New(io.Discard, "", 0) // It would tell of every client that is refused.
	front.TLS = &tls.Config{
		Certificates: []tls.Certificate{pair}, ClientCAs: clients, ClientAuth: tls.RequireAndVerifyClientCert,
		MinVersion: tls.VersionTLS12, MaxVersion: maxVersion,
	}
	front.StartTLS()
	tb.Cleanup(front.Close)

	return front.URL + behind.Path
}

// patient is a listener whose connections end as they do between machines: what
// was said last is read before the end is noticed. On one machine a client that
// still writes would often learn of the end only.
type patient struct{ net.Listener }

// Accept a connection.
func (p patient) Accept() (net.Conn, error) {
	c, err := p.Listener.Accept()
	if t, ok := c.(*net.TCPConn); ok {
		return lingering{t}, nil
	}

	return c, err
}

type lingering struct{ *net.TCPConn }

// Close our side, and all of it once the other side has closed its own.
func (c lingering) Close() error {
	go func() {
		_, _ = io.Copy(io.Discard, c.TCPConn)
		_ = c.TCPConn.Close()
	}()

	return c.CloseWrite()
}
