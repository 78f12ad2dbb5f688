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

package modules

import (
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// moduleNames are the folders that a configuration refers to.
var moduleNames = []string{"compute", "eks", "gcp-network", "gke", "security", "vpc"}

// unused are variables that the built-in modules only declare: they have these
// tags from their provider, which external modules may not.
var unused = map[string]string{"vpc": "tags", "security": "tags", "gcp-network": "labels"}

func TestFolders(t *testing.T) {
	entries, err := fs.ReadDir(Files, ".")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if diff := cmp.Diff(moduleNames, got); diff != "" {
		t.Error(diff)
	}
}

func TestSchemas(t *testing.T) {
	s := loadSchemas(t)
	for _, name := range moduleNames {
		t.Run(name, func(t *testing.T) {
			for _, p := range check(s, readFiles(t, name)).problems {
				if p != "variable "+unused[name]+" is not used" {
					t.Error(p)
				}
			}
		})
	}
}

// TestChecker breaks the modules, one line at a time: each must be found.
func TestChecker(t *testing.T) {
	s := loadSchemas(t)
	cases := map[string]struct {
		reason string
		module string
		from   string
		to     string
		want   string
	}{
		"UnknownResource":   {"A type that no provider has.", "vpc", `resource "aws_eip" "nat"`, `resource "aws_elastic_ip" "nat"`, "resource aws_elastic_ip is not in the provider's schema"},
		"UnknownData":       {"A data source that no provider has.", "eks", `data "aws_partition"`, `data "aws_partitions"`, "data aws_partitions is not in the provider's schema"},
		"UnknownArgument":   {"A misspelt argument.", "vpc", "enable_dns_hostnames", "enable_dns_hostname", "aws_vpc.this has no argument enable_dns_hostname"},
		"UnknownInBlock":    {"The same within a block.", "compute", "http_put_response_hop_limit = 2", "hop_limit = 2", "metadata_options has no argument hop_limit"},
		"UnknownInDynamic":  {"The same within a dynamic block.", "compute", `market_type = "spot"`, `market = "spot"`, "instance_market_options has no argument market"},
		"UnknownBlock":      {"A block that the resource does not have.", "eks", "access_config {", "access_configuration {", "aws_eks_cluster.this has no block access_configuration"},
		"Computed":          {"What the provider computes can not be set.", "eks", `role_arn                  = aws_iam_role.cluster.arn`, "role_arn = aws_iam_role.cluster.arn\n endpoint = \"x\"", "endpoint can not be set"},
		"Deprecated":        {"What goes with the next major version.", "eks", `description = "Nodes of the EKS cluster ${var.cluster_name}"` + "\n  assume", "managed_policy_arns = []\n  assume", "managed_policy_arns is deprecated"},
		"MissingArgument":   {"A required argument that is left out.", "eks", "  role_arn                  = aws_iam_role.cluster.arn\n", "", "aws_eks_cluster.this needs the argument role_arn"},
		"MissingBlock":      {"A required block that is left out.", "eks", "  access_scope {\n    type = \"cluster\"\n  }\n", "", "needs 1 of the block access_scope, and has 0"},
		"TooManyBlocks":     {"A block that may be there once.", "eks", "  access_scope {", "  access_scope {\n type = \"cluster\"\n}\n access_scope {", "takes 1 of the block access_scope, and has 2"},
		"WrongType":         {"A number is no list.", "eks", `enabled_cluster_log_types = ["api", "audit", "authenticator"]`, "enabled_cluster_log_types = 3", "set of string required"},
		"BadAttribute":      {"A reference to what a resource does not have.", "vpc", "aws_internet_gateway.this[0].id", "aws_internet_gateway.this[0].gateway", "has no attribute gateway"},
		"BadNested":         {"The same, deeper.", "eks", "identity[0].oidc[0].issuer", "identity[0].oidc[0].url", "has no attribute url"},
		"BadSplat":          {"The same behind a splat.", "vpc", "aws_subnet.public[*].id", "aws_subnet.public[*].uid", "has no attribute uid"},
		"BadIndexed":        {"The same behind a computed index.", "vpc", "% local.nats].id", "% local.nats].uid", "has no attribute uid"},
		"NoIndex":           {"A counted resource is a list.", "vpc", "aws_vpc.this[0].id\n\n  tags", "aws_vpc.this.id\n\n  tags", "has no attribute id"},
		"NoResource":        {"A reference to nothing.", "vpc", "aws_route_table.public[0].id\n  destination", "aws_route_table.publik[0].id\n  destination", "aws_route_table.publik is not declared"},
		"NoVariable":        {"A variable that is not declared.", "gke", "name               = var.cluster_name", "name               = var.cluster_nam", "variable cluster_nam is not declared"},
		"NoLocal":           {"A local that is not declared.", "gke", "count = local.pools", "count = local.pool", "local pool is not declared"},
		"NoCount":           {"count.index where nothing is counted.", "eks", `addon_name                  = each.value`, `addon_name                  = count.index`, "count is not set here"},
		"NoFunction":        {"A function that Terraform does not have.", "compute", "base64encode(", "base64(", "function base64 is unknown"},
		"BadIgnore":         {"A change of nothing is ignored.", "compute", "ignore_changes = [ami, instance_type, user_data, user_data_base64, subnet_id]", "ignore_changes = [image]", "has no attribute image"},
		"NoType":            {"A variable of any type.", "gke", "type        = string\n  description = \"Machine type", "description = \"Machine type", "variable instance_type has no type"},
		"NoDescription":     {"A variable that nobody explains.", "gke", "  description = \"Machine type of the nodes.\"\n", "", "variable instance_type has no description"},
		"UnusedVariable":    {"A variable that does nothing.", "gke", "spot            = var.spot\n", "", "variable spot is not used"},
		"BadDefault":        {"A default of another type.", "gke", "default     = false", "default     = [1]", "bool required"},
		"BadVariableMember": {"A member that an object variable has not.", "vpc", "var.existing_network.subnet_ids\n  }\n\n  lifecycle", "var.existing_network.subnets\n  }\n\n  lifecycle", "var.existing_network has no attribute subnets"},
		"Syntax":            {"What can not be parsed.", "gke", "locals {", "locals [", "Argument or block definition required"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			files := maps.Clone(readFiles(t, tc.module))
			changed := false
			for _, f := range slices.Sorted(maps.Keys(files)) {
				text := files[f]
				if strings.Contains(text, tc.from) && !changed {
					files[f], changed = strings.Replace(text, tc.from, tc.to, 1), true
				}
			}
			if !changed {
				t.Fatalf("%s\nmodule %s has no %q", tc.reason, tc.module, tc.from)
			}
			got := strings.Join(check(s, files).problems, "\n")
			if !strings.Contains(got, tc.want) {
				t.Errorf("%s\nwant %q, got:\n%s", tc.reason, tc.want, got)
			}
		})
	}
}

