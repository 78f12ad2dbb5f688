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

// Package render makes the Terraform configuration of a cluster: pure, the
// same input gives the same bytes, and what comes out is meant to be read.
package render

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/fault"
	"github.com/kubeopera/provider-kubeopera/internal/terraform/names"
	"github.com/kubeopera/provider-kubeopera/internal/terraform/run"
)

// Versions of what the configuration is for.
const (
	// terraformVersion: Terraform 1.10 and OpenTofu 1.10 brought use_lockfile.
	terraformVersion = ">= 1.10.0"
	// awsVersion and googleVersion are those that the modules were checked
	// against; a next major version may change what an argument means.
	awsVersion    = "~> 6.47"
	googleVersion = "~> 7.45"
)

// An Input is what a configuration is made from. It holds no secret, so none
// can come out.
type Input struct {
	// ID of the cluster, for its tags.
	ID string
	// CloudName is what the cluster is called in the cloud account, names.CloudName(ID).
	CloudName string
	// Cluster says what cluster to make.
	Cluster v1alpha1.ProvisionedClusterParameters
	// Project of the cluster, on GCP.
	Project string
	// RoleARN of the role that makes the cluster and gets into it, if one is
	// assumed; else that is whoever runs Terraform.
	RoleARN string
	// State says where Terraform's state is kept.
	State run.State
	// External modules bring their own providers and their configuration.
	External bool
}

// An Output is a configuration.
type Output struct {
	// Config is main.tf.json. Its modules are ./modules/<name>.
	Config []byte
	// Revision is the SHA-256 of Config in hexadecimal digits.
	Revision string
}

// Render makes the configuration of a cluster. What can not be made is a
// Refused fault that says what to change.
func Render(in Input) (Output, error) {
	c := &cluster{Input: in, tags: tags(in)}
	if err := c.check(); err != nil {
		return Output{}, err
	}

	var err error
	var body object
	switch in.Cluster.Topology {
	case v1alpha1.TopologyVanilla:
		body, err = c.vanilla()
	case v1alpha1.TopologyEKS:
		body = c.eks()
	case v1alpha1.TopologyGKE:
		body, err = c.gke()
	default:
		err = fault.Newf(fault.Refused, "topology %q is unknown: use vanilla_kubeadm, eks or gke", in.Cluster.Topology)
	}
	if err != nil {
		return Output{}, err
	}

	body["//"] = fmt.Sprintf("Made by %s for the cluster %s. What is changed here is lost.", names.ManagedBy, in.ID)
	body["terraform"] = c.terraform()
	if p := c.provider(); p != nil && !in.External {
		body["provider"] = p
	}
	config, err := body.bytes()
	if err != nil {
		return Output{}, err
	}
	sum := sha256.Sum256(config)

	return Output{Config: config, Revision: hex.EncodeToString(sum[:])}, nil
}

// A cluster is an Input with what follows from it.
type cluster struct {
	Input

	tags    map[string]string
	version version
}

func (c *cluster) onGCP() bool { return c.Cluster.Topology == v1alpha1.TopologyGKE }

// terraform says where the state is kept and which providers are used.
func (c *cluster) terraform() object {
	t := object{"required_version": terraformVersion, "backend": object{c.State.Backend: backend(c.State)}}
	switch {
	case c.External:
	case c.onGCP():
		t["required_providers"] = object{"google": object{"source": "hashicorp/google", "version": googleVersion}}
	default:
		t["required_providers"] = object{"aws": object{"source": "hashicorp/aws", "version": awsVersion}}
	}

	return t
}

// provider is the configuration of the built-in modules' provider. Its
// credentials come from the environment.
func (c *cluster) provider() object {
	if c.onGCP() {
		region, _ := gcpLocation(c.Cluster.Region)
		return object{"google": object{"project": c.Project, "region": region, "default_labels": c.tags}}
	}

	return object{"aws": object{"region": c.Cluster.Region, "default_tags": object{"tags": c.tags}}}
}

// backend is the configuration of the state's backend.
func backend(s run.State) object {
	if s.Backend == backendGCS {
		b := object{"bucket": s.Bucket, "prefix": s.Key}
		if s.Endpoint != "" {
			b["storage_custom_endpoint"] = s.Endpoint
		}

		return b
	}

	b := object{"bucket": s.Bucket, "key": s.Key, "region": s.Region, "use_lockfile": true, "encrypt": true}
	if s.Endpoint != "" {
		b["endpoints"] = object{"s3": s.Endpoint}
		b["use_path_style"] = true
		// What only AWS itself has is not asked for.
		for _, skip := range []string{"credentials_validation", "metadata_api_check", "region_validation", "requesting_account_id", "s3_checksum"} {
			b["skip_"+skip] = true
		}
		delete(b, "encrypt")
	}

	return b
}
