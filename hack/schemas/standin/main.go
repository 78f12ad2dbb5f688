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

// Command standin is a Terraform provider that has another one's schema and
// makes nothing: what the real one computes it makes up. With it OpenTofu
// itself validates, plans and applies configurations where the real provider
// can not be downloaded. It tells nothing about the cloud behind.
//
// It is started as terraform-provider-<name>, and reads $SCHEMAS_DIR/<name>.json.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"
)

func main() {
	name, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(os.Args[0]), "terraform-provider-"), "_")
	s, err := load(filepath.Join(os.Getenv("SCHEMAS_DIR"), name+".json"))
	if err == nil {
		address := "registry.opentofu.org/hashicorp/" + name
		err = tf6server.Serve(address, func() tfprotov6.ProviderServer { return &server{schemas: s} })
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "standin:", err)
		os.Exit(1)
	}
}
