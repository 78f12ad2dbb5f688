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

package runner

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kubeopera/provider-kubeopera/internal/terraform/run"
)

// TestClassify has diagnostics as AWS' and Google's providers, their backends
// and OpenTofu itself print them.
func TestClassify(t *testing.T) {
	cases := map[string]struct {
		text  string
		class run.Class
	}{
		"AWSVcpuLimit": {
			"creating EC2 Instance: operation error EC2: RunInstances, https response error StatusCode: 400, RequestID: 1b, api error VcpuLimitExceeded: You have requested more vCPU capacity than your current vCPU limit of 32 allows for the instance bucket that the specified instance type belongs to.",
			run.ClassQuota,
		},
		"AWSAddressLimit": {
			"creating EC2 EIP: operation error EC2: AllocateAddress, https response error StatusCode: 400, RequestID: 2, api error AddressLimitExceeded: The maximum number of addresses has been reached.",
			run.ClassQuota,
		},
		"AWSVpcLimit": {
			"creating EC2 VPC: operation error EC2: CreateVpc, https response error StatusCode: 400, RequestID: 3, api error VpcLimitExceeded: The maximum number of VPCs has been reached.",
			run.ClassQuota,
		},
		"AWSNatLimit": {
			"creating EC2 NAT Gateway: operation error EC2: CreateNatGateway, api error NatGatewayLimitExceeded: The maximum number of NAT Gateways has been reached.",
			run.ClassQuota,
		},
		"EKSClusterLimit": {
			"creating EKS Cluster (ko-prod): operation error EKS: CreateCluster, https response error StatusCode: 400, RequestID: 4, ResourceLimitExceededException: You've reached the limit on clusters.",
			run.ClassQuota,
		},
		"ELBLimit": {
			"creating ELBv2 network Load Balancer (ko-prod-api): operation error Elastic Load Balancing v2: CreateLoadBalancer, TooManyLoadBalancers: The maximum number of load balancers has been reached",
			run.ClassQuota,
		},
		"IAMLimit": {
			"creating IAM Role (ko-prod-node): operation error IAM: CreateRole, https response error StatusCode: 409, RequestID: 5, LimitExceeded: Cannot exceed quota for RolesPerAccount: 1000",
			run.ClassQuota,
		},
		"AWSSpotLimit": {
			"creating EC2 Instance: MaxSpotInstanceCountExceeded: Max spot instance count exceeded",
			run.ClassQuota,
		},
		"GCPQuota": {
			"Error waiting for creating GKE NodePool: Insufficient regional quota to satisfy request: resource \"CPUS\": request requires '24.0' and is short '12.0'.",
			run.ClassQuota,
		},
		"GCPQuotaExceeded": {
			"Error creating Network: googleapi: Error 403: QUOTA_EXCEEDED - Quota 'NETWORKS' exceeded.  Limit: 5.0 globally., quotaExceeded",
			run.ClassQuota,
		},
		"GCPQuotaWords": {
			"Error waiting to create Address: Quota 'IN_USE_ADDRESSES' exceeded.  Limit: 8.0 in region europe-west1.",
			run.ClassQuota,
		},

		"AWSCapacity": {
			"creating EC2 Instance: operation error EC2: RunInstances, api error InsufficientInstanceCapacity: We currently do not have sufficient m5.xlarge capacity in the Availability Zone you requested (eu-central-1a).",
			run.ClassCapacity,
		},
		"EKSZone": {
			"creating EKS Cluster (ko-prod): UnsupportedAvailabilityZoneException: Cannot create cluster 'ko-prod' because us-east-1e, the targeted availability zone, does not currently have sufficient capacity to support the cluster.",
			run.ClassCapacity,
		},
		"AWSAddresses": {
			"creating EC2 Network Interface: api error InsufficientFreeAddressesInSubnet: There are not enough free addresses in subnet 'subnet-1' to satisfy the requested number of private IPs.",
			run.ClassCapacity,
		},
		"GCPStockout": {
			"Error waiting for creating GKE NodePool: Google Compute Engine: The zone 'projects/p/zones/europe-west1-b' does not have enough resources available to fulfill the request. (resource type:compute)",
			run.ClassCapacity,
		},
		"GCPPool": {"Error code ZONE_RESOURCE_POOL_EXHAUSTED_WITH_DETAILS, message: try a different zone", run.ClassCapacity},

		"AWSUnauthorized": {
			"creating EC2 VPC: operation error EC2: CreateVpc, https response error StatusCode: 403, RequestID: 6, api error UnauthorizedOperation: You are not authorized to perform this operation. User: arn:aws:iam::1:user/x is not authorized to perform: ec2:CreateVpc",
			run.ClassAuth,
		},
		"AWSNoCredentials": {"No valid credential sources found: Please see https://opentofu.org/docs for more information about providing credentials.", run.ClassAuth},
		"AWSToken":         {"validating provider credentials: retrieving caller identity from STS: operation error STS: GetCallerIdentity, https response error StatusCode: 403, RequestID: 7, api error InvalidClientTokenId: The security token included in the request is invalid.", run.ClassAuth},
		"AWSRole":          {"Cannot assume IAM Role: operation error STS: AssumeRole, https response error StatusCode: 403, api error AccessDenied: User: arn:aws:iam::1:user/x is not authorized to perform: sts:AssumeRole", run.ClassAuth},
		"AWSOptIn":         {"creating EC2 Instance: api error OptInRequired: You are not subscribed to this service.", run.ClassAuth},
		"GCPPermission":    {"Error creating Network: googleapi: Error 403: Required 'compute.networks.create' permission for 'projects/p/global/networks/n', forbidden", run.ClassAuth},
		"GCPDisabled":      {"Error creating Cluster: googleapi: Error 403: Kubernetes Engine API has not been used in project 1 before or it is disabled., accessNotConfigured", run.ClassAuth},
		"GCPGrant":         {"oauth2: \"invalid_grant\" \"Invalid JWT Signature.\"", run.ClassAuth},

		"AWSThrottling":    {"reading EC2 Instance: api error RequestLimitExceeded: Request limit exceeded.", run.ClassTransient},
		"AWSThrottled":     {"reading IAM Role: api error Throttling: Rate exceeded", run.ClassTransient},
		"GCPRate":          {"googleapi: Error 403: Quota exceeded for quota metric 'Read requests' and limit 'Read requests per minute' of service 'compute.googleapis.com', rateLimitExceeded", run.ClassTransient},
		"AWSExpired":       {"reading EC2 VPC: api error ExpiredToken: The security token included in the request is expired", run.ClassTransient},
		"AWSUnavailable":   {"creating EC2 Subnet: https response error StatusCode: 503, RequestID: 8, api error ServiceUnavailable: Service is unavailable.", run.ClassTransient},
		"Network":          {"Failed to save state: Error saving state: failed to upload state: operation error S3: PutObject, dial tcp 127.0.0.1:1: connect: connection refused", run.ClassTransient},
		"Timeout":          {"waiting for EKS Node Group (ko-prod:workers) create: timeout while waiting for state to become 'ACTIVE' (last state: 'CREATING', timeout: 1h0m0s)", run.ClassTransient},
		"GCPBackend":       {"Error waiting for creating GKE cluster: googleapi: Error 503: The service is currently unavailable., backendError", run.ClassTransient},
		"Registry":         {"Failed to query available provider packages: Could not retrieve the list of available versions for provider hashicorp/aws", run.ClassTransient},
		"SomethingStrange": {"The plugin encountered an error, and failed to respond to the plugin.(*GRPCProvider).ApplyResourceChange call.", run.ClassTransient},

		"AWSDependency": {
			"deleting EC2 VPC (vpc-1): operation error EC2: DeleteVpc, https response error StatusCode: 400, RequestID: 9, api error DependencyViolation: The vpc 'vpc-1' has dependencies and cannot be deleted.",
			run.ClassDependency,
		},
		"AWSGroup":      {"deleting Security Group (sg-1): api error DependencyViolation: resource sg-1 has a dependent object", run.ClassDependency},
		"EKSNodegroups": {"deleting EKS Cluster (ko-prod): ResourceInUseException: Cluster has nodegroups attached", run.ClassDependency},
		"IAMConflict":   {"deleting IAM Role (x): api error DeleteConflict: Cannot delete entity, must detach all policies first.", run.ClassDependency},
		"GCPInUse": {
			"Error waiting for Deleting Network: The network resource 'projects/p/global/networks/n' is already being used by 'projects/p/global/firewalls/k8s-fw', resourceInUseByAnotherResource",
			run.ClassDependency,
		},

		"AWSParameter": {"creating EC2 Instance: api error InvalidParameterValue: The instance type m9.huge does not exist", run.ClassInvalid},
		"AWSType":      {"creating EC2 Instance: api error Unsupported: InvalidInstanceType: not here", run.ClassInvalid},
		"EKSVersion":   {"creating EKS Cluster (ko-prod): InvalidParameterException: unsupported Kubernetes version", run.ClassInvalid},
		"GCPVersion":   {"googleapi: Error 400: Master version \"1.31.0\" is unsupported., badRequest", run.ClassInvalid},
		"HCL":          {"Unsupported argument: An argument named \"nodes\" is not expected here.", run.ClassInvalid},
		"HCLJSON":      {"Extraneous JSON object property: No argument or block type is named \"tags\".", run.ClassInvalid},
		"Module":       {"Unreadable module directory: Unable to evaluate directory symlink: lstat modules/compute: no such file or directory", run.ClassInvalid},
		"Precondition": {"Resource precondition failed: subnets are in one zone only", run.ClassInvalid},
		"Conflict":     {"creating IAM Role (x): api error EntityAlreadyExists: Role with name x already exists.", run.ClassInvalid},

		"S3Lock":  {"Error acquiring the state lock: Error message: operation error S3: PutObject, https response error StatusCode: 412, RequestID: 1, api error PreconditionFailed: At least one of the pre-conditions you specified did not hold\nLock Info:\n  ID: 1", run.ClassLock},
		"GCSLock": {"Error acquiring the state lock: Error message: writing \"gs://b/k/default.tflock\" failed: googleapi: Error 412: At least one of the pre-conditions you specified did not hold., conditionNotMet\nLock Info:\n  ID: 17", run.ClassLock},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := classify(tc.text); got != tc.class {
				t.Errorf("classify(%q): want %s, got %s", tc.text, tc.class, got)
			}
		})
	}
}