// TestPromises checks what schemas can not tell.
func TestPromises(t *testing.T) {
	var texts []string
	for _, name := range moduleNames {
		for _, text := range readFiles(t, name) {
			texts = append(texts, text)
		}
	}
	all := strings.Join(texts, "\n")
	secret := regexp.MustCompile(`variable "[a-z_]*(secret|password|token|credential|access_key|private_key)[a-z_]*"`)
	if got := secret.FindString(all); got != "" {
		t.Errorf("Secrets are no variables, they would be in the state: %s", got)
	}
	if got := strings.Count(all, `"kubernetes.io/cluster/${var.cluster_name}" = "owned"`) - strings.Count(all, "cluster_tag = {"); got != 1 {
		t.Errorf("Exactly one security group has the cluster's tag, not %d", got)
	}
	for what, each := range map[string]string{
		"requires IMDSv2":          `http_tokens\s+= "required"`,
		"lets pods reach IMDS":     `http_put_response_hop_limit = 2`,
		"has an encrypted volume":  `encrypted\s+= "?true"?`,
		"has volumes of that size": `volume_size\s+= var.node_volume_size_gib`,
		"has a volume of type gp3": `volume_type\s+= "gp3"`,
	} {
		machines := len(regexp.MustCompile(`resource "aws_(instance|launch_template)"`).FindAllString(all, -1))
		if got := len(regexp.MustCompile(each).FindAllString(all, -1)); got != machines || machines == 0 {
			t.Errorf("Each of %d machines %s, not %d", machines, what, got)
		}
	}
	for _, want := range []string{
		"deletion_protection = false", `channel = "REGULAR"`, `authentication_mode                         = "API"`,
		`preserve_client_ip     = "false"`, "bootstrap_self_managed_addons = false",
	} {
		if !strings.Contains(all, want) {
			t.Errorf("no module has %s", want)
		}
	}
}
