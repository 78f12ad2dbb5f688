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

package aws

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"io"
	"strings"
	"time"

	sdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ssm"
	"k8s.io/utils/clock"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/internal/cloud"
	"github.com/kubeopera/provider-kubeopera/internal/fault"
)

const (
	// Names of parameters below the prefix of a cluster.
	kubeconfigParameter = "kubeconfig"
	failureParameter    = "failure"

	// gzipMark is how gzip looks in base64.
	gzipMark = "H4sI"
	// compressAbove is the size of SSM's standard parameters, in bytes.
	compressAbove = 4096
	// maxKubeconfig bounds what a compressed kubeconfig may grow to.
	maxKubeconfig = 1 << 20
	// maxFailure bounds what is repeated of a node's last words.
	maxFailure = 1024
)

// Wait says how a kubeconfig is waited for. The zero value asks every 20 s for
// up to 20 minutes, as the product's documents promise.
type Wait struct {
	Every, For time.Duration
	Clock      clock.Clock
}

func (w Wait) withDefaults() Wait {
	if w.Every == 0 {
		w.Every = 20 * time.Second
	}
	if w.For == 0 {
		w.For = 20 * time.Minute
	}
	if w.Clock == nil {
		w.Clock = clock.RealClock{}
	}
	return w
}

// Kubeconfig waits for the kubeconfig that the first control plane leaves below
// a prefix (/kubeopera/<name>/). A node that failed leaves a text there: that
// ends the wait at once. Errors are faults: Failing with the node's own words,
// Denied, or Unhealthy when the time is over.
func Kubeconfig(ctx context.Context, cfg sdk.Config, prefix string, w Wait) ([]byte, error) {
	w = w.withDefaults()
	client := ssm.NewFromConfig(cfg)
	names := []string{prefix + kubeconfigParameter, prefix + failureParameter}
	end := w.Clock.Now().Add(w.For)
	for {
		found, err := client.GetParameters(ctx, &ssm.GetParametersInput{Names: names, WithDecryption: sdk.Bool(true)})
		if err != nil && !cloud.IsTransient(err) {
			return nil, cloud.Wrap(err, "cannot read the parameters of the nodes")
		}
		values := map[string]string{}
		if err == nil {
			for _, p := range found.Parameters {
				values[sdk.ToString(p.Name)] = sdk.ToString(p.Value)
			}
		}
		if v := values[names[0]]; v != "" {
			return Decode(v)
		}
		if v := values[names[1]]; v != "" {
			return nil, fault.Newf(fault.Failing, "a node could not set up Kubernetes: %s", brief(v))
		}
		if !w.Clock.Now().Add(w.Every).Before(end) {
			if err != nil {
				return nil, cloud.Wrap(err, "cannot read the parameters of the nodes")
			}
			return nil, fault.Newf(fault.Unhealthy, "no kubeconfig came within %s: see the first control plane's system log", w.For)
		}
		select {
		case <-ctx.Done():
			return nil, errors.Wrap(ctx.Err(), "cannot wait for the kubeconfig")
		case <-w.Clock.After(w.Every):
		}
	}
}

func brief(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > maxFailure {
		text = strings.ToValidUTF8(text[:maxFailure], "") + "…"
	}
	return text
}

// Encode is a kubeconfig as a node leaves it in a parameter: as it is, or
// compressed if it is larger than a standard parameter.
func Encode(kubeconfig []byte) (string, error) {
	if len(kubeconfig) <= compressAbove {
		return string(kubeconfig), nil
	}
	out := &bytes.Buffer{}
	w := gzip.NewWriter(out)
	if _, err := w.Write(kubeconfig); err != nil {
		return "", errors.Wrap(err, "cannot compress")
	}
	if err := w.Close(); err != nil {
		return "", errors.Wrap(err, "cannot compress")
	}
	return base64.StdEncoding.EncodeToString(out.Bytes()), nil
}

// Decode is the reverse of Encode. It takes line breaks, which base64 makes by default.
func Decode(value string) ([]byte, error) {
	if !strings.HasPrefix(value, gzipMark) {
		return []byte(value), nil
	}
	packed, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(value), ""))
	if err != nil {
		return nil, errors.New("cannot decode the kubeconfig of the first control plane: it is no base64")
	}
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, errors.New("cannot decode the kubeconfig of the first control plane: it is no gzip")
	}
	out, err := io.ReadAll(io.LimitReader(r, maxKubeconfig+1))
	if err != nil {
		return nil, errors.New("cannot decode the kubeconfig of the first control plane: it is cut off")
	}
	if len(out) > maxKubeconfig {
		return nil, errors.New("cannot decode the kubeconfig of the first control plane: it is larger than 1 MiB")
	}
	return out, nil
}

// DeleteParameters deletes all parameters below a prefix. It may be interrupted
// and repeated at any point.
func DeleteParameters(ctx context.Context, cfg sdk.Config, prefix string) error {
	if strings.Count(strings.Trim(prefix, "/"), "/") < 1 {
		return errors.Errorf("cannot delete parameters below %q: that is not one cluster's", prefix)
	}
	client := ssm.NewFromConfig(cfg)
	var token *string
	for {
		// Values stay encrypted: nobody needs them, and no right to the key either.
		page, err := client.GetParametersByPath(ctx, &ssm.GetParametersByPathInput{Path: &prefix, Recursive: sdk.Bool(true), NextToken: token})
		if err != nil {
			return cloud.Wrap(err, "cannot list the parameters below "+prefix)
		}
		names := []string{}
		for _, p := range page.Parameters {
			names = append(names, sdk.ToString(p.Name))
		}
		switch {
		case len(names) > 0:
			if _, err := client.DeleteParameters(ctx, &ssm.DeleteParametersInput{Names: names}); err != nil {
				return cloud.Wrap(err, "cannot delete the parameters below "+prefix)
			}
			token = nil // What was deleted is not listed again.
		case page.NextToken == nil:
			return nil
		default:
			token = page.NextToken // SSM may answer with an empty page.
		}
	}
}
