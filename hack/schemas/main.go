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

// Command schemas writes the schemas of the providers that the modules use
// into a folder, trimmed to what the modules use: what their tests check them
// against. It needs OpenTofu or Terraform, and to download the providers.
//
//	go run ./hack/schemas [-out .schemas] [-tofu tofu]
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path"
	"path/filepath"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/hack/schemas/providers"
)

func main() {
	out := flag.String("out", ".schemas", "folder to write to")
	tofu := flag.String("tofu", "", "OpenTofu or Terraform; the default is tofu or terraform in PATH")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := write(ctx, *out, *tofu); err != nil {
		fmt.Fprintln(os.Stderr, "schemas:", err)
		os.Exit(1) //nolint:gocritic // Nothing is left to stop.
	}
}

// write asks each provider for its schema and writes <provider>.json.
func write(ctx context.Context, out, tofu string) error {
	tofu, err := find(tofu)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "schemas-")
	if err != nil {
		return errors.Wrap(err, "cannot make a folder")
	}
	defer os.RemoveAll(dir)

	required := map[string]any{}
	for name, version := range providers.Oldest {
		required[name] = map[string]string{"source": "hashicorp/" + name, "version": version}
	}
	config, err := json.Marshal(map[string]any{"terraform": map[string]any{"required_providers": required}})
	if err != nil {
		return errors.Wrap(err, "cannot write the configuration")
	}
	if err := os.WriteFile(filepath.Join(dir, "main.tf.json"), config, 0o600); err != nil {
		return errors.Wrap(err, "cannot write the configuration")
	}

	if _, err := run(ctx, dir, tofu, "init", "-backend=false", "-input=false", "-no-color"); err != nil {
		return errors.Wrap(err, "cannot download the providers")
	}
	all, err := run(ctx, dir, tofu, "providers", "schema", "-json")
	if err != nil {
		return errors.Wrap(err, "cannot read the schemas")
	}

	return split(all, out)
}

// find returns the program to run.
func find(tofu string) (string, error) {
	if tofu != "" {
		return tofu, nil
	}
	for _, name := range []string{"tofu", "terraform"} {
		if p, err := exec.LookPath(name); err == nil {
			return p, nil
		}
	}

	return "", errors.New("neither tofu nor terraform is in PATH: name one with -tofu")
}

func run(ctx context.Context, dir, program string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, program, args...) //nolint:gosec // The user names the program.
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	if args[0] == "init" {
		cmd.Stdout = os.Stderr
		return nil, cmd.Run()
	}

	return cmd.Output()
}

// split writes a file a provider, without descriptions.
func split(all []byte, out string) error {
	var doc struct {
		Version string                    `json:"format_version"`
		Schemas map[string]map[string]any `json:"provider_schemas"`
	}
	if err := json.Unmarshal(all, &doc); err != nil {
		return errors.Wrap(err, "cannot read the schemas")
	}
	if err := os.MkdirAll(out, 0o750); err != nil {
		return errors.Wrap(err, "cannot make the folder")
	}
	for address, schema := range doc.Schemas {
		name := path.Base(address)
		if providers.Oldest[name] == "" {
			continue
		}
		data, err := json.MarshalIndent(map[string]any{
			"format_version":   doc.Version,
			"provider_schemas": map[string]any{address: trim(schema)},
		}, "", " ")
		if err != nil {
			return errors.Wrap(err, "cannot write the schema of "+name)
		}
		file := filepath.Join(out, name+".json")
		if err := os.WriteFile(file, append(data, '\n'), 0o600); err != nil {
			return errors.Wrap(err, "cannot write the schema of "+name)
		}
		fmt.Println(file)
	}

	return nil
}

// trim keeps resources and data sources, and no descriptions of anything: a
// description is a string, an argument of that name is an object.
func trim(schema map[string]any) map[string]any {
	out := map[string]any{}
	for _, key := range []string{"provider", "resource_schemas", "data_source_schemas"} {
		if v, ok := schema[key]; ok {
			out[key] = undescribed(v)
		}
	}

	return out
}

func undescribed(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for key, inner := range v {
			if _, text := inner.(string); text && (key == "description" || key == "description_kind" || key == "deprecation_message") {
				delete(v, key)
				continue
			}
			v[key] = undescribed(inner)
		}
	case []any:
		// The type of an object: ["object", {"description": "string"}].
		return v
	}

	return v
}
