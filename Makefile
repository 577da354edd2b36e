# What one does in this repository. `make help` lists the targets.
#
# On a fresh machine with Go, Python 3.11 and Node, each target installs what it
# needs: Python packages into .venv, Node packages into e2e/node and its like,
# all at pinned versions, and each only once; tools into a folder that clones share.
# Where there is no C compiler or no browser, these are such packages too.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

GOLANGCI_LINT := v2.15.0
GOVULNCHECK   := v1.8.0
ACTIONLINT    := v1.7.12
export GOTESTSUM := v1.13.0

BIN     := .cache/bin
SCRIPTS := e2e/scripts
ALONE   := $(SCRIPTS)/alone.sh
# The two Go modules: the program, and the tests with a browser.
MODULES := . e2e

# The floors of the tests, from the quick to the whole. What is listed here is listed nowhere else.
#
# What gates a change: first the tests of the program against a fake Jupyter server, and those of e2e that need nothing but
# Go; then the contract, which holds the fake against a real server; then the journeys, through the built program; then its
# wheel, installed by pip; then the program with a JupyterHub.
GATE         := test-fake environments test-contract test-journeys test-wheel test-hub
PLAIN        := ./answers ./cmd/... ./gotest ./listing ./scripts ./seeds ./tokens
# A test too large for the race detector.
VAST         := -run '^TestVastOutput$$' ./tools/notebook
CONTRACT     := ./rtc/jupyter/jupytertest/...
JOURNEYS     := ./journeys
TRAVELLING   := compiler venv venv-mcp extension node browser
ENVIRONMENTS := $(TRAVELLING) hub6 hubproxy
# Everything: the other systems, and after the fake all tests of the program against a real server, and all of e2e, with what some of them need.
ALL          := vet-systems test-race environments-all test-labextension test-program test-e2e
FURTHER      := venv-jsd venv-datalayer chat rkernel julia inspector hub5 fronts gateway enterprise

.PHONY: help
help: ## print this list
	@awk -F ':.*## ' '/^[a-z][a-z0-9-]*:.*## / { printf "make %-14s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

# Go itself names the commit in no program built in a worktree, nor with -buildvcs=false in its environment.
.PHONY: build
build: need-go ## build bin/nbduet
	@CGO_ENABLED=0 go build -trimpath -ldflags "-X main.commit=$$(git describe --always --dirty --abbrev=12 --exclude='*' 2>/dev/null || true)" -o bin/nbduet ./cmd/nbduet

# For this machine, or for that of GOOS and GOARCH: make wheel GOARCH=arm64
.PHONY: wheel
wheel: need-go ## make the wheels of the program and of the extension of Jupyter Server, in dist
	@packaging/python/wheels.sh dist

# NOTEBOOK names a notebook or a folder of your own.
.PHONY: up
up: build ## start JupyterLab with collaboration (made once where there is none), open a notebook, and print the command that connects each AI client to this build
	@mkdir -p notebooks; [ -e notebooks/demo.ipynb ] || cp e2e/testdata/demo.ipynb notebooks
	@exec bin/nbduet up "$${NOTEBOOK:-notebooks/demo.ipynb}"

.PHONY: demo
demo: build venv ## watch an agent work in a notebook, without an AI client
	@$(call program,demo)
	@exec $(BIN)/demo

.PHONY: test
test: gate ## run what gates a change: the program against a fake Jupyter server, the fake against a real one, and twelve journeys through it all
	@$(RUN) -meanwhile environments $(GATE)

.PHONY: test-quick
test-quick: need-go ## run the tests of the program against the fake alone, which needs only Go
	@go test -count=1 ./...

.PHONY: test-all
test-all: gate ## run everything there is: all tests of the program on a real server, R, Julia, faults and outages, every browser test
	@$(RUN) -limit 2h -meanwhile environments-all $(ALL)

