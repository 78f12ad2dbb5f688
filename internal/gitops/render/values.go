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

package render

import "strings"

func noValues(Input) map[string]any { return nil }

// dnsProvider is what external-dns calls the provider of a cluster, or nothing
// if it does not know how to write to its DNS.
func dnsProvider(provider string) string {
	switch strings.ToLower(provider) {
	case "aws", "eks", "amazon":
		return "aws"
	case "gcp", "gke", "google":
		return "google"
	}

	return ""
}

func certManagerValues(in Input) map[string]any {
	return map[string]any{
		"crds": map[string]any{"enabled": true, "keep": true},
		"config": map[string]any{
			"apiVersion":       "controller.config.cert-manager.io/v1alpha1",
			"kind":             "ControllerConfiguration",
			"enableGatewayAPI": in.Wants("gateway"),
		},
	}
}

func externalDNSValues(in Input) map[string]any {
	v := map[string]any{
		"provider":      map[string]any{"name": dnsProvider(in.Provider)},
		"domainFilters": []any{in.Domain},
		"sources":       []any{"gateway-httproute", "service"},
		// Two clusters may share a zone: each touches only what it made, and
		// still does so when it is connected under another name.
		"txtOwnerId": in.ClusterUID,
		"policy":     "sync",
	}

	if dnsProvider(in.Provider) == "aws" && in.Region != "" {
		v["env"] = []any{map[string]any{"name": "AWS_DEFAULT_REGION", "value": in.Region}}
	}

	return v
}

// longhornValues leave the cloud's own StorageClass the default where there is one.
func longhornValues(in Input) map[string]any {
	return map[string]any{
		"persistence": map[string]any{
			"defaultClass":             dnsProvider(in.Provider) == "",
			"defaultClassReplicaCount": 2,
		},
		"defaultSettings": map[string]any{"deletingConfirmationFlag": false},
	}
}

func monitoringValues(in Input) map[string]any {
	labels := map[string]any{"cluster": in.ID}
	if in.Provider != "" {
		labels["provider"] = in.Provider
	}

	if in.Region != "" {
		labels["region"] = in.Region
	}

	return map[string]any{
		// Short names, because some of what the chart makes has a limit of 63 characters.
		"fullnameOverride": "monitoring",
		"prometheus": map[string]any{
			"prometheusSpec": map[string]any{
				"externalLabels": labels,
				"retention":      "15d",
				// Monitors of every namespace count, not only those of this release.
				"serviceMonitorSelectorNilUsesHelmValues": false,
				"podMonitorSelectorNilUsesHelmValues":     false,
			},
		},
		"grafana": map[string]any{
			"fullnameOverride": "monitoring-grafana",
			// The chart's own password is known to everybody.
			"admin": map[string]any{"existingSecret": GrafanaSecret, "userKey": "username", "passwordKey": "password"},
			"grafana.ini": map[string]any{
				"server": map[string]any{"root_url": "https://grafana." + in.Domain},
			},
		},
	}
}

func loggingValues(Input) map[string]any {
	return map[string]any{
		"server": map[string]any{
			"fullnameOverride": "victoria-logs-single-server",
			"retentionPeriod":  "15d",
			"persistentVolume": map[string]any{"enabled": true, "size": "20Gi"},
		},
		"vector": map[string]any{"enabled": true},
	}
}
