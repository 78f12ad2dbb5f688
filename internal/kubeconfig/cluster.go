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
	"crypto/x509"
	"encoding/base64"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
)

// maxURL is the longest URL of a server, in bytes. It has to fit into a status.
const maxURL = 2048

// setCluster takes the address of the API server and how it is trusted.
func (k *Kubeconfig) setCluster(c cluster) error {
	d := c.Cluster

	server, err := parseServer(d.Server, c.Name)
	if err != nil {
		return err
	}
	k.Server = server
	k.config.Host = d.Server

	if d.CertificateAuthority != "" {
		return errors.Errorf("certificate-authority is a file path, and no file is read: put the certificate inline (cluster %s; kubectl config view --flatten does it)", quote(c.Name))
	}
	if d.CertificateAuthorityData != "" && d.InsecureSkipTLSVerify {
		return errors.Errorf("both a CA and insecure-skip-tls-verify are set: remove one of them (cluster %s)", quote(c.Name))
	}
	ca, err := decode(d.CertificateAuthorityData, "certificate-authority-data")
	if err != nil {
		return err
	}
	if len(ca) > 0 && !x509.NewCertPool().AppendCertsFromPEM(ca) {
		return errors.Errorf("certificate-authority-data holds no PEM certificate (cluster %s)", quote(c.Name))
	}
	k.config.CAData = ca
	k.config.Insecure = d.InsecureSkipTLSVerify
	k.config.ServerName = d.TLSServerName
	k.config.DisableCompression = d.DisableCompression

	return k.setProxy(d.ProxyURL)
}

func parseServer(server, cluster string) (*url.URL, error) {
	if server == "" {
		return nil, errors.Errorf("server is missing: the cluster %s needs the URL of its API server", quote(cluster))
	}
	u, err := url.Parse(server)
	switch {
	case len(server) > maxURL:
		return nil, errors.Errorf("server is too long: %d characters, and %d are allowed (cluster %s)", len(server), maxURL, quote(cluster))
	case err != nil:
		// The error quotes the URL, which may hold a password.
		return nil, errors.Errorf("server is not a URL: it looks like https://host:6443 (cluster %s)", quote(cluster))
	case u.User != nil:
		return nil, errors.Errorf("server holds a user or password: put credentials into the user instead (cluster %s)", quote(cluster))
	case u.Scheme != "https" && u.Scheme != "http":
		return nil, errors.Errorf("server does not start with https://: write it like https://host:6443 (cluster %s)", quote(cluster))
	case u.Hostname() == "":
		return nil, errors.Errorf("server names no host: write it like https://host:6443 (cluster %s)", quote(cluster))
	case !validPort(u.Port()):
		return nil, errors.Errorf("server has an impossible port: write it like https://host:6443 (cluster %s)", quote(cluster))
	case u.RawQuery != "" || u.Fragment != "":
		return nil, errors.Errorf("server has a query or fragment: keep only https://host:port/path (cluster %s)", quote(cluster))
	default:
		return u, nil
	}
}

func validPort(port string) bool {
	if port == "" {
		return true
	}
	n, err := strconv.ParseUint(port, 10, 16)
	return err == nil && n > 0
}

// setProxy takes the proxy to reach the server through. Without one, the
// proxy settings of the process's environment hold, as for kubectl.
func (k *Kubeconfig) setProxy(proxy string) error {
	if proxy == "" {
		return nil
	}
	u, err := url.Parse(proxy)
	if err != nil || u.Hostname() == "" || !validPort(u.Port()) {
		return errors.New("proxy-url is not a URL: it looks like http://host:3128")
	}
	switch u.Scheme {
	case "http", "https", "socks5":
		k.config.Proxy = http.ProxyURL(u)
		return nil
	default:
		return errors.Errorf("proxy-url has the scheme %s: http, https and socks5 are supported", quote(u.Scheme))
	}
}

// loopback says whether a host leads back to the machine that asks. Docker
// Desktop's names do so on the machine that they are meant for.
func loopback(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	switch host {
	case "localhost", "kubernetes.docker.internal", "host.docker.internal":
		return true
	}
	if strings.HasSuffix(host, ".localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && (ip.Unmap().IsLoopback() || ip.IsUnspecified())
}

// decode decodes a base64 field, which may be wrapped over several lines.
func decode(s, field string) ([]byte, error) {
	if s == "" {
		return nil, nil
	}
	b, err := base64.StdEncoding.DecodeString(s)
	if err != nil {
		return nil, errors.Errorf("%s is not base64: encode the PEM text once", field)
	}
	return b, nil
}
