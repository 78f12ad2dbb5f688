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

// Package run is the contract between those who start a Terraform run and
// terraform-runner, which does it: what a run directory holds, what is read
// from the environment, and what the run publishes.
package run

import (
	"time"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
)

// Version of the contract. A runner refuses every other one.
const Version = 1

// Files of a run directory. The runner writes nothing into it but below
// WorkDir, since a ConfigMap is mounted read-only.
const (
	// SpecFile holds a Spec.
	SpecFile = "run.json"
	// ConfigFile is the rendered configuration. Its modules are ./modules/<name>.
	ConfigFile = "main.tf.json"
)

// Paths in a Job's containers, and what the environment may set in their place.
const (
	// InputDir is where SpecFile and ConfigFile are (--run-dir).
	InputDir = "/run/kubeopera/input"
	// CredentialsDir is where the credentials' files are.
	CredentialsDir = "/run/kubeopera/credentials"
	// WorkDir is where Terraform works, with the modules in WorkDir/modules (--work-dir).
	WorkDir = "/run/kubeopera/work"
)

// Files of CredentialsDir, and keys of the Secret that is mounted there. The
// environment names them in the SDKs' own words (AWS_CONFIG_FILE,
// AWS_SHARED_CREDENTIALS_FILE, AWS_PROFILE, GOOGLE_APPLICATION_CREDENTIALS).
const (
	AWSConfigFile      = "aws-config"
	AWSCredentialsFile = "aws-credentials"
	GCPCredentialsFile = "gcp.json"
	// AWSProfile is the profile that a run uses. Where a role is assumed the
	// profile names it, so that every SDK refreshes the session by itself.
	AWSProfile = "kubeopera"
)

// An Action is what a run does.
type Action string

// The actions.
const (
	Apply   Action = "Apply"
	Destroy Action = "Destroy"
)

// A Spec says what a run does. It holds no secret.
type Spec struct {
	// Version of the contract.
	Version int `json:"version"`
	// ID of the run, unique per cluster and fixed before the run starts.
	ID string `json:"id"`
	// Action of the run.
	Action Action `json:"action"`
	// Cluster is the id of the cluster.
	Cluster string `json:"cluster"`
	// Namespace of the cluster's ProvisionedCluster.
	Namespace string `json:"namespace"`
	// Owner is what the state bucket is tagged with: 32 hexadecimal digits
	// that no other ProvisionedCluster anywhere has.
	Owner string `json:"owner"`
	// Revision is the hash of the rendered configuration.
	Revision string `json:"revision"`
	// Topology of the cluster.
	Topology v1alpha1.Topology `json:"topology"`
	// CloudName is what the cluster and its resources are called in the cloud account.
	CloudName string `json:"cloudName"`
	// Region of the cluster.
	Region string `json:"region"`
	// Project of the cluster, on GCP.
	Project string `json:"project,omitempty"`
	// RoleARN and ExternalID are what EKS kubeconfigs assume for each token.
	RoleARN    string `json:"roleARN,omitempty"`
	ExternalID string `json:"externalID,omitempty"`
	// State says where the state is kept.
	State State `json:"state"`
	// Modules instead of those built in, if set.
	Modules *Modules `json:"modules,omitempty"`
	// Publish says where the run's Status and outputs go.
	Publish Publish `json:"publish"`
	// EndedHolders are the hosts (of a Job: its pods) that earlier runs of
	// this cluster ran on and that have provably ended. A lock that one of
	// them left is stale.
	EndedHolders []string `json:"endedHolders,omitempty"`
}

// State says where Terraform's state is kept.
type State struct {
	// Backend is s3 or gcs.
	Backend string `json:"backend"`
	// Bucket of this cluster alone.
	Bucket string `json:"bucket"`
	// Region of the bucket.
	Region string `json:"region"`
	// Endpoint instead of the cloud's own.
	Endpoint string `json:"endpoint,omitempty"`
	// Key of the state in the bucket (S3), or its prefix (GCS).
	Key string `json:"key"`
}

// Modules says where the Terraform modules come from.
type Modules struct {
	RepoURL string `json:"repoURL"`
	Ref     string `json:"ref"`
}

// Publish names the Secret that a run reports in.
type Publish struct {
	Namespace string `json:"namespace"`
	Secret    string `json:"secret"`
}

// Keys of the Secret that a run publishes. Only a successful Apply has the
// last three.
const (
	StatusKey     = "status.json"
	KubeconfigKey = "kubeconfig"
	EndpointKey   = "endpoint"
	ClusterCAKey  = "clusterCA"
)

// Labels of everything that belongs to a run.
const (
	// LabelRun carries the id of the run.
	LabelRun = "kubeopera.io/run-id"
	// LabelNamespace carries the namespace of the ProvisionedCluster.
	LabelNamespace = "kubeopera.io/host-cluster-namespace"
)

// A Class says what a failed run means for those who wait for it.
type Class string

// The classes. Those that are terminal are not retried until something changes.
const (
	ClassQuota      Class = "Quota"      // A quota or limit of the account: terminal.
	ClassAuth       Class = "Auth"       // Credentials or rights: terminal.
	ClassInvalid    Class = "Invalid"    // Input that the cloud does not take: terminal.
	ClassConflict   Class = "Conflict"   // The state bucket belongs to somebody else: terminal.
	ClassCapacity   Class = "Capacity"   // The cloud has no machines of the kind left.
	ClassLock       Class = "Lock"       // The state is locked by another run.
	ClassDependency Class = "Dependency" // Something else has to go or come first.
	ClassTransient  Class = "Transient"  // Anything that may pass by itself.
)

// IsTerminal tells whether trying again is of no use until somebody acts.
func (c Class) IsTerminal() bool {
	return c == ClassQuota || c == ClassAuth || c == ClassInvalid || c == ClassConflict
}

// A Status is what a run reports while it goes on and when it ends.
type Status struct {
	Version  int    `json:"version"`
	RunID    string `json:"runID"`
	Action   Action `json:"action"`
	Revision string `json:"revision"`
	// Holder is the host that the run is on, as it would show in a lock.
	Holder string `json:"holder,omitempty"`
	// Phase of the run.
	Phase v1alpha1.RunStatus `json:"phase"`
	// Progress of the run: resources done and in total, and the present step.
	Progress v1alpha1.Progress `json:"progress,omitzero"`
	// Error of a run that failed, redacted.
	Error *Error `json:"error,omitempty"`
	// StartedAt and FinishedAt, in UTC.
	StartedAt  time.Time `json:"startedAt,omitzero"`
	FinishedAt time.Time `json:"finishedAt,omitzero"`
}

// An Error says why a run failed. It holds no secret.
type Error struct {
	Class   Class  `json:"class"`
	Message string `json:"message"`
}

// Names of a cluster's Jobs and of what belongs to them, as the product's
// documents spell them.

// JobName is the name of the Job that does an action.
func JobName(a Action, id string) string {
	if a == Destroy {
		return "destroy-" + id
	}
	return "provision-" + id
}

// InputName is the name of the ConfigMap with the run directory.
func InputName(id string) string { return "provision-" + id }

// CredentialsName is the name of the Secret with the credentials' files.
func CredentialsName(id string) string { return "provision-" + id + "-credentials" }

// OutputsName is the name of the Secret that the runs of a cluster report in.
func OutputsName(id string) string { return "provision-" + id + "-outputs" }

// RescueName is the name of the Secret with a state that could not be written
// to its bucket, compressed with gzip under the key errored.tfstate.gz.
func RescueName(id string) string { return "provision-" + id + "-state" }
