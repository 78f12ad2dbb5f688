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

const goodHostCluster = `
apiVersion: kubeopera.io/v1alpha1
kind: HostCluster
metadata: {name: my-cluster}
spec:
  mode: connect_existing
  connectKubeconfigSecretRef: kubeconfig
  gitOpsRepoURL: https://github.com/acme/gitops-iac.git
  gitOpsPath: fluxcd/clusters/my-cluster
  gitCredentialsSecretRef: gitops-iac-credentials
  domain: my-cluster.acme.com
`

const sizing = `{topology: vanilla_kubeadm, controlPlaneCount: 1, nodeCount: 2, instanceType: t3.medium, kubernetesVersion: 1.36.2, credentialRef: aws}`

func hostClusters() table {
	provision := "\nmetadata: {name: provisioned}\nspec:\n  mode: provision_vanilla\n  region: eu-north-1\n  provisioning: " + sizing
	rows := map[string]validation{
		"Provision":       {reason: "A new cluster.", patch: provision},
		"InCluster":       {reason: "Register This Cluster: nothing to enter.", patch: `spec: {mode: in_cluster, connectKubeconfigSecretRef: null, gitOpsRepoURL: null, gitOpsPath: null, gitCredentialsSecretRef: null, domain: null}`},
		"InClusterGit":    {reason: "The own cluster may be managed from Git too.", patch: `spec: {mode: in_cluster, connectKubeconfigSecretRef: null}`},
		"UnusedFields":    {reason: "What a mode does not use is ignored.", patch: `spec: {provisioning: {topology: eks, controlPlaneCount: 2, nodeCount: 1, instanceType: m5.large, kubernetesVersion: "1.36", credentialRef: aws}}`},
		"AnyProvider":     {reason: "provider is free-form.", patch: `spec: {provider: "My own cloud!", region: somewhere}`},
		"ClusterID":       {reason: "clusterID may be given.", patch: `spec: {clusterID: my-cluster}`},
		"Administrator":   {reason: "An administrator has both.", patch: `spec: {adminEmail: admin@acme.com, adminUsername: admin}`},
		"LongestName":     {reason: "53 characters.", patch: "metadata: {name: " + strings.Repeat("x", 53) + "}"},
		"GitOverSSH":      {reason: "ssh with a user.", patch: `spec: {gitOpsRepoURL: "ssh://git@github.com/acme/gitops-iac.git"}`},
		"GitOverHTTP":     {reason: "http, as in a sandbox.", patch: `spec: {gitOpsRepoURL: "http://10.200.0.2:3000/acme/iac"}`},
		"Branch":          {reason: "A branch with a slash.", patch: `spec: {gitOpsBranch: release/1.x}`},
		"DeepPath":        {reason: "Any clean path.", patch: `spec: {gitOpsPath: a/b-c/d_e/f.g/h@1}`},
		"Destroy":         {reason: "The other policy.", patch: `spec: {deletionPolicy: Destroy, profile: minimal}`},
		"ChangeSizing":    {reason: "A cluster may be resized and upgraded.", patch: provision, update: `spec: {provisioning: {nodeCount: 5, kubernetesVersion: 1.36.3, instanceType: t3.large}}`},
		"ChangeDomain":    {reason: "Everything else may change.", patch: "metadata: {name: changes}", update: `spec: {domain: new.acme.com, deletionPolicy: Destroy, gitOpsBranch: other, profile: minimal}`},
		"AddGitLater":     {reason: "A registered cluster may be managed from Git later.", patch: "metadata: {name: later}\n" + `spec: {mode: in_cluster, connectKubeconfigSecretRef: null, gitOpsRepoURL: null, gitOpsPath: null, gitCredentialsSecretRef: null, domain: null}`, update: `spec: {gitOpsRepoURL: "https://github.com/acme/iac", gitOpsPath: a, gitCredentialsSecretRef: git, domain: a.b}`},
		"NoMode":          {reason: "mode is required.", patch: `spec: {mode: null}`, want: "spec.mode: Required value"},
		"OtherMode":       {reason: "mode is one of five.", patch: `spec: {mode: other}`, want: `spec.mode: Unsupported value: "other"`},
		"ModeChanges":     {reason: "mode is immutable.", patch: "metadata: {name: mode}", update: `spec: {mode: in_cluster}`, want: "mode is immutable: create a new HostCluster instead"},
		"NoKubeconfig":    {reason: "Where would it connect to?", patch: `spec: {connectKubeconfigSecretRef: null}`, want: "connectKubeconfigSecretRef is required for mode connect_existing: name a Secret that has the key kubeconfig"},
		"EmptyKubeconfig": {reason: "An empty name is none.", patch: `spec: {connectKubeconfigSecretRef: ""}`, want: "spec.connectKubeconfigSecretRef in body should be at least 1 chars long"},
		"NoProvisioning":  {reason: "What would it make?", patch: `spec: {mode: provision_eks}`, want: "provisioning is required for modes provision_vanilla, provision_eks and provision_gke"},
		"NoRegion":        {reason: "Where would it be?", patch: strings.Replace(provision, "eu-north-1", "null", 1), want: "region is required for modes provision_vanilla, provision_eks and provision_gke"},
		"RegionChanges":   {reason: "A cluster cannot move.", patch: strings.Replace(provision, "provisioned", "moving", 1), update: `spec: {region: eu-west-1}`, want: "region is immutable: a cluster can not move"},
		"OtherTopology":   {reason: "mode and topology say the same.", patch: "spec:\n  mode: provision_gke\n  provisioning: " + sizing, want: "provisioning.topology must match mode: vanilla_kubeadm for provision_vanilla, eks for provision_eks, gke for provision_gke"},
		"NoGit":           {reason: "A connected cluster is managed from Git.", patch: `spec: {gitOpsRepoURL: null, gitOpsPath: null}`, want: "gitOpsRepoURL, gitOpsPath and gitCredentialsSecretRef are required unless mode is in_cluster"},
		"GitAlone":        {reason: "A URL alone is not enough.", patch: `spec: {mode: in_cluster, gitOpsPath: null}`, want: "gitOpsRepoURL needs gitOpsPath and gitCredentialsSecretRef too"},
		"PathAlone":       {reason: "A path alone is not enough.", patch: `spec: {mode: in_cluster, gitOpsRepoURL: null}`, want: "gitOpsPath needs gitOpsRepoURL too"},
		"NoDomain":        {reason: "The tree needs a domain.", patch: `spec: {domain: null}`, want: "domain is required with a Git repository: the base domain of every service's hostname"},
		"UpperDomain":     {reason: "A domain has lower case.", patch: `spec: {domain: My-Cluster.Acme.com}`, want: "must be a DNS name in lower case, for instance my-cluster.example.com"},
		"BadDomain":       {reason: "No label ends with a hyphen.", patch: `spec: {domain: my-.acme.com}`, want: "must be a DNS name in lower case, for instance my-cluster.example.com"},
		"EmailAlone":      {reason: "Both or neither.", patch: `spec: {adminEmail: admin@acme.com}`, want: "set both adminEmail and adminUsername, or neither"},
		"UsernameAlone":   {reason: "Both or neither.", patch: `spec: {adminUsername: admin}`, want: "set both adminEmail and adminUsername, or neither"},
		"AdminWithoutGit": {reason: "There is no platform to sign in to.", patch: `spec: {mode: in_cluster, gitOpsRepoURL: null, gitOpsPath: null, gitCredentialsSecretRef: null, domain: null, adminEmail: admin@acme.com, adminUsername: admin}`, want: "adminEmail needs a Git repository: the administrator signs in to the platform that it installs"},
		"BadEmail":        {reason: "No @.", patch: `spec: {adminEmail: admin, adminUsername: admin}`, want: "must be an e-mail address"},
		"BadUsername":     {reason: "The name of a Secret is made of it.", patch: `spec: {adminEmail: admin@acme.com, adminUsername: Admin_1}`, want: "must consist of lower-case letters, digits, . and -, and begin and end with a letter or digit"},
		"URLChanges":      {reason: "The tree would stay behind.", patch: "metadata: {name: url}", update: `spec: {gitOpsRepoURL: "https://github.com/acme/other.git"}`, want: "gitOpsRepoURL is immutable: delete the HostCluster (its workloads keep running) and create it again with the new URL"},
		"PathChanges":     {reason: "The tree would stay behind.", patch: "metadata: {name: path}", update: `spec: {gitOpsPath: elsewhere}`, want: "gitOpsPath is immutable: delete the HostCluster (its workloads keep running) and create it again with the new path"},
		"GitGoes":         {reason: "Removing it is a change too.", patch: "metadata: {name: gone}\nspec: {mode: in_cluster}", update: `spec: {gitOpsRepoURL: null, gitOpsPath: null, gitCredentialsSecretRef: null}`, want: "gitOpsRepoURL is immutable"},
		"ClusterIDOther":  {reason: "One id.", patch: `spec: {clusterID: other}`, want: "spec.clusterID must equal metadata.name, or be left out"},
		"NameTooLong":     {reason: "54 characters.", patch: "metadata: {name: " + strings.Repeat("x", 54) + "}", want: "metadata.name is too long: at most 53 characters, the names of its Secrets and cloud resources are made from it"},
		"OtherProfile":    {reason: "full or minimal.", patch: `spec: {profile: tiny}`, want: `spec.profile: Unsupported value: "tiny"`},
		"OtherDeletion":   {reason: "Disconnect or Destroy.", patch: `spec: {deletionPolicy: Orphan}`, want: `spec.deletionPolicy: Unsupported value: "Orphan"`},
		"LongProvider":    {reason: "Strings are bounded.", patch: "spec: {provider: " + strings.Repeat("x", 64) + "}", want: "spec.provider: Too long"},
	}
	upgradeRows(rows, provision)
	gitRows(rows, "spec", "gitOpsRepoURL", "gitOpsBranch", "gitOpsPath")
	sizingRows(rows, "spec.provisioning", provision)
	return table{kind: "HostCluster", good: goodHostCluster, rows: rows}
}

