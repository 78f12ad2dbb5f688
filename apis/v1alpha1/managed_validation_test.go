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

import "strings"

func clusterAccesses() table {
	return table{
		kind: "ClusterAccess",
		good: `
apiVersion: kubeopera.io/v1alpha1
kind: ClusterAccess
metadata: {name: my-cluster}
spec: {forProvider: {kubeconfigSecretRef: {name: kubeconfig}}}
`,
		rows: map[string]validation{
			"Provisioned":    {reason: "A cluster that is being made.", patch: `spec: {forProvider: {kubeconfigSecretRef: null, provisionedClusterRef: {name: my-cluster}}}`},
			"InCluster":      {reason: "The own cluster.", patch: `spec: {forProvider: {kubeconfigSecretRef: null, inCluster: {}}}`},
			"OtherSecret":    {reason: "The Secret may be another one; the cluster is checked.", patch: `metadata: {name: secret}`, update: `spec: {forProvider: {kubeconfigSecretRef: {name: other}, expectedClusterUID: uid}}`},
			"NoSource":       {reason: "One way in.", patch: `spec: {forProvider: {kubeconfigSecretRef: null}}`, want: "set exactly one of kubeconfigSecretRef, provisionedClusterRef and inCluster"},
			"TwoSources":     {reason: "Only one way in.", patch: `spec: {forProvider: {inCluster: {}}}`, want: "set exactly one of kubeconfigSecretRef, provisionedClusterRef and inCluster"},
			"SourceChanges":  {reason: "Another kind of source is another cluster.", patch: `metadata: {name: source}`, update: `spec: {forProvider: {kubeconfigSecretRef: null, inCluster: {}}}`, want: "the kind of source is immutable"},
			"EmptyName":      {reason: "An empty name is none.", patch: `spec: {forProvider: {kubeconfigSecretRef: {name: ""}}}`, want: "kubeconfigSecretRef.name in body should be at least 1 chars long"},
			"ManagementNone": {reason: "Crossplane's policies.", patch: `spec: {managementPolicies: [Nothing]}`, want: `spec.managementPolicies[0]: Unsupported value: "Nothing"`},
		},
	}
}

func provisionedClusters() table {
	const good = `
apiVersion: kubeopera.io/v1alpha1
kind: ProvisionedCluster
metadata: {name: my-cluster}
spec:
  providerConfigRef: {kind: ProviderConfig, name: aws}
  forProvider: {provider: aws, region: eu-north-1, topology: vanilla_kubeadm, controlPlaneCount: 1, nodeCount: 2, instanceType: t3.medium, kubernetesVersion: 1.36.2}
`
	rows := map[string]validation{
		"RegionChanges":       {reason: "A cluster cannot move.", patch: `metadata: {name: region}`, update: `spec: {forProvider: {region: eu-west-1}}`, want: "region is immutable: a cluster can not move"},
		"ManagedControlPlane": {reason: "EKS has no count of control planes.", patch: "metadata: {name: managed}\nspec: {forProvider: {topology: eks}}", update: `spec: {forProvider: {controlPlaneCount: 4}}`},
		"LongestName":         {reason: "53 characters.", patch: "metadata: {name: " + strings.Repeat("x", 53) + "}"},
		"NameTooLong":         {reason: "54 characters.", patch: "metadata: {name: " + strings.Repeat("x", 54) + "}", want: "metadata.name is too long: at most 53 characters, the names of its Jobs and cloud resources are made from it"},
		"NoProvider":          {reason: "Whose cloud?", patch: `spec: {forProvider: {provider: null}}`, want: "spec.forProvider.provider: Required value"},
	}
	sizingRows(rows, "spec.forProvider", "metadata: {name: provisioned}")
	return table{kind: "ProvisionedCluster", good: good, rows: rows}
}

