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

package target

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"net/url"
	"os"
	"strings"
	"syscall"
	"unicode"
	"unicode/utf8"

	kerrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/internal/fault"
)

// Classify makes a fault of an error of a target's client. Its message begins
// with the kind of error: DNS, Refused, Timeout, TLS, Unauthorized, Forbidden
// or ServerError. What the API server refuses for other reasons (it is not
// found, it conflicts, it is invalid) keeps its message and is Failing. A
// fault stays what it is.
func Classify(err error) error {
	if err == nil || fault.ClassOf(err) != fault.Failing {
		return err
	}
	var status kerrors.APIStatus
	if errors.As(err, &status) {
		return classifyStatus(err)
	}
	return classify(err, hostOf(err))
}

// classifyStatus handles what an API server answered.
func classifyStatus(err error) error {
	code := int32(0)
	var status kerrors.APIStatus
	if errors.As(err, &status) {
		code = status.Status().Code
	}
	switch {
	case kerrors.IsUnauthorized(err):
		return wrap(err, fault.Denied, "Unauthorized: the cluster does not accept the credentials of the kubeconfig")
	case kerrors.IsForbidden(err):
		return wrap(err, fault.Denied, "Forbidden: "+clip(err.Error()))
	case kerrors.IsTooManyRequests(err), kerrors.IsServerTimeout(err), kerrors.IsTimeout(err), code >= 500:
		return wrap(err, fault.Unreachable, "ServerError: "+clip(err.Error()))
	default:
		return wrap(err, fault.Failing, clip(err.Error()))
	}
}

// classify handles what went wrong before an API server answered.
func classify(err error, host string) error {
	var open openError
	if errors.As(err, &open) {
		return wrap(err, fault.ClassOf(classify(open.last, host)), open.msg)
	}
	var (
		moved    redirectError
		dns      *net.DNSError
		op       *net.OpError
		verify   *tls.CertificateVerificationError
		unknown  x509.UnknownAuthorityError
		hostname x509.HostnameError
		invalid  x509.CertificateInvalidError
		record   tls.RecordHeaderError
		alert    tls.AlertError
		timeout  interface{ Timeout() bool }
	)
	switch {
	case errors.As(err, &moved):
		return wrap(err, fault.Denied, "Redirect: "+host+" is no API server, it leads to "+clip(moved.to)+": put the API server's own address into the kubeconfig")
	case errors.As(err, &dns):
		return wrap(err, fault.Unreachable, "DNS: cannot resolve "+dns.Name+": "+dns.Err)
	case errors.As(err, &op) && op.Op == "proxyconnect":
		return wrap(err, fault.Unreachable, "Refused: the proxy does not connect to "+host+": "+clip(op.Err.Error()))
	case errors.Is(err, syscall.ECONNREFUSED):
		return wrap(err, fault.Unreachable, "Refused: nothing listens at "+host)
	case errors.As(err, &unknown):
		return wrap(err, fault.Denied, "TLS: the certificate of "+host+" is not signed by the CA of the kubeconfig")
	case errors.As(err, &hostname):
		return wrap(err, fault.Denied, "TLS: the certificate of "+host+" is for another host: "+clip(hostname.Error()))
	case errors.As(err, &invalid), errors.As(err, &verify):
		return wrap(err, fault.Denied, "TLS: the certificate of "+host+" is not valid: "+clip(root(err).Error()))
	case errors.As(err, &record), strings.Contains(err.Error(), "server gave HTTP response to HTTPS client"):
		return wrap(err, fault.Denied, "TLS: "+host+" does not speak TLS: the kubeconfig's server should begin with http:// or have another port")
	case errors.As(err, &alert), strings.Contains(err.Error(), "remote error: tls: "):
		return wrap(err, fault.Denied, "TLS: "+host+" does not accept the client certificate: "+clip(root(err).Error()))
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return wrap(err, fault.Unreachable, "Timeout: no answer from "+host+" in time")
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return wrap(err, fault.Unreachable, "Refused: there is no route to "+host)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE),
		strings.Contains(err.Error(), "server closed idle connection"):
		return wrap(err, fault.Unreachable, "Refused: "+host+" closes the connection")
	case isNetwork(err):
		return wrap(err, fault.Unreachable, "Refused: cannot connect to "+host+": "+clip(root(err).Error()))
	default:
		return err
	}
}

// isNetwork tells errors of a connection from those of our own code.
func isNetwork(err error) bool {
	var (
		u  *url.Error
		op *net.OpError
	)
	return errors.As(err, &u) || errors.As(err, &op)
}

// hostOf returns the host that a failed request was sent to.
func hostOf(err error) string {
	var u *url.Error
	if errors.As(err, &u) {
		if parsed, perr := url.Parse(u.URL); perr == nil && parsed.Host != "" {
			return parsed.Host
		}
	}
	return "the API server"
}

// root returns the innermost cause. Its message has no URL in it.
func root(err error) error {
	for {
		next := errors.Unwrap(err)
		if next == nil {
			return err
		}
		err = next
	}
}

// clip bounds what somebody else's server can put into our messages.
func clip(s string) string {
	const longest = 300
	s = strings.Join(strings.Fields(s), " ")
	// Invalid UTF-8, and what would control a terminal.
	s = strings.Map(func(r rune) rune {
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, s)
	if len(s) > longest {
		return strings.ToValidUTF8(s[:longest], "") + "…"
	}
	return s
}

// described is an error with a message for people, and its cause for errors.As.
type described struct {
	msg   string
	cause error
}

// Error returns the message for people.
func (d described) Error() string { return d.msg }

// Unwrap returns the cause.
func (d described) Unwrap() error { return d.cause }

func wrap(cause error, c fault.Class, msg string) error {
	return fault.As(described{msg: msg, cause: cause}, c)
}
