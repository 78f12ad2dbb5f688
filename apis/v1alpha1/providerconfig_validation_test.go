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

package v1alpha1_test

const goodProviderConfig = `
apiVersion: kubeopera.io/v1alpha1
kind: ProviderConfig
metadata: {name: aws}
spec:
  type: AWSAccessKey
  credentials: {source: Secret, secretRef: {name: aws, key: credentials}}
`

// configRows are the rows that both kinds of ProviderConfig have.
func configRows() map[string]validation {
	return map[string]validation{
		"AssumeRole":    {reason: "A role, with a credential that may assume it.", patch: `spec: {type: AWSAssumeRole, aws: {roleARN: "arn:aws:iam::123456789012:role/kubeopera", externalID: abc, sessionName: kubeopera}}`},
		"China":         {reason: "Another partition.", patch: `spec: {type: AWSAssumeRole, aws: {roleARN: "arn:aws-cn:iam::123456789012:role/a/b"}}`},
		"GCP":           {reason: "A project.", patch: `spec: {type: GCPServiceAccount, gcp: {project: acme-prod}}`},
		"Injected":      {reason: "The pod's own identity needs no Secret.", patch: `spec: {credentials: {source: InjectedIdentity, secretRef: null}}`},
		"Execution":     {reason: "Everything else.", patch: `spec: {label: Production, execution: {mode: Local, resources: {limits: {memory: 1Gi}}}, modules: {repoURL: "https://github.com/acme/modules", ref: v1}, state: {s3Endpoint: "http://127.0.0.1:9000"}}`},
		"SecretMissing": {reason: "Which Secret?", patch: `spec: {credentials: {secretRef: null}}`, want: "secretRef is required for sources Secret and Sealed"},
		"SealedMissing": {reason: "Which Secret?", patch: `spec: {credentials: {source: Sealed, secretRef: null}}`, want: "secretRef is required for sources Secret and Sealed"},
		"NoRole":        {reason: "Which role?", patch: `spec: {type: AWSAssumeRole}`, want: "aws.roleARN is required for type AWSAssumeRole"},
		"BadRole":       {reason: "A user is no role.", patch: `spec: {type: AWSAssumeRole, aws: {roleARN: "arn:aws:iam::123456789012:user/kubeopera"}}`, want: "must be the ARN of an IAM role"},
		"NoProject":     {reason: "Which project?", patch: `spec: {type: GCPServiceAccount}`, want: "gcp.project is required for type GCPServiceAccount"},
		"OtherType":     {reason: "One of three.", patch: `spec: {type: AzureSomething}`, want: `spec.type: Unsupported value: "AzureSomething"`},
		"OtherSource":   {reason: "One of four.", patch: `spec: {credentials: {source: Filesystem}}`, want: `spec.credentials.source: Unsupported value: "Filesystem"`},
		"OtherMode":     {reason: "Job or Local.", patch: `spec: {execution: {mode: Lambda}}`, want: `spec.execution.mode: Unsupported value: "Lambda"`},
		"ModulesURL":    {reason: "A Git repository.", patch: `spec: {modules: {repoURL: "/etc/modules", ref: v1}}`, want: "must be the URL of a Git repository that begins with https://, http:// or ssh:// (write ssh://git@host/owner/repository instead of git@host:owner/repository)"},
		"ModulesUser":   {reason: "Secrets belong into Secrets.", patch: `spec: {modules: {repoURL: "https://a:b@github.com/acme/modules", ref: v1}}`, want: "must not hold a user name or password: put them into the credentials Secret"},
		"ModulesQuery":  {reason: "What to check out is in ref.", patch: `spec: {modules: {repoURL: "https://github.com/acme/modules?ref=v1", ref: v1}}`, want: "must not have a query or a fragment: name the branch in its own field"},
		"ModulesSSH":    {reason: "Secrets belong into Secrets.", patch: `spec: {modules: {repoURL: "ssh://git:b@github.com/acme/modules", ref: v1}}`, want: "must not hold a password: put an SSH key into the credentials Secret"},
	}
}

func providerConfigs() table {
	rows := configRows()
	rows["Namespace"] = validation{
		reason: "Another namespace's Secrets are not its business.", patch: `spec: {credentials: {secretRef: {namespace: other}}}`,
		want: "spec.credentials.secretRef.namespace must be left out: a ProviderConfig reads Secrets of its own namespace",
	}
	return table{kind: "ProviderConfig", good: goodProviderConfig, rows: rows}
}

func clusterProviderConfigs() table {
	rows := configRows()
	rows["NoNamespace"] = validation{
		reason: "It has no namespace of its own.", patch: `spec: {credentials: {secretRef: {namespace: null}}}`,
		want: "spec.credentials.secretRef.namespace is required: a ClusterProviderConfig has no namespace of its own",
	}
	return table{
		kind: "ClusterProviderConfig",
		good: `
apiVersion: kubeopera.io/v1alpha1
kind: ClusterProviderConfig
metadata: {name: aws}
spec:
  type: AWSAccessKey
  credentials: {source: Secret, secretRef: {name: aws, namespace: kubeopera-system, key: credentials}}
`,
		rows: rows,
	}
}

func providerConfigUsages() table {
	return table{
		kind: "ProviderConfigUsage",
		good: `
apiVersion: kubeopera.io/v1alpha1
kind: ProviderConfigUsage
metadata: {name: usage}
providerConfigRef: {kind: ProviderConfig, name: aws}
resourceRef: {apiVersion: kubeopera.io/v1alpha1, kind: ProvisionedCluster, name: my-cluster}
`,
		rows: map[string]validation{
			"NoConfig":   {reason: "Which one?", patch: `providerConfigRef: null`, want: "providerConfigRef: Required value"},
			"NoResource": {reason: "Who?", patch: `resourceRef: null`, want: "resourceRef: Required value"},
		},
	}
}
