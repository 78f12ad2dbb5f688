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

package executor

import (
	"maps"
	"path"
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/kubeopera/provider-kubeopera/internal/terraform/run"
)

const (
	// ServiceAccount of the pods that run Terraform. Its Role lets it write
	// Secrets, and read none.
	ServiceAccount = "terraform-runner"

	// Names of a Job's containers.
	runnerContainer  = "terraform-runner"
	modulesContainer = "init"

	// user is nonroot of the distroless images, which the runner's image is like.
	user int64 = 65532

	// gracePeriod lets Terraform end what it has begun, and its state be saved,
	// in seconds: a cloud takes up to 40 minutes for one resource.
	gracePeriod int64 = 3600

	// deadline ends a run that hangs, in seconds. The longest that clouds were
	// seen to take is about an hour.
	deadline int64 = 4 * 3600

	// accountDir is where clients look for their ServiceAccount's token.
	accountDir = "/var/run/secrets/kubernetes.io/serviceaccount"

	// tokenLife is how long a token is valid, in seconds; kubelet renews it.
	tokenLife int64 = 3600
)

// Names of a Job's volumes.
const (
	volumeInput       = "input"
	volumeCredentials = "credentials"
	volumeWork        = "work"
	volumeTemporary   = "tmp"
	volumeAccount     = "account"
	volumeRescue      = "rescue"
)

// Job returns the Job of a run. It is pure, and holds no secret.
func Job(namespace string, c Cluster, r Record, s Setup, passedOn []corev1.EnvVar) *batchv1.Job {
	labels := labelsOf(c, r.Spec.ID)
	return &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: run.JobName(r.Spec.Action, c.ID), Labels: labels},
		Spec: batchv1.JobSpec{
			BackoffLimit:          ptr.To[int32](0),
			ActiveDeadlineSeconds: new(deadline),
			// Two pods of one run would wait for each other's lock at best.
			PodReplacementPolicy: ptr.To(batchv1.Failed),
			PodFailurePolicy: &batchv1.PodFailurePolicy{Rules: []batchv1.PodFailurePolicyRule{{
				Action:          batchv1.PodFailurePolicyActionFailJob,
				OnPodConditions: []batchv1.PodFailurePolicyOnPodConditionsPattern{{Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue}},
			}}},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{
					Labels: labels,
					Annotations: map[string]string{
						"cluster-autoscaler.kubernetes.io/safe-to-evict": "false",
						"karpenter.sh/do-not-disrupt":                    "true",
					},
				},
				Spec: podSpec(c, r, s, passedOn),
			},
		},
	}
}

func podSpec(c Cluster, r Record, s Setup, passedOn []corev1.EnvVar) corev1.PodSpec {
	p := corev1.PodSpec{
		RestartPolicy:                 corev1.RestartPolicyNever,
		TerminationGracePeriodSeconds: new(gracePeriod),
		ServiceAccountName:            ServiceAccount,
		// The token is in a volume of our own, which bounds its life.
		AutomountServiceAccountToken: new(false),
		EnableServiceLinks:           new(false),
		SecurityContext: &corev1.PodSecurityContext{
			RunAsNonRoot: new(true), RunAsUser: new(user), RunAsGroup: new(user), FSGroup: new(user),
			SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
		},
		Volumes: volumes(c),
		Containers: []corev1.Container{container(runnerContainer, s, runArgs(run.InputDir, run.WorkDir, run.RescueDir), environment(s, passedOn),
			corev1.VolumeMount{Name: volumeCredentials, MountPath: run.CredentialsDir, ReadOnly: true},
			corev1.VolumeMount{Name: volumeRescue, MountPath: run.RescueDir, ReadOnly: true})},
	}
	if r.Spec.Modules != nil {
		p.InitContainers = []corev1.Container{container(modulesContainer, s, modulesArgs(run.InputDir, run.WorkDir), passedOn)}
	}
	return p
}

// runArgs are the arguments of terraform-runner.
func runArgs(inputDir, workDir, rescueDir string) []string {
	return []string{"run", "--run-dir=" + inputDir, "--work-dir=" + workDir, "--rescue-dir=" + rescueDir}
}