// upgradeRows adds the rows of another Kubernetes version; provision is a patch that makes a good cluster.
func upgradeRows(rows map[string]validation, provision string) {
	const wrong = "spec.provisioning.kubernetesVersion must be of the minor version that the cluster has (status.kubernetesVersion) or of the next one: upgrade one minor version at a time, never back"
	for name, r := range map[string]struct{ reason, has, to, want string }{
		"Patch":     {"A newer patch.", "v1.36.2", "1.36.6", ""},
		"Minor":     {"The next minor version.", "v1.36.2", "v1.37.0", ""},
		"OnlyMinor": {"A minor version alone, on EKS.", "v1.36.2-eks-0a1b2c3", `"1.37"`, ""},
		"Ahead":     {"A release channel may be ahead of what was asked for.", "v1.37.1-gke.100", `"1.38"`, ""},
		"Unborn":    {"What has not come up yet has no version.", "", "1.34.1", ""},
		"Garbage":   {"What is no version does not stand in the way.", "unknown", "1.34.1", ""},
		"Skip":      {"One minor version at a time.", "v1.36.2", "1.38.0", wrong},
		"Back":      {"Never down.", "v1.36.2", "1.35.9", wrong},
		"BackGKE":   {"Nor below what a release channel has made of it.", "v1.38.1-gke.100", `"1.37"`, wrong},
	} {
		v := validation{
			reason: r.reason, patch: strings.Replace(provision, "provisioned", strings.ToLower("upgrade-"+name), 1),
			update: "spec: {provisioning: {kubernetesVersion: " + r.to + "}}", want: r.want,
		}
		if r.has != "" {
			v.status = "kubernetesVersion: " + r.has
		}
		rows["Upgrade"+name] = v
	}
	// What was refused stays as it is, and everything else may change.
	rows["UpgradeNone"] = validation{
		reason: "A cluster that is behind what was asked for may be resized.", patch: strings.Replace(provision, "provisioned", "upgrade-none", 1),
		status: "kubernetesVersion: v1.34.1", update: "spec: {provisioning: {nodeCount: 7}}",
	}
}

