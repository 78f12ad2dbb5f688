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

// machines asks the sandbox's cloud for machines. Its modules run it where
// those of a real cloud have a provider do so; it is not for people.
//
//	machines "create URL CLUSTER PARAMETER INSTANCE-TYPE"
//	machines "resize URL CLUSTER NODES"
//	machines "delete URL CLUSTER"
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"
)

// timeout bounds a request. A machine takes 15 s on two idle cores, and one that is held as long as a test likes.
const timeout = 30 * time.Minute

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := ask(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "Error:", err)
		os.Exit(1) //nolint:gocritic // stop only forgets the signals
	}
}

// ask makes the request that the words say. Terraform passes all of them as one argument.
func ask(ctx context.Context, args []string) error {
	words := strings.Fields(strings.Join(args, " "))
	if len(words) < 3 {
		return errors.New("cannot tell what is asked for: it takes an action, a URL and a cluster")
	}
	action, endpoint, cluster, rest := words[0], words[1], words[2], words[3:]
	method, query := http.MethodDelete, url.Values{}
	switch {
	case action == "create" && len(rest) == 2:
		method = http.MethodPut
		query = url.Values{"parameter": {rest[0]}, "type": {rest[1]}}
	case action == "resize" && len(rest) == 1:
		method, query = http.MethodPatch, url.Values{"nodes": {rest[0]}}
	case action == "delete" && len(rest) == 0:
	default:
		return fmt.Errorf("cannot %s with %d more words", action, len(rest))
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, endpoint+"/machines/"+cluster+"?"+query.Encode(), http.NoBody) //nolint:gosec // the sandbox's own address
	if err != nil {
		return fmt.Errorf("cannot make the request: %w", err)
	}
	resp, err := http.DefaultClient.Do(req) //nolint:gosec // see above
	if err != nil {
		return fmt.Errorf("cannot reach the sandbox's cloud: %w", err)
	}
	defer resp.Body.Close()
	if resp.StatusCode == http.StatusOK {
		return nil
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, 4096))
	return errors.Join(errors.New(strings.TrimSpace(string(body))), err)
}