.PHONY: ci
ci: RUN += $(WARM)
ci: gate # .ci/run: the lint, and what gates a change
	@$(RUN) -meanwhile environments lint $(GATE)

# What gates a change takes less than ten minutes of two cores where everything is installed, and fails above fifteen.
RUN  := $(BIN)/gate -limit 40m
WARM := -within 15m -stamp $(BIN)/gate.passed

# First what must be there: one line says what to install, before anything is fetched or compiled.
.PHONY: gate
gate: machine
	@$(call program,gate)

# A program of e2e, built where another run may be starting it.
program = mkdir -p $(BIN); cd e2e; go build -o ../$(BIN)/$(1).$$$$ ./cmd/$(1); mv ../$(BIN)/$(1).$$$$ ../$(BIN)/$(1)

# The race detector takes as long for a byte of a picture as for one that goroutines share: ten times the time of the
# rest, for some tests. These packages only compute, from what their callers have made, for whoever calls them; what our
# code and all other packages do to that, and to all else, is seen as ever.
COMPUTING := compress/... encoding/base64 hash/... image/... regexp/... strconv strings unicode/... golang.org/x/image/...
# What has the detector sleeps a second before it exits, for goroutines that may still race: with each package's tests,
# and with each program that they start. What a test has started it waits for, so that nothing is left to be seen then.
# The detector needs a C compiler. Where there is none, it is that of the target compiler: Zig. cmd/go splits CC at spaces
# that are not quoted.
COMPILERS  = $(shell command -v $(CC) gcc clang)
ZIG       := ZIG_GLOBAL_CACHE_DIR="$(CURDIR)/.cache/zig-cache" CC="'$(CURDIR)/.cache/zig/bin/python' -m ziglang cc"
RACEFLAGS := $(COMPUTING:%=-gcflags=%=-race=false)
RACERUN    = GORACE="atexit_sleep_ms=20 $${GORACE-}" $(if $(COMPILERS),,$(ZIG))
RACE       = GOFLAGS="$${GOFLAGS-} $(RACEFLAGS)" $(RACERUN)
# -count=1 because the test cache sees neither the program that the tests build nor the servers that they talk to.
GOTEST    := $(SCRIPTS)/gotest.sh -race -vet=off -count=1 -timeout 30m

# Without the detector, under which these tests take six times as long.
UNRACED   := $(SCRIPTS)/gotest.sh -vet=off -count=1 -timeout 30m
# For tests of the program from outside: it has the detector, and they have none, as their libraries take longer to compile with
# it than they run. test-e2e compiles them with it.
OUTSIDE    = NBDUET_RACEFLAGS="$(RACEFLAGS)" $(RACERUN) ../$(UNRACED)

# With the detector, the packages that start goroutines; test-all runs the others with it, too. Packages wait as well as
# compute, so three are tested at a time, the longest first.
LONGEST := ./tools ./tools/notebook

.PHONY: test-fake
test-fake: need-go compiler
	@failed=0; \
	concurrent=$$($(SCRIPTS)/concurrent.sh); \
	(export $(RACE); $(GOTEST) -p 3 $$concurrent) || failed=1; \
	rest=$$(comm -23 <(go list ./... | sort) <(go list $$concurrent $(LONGEST) | sort)); \
	$(UNRACED) -p 3 $(LONGEST) $$rest || failed=1; \
	(cd e2e && ../$(UNRACED) -parallel 8 $(PLAIN)) || failed=1; \
	exit $$failed

.PHONY: test-race
test-race: need-go compiler
	@(export $(RACE); $(GOTEST) ./...)
	@$(UNRACED) $(VAST)

.PHONY: test-contract
test-contract: need-go compiler venv
	@$(call program,withserver)
	@$(call with-servers,$(CONTRACT)); exit $$failed