func fluxBootstraps() table {
	rows := map[string]validation{
		"InstallOnly":      {reason: "First Flux alone.", patch: `spec: {forProvider: {git: null, sync: null}}`},
		"Chart":            {reason: "Another chart.", patch: `spec: {forProvider: {version: v2.9.5, chart: {repository: "oci://registry.acme.com/charts/flux2", version: 2.9.5, values: {any: {thing: 1}}}}}`},
		"SyncComes":        {reason: "The planner sets it later, and then changes it.", patch: "metadata: {name: sync}\nspec: {forProvider: {sync: null}}", update: `spec: {forProvider: {sync: {path: clusters/a, treeHash: abc, layers: [infrastructure]}}}`},
		"OtherNamespace":   {reason: "Where a cluster has Flux already.", patch: `spec: {forProvider: {namespace: gitops}}`},
		"AllComponents":    {reason: "Everything that we can install.", patch: `spec: {forProvider: {components: [source-controller, kustomize-controller, helm-controller, notification-controller]}}`},
		"SyncWithoutGit":   {reason: "A path of what?", patch: `spec: {forProvider: {git: null}}`, want: "forProvider.sync needs forProvider.git"},
		"NoSource":         {reason: "Nothing works without it.", patch: `spec: {forProvider: {components: [kustomize-controller, helm-controller]}}`, want: "source-controller and kustomize-controller are always needed"},
		"OtherComponent":   {reason: "What we cannot install.", patch: `spec: {forProvider: {components: [source-controller, kustomize-controller, image-reflector-controller]}}`, want: `Unsupported value: "image-reflector-controller"`},
		"SameComponent":    {reason: "A set.", patch: `spec: {forProvider: {components: [source-controller, source-controller, kustomize-controller]}}`, want: "Duplicate value"},
		"NamespaceChanges": {reason: "Flux would run twice.", patch: `metadata: {name: namespace}`, update: `spec: {forProvider: {namespace: other}}`, want: "namespace is immutable"},
		"BadNamespace":     {reason: "The name of a namespace.", patch: `spec: {forProvider: {namespace: Flux_System}}`, want: "must be the name of a namespace"},
		"BadVersion":       {reason: "A version has a v.", patch: `spec: {forProvider: {version: 2.9.5}}`, want: "must be a version of Flux, for instance v2.9.5"},
		"ChartFile":        {reason: "No files of the provider.", patch: `spec: {forProvider: {chart: {repository: /etc/charts, version: 1.0.0}}}`, want: "must be an https:// or oci:// address without credentials"},
		"ChartCredentials": {reason: "Secrets belong into Secrets.", patch: `spec: {forProvider: {chart: {repository: "https://a:b@charts.acme.com", version: 1.0.0}}}`, want: "must be an https:// or oci:// address without credentials"},
		"NoLayers":         {reason: "Ready would mean nothing.", patch: `spec: {forProvider: {sync: {layers: []}}}`, want: "layers in body should have at least 1 items"},
		"OtherLayer":       {reason: "One of three.", patch: `spec: {forProvider: {sync: {layers: [other]}}}`, want: `Unsupported value: "other"`},
		"Interval":         {reason: "A duration as Go writes it.", patch: `spec: {forProvider: {git: {interval: 1h30m0.5s}}}`},
		"ShortInterval":    {reason: "Git servers are not hammered.", patch: `spec: {forProvider: {git: {interval: 10ms}}}`, want: "must be a duration of at least 5s, for instance 1m0s"},
		"BadInterval":      {reason: "A duration.", patch: `spec: {forProvider: {git: {interval: often}}}`, want: "must be a duration of at least 5s, for instance 1m0s"},
	}
	gitRows(rows, "spec.forProvider.git", "url", "branch", "")
	gitRows(rows, "spec.forProvider.sync", "", "", "path")
	return table{
		kind: "FluxBootstrap",
		good: `
apiVersion: kubeopera.io/v1alpha1
kind: FluxBootstrap
metadata: {name: my-cluster}
spec:
  forProvider:
    kubeconfigSecretRef: {name: kubeconfig}
    git: {url: "https://github.com/acme/gitops-iac.git", credentialsSecretRef: {name: git}}
    sync: {path: fluxcd/clusters/my-cluster, treeHash: abc, layers: [infrastructure, secrets, apps]}
`,
		rows: rows,
	}
}

