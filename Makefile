# What one does in this repository. `make help` lists the targets.
#
# On a fresh machine with Go, Python 3.11 and Node, each target installs what it
# needs: Python packages into .venv, Node packages into e2e/node and e2e/inspector,
# tools into .cache/bin, all at pinned versions, and each only once.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

GOLANGCI_LINT := v2.15.0
GOFUMPT       := v0.12.0
GOVULNCHECK   := v1.8.0

BIN     := .cache/bin
SCRIPTS := e2e/scripts
# The two Go modules: the program, and the tests with a browser.
MODULES := . e2e
export GOBIN := $(CURDIR)/$(BIN)

.PHONY: help
help: ## print this list
	@awk -F ':.*## ' '/^[a-z][a-z-]*:.*## / { printf "make %-10s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

.PHONY: build
build: need-go ## build bin/nbduet
	@CGO_ENABLED=0 go build -trimpath -o bin/nbduet ./cmd/nbduet

# For this machine, or for that of GOOS and GOARCH: make wheel GOARCH=arm64
.PHONY: wheel
wheel: need-go ## make the wheel with the extension of Jupyter Server, in dist
	@cmd/jupyter-extension/wheel.sh dist

.PHONY: demo
demo: build venv ## watch an agent work in a JupyterLab tab of yours
	@cd e2e && go build -o ../$(BIN)/demo ./cmd/demo
	@exec $(BIN)/demo

.PHONY: test
test: need-go ## run all tests, browser included, installing what they need
	@$(MAKE) --no-print-directory -j4 compiler venv venv-jsd venv-mcp nbmodel rkernel julia extension node browser build
	@$(MAKE) --no-print-directory -k test-fake test-program test-e2e

.PHONY: test-quick
test-quick: need-go ## run the tests of the program against a fake Jupyter server, which takes a minute and needs nothing but Go
	@go test -count=1 ./...

# What of test-quick is another test with a real server: the packages whose tests know of one. The others are run by
# test-program, and with the race detector.
.PHONY: test-fake
test-fake: need-go
	@go test -count=1 $$(go list -test -f '{{.ImportPath}} {{join .Deps " "}}' ./... | sed -n 's#\.test .*/rtc/jupyter.*##p')

# The race detector takes as long for a byte of a picture as for one that goroutines share: ten times the time of the
# rest, for some tests. These packages only compute, from what their callers have made, for whoever calls them; what our
# code and all other packages do to that, and to all else, is seen as ever.
COMPUTING := compress/... encoding/base64 hash/... image/... regexp/... strconv strings unicode/... golang.org/x/image/...
RACE      := GOFLAGS="$${GOFLAGS-} $(COMPUTING:%=-gcflags=%=-race=false)"

# The same tests again, against a real Jupyter server, which they share; those
# with a browser start their own. go test runs packages side by side; both at
# once would be too much for a small machine. -count=1 because the test cache sees neither the program
# that the tests build nor the servers that they talk to.
# The rooms of files that are broken, or not there, are opened in a server of their own: a room that cannot be opened ends
# now and then all others of the server, which lives on (its pycrdt.websocket: one group of tasks for all rooms).
APART := ./rtc/jupyter/jupytertest/fake/rooms
.PHONY: test-program
test-program: need-go venv nbmodel rkernel julia
	@mkdir -p $(BIN); cd e2e; go build -o ../$(BIN)/withserver.$$$$ ./cmd/withserver; mv ../$(BIN)/withserver.$$$$ ../$(BIN)/withserver # which another run may be starting
	@export $(RACE); \
	$(BIN)/withserver go test -race -vet=off -count=1 -timeout 30m $(APART) & apart=$$!; \
	$(BIN)/withserver go test -race -vet=off -count=1 -timeout 30m $$(go list ./... | grep -v $(APART:.%=%$$)); rest=$$?; \
	wait $$apart && exit $$rest

.PHONY: test-e2e
test-e2e: need-go venv venv-jsd venv-mcp extension node browser
	@cd e2e && $(RACE) go test -race -vet=off -count=1 -timeout 30m ./...

.PHONY: soak
soak: need-go venv browser ## fifty clients over HTTP for two minutes, all outages, and random edits for an hour or so (NBDUET_ROOM_SEEDS=n says how many)
	@cd e2e && NBDUET_HTTP_SOAK=$${NBDUET_HTTP_SOAK:-2m} go test -race -v -timeout 20m -run TestManyClientsOverHTTP .
	@cd e2e && NBDUET_OUTAGES=all go test -race -v -timeout 30m -run TestOutages ./rooms
	@cd e2e && NBDUET_ROOM_SEEDS=$${NBDUET_ROOM_SEEDS:-5000} go test -race -v -timeout 6h -run TestRandomEdits ./rooms

.PHONY: bench-ydoc
bench-ydoc: need-go venv node ## time shared documents beside yjs and pycrdt (ROUNDS=n says how often; some minutes)
	@cd e2e && go build -o ../$(BIN)/ybench ./cmd/ybench
	@$(BIN)/ybench -rounds $${ROUNDS:-5}