func TestDiagnose(t *testing.T) {
	failed := func(summary, detail string) event {
		return event{Message: "Error: " + summary, Diagnostic: &diagnostic{Severity: "error", Summary: summary, Detail: detail}}
	}
	cases := map[string]struct {
		reason  string
		command string
		events  []event
		class   run.Class
		message string
	}{
		"One": {
			reason: "The cause stands at the beginning.", command: "apply",
			events: []event{failed("creating EC2 VPC", "api error VpcLimitExceeded: no more")},
			class:  run.ClassQuota, message: "creating EC2 VPC: api error VpcLimitExceeded: no more",
		},
		"Many": {
			reason: "What stops the retries comes before what does not.", command: "destroy",
			events: []event{failed("a", "connection refused"), failed("b", "UnauthorizedOperation"), failed("c", "DependencyViolation")},
			class:  run.ClassAuth, message: "b: UnauthorizedOperation\na: connection refused\nc: DependencyViolation",
		},
		"Plain": {
			reason: "Commands that know no JSON draw boxes.", command: "state push",
			events: []event{plainDiagnostic("╷\n│ Error: Failed to write state\n│ \n│ cannot import state with serial 1\n╵")},
			class:  run.ClassInvalid, message: "Failed to write state: cannot import state with serial 1",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			class, message := diagnose(tc.command, tc.events)
			if class != tc.class {
				t.Errorf("%s\ndiagnose(): want %s, got %s", tc.reason, tc.class, class)
			}
			if diff := cmp.Diff(tc.message, message); diff != "" {
				t.Errorf("%s\ndiagnose(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}

	_, message := diagnose("apply", []event{failed("a", strings.Repeat("é", maxMessage))})
	if len(message) > maxMessage || !strings.HasSuffix(message, "…") {
		t.Errorf("diagnose(): a long message is cut to %d bytes, got %d", maxMessage, len(message))
	}
}
