# Every command starts from a bare Python 3.11 with pip; the virtual environment makes itself.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
UV_VERSION := 0.13.7
PROTOS_VENV := .venv-protos

.DEFAULT_GOAL := help
.PHONY: help run test test-all test-newest lint types doors unit bench requirements protos lock clean

help:  ## Show this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

$(VENV)/.ready: requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed; set PYTHON=/path/to/python3.11"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check uv==$(UV_VERSION)
	$(BIN)/uv pip sync --quiet --python $(BIN)/python requirements.lock
	$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --editable .
	@touch $@

run: $(VENV)/.ready  ## Play the model of a demo agent in the terminal
	@$(BIN)/adksim demo

test: lint types doors unit  ## Lint, type-check, check the doors, run the tests

lint: $(VENV)/.ready
	$(BIN)/ruff check
	$(BIN)/ruff format --check

types: $(VENV)/.ready
	$(BIN)/pyright --warnings

doors: $(VENV)/.ready
	$(BIN)/lint-imports

unit: $(VENV)/.ready
	$(BIN)/pytest -m "not long"

test-all: lint types doors  ## As test, with the long counts, and again with the newest releases of all dependencies
	HYPOTHESIS_PROFILE=explore $(BIN)/pytest
	$(MAKE) test-newest

test-newest: $(VENV)/.ready
	$(BIN)/uv venv --quiet --clear --python $(BIN)/python .venv-newest
	$(BIN)/uv pip install --quiet --python .venv-newest/bin/python --upgrade --editable ".[eval,postgres]" --group dev
	.venv-newest/bin/pytest -m "not long"

bench: $(VENV)/.ready  ## Measure; the figures go to benchmarks/README.md by hand
	$(BIN)/python benchmarks/run.py

requirements: $(VENV)/.ready  ## Write the tests' names into docs/requirements.md
	$(BIN)/python tests/requirements.py

# The generator needs protobuf < 5: an environment of its own. What it makes loads under protobuf 5, 6 and 7.
$(PROTOS_VENV)/.ready: protos/requirements.txt
	$(PYTHON) -m venv $(PROTOS_VENV)
	$(PROTOS_VENV)/bin/python -m pip install --quiet --disable-pip-version-check --requirement protos/requirements.txt
	@touch $@

protos: $(PROTOS_VENV)/.ready  ## Make src/adk_agent_sim/generated from protos/ anew
	$(PROTOS_VENV)/bin/python protos/generate.py src/adk_agent_sim/generated

lock: $(VENV)/.ready  ## Compile requirements.lock anew
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --no-emit-index-url --no-header --no-annotate --extra eval --extra postgres --group dev pyproject.toml --output-file requirements.lock

clean:  ## Remove what the other targets made
	rm -rf $(VENV) .venv-newest $(PROTOS_VENV) .pytest_cache .ruff_cache .hypothesis