# The tests of the packages that are named, against a real Jupyter server, which they share. The rooms of files that are
# broken, or not there, are opened in a server of their own, at the same time: a room that cannot be opened ends now and then
# all others of the server, which lives on (its pycrdt.websocket: one group of tasks for all rooms). There the tests wait far
# more than they compute, so that more of them go beside each other than there are cores.
APART        := ./rtc/jupyter/jupytertest/fake/rooms
with-servers = export $(RACE); failed=0; \
	$(BIN)/withserver $(GOTEST) -parallel 8 $(APART) & apart=$$!; \
	$(BIN)/withserver $(GOTEST) $$(go list $(1) | grep -v $(APART:.%=%$$)) || failed=1; \
	wait $$apart || failed=1

.PHONY: test-journeys
test-journeys: need-go $(TRAVELLING)
	@cd e2e && $(OUTSIDE) $(JOURNEYS) && $(OUTSIDE) -run '^TestStop$$/^mouse$$' ./labextension

# What the wheel is for most: by the pip of the oldest and the newest Python there is, into a fresh environment, and there
# with a real JupyterLab.
.PHONY: test-wheel
test-wheel: need-go venv
	@cd e2e && ../$(SCRIPTS)/gotest.sh -vet=off -count=1 -timeout 10m -short -run '^TestWheelInstalls$$/^(size|each_Python|with_a_JupyterLab)$$' ./packages

.PHONY: test-hub
test-hub: need-go compiler venv hub6 hubproxy
	@cd e2e && $(OUTSIDE) -run '^TestInShort$$' ./jupyterhub

# The tests of the program again, against a real server; those with a browser start their own. The race detector is where
# goroutines meet, as in test-fake: test-race has had it everywhere.
.PHONY: test-program
test-program: need-go compiler venv chat rkernel julia
	@$(call program,withserver)
	@concurrent=$$($(SCRIPTS)/concurrent.sh); rest=$$(comm -23 <(go list ./... | sort) <(go list $$concurrent | sort)); \
	($(call with-servers,$$concurrent); exit $$failed) || failed=1; \
	$(BIN)/withserver $(UNRACED) -p 3 $$rest || failed=1; \
	exit $${failed-0}

# The journeys, the rooms that fail, and the extension in JupyterLab and Notebook, with the versions that people have: make test-lab LAB=4.4 COLLABORATION=4. With 3, which
# is for JupyterLab before 4.4, without the one in a tab: such tabs open shared notebooks from a drive of their own, and draw
# no outputs in the form that later ones share them in. With 4, a room that a tab returns to after a restart is
# garbled, not doubled.
.PHONY: test-lab
test-lab: need-go $(TRAVELLING)
	@jupyter=$$($(SCRIPTS)/lab.sh "$${LAB-}" "$${COLLABORATION-}"); \
	cd e2e && export NBDUET_JUPYTER=$$jupyter && $(RACE) ../$(GOTEST) $(if $(filter 3,$(COLLABORATION)),-skip '^TestTypingBesideAgent$$') $(JOURNEYS) && \
	$(RACE) ../$(GOTEST) -run '^TestRoomsThatFail$$/^jupyter-collaboration$$/^(a_tab_joins|a_program|the_room)' ./rooms && \
	for tab in lab doc notebook; do NBDUET_TAB=$$tab $(RACE) ../$(GOTEST) ./labextension || exit 1; done

.PHONY: test-e2e
test-e2e: need-go $(ENVIRONMENTS) $(FURTHER)
	@cd e2e && $(RACE) ../$(GOTEST) $$(go list ./... | grep -v -e /seeds$$ -e /packages$$)
	@cd e2e && export NBDUET_TEST_SERVER=real && $(RACE) ../$(GOTEST) ./seeds

