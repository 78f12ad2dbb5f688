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

package web

import (
	"context"
	"crypto/tls"
	"log"
	"net"
	"net/http"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/certwatcher"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/logging"
)

// Bounds of a connection. A log that is followed sets its own.
const (
	headerTimeout = 10 * time.Second
	readTimeout   = 20 * time.Second
	answerTimeout = 60 * time.Second
	idleTimeout   = 2 * time.Minute
	maxHeader     = 32 << 10

	// stopTimeout bounds the wait for requests that run. It is less than the
	// 30 s after which Kubernetes kills a pod.
	stopTimeout = 20 * time.Second
)

// A Server serves HTTP, or HTTPS if it has a certificate.
type Server struct {
	Handler http.Handler
	// Certificate and Key are files. They are read again when they change.
	Certificate, Key string
	Log              logging.Logger
}

// Serve until the context ends, and then until what runs is answered.
func (s Server) Serve(ctx context.Context, l net.Listener) error {
	srv := &http.Server{
		Handler:           s.Handler,
		ReadHeaderTimeout: headerTimeout,
		ReadTimeout:       readTimeout,
		WriteTimeout:      answerTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          log.New(lines{s.Log}, "", 0),
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if s.Certificate != "" {
		var err error
		if srv.TLSConfig, err = s.tls(ctx); err != nil {
			return err
		}
	}

	ended := make(chan error, 1)
	go func() {
		if srv.TLSConfig != nil {
			ended <- srv.ServeTLS(l, "", "")
			return
		}
		ended <- srv.Serve(l)
	}()
	select {
	case err := <-ended:
		return errors.Wrap(err, "cannot serve")
	case <-ctx.Done():
	}
	stopping, stop := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
	defer stop()
	if err := srv.Shutdown(stopping); err != nil {
		return errors.Wrap(errors.Join(err, srv.Close()), "cannot wait for the last requests")
	}
	return nil
}

// tls follows the certificate's files.
func (s Server) tls(ctx context.Context) (*tls.Config, error) {
	w, err := certwatcher.New(s.Certificate, s.Key)
	if err != nil {
		return nil, errors.Wrap(err, "cannot read the certificate of --tls-cert and --tls-key")
	}
	go func() {
		if err := w.Start(ctx); err != nil {
			s.Log.Info("Cannot follow the certificate's files: restart when they change", "error", err.Error())
		}
	}()
	return &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: w.GetCertificate}, nil
}

// lines hands the server's own messages to a log: handshakes that fail, and the like.
type lines struct{ log logging.Logger }

func (l lines) Write(p []byte) (int, error) {
	l.log.Debug("Server", "message", string(p))
	return len(p), nil
}
