# `make help` lists the targets.

SHELL := /bin/bash
.DEFAULT_GOAL := help

# One build graph for programs, tests and tools: what one of them compiles serves the others.
export CGO_ENABLED := 0

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

.PHONY: demo
demo: $(MANIFESTS) ## Connect a cluster and watch it become Ready; Ctrl-C stops it. DEMO_ARGS=--exit: end once Ready.
	@mkdir -p .sandbox/bin && go build -o .sandbox/bin/demo ./hack/sandbox/cmd/demo
	@exec .sandbox/bin/demo $(DEMO_ARGS)

.PHONY: test
test: $(MANIFESTS) ## Run all tests that need no root, with a real control plane.
	@assets="$${KUBEBUILDER_ASSETS:-$$($(TOOL) kubernetes etcd kube-apiserver kube-controller-manager)}" && \
		export KUBEBUILDER_ASSETS="$$assets" && set -x && \
		go run ./internal/testing/controlplane -- go test $(PACKAGES) $(TEST_ARGS)

.PHONY: e2e
e2e: $(MANIFESTS) ## Run the end-to-end tests on a sandbox with real pods; needs root on Linux.
	go test ./cluster/test/e2e -count=1 -timeout=60m -v -ginkgo.v -ginkgo.no-color $(TEST_ARGS)

.PHONY: bench
bench: $(MANIFESTS) ## Print figures; nothing is asserted.
	KUBEBUILDER_ASSETS="$(KUBEBUILDER_ASSETS)" go test -run '^$$' -bench . -timeout 60m ./internal/plan ./internal/gitops/render ./internal/controller

.PHONY: lint
lint: $(MANIFESTS) ## Run the linters.
	"$$($(TOOL) golangci-lint)/golangci-lint" run ./...

.PHONY: generate
generate: ## Generate deep copies and CRDs from the API types.
	"$$($(TOOL) controller-tools)/controller-gen" paths=./apis/... object:headerFile=hack/boilerplate.go.txt \
		crd:crdVersions=v1 output:crd:artifacts:config=package/crds

.PHONY: reviewable
reviewable: generate lint test ## Do what a change needs before it is reviewed.

.PHONY: check-diff
check-diff: generate ## Check that what is generated is committed.
	@test -z "$$(git status --porcelain -- apis package)" || \
		{ git --no-pager diff -- apis package; git status --short -- apis package; echo "Run make generate and commit this."; exit 1; }

.PHONY: clean
clean: ## Remove what was built and the sandbox's state, not the user's cache.
	rm -rf bin .sandbox
