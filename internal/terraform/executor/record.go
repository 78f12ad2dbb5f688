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
	"encoding/json"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/fault"
	"github.com/kubeopera/provider-kubeopera/internal/terraform/run"
)

// Annotations of the ConfigMap with a run.
const (
	annotationNumber   = "kubeopera.io/run-number"
	annotationFailures = "kubeopera.io/run-failures"
	annotationInputs   = "kubeopera.io/run-inputs"
	annotationRequest  = "kubeopera.io/run-request"
	annotationApplied  = "kubeopera.io/applied-revision"
)

// labelsOf everything that belongs to a run of a cluster.
func labelsOf(c Cluster, runID string) map[string]string {
	l := map[string]string{
		v1alpha1.LabelHostCluster: c.ID,
		v1alpha1.LabelManagedBy:   v1alpha1.ManagedBy,
		run.LabelNamespace:        c.Namespace,
	}
	if runID != "" {
		l[run.LabelRun] = runID
	}
	return l
}

// owned refuses an object that belongs to a cluster of the same name in
// another namespace.
func owned(c Cluster, kind string, o metav1.Object) error {
	switch ns := o.GetLabels()[run.LabelNamespace]; ns {
	case c.Namespace:
		return nil
	case "":
		return fault.Newf(fault.Conflict, "%s %s/%s is not ours: delete it, the run of cluster %s needs its name", kind, o.GetNamespace(), o.GetName(), c.ID)
	default:
		return fault.Newf(fault.Conflict, "%s %s/%s belongs to cluster %s of namespace %s: give this one another name, or Jobs a namespace of their own",
			kind, o.GetNamespace(), o.GetName(), c.ID, ns)
	}
}

// ConfigMap returns the ConfigMap that records a run. It is pure.
func ConfigMap(namespace string, c Cluster, r Record) (*corev1.ConfigMap, error) {
	spec, err := json.MarshalIndent(r.Spec, "", "  ")
	if err != nil {
		return nil, errors.Wrap(err, "cannot write "+run.SpecFile)
	}
	return &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{
			Namespace:       namespace,
			Name:            run.InputName(c.ID),
			Labels:          labelsOf(c, r.Spec.ID),
			ResourceVersion: r.version,
			Annotations: map[string]string{
				annotationNumber:   strconv.Itoa(r.Number),
				annotationFailures: strconv.Itoa(r.Failures),
				annotationInputs:   r.Inputs,
				annotationRequest:  r.Request,
				annotationApplied:  r.Applied,
			},
		},
		Data: map[string]string{run.SpecFile: string(spec), run.ConfigFile: string(r.Config)},
	}, nil
}

// recordOf reads what ConfigMap wrote. A spec that is damaged is as good as
// none, but its number goes on: the run is recorded anew.
func recordOf(c Cluster, cm *corev1.ConfigMap) (*Record, error) {
	if err := owned(c, "ConfigMap", cm); err != nil {
		return nil, err
	}
	r := &Record{
		Config:   []byte(cm.Data[run.ConfigFile]),
		Number:   number(cm.Annotations[annotationNumber]),
		Failures: number(cm.Annotations[annotationFailures]),
		Inputs:   cm.Annotations[annotationInputs],
		Request:  cm.Annotations[annotationRequest],
		Applied:  cm.Annotations[annotationApplied],
		version:  cm.GetResourceVersion(),
	}
	if err := json.Unmarshal([]byte(cm.Data[run.SpecFile]), &r.Spec); err != nil {
		r.Spec = run.Spec{}
	}
	if c.Owner != "" && r.Spec.Owner != "" && r.Spec.Owner != c.Owner {
		return nil, fault.Newf(fault.Conflict, "ConfigMap %s/%s is of an earlier cluster %s that another installation has made: destroy that, or give this one another name",
			cm.GetNamespace(), cm.GetName(), c.ID)
	}
	return r, nil
}

func number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 {
		return 0
	}
	return n
}

// Over returns the record as one that replaces an earlier one, if there is one.
func (r Record) Over(earlier *Record) Record {
	r.version = ""
	if earlier != nil {
		r.version = earlier.version
	}
	return r
}

// statusOf reads a report. One that cannot be read is none.
func statusOf(data map[string][]byte) *run.Status {
	s := &run.Status{}
	if err := json.Unmarshal(data[run.StatusKey], s); err != nil || s.Version != run.Version {
		return nil
	}
	return s
}

// Credentials returns the Secret with the files of a run's credentials. It is pure.
func Credentials(namespace string, c Cluster, files map[string][]byte) *corev1.Secret {
	return &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: run.CredentialsName(c.ID), Labels: labelsOf(c, "")},
		Data:       files,
	}
}