.PHONY: bench-rooms
bench-rooms: need-go venv ## measure 100 open rooms, 20 agents in one, and a notebook of 20 MB
	@cd e2e && go test -run '^$$' -bench . -benchtime 1x -timeout 20m ./rooms

.PHONY: bench-calls
bench-calls: need-go venv ## time execute_code beside a bare client of the kernel (CALLS=n says how often; a minute or two)
	@cd e2e && go build -o ../$(BIN)/withserver ./cmd/withserver
	@$(BIN)/withserver go test -run '^$$' -bench BenchmarkCalls -benchtime $${CALLS:-300}x -timeout 20m ./tools

# Each fuzz target by itself: go test runs no more than one at a time.
.PHONY: fuzz
fuzz: need-go ## run each fuzz target for FUZZTIME (60s unless set; 2000000x for so many executions)
	@$(SCRIPTS)/fuzz.sh $${FUZZTIME:-60s} ./ydoc/crdt ./ydoc/wire ./ydoc/awareness ./ydoc/textdiff ./rtc ./rtc/jupyter ./session/kernel ./session/images ./session/project ./tools/srcmd

.PHONY: soak-ydoc
soak-ydoc: need-go venv node ## run random programs of shared documents for hours (NBDUET_SEEDS=n says how many)
	@cd e2e && NBDUET_SEEDS=$${NBDUET_SEEDS:-200000} go test -v -timeout 24h -run TestReplicasAgree ./ydiff

.PHONY: lint
lint: need-go $(BIN)/golangci-lint-$(GOLANGCI_LINT) $(BIN)/gofumpt-$(GOFUMPT) ## golangci-lint, go vet, gofumpt, govulncheck, and walls (how many files of a package need each other)
	@$(SCRIPTS)/gofumpt.sh $(BIN)/gofumpt-$(GOFUMPT) check
	@cd e2e && go build -o ../$(BIN)/walls ./cmd/walls
	@$(BIN)/walls -limits e2e/cmd/walls/limits.txt
	@failed=0; for module in $(MODULES); do \
		(cd $$module && go vet ./... && $(CURDIR)/$(BIN)/golangci-lint-$(GOLANGCI_LINT) run --config $(CURDIR)/.golangci.yml ./...) || failed=1; \
	done; exit $$failed
	@$(SCRIPTS)/govulncheck.sh $(GOVULNCHECK) $(MODULES)

.PHONY: fmt
fmt: need-go $(BIN)/gofumpt-$(GOFUMPT) ## format all Go files
	@$(SCRIPTS)/gofumpt.sh $(BIN)/gofumpt-$(GOFUMPT) write

.PHONY: venv
venv: ## make .venv with JupyterLab from the locked requirements
	@$(SCRIPTS)/venv.sh

.PHONY: venv-jsd
venv-jsd: ## make .venv-jsd with jupyter-server-documents, which some sites have in place of jupyter-collaboration
	@$(SCRIPTS)/venv.sh jsd

.PHONY: venv-mcp
venv-mcp: ## make .cache/mcp with the MCP SDK for Python, whose client the tests drive
	@$(SCRIPTS)/venv.sh mcp

# After venv, whose pip it takes where there is one.
.PHONY: nbmodel
nbmodel: venv ## put jupyter-server-nbmodel into .cache/nbmodel, for the tests of --execute server
	@$(SCRIPTS)/nbmodel.sh

# After venv, as nbmodel.
.PHONY: extension
extension: venv ## put what the extension of Jupyter Server needs into .cache/extension, for its tests
	@$(SCRIPTS)/extension.sh
	@cmd/jupyter-extension/wheel.sh

.PHONY: rkernel
rkernel: ## put R with IRkernel into .cache/r, for the tests of looking at variables
	@$(SCRIPTS)/rkernel.sh

.PHONY: julia
julia: ## put Julia into .cache/julia, for the tests of looking at variables
	@$(SCRIPTS)/julia.sh

.PHONY: node
node: ## install the locked Node packages of the tests
	@$(SCRIPTS)/node.sh

.PHONY: browser
browser: ## find Chromium (CHROME_BIN names one), or install Debian's
	@$(SCRIPTS)/system.sh browser

.PHONY: compiler
compiler: # the race detector is linked by a C compiler
	@$(SCRIPTS)/system.sh compiler

.PHONY: clean
clean: ## remove all that the other targets made
	@rm -rf bin dist .venv .venv-jsd .cache e2e/node/node_modules e2e/inspector/node_modules e2e/artifacts

.PHONY: need-go
need-go:
	@command -v go >/dev/null || { echo 'Go is missing: install Go 1.26 or later (https://go.dev/dl).' >&2; exit 1; }

$(BIN)/golangci-lint-$(GOLANGCI_LINT):
	@echo 'building golangci-lint $(GOLANGCI_LINT) (once, some minutes)'
	@go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_LINT)
	@mv $(BIN)/golangci-lint $@

$(BIN)/gofumpt-$(GOFUMPT):
	@echo 'building gofumpt $(GOFUMPT) (once)'
	@go install mvdan.cc/gofumpt@$(GOFUMPT)
	@mv $(BIN)/gofumpt $@