// modulesArgs are its arguments to fetch modules only.
func modulesArgs(inputDir, workDir string) []string {
	return []string{"modules", "--run-dir=" + inputDir, "--work-dir=" + workDir}
}

func container(name string, s Setup, args []string, env []corev1.EnvVar, more ...corev1.VolumeMount) corev1.Container {
	mounts := []corev1.VolumeMount{
		{Name: volumeInput, MountPath: run.InputDir, ReadOnly: true},
		{Name: volumeWork, MountPath: run.WorkDir},
		{Name: volumeTemporary, MountPath: "/tmp"},
		// Whoever fails says so in the run's report.
		{Name: volumeAccount, MountPath: accountDir, ReadOnly: true},
	}
	return corev1.Container{
		Name:         name,
		Image:        s.Image,
		Args:         args,
		Env:          append([]corev1.EnvVar{{Name: "HOME", Value: "/tmp"}}, env...),
		Resources:    *resources(s).DeepCopy(),
		VolumeMounts: append(mounts, more...),
		SecurityContext: &corev1.SecurityContext{
			AllowPrivilegeEscalation: new(false),
			ReadOnlyRootFilesystem:   new(true),
			Capabilities:             &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
		},
		// What the runner could not report anywhere is in its last words.
		TerminationMessagePolicy: corev1.TerminationMessageFallbackToLogsOnError,
	}
}

// resources of a container: those that the ProviderConfig names, or what
// OpenTofu with the AWS provider was seen to use.
func resources(s Setup) *corev1.ResourceRequirements {
	if s.Resources != nil {
		return s.Resources
	}
	return &corev1.ResourceRequirements{
		Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("200m"), corev1.ResourceMemory: resource.MustParse("512Mi"), corev1.ResourceEphemeralStorage: resource.MustParse("1Gi")},
		Limits:   corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("2Gi"), corev1.ResourceEphemeralStorage: resource.MustParse("4Gi")},
	}
}

// environment of the runner: what names its credentials, and what is passed on.
func environment(s Setup, passedOn []corev1.EnvVar) []corev1.EnvVar {
	env := slices.Clone(passedOn)
	if s.Env == nil {
		return env
	}
	vars := s.Env(run.CredentialsDir)
	for _, name := range slices.Sorted(maps.Keys(vars)) {
		env = append(env, corev1.EnvVar{Name: name, Value: vars[name]})
	}
	return env
}

func volumes(c Cluster) []corev1.Volume {
	empty := corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}
	return []corev1.Volume{
		{Name: volumeInput, VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{
			LocalObjectReference: corev1.LocalObjectReference{Name: run.InputName(c.ID)},
			DefaultMode:          ptr.To[int32](0o444),
		}}},
		{Name: volumeCredentials, VolumeSource: corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{
			SecretName: run.CredentialsName(c.ID), DefaultMode: ptr.To[int32](0o440),
		}}},
		{Name: volumeRescue, VolumeSource: corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{
			SecretName: run.RescueName(c.ID), DefaultMode: ptr.To[int32](0o440), Optional: new(true),
		}}},
		{Name: volumeWork, VolumeSource: empty},
		{Name: volumeTemporary, VolumeSource: empty},
		{Name: volumeAccount, VolumeSource: corev1.VolumeSource{Projected: &corev1.ProjectedVolumeSource{
			DefaultMode: ptr.To[int32](0o440),
			Sources: []corev1.VolumeProjection{
				{ServiceAccountToken: &corev1.ServiceAccountTokenProjection{Path: path.Base(corev1.ServiceAccountTokenKey), ExpirationSeconds: new(tokenLife)}},
				{ConfigMap: &corev1.ConfigMapProjection{
					LocalObjectReference: corev1.LocalObjectReference{Name: "kube-root-ca.crt"},
					Items:                []corev1.KeyToPath{{Key: corev1.ServiceAccountRootCAKey, Path: corev1.ServiceAccountRootCAKey}},
				}},
				{DownwardAPI: &corev1.DownwardAPIProjection{Items: []corev1.DownwardAPIVolumeFile{
					{Path: corev1.ServiceAccountNamespaceKey, FieldRef: &corev1.ObjectFieldSelector{APIVersion: "v1", FieldPath: "metadata.namespace"}},
				}}},
			},
		}}},
	}
}