// gitRows adds the rows of everything that names a Git repository; an empty field name leaves its rows out.
func gitRows(rows map[string]validation, at, url, branch, path string) {
	add := func(name, reason, field, value, want string) {
		if field != "" {
			rows[name] = validation{reason: reason, patch: under(at, field+": "+value), want: want}
		}
	}
	const (
		notURL     = "must be the URL of a Git repository that begins with https://, http:// or ssh:// (write ssh://git@host/owner/repository instead of git@host:owner/repository)"
		userInURL  = "must not hold a user name or password: put them into the credentials Secret"
		sshSecret  = "must not hold a password: put an SSH key into the credentials Secret"
		onlyURL    = "must not have a query or a fragment: name the branch in its own field"
		notBranch  = "must be the name of a Git branch"
		notClean   = "must be a clean path below the root of the repository, of letters, digits and ._/@+=-, without empty, . , .. or .git segments"
		notRelativ = "must be a relative path: leave out the leading /"
	)
	add("URLScp", "The short form of ssh is ambiguous.", url, "git@github.com:acme/iac.git", notURL)
	add("URLFile", "No files of the provider.", url, "file:///etc/passwd", notURL)
	add("URLSpace", "No spaces.", url, `"https://github.com/acme/my iac"`, notURL)
	add("URLToken", "Secrets belong into Secrets.", url, "https://x:token@github.com/acme/iac.git", userInURL)
	add("URLSSHPassword", "Secrets belong into Secrets.", url, "ssh://git:secret@github.com/acme/iac.git", sshSecret)
	add("URLQuery", "A branch is not part of it.", url, "https://github.com/acme/iac.git?ref=main", onlyURL)
	add("URLFragment", "A branch is not part of it.", url, `"https://github.com/acme/iac.git#main"`, onlyURL)
	add("URLEmpty", "No URL at all.", url, `""`, url+" in body should be at least 8 chars long")
	add("BranchOption", "Nothing that a program could take for an option.", branch, "--upload-pack=x", notBranch)
	add("BranchDots", "What Git itself refuses.", branch, "a..b", notBranch)
	add("BranchLock", "What Git itself refuses.", branch, "a.lock", notBranch)
	add("PathAbsolute", "Below the root of the repository.", path, "/clusters/a", notRelativ)
	add("PathRoot", "Never the root.", path, ".", notClean)
	add("PathUp", "Never out of the repository.", path, "a/../../b", notClean)
	add("PathGit", "Never into Git's own files.", path, "a/.git/hooks", notClean)
	add("PathSlashes", "One spelling only.", path, "a//b", notClean)
	add("PathEndsWithSlash", "One spelling only.", path, "a/", notClean)
	add("PathQuoted", "It is written into manifests.", path, `"a\nb"`, notClean)
	add("PathEmpty", "Never the root.", path, `""`, path+" in body should be at least 1 chars long")
}