func gitOpsEnvironments() table {
	rows := map[string]validation{
		"Everything":           {reason: "All optional fields.", patch: `spec: {forProvider: {provider: aws, region: eu-north-1, profile: minimal, components: [sealed-secrets], onDelete: Remove, registryPullSecretRef: {name: pull}, git: {branch: main, author: {name: KubeOpera, email: bot@acme.com}}}}`},
		"DomainChanges":        {reason: "The tree follows.", patch: `metadata: {name: domain}`, update: `spec: {forProvider: {domain: new.acme.com, onDelete: Remove, git: {branch: other}}}`},
		"URLChanges":           {reason: "The tree would stay behind.", patch: `metadata: {name: url}`, update: `spec: {forProvider: {git: {url: "https://github.com/acme/other.git"}}}`, want: "git.url and git.path are immutable"},
		"PathChanges":          {reason: "The tree would stay behind.", patch: `metadata: {name: path}`, update: `spec: {forProvider: {git: {path: other}}}`, want: "git.url and git.path are immutable"},
		"ClusterNameChanges":   {reason: "The tree's objects are named after it.", patch: `metadata: {name: cluster}`, update: `spec: {forProvider: {clusterName: other}}`, want: "clusterName is immutable"},
		"FluxNamespaceChanges": {reason: "Flux would lose the layers.", patch: `metadata: {name: flux}`, update: `spec: {forProvider: {fluxNamespace: other}}`, want: "fluxNamespace is immutable"},
		"BadDomain":            {reason: "A DNS name.", patch: `spec: {forProvider: {domain: "https://a.b"}}`, want: "must be a DNS name in lower case, for instance my-cluster.example.com"},
		"BadAuthor":            {reason: "Git refuses it late.", patch: `spec: {forProvider: {git: {author: {name: x, email: "x y@z"}}}}`, want: "must be an e-mail address"},
		"OtherOnDelete":        {reason: "Keep or Remove.", patch: `spec: {forProvider: {onDelete: Prune}}`, want: `onDelete: Unsupported value: "Prune"`},
		"NoClusterName":        {reason: "A tree has a cluster.", patch: `spec: {forProvider: {clusterName: null}}`, want: "spec.forProvider.clusterName: Required value"},
	}
	gitRows(rows, "spec.forProvider.git", "url", "branch", "path")
	return table{
		kind: "GitOpsEnvironment",
		good: `
apiVersion: kubeopera.io/v1alpha1
kind: GitOpsEnvironment
metadata: {name: my-cluster}
spec:
  forProvider:
    kubeconfigSecretRef: {name: kubeconfig}
    git: {url: "https://github.com/acme/gitops-iac.git", path: fluxcd/clusters/my-cluster, credentialsSecretRef: {name: git}}
    clusterName: my-cluster
    domain: my-cluster.acme.com
`,
		rows: rows,
	}
}

func administrators() table {
	return table{
		kind: "Administrator",
		good: `
apiVersion: kubeopera.io/v1alpha1
kind: Administrator
metadata: {name: my-cluster}
spec: {forProvider: {kubeconfigSecretRef: {name: kubeconfig}, email: admin@acme.com, username: admin}}
`,
		rows: map[string]validation{
			"Connection":      {reason: "A connection Secret of its own.", patch: `spec: {writeConnectionSecretToRef: {name: admin-connection}}`},
			"PoliciesChange":  {reason: "What is not about the administrator may change.", patch: `metadata: {name: policies}`, update: `spec: {managementPolicies: [Observe]}`},
			"SameConnection":  {reason: "Crossplane's merge patches and our create-only Secret must not meet.", patch: `spec: {writeConnectionSecretToRef: {name: hostcluster-my-cluster-admin-password}}`, want: "spec.writeConnectionSecretToRef must name another Secret: the password is kept in this one anyhow"},
			"EmailChanges":    {reason: "Created once.", patch: `metadata: {name: email}`, update: `spec: {forProvider: {email: other@acme.com}}`, want: "an administrator is immutable: it is created once; delete this object and create another one"},
			"UsernameChanges": {reason: "Created once.", patch: `metadata: {name: username}`, update: `spec: {forProvider: {username: other}}`, want: "an administrator is immutable: it is created once; delete this object and create another one"},
			"BadEmail":        {reason: "No @.", patch: `spec: {forProvider: {email: admin}}`, want: "must be an e-mail address"},
			"BadUsername":     {reason: "The name of a Secret is made of it.", patch: `spec: {forProvider: {username: "admin/x"}}`, want: "must consist of lower-case letters, digits, . and -, and begin and end with a letter or digit"},
			"LongUsername":    {reason: "Strings are bounded.", patch: "spec: {forProvider: {username: " + strings.Repeat("x", 64) + "}}", want: "username: Too long"},
		},
	}
}
