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

// Package images says what is in each of this project's container images. All
// are made FROM scratch, of static programs that do not run as root.
package images

import (
	"github.com/kubeopera/provider-kubeopera/hack/image"
	"github.com/kubeopera/provider-kubeopera/internal/gitops/render"
	"github.com/kubeopera/provider-kubeopera/internal/version"
)

// CACertificates is where Debian has the certificates of the public
// authorities, and where Go programs look for them.
const CACertificates = "/etc/ssl/certs/ca-certificates.crt"

// user is nonroot of the distroless images.
const user = "65532"

// Repositories of the images besides the provider's.
const (
	RunnerRepository = "ghcr.io/kubeopera/terraform-runner"
	APIRepository    = "ghcr.io/kubeopera/kubeopera-api"
)

// Programs tells where a program is that goes into an image.
type Programs func(name string) string

// Provider is the image of the provider. The token helpers are where the
// kubeconfigs of EKS and GKE clusters name them, so that these work in it, too.
func Provider(bin Programs) image.Image {
	return image.Image{
		Name: render.ProviderImage + ":" + version.String(),
		Files: map[string]string{
			"/usr/local/bin/provider": bin("provider"),
			"/eks-token-helper":       bin("eks-token-helper"),
			"/gke-token-helper":       bin("gke-token-helper"),
			CACertificates:            CACertificates,
		},
		Entrypoint: []string{"provider"}, User: user,
	}
}

// Runner is the image of terraform-runner, with OpenTofu.
func Runner(bin Programs) image.Image {
	return image.Image{
		Name: RunnerRepository + ":" + version.String(),
		Files: map[string]string{
			"/usr/local/bin/terraform-runner": bin("terraform-runner"),
			"/usr/local/bin/tofu":             bin("tofu"),
			CACertificates:                    CACertificates,
		},
		Entrypoint: []string{"terraform-runner"}, User: user,
	}
}

// API is the image of kubeopera-api.
func API(bin Programs) image.Image {
	return image.Image{
		Name:       APIRepository + ":" + version.String(),
		Files:      map[string]string{"/usr/local/bin/kubeopera-api": bin("kubeopera-api"), CACertificates: CACertificates},
		Entrypoint: []string{"kubeopera-api"}, User: user,
	}
}

// Function is the image of the composition function.
func Function(bin Programs) image.Image {
	return image.Image{
		Name:       "ghcr.io/kubeopera/function-kubeopera:" + version.String(),
		Files:      map[string]string{"/usr/local/bin/function": bin("function"), CACertificates: CACertificates},
		Entrypoint: []string{"function"}, User: user,
	}
}