// sizingRows adds the rows of a provisioned cluster's size; base is a patch that makes a good one with it.
func sizingRows(rows map[string]validation, at, base string) {
	add := func(name string, v validation) {
		if v.update != "" {
			v.update = under(at, v.update)
			v.patch = strings.Replace(base, "provisioned", strings.ToLower("sizing-"+name), 1) + patchOf(at, v.patch)
		} else {
			v.patch = base + patchOf(at, v.patch)
		}
		rows["Sizing"+name] = v
	}
	const network = "existingNetwork: {id: vpc-1, subnetIDs: [subnet-1, subnet-2]}"
	add("Everything", validation{reason: "All optional fields.", patch: `{maxNodeCount: 4, capacityType: Spot, nodeVolumeSizeGiB: 50, networkCIDR: 10.0.0.0/16, apiServerAllowedCIDRs: [203.0.113.0/24, "2001:db8::/32"], tags: {team: a}}`})
	add("Existing", validation{reason: "A network that is there.", patch: "{" + network + "}"})
	add("Version", validation{reason: "A minor version.", patch: `{kubernetesVersion: v1.36}`})
	add("NoNodes", validation{reason: "A control plane alone.", patch: `{nodeCount: 0}`})
	add("Grows", validation{reason: "Sizes change.", update: "nodeCount: 3\nmaxNodeCount: 6\ntags: {a: b}"})
	add("TwoControlPlanes", validation{reason: "etcd needs an odd number.", patch: `{controlPlaneCount: 2}`, want: "controlPlaneCount must be 1, 3, 5 or 7: etcd needs an odd number of members"})
	add("NineControlPlanes", validation{reason: "At most seven.", patch: `{controlPlaneCount: 9}`, want: "controlPlaneCount in body should be less than or equal to 7"})
	add("NegativeNodes", validation{reason: "Not fewer than none.", patch: `{nodeCount: -1}`, want: "nodeCount in body should be greater than or equal to 0"})
	add("MaxBelow", validation{reason: "The largest size is not the smallest.", patch: `{nodeCount: 5, maxNodeCount: 4}`, want: "maxNodeCount must not be less than nodeCount"})
	add("TwoNetworks", validation{reason: "One network.", patch: "{networkCIDR: 10.0.0.0/16, " + network + "}", want: "set networkCIDR for a new network or existingNetwork for one that is there, not both"})
	add("NoSubnets", validation{reason: "A network without subnets.", patch: `{existingNetwork: {id: vpc-1, subnetIDs: []}}`, want: "existingNetwork.subnetIDs in body should have at least 1 items"})
	add("OneIsTheDefault", validation{reason: "To leave it out says the same.", update: "controlPlaneCount: null"})
	add("ControlPlanesChange", validation{reason: "etcd's members are fixed.", update: "controlPlaneCount: 3", want: "controlPlaneCount is immutable, and 1 if it is left out"})
	add("ControlPlanesGo", validation{reason: "There is no way around it in two steps.", patch: "{controlPlaneCount: 3}", update: "controlPlaneCount: null", want: "controlPlaneCount is immutable, and 1 if it is left out"})
	add("ControlPlanesCome", validation{reason: "Nor by leaving it out first.", patch: "{controlPlaneCount: null}", update: "controlPlaneCount: 3", want: "controlPlaneCount is immutable, and 1 if it is left out"})
	add("NetworkChanges", validation{reason: "A network cannot be swapped.", patch: `{networkCIDR: 10.0.0.0/16}`, update: "networkCIDR: 10.1.0.0/16", want: "networkCIDR is immutable: a cluster keeps its network"})
	add("NetworkComes", validation{reason: "Nor appear later.", update: "networkCIDR: 10.1.0.0/16", want: "networkCIDR is immutable: a cluster keeps its network"})
	add("ExistingChanges", validation{reason: "Nor swapped for another one.", patch: "{" + network + "}", update: "existingNetwork: {id: vpc-2}", want: "existingNetwork is immutable: a cluster keeps its network"})
	add("TopologyChanges", validation{reason: "Another topology is another cluster.", update: "topology: eks", want: "topology is immutable: create a new HostCluster instead"})
	add("OtherTopology", validation{reason: "One of three.", patch: `{topology: k3s}`, want: `topology: Unsupported value: "k3s"`})
	add("OtherCapacity", validation{reason: "One of two.", patch: `{capacityType: Reserved}`, want: `capacityType: Unsupported value: "Reserved"`})
	add("BadVersion", validation{reason: "A version has numbers.", patch: `{kubernetesVersion: latest}`, want: "must be a Kubernetes version, for instance 1.36.2"})
	add("SmallVolume", validation{reason: "Images need room.", patch: `{nodeVolumeSizeGiB: 8}`, want: "nodeVolumeSizeGiB in body should be greater than or equal to 20"})
	add("TinyNetwork", validation{reason: "Too small for subnets.", patch: `{networkCIDR: 10.0.0.0/28}`, want: "must be an IPv4 network with a prefix of 16 to 24 bits, for instance 10.0.0.0/16"})
	add("IPv6Network", validation{reason: "IPv4 only.", patch: `{networkCIDR: "fd00::/20"}`, want: "must be an IPv4 network with a prefix of 16 to 24 bits, for instance 10.0.0.0/16"})
	add("BadCIDR", validation{reason: "An address is no network.", patch: `{apiServerAllowedCIDRs: [203.0.113.1]}`, want: "must be a network, for instance 203.0.113.0/24"})
	add("LongTag", validation{reason: "Clouds refuse it late.", patch: "{tags: {a: " + strings.Repeat("x", 64) + "}}", want: "tag keys have 1 to 63 characters, and values at most 63"})
}

// patchOf is a patch in flow style below a path; it continues the base patch, which ends within that path.
func patchOf(at, flow string) string {
	if flow == "" {
		return ""
	}
	return "\n---\n" + under(at, flow)
}
