# `make help` lists the targets.

SHELL := /bin/bash
.DEFAULT_GOAL := help

# One build graph for programs, tests and tools: what one of them compiles serves the others.
export CGO_ENABLED := 0

# The schemas of the Terraform providers, which are not ours to commit: make schemas.
export SCHEMAS_DIR ?= $(CURDIR)/.schemas

# Tools are built from pinned modules, once, into the user's cache.
TOOL := hack/tools/build

# Everything but what needs root, which is `make e2e`.
PACKAGES := ./apis/... ./cmd/... ./hack/... ./internal/...

# Other people's manifests, assembled from their modules and never committed.
MANIFESTS := internal/flux/manifests/version

$(MANIFESTS): go.mod $(wildcard hack/manifests/*.go)
	go run ./hack/manifests
	@touch $@

.PHONY: help
help: ## Show this help.
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "%-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: build
build: $(MANIFESTS) ## Build all programs into bin/.
	go build -o bin/ ./cmd/...

.PHONY: manifests
manifests: $(MANIFESTS) ## Assemble the manifests of Flux and Sealed Secrets, which go into the provider.

.PHONY: demo
demo: $(MANIFESTS) ## Connect a cluster and watch it become Ready; Ctrl-C stops it. DEMO_ARGS=--exit: end once Ready.
	@mkdir -p .sandbox/bin && go build -o .sandbox/bin/demo ./hack/sandbox/cmd/demo
	@exec .sandbox/bin/demo $(DEMO_ARGS)

.PHONY: test
test: $(MANIFESTS) ## Run all tests that need no root, with a real control plane.
	@assets="$${KUBEBUILDER_ASSETS:-$$($(TOOL) kubernetes etcd kube-apiserver kube-controller-manager)}" && \
		crank="$${CRANK:-$$($(TOOL) crank)/crank}" && \
		tofu="$${TOFU:-$$($(TOOL) opentofu)/tofu}" && \
		export KUBEBUILDER_ASSETS="$$assets" CRANK="$$crank" TOFU="$$tofu" && set -x && \
		go run ./internal/testing/controlplane -- go test -timeout=20m $(PACKAGES) $(TEST_ARGS)

.PHONY: render
render: ## Show what HostClusters will create, offline. RENDER=provision-eks: only that example. UPDATE=1: write the golden files.
	@crank="$${CRANK:-$$($(TOOL) crank)/crank}" && CRANK="$$crank" go run ./hack/render $(RENDER)

.PHONY: schemas
schemas: ## Download the schemas of the Terraform providers, which the tests of the modules need.
	@tofu="$${TOFU:-$$($(TOOL) opentofu)/tofu}" && set -x && go run ./hack/schemas -out .schemas -tofu "$$tofu"

.PHONY: package
package: $(MANIFESTS) ## Build images and Crossplane packages for amd64 and arm64 into dist/. PACKAGE_ARGS=-architectures=amd64: one only.
	go run ./hack/package $(PACKAGE_ARGS)

.PHONY: e2e
e2e: $(MANIFESTS) ## Run the end-to-end tests on a sandbox with real pods; needs root on Linux.
	go test ./cluster/test/e2e -count=1 -timeout=60m -v -ginkgo.v -ginkgo.no-color $(TEST_ARGS)

.PHONY: bench
bench: $(MANIFESTS) ## Print figures; nothing is asserted.
	KUBEBUILDER_ASSETS="$(KUBEBUILDER_ASSETS)" go test -run '^$$' -bench . -timeout 150m ./internal/plan ./internal/gitops/render ./cmd/eks-token-helper ./internal/controller

.PHONY: lint
lint: $(MANIFESTS) ## Run the linters.
	"$$($(TOOL) golangci-lint)/golangci-lint" run ./...

.PHONY: generate
generate: ## Generate deep copies and CRDs from the API types.
	"$$($(TOOL) controller-tools)/controller-gen" paths=./apis/... object:headerFile=hack/boilerplate.go.txt \
		crd:crdVersions=v1 output:crd:artifacts:config=package/crds
	"$$($(TOOL) controller-tools)/controller-gen" paths=./internal/function/input/... object:headerFile=hack/boilerplate.go.txt \
		crd:crdVersions=v1 output:crd:artifacts:config=cluster/function/input

.PHONY: reviewable
reviewable: generate lint test ## Do what a change needs before it is reviewed.

GENERATED := apis package cluster/function internal/function/input

.PHONY: check-diff
check-diff: generate ## Check that what is generated is committed.
	@test -z "$$(git status --porcelain -- $(GENERATED))" || \
		{ git --no-pager diff -- $(GENERATED); git status --short -- $(GENERATED); echo "Run make generate and commit this."; exit 1; }

.PHONY: clean
clean: ## Remove what was built and the sandbox's state, not the user's cache.
	rm -rf bin dist .sandbox