# Of what this machine can make: it has no cosign, whose signatures are of a workflow, and maybe no docker.
.PHONY: release-snapshot
release-snapshot: need-go venv ## make all that a release consists of, for all platforms, of the commit at hand, into dist
	@packaging/goreleaser.sh release --snapshot --clean --skip=sign$$(docker info >/dev/null 2>&1 || echo ,docker)
	@mv .cache/packages/* dist

# With the tag at hand, and publishes it: the workflow of releases runs it.
.PHONY: release
release: need-go venv
	@packaging/goreleaser.sh release --clean

# Unlike all other tests, these leave the race detector out: they are of the program that people get.
.PHONY: test-packages
test-packages: need-go ## make the packages of a release for this machine, install each, and start it with a real JupyterLab
	@$(MAKE) --no-print-directory -j4 $(PACKERS)
	@cd e2e && ../$(UNRACED) ./packages

# What packs, and what is installed beside it: some compile, others fetch.
PACKERS := goreleaser extension mcpb
.PHONY: goreleaser mcpb
goreleaser: need-go
	@packaging/goreleaser.sh --version >/dev/null
mcpb:
	@$(ALONE) mcpb packaging/mcpb/install.sh node
	@$(ALONE) mcpb packaging/mcpb/install.sh claude

.PHONY: machine
machine: need-go
	@$(SCRIPTS)/venv.sh lab check
	@$(SCRIPTS)/venv.sh mcp check
	@$(SCRIPTS)/node.sh check
	@$(SCRIPTS)/system.sh check

.PHONY: environments environments-all
environments:
	@$(MAKE) --no-print-directory -j4 $(ENVIRONMENTS)
environments-all:
	@$(MAKE) --no-print-directory -j4 $(ENVIRONMENTS) $(FURTHER)

.PHONY: stress
stress: need-go compiler ## run the tests against the fake nine times each, in random orders and beside each other, and say which failed how often (PKG=./session names others)
	@$(call program,stress)
	@$(RACE) $(BIN)/stress $${STRESSFLAGS-} $${PKG:-./session/... ./tools/...}

.PHONY: soak
soak: need-go venv browser ## fifty clients over HTTP for two minutes, and random edits for an hour or so (NBDUET_ROOM_SEEDS=n says how many)
	@cd e2e && NBDUET_HTTP_SOAK=$${NBDUET_HTTP_SOAK:-2m} go test -race -v -timeout 20m -run TestManyClientsOverHTTP ./program
	@cd e2e && NBDUET_ROOM_SEEDS=$${NBDUET_ROOM_SEEDS:-5000} go test -race -v -timeout 6h -run TestRandomEdits ./rooms

.PHONY: load
load: need-go venv hub6 hubproxy ## measure what the users of a JupyterHub need, with nbduet as its service: USERS=100 with a server and a notebook each, ACTIVE=10 who work FOR=10m
	@cd e2e && go run ./cmd/hubload -users $${USERS:-100} -active $${ACTIVE:-10} -for $${FOR:-10m}

.PHONY: bench
bench: build venv venv-datalayer ## count the tokens of answers and of the list of tools, beside those of Datalayer's server
	@$(call program,bench)
	@$(BIN)/bench

.PHONY: bench-ydoc
bench-ydoc: need-go venv node ## time shared documents beside yjs and pycrdt (ROUNDS=n says how often)
	@$(call program,ybench)
	@$(BIN)/ybench -rounds $${ROUNDS:-5}

.PHONY: bench-rooms
bench-rooms: need-go venv ## measure 100 open rooms, 20 agents in one, and a notebook of 20 MB
	@cd e2e && go test -run '^$$' -bench . -benchtime 1x -timeout 20m ./rooms

.PHONY: bench-calls
bench-calls: need-go venv ## time execute_code beside a bare client of the kernel (CALLS=n says how often)
	@$(call program,withserver)
	@$(BIN)/withserver go test -run '^$$' -bench BenchmarkCalls -benchtime $${CALLS:-300}x -timeout 20m ./tools

.PHONY: bench-embedded
bench-embedded: need-go venv extension ## time calls inside Jupyter Server beside those of the program alone (CALLS=n says how often, ROUNDS=n how many times over)
	@cd e2e && go test -run '^$$' -bench BenchmarkInside -benchtime $${CALLS:-200}x -count $${ROUNDS:-1} -timeout 30m ./embedded

# Each fuzz target by itself: go test runs no more than one at a time.
.PHONY: fuzz
fuzz: need-go ## run each fuzz target for FUZZTIME (60s unless set; 2000000x for so many executions)
	@$(SCRIPTS)/fuzz.sh $${FUZZTIME:-60s} ./ydoc/crdt ./ydoc/wire ./ydoc/awareness ./ydoc/textdiff ./rtc ./rtc/jupyter ./session/kernel ./session/render/images ./session/store/project ./session/render/traceback ./session/render/htmltext ./session/kernel/figure ./tools/analysis/srcbook

.PHONY: soak-ydoc
soak-ydoc: need-go venv node ## run random programs of shared documents for hours (NBDUET_SEEDS=n says how many)
	@cd e2e && NBDUET_SEEDS=$${NBDUET_SEEDS:-200000} go test -v -timeout 24h -run TestReplicasAgree ./ydiff

TOOL_LINT := $(SCRIPTS)/tool.sh golangci-lint github.com/golangci/golangci-lint/v2/cmd/golangci-lint $(GOLANGCI_LINT)
FORMAT    := "$$($(TOOL_LINT))" fmt --enable gofumpt
# golangci-lint runs all checks of go vet, and more of its kind: see govet in .golangci.yml.
.PHONY: lint
lint: need-go ## golangci-lint (with go vet's checks), actionlint, gofumpt, govulncheck, and walls (how many files of a package need each other, and how large it is)
	@$(FORMAT) --diff
	@$(call program,walls)
	@$(BIN)/walls -limits e2e/cmd/walls/limits.txt
	@$(BIN)/walls -asserts e2e/cmd/walls/asserts.txt
	@$(BIN)/walls -prose e2e/cmd/walls/prose.txt
	@tool=$$($(TOOL_LINT)); top=$$PWD; failed=0; for module in $(MODULES); do \
		(cd $$module && "$$tool" run --allow-parallel-runners --config "$$top/.golangci.yml" ./...) || failed=1; \
	done; exit $$failed
	@"$$($(SCRIPTS)/tool.sh actionlint github.com/rhysd/actionlint/cmd/actionlint $(ACTIONLINT))"
	@$(SCRIPTS)/govulncheck.sh $(GOVULNCHECK) $(MODULES)

# From source: go vet would first compile all dependencies three times over, for 26 minutes.
.PHONY: vet-systems
vet-systems: need-go ## the checks of go vet for Windows, FreeBSD and macOS
	@$(call program,vetsource)
	@failed=0; for system in windows freebsd darwin; do GOOS=$$system $(BIN)/vetsource ./... || failed=1; done; exit $$failed

.PHONY: fmt
fmt: need-go ## format all Go files
	@$(FORMAT)

.PHONY: venv
venv: ## make .venv with JupyterLab from the locked requirements
	@$(ALONE) venv $(SCRIPTS)/venv.sh

.PHONY: venv-jsd
venv-jsd: ## make .venv-jsd with jupyter-server-documents, which some sites have in place of jupyter-collaboration
	@$(ALONE) venv-jsd $(SCRIPTS)/venv.sh jsd

.PHONY: venv-mcp
venv-mcp: ## make .cache/mcp with the MCP SDK for Python, whose client the tests drive
	@$(ALONE) venv-mcp $(SCRIPTS)/venv.sh mcp

.PHONY: venv-datalayer
venv-datalayer: ## make .cache/datalayer with Datalayer's jupyter-mcp-server, for make bench
	@$(ALONE) venv-datalayer $(SCRIPTS)/venv.sh datalayer

# The two from which a Jupyter server may have its kernels.
.PHONY: gateway
gateway: ## make .cache/gateway with Jupyter Kernel Gateway, for the tests of kernels elsewhere
	@$(ALONE) gateway $(SCRIPTS)/venv.sh gateway

.PHONY: enterprise
enterprise: ## make .cache/enterprise with Jupyter Enterprise Gateway, for the tests of kernels elsewhere
	@$(ALONE) enterprise $(SCRIPTS)/venv.sh enterprise

# After venv, whose pip it takes where there is one.
.PHONY: chat
chat: venv ## put jupyterlab-chat into .cache/chat, for the tests of people's chats
	@$(ALONE) chat $(SCRIPTS)/beside.sh chat jupyterlab_chat

# After venv, as chat.
.PHONY: extension
extension: venv ## put what the extension of Jupyter Server needs into .cache/extension, for its tests
	@$(ALONE) extension $(SCRIPTS)/beside.sh extension aiohttp
	@$(ALONE) wheel packaging/python/tools.sh

# What is built is committed, so that the program and the wheel are made without Node.
.PHONY: labextension
labextension: ## build the extension of JupyterLab after a change of its sources in cmd/jupyter-extension/labextension
	@$(ALONE) labextension cmd/jupyter-extension/labextension/build.sh

.PHONY: test-labextension
test-labextension: ## run the tests of the extension of JupyterLab that need no browser, and check that it is built from its sources
	@$(MAKE) --no-print-directory labextension
	@cd cmd/jupyter-extension/labextension && npm run --silent test
	@git diff --exit-code --stat cmd/nbduet/labextension/built

# After venv, as chat.
.PHONY: hub5 hub6
hub5: venv ## put JupyterHub 5 into .cache/hub5, for the tests of hubs
	@$(ALONE) hub5 $(SCRIPTS)/beside.sh hub5 jupyterhub
hub6: venv ## put JupyterHub 6 into .cache/hub6, for the tests of hubs
	@$(ALONE) hub6 $(SCRIPTS)/beside.sh hub6 jupyterhub

.PHONY: hubproxy
hubproxy: ## install the proxy of JupyterHub, for the tests of hubs
	@$(ALONE) hubproxy $(SCRIPTS)/node.sh hubproxy

.PHONY: rkernel
rkernel: ## put R with IRkernel into .cache/r, for the tests of looking at variables
	@$(ALONE) r $(SCRIPTS)/rkernel.sh

.PHONY: julia
julia: ## put Julia into .cache/julia, for the tests of looking at variables
	@$(ALONE) julia $(SCRIPTS)/julia.sh

.PHONY: node
node: ## install the locked Node packages of the tests
	@$(ALONE) node $(SCRIPTS)/node.sh node

.PHONY: inspector
inspector: ## install the MCP Inspector's command line, for its tests
	@$(ALONE) inspector $(SCRIPTS)/node.sh inspector

.PHONY: browser
browser: ## find Chromium (CHROME_BIN names one), or put npm's into e2e/chromium
	@$(SCRIPTS)/system.sh browser

.PHONY: fronts
fronts: ## find nginx and Caddy, for the tests of what stands in front of a server, or install Debian's
	@$(SCRIPTS)/system.sh nginx
	@$(SCRIPTS)/system.sh caddy

.PHONY: compiler
compiler: # the race detector needs a C compiler: find one, or put Zig into .cache/zig
	@$(SCRIPTS)/system.sh compiler

.PHONY: clean
clean: ## remove all that the other targets made
	@rm -rf bin dist .venv .venv-jsd .cache e2e/node/node_modules e2e/inspector/node_modules e2e/hubproxy/node_modules e2e/chromium/node_modules packaging/mcpb/*/node_modules e2e/artifacts

.PHONY: need-go
need-go:
	@command -v go >/dev/null || { echo 'Go is missing: install Go 1.26 or later (https://go.dev/dl).' >&2; exit 1; }
