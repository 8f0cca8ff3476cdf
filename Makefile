# Everything a person or CI runs here. A fresh machine needs Python 3.11 and make, nothing else.

.DEFAULT_GOAL := help
.PHONY: help play test faults soak lint bench bench-peers bench-growth audit-deps clean pins

# The first Python on PATH that is new enough.
PYTHON ?= $(shell for p in python3.11 python3 python3.12 python3.13 python3.14; do \
	$$p -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 && echo $$p && break; done)
VENV := .venv
BIN := $(VENV)/bin
# Tests wait for processes more than they compute: two for each core.
TEST_JOBS ?= $(shell expr 2 \* $$(getconf _NPROCESSORS_ONLN))

help: ## Say what can be run here.
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile

$(VENV)/made: Makefile
	@test -n "$(PYTHON)" || { echo "No Python 3.11 or newer with venv was found. Install one (on Debian: python3.11 python3.11-venv), or name yours: make PYTHON=/path/to/python3.11" >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV)
	@touch $@

# Installs are quiet and go to stderr: what a person pipes out of `make play` is the game alone.
$(VENV)/runs: requirements.txt pyproject.toml $(VENV)/made
	@echo "Installing what the game needs (once) ..." >&2
	@$(BIN)/python -m pip install --disable-pip-version-check -q -r requirements.txt >&2
	@$(BIN)/python -m pip install --disable-pip-version-check -q --no-deps --no-build-isolation -e . >&2
	@touch $@

$(VENV)/tests: requirements-dev.txt $(VENV)/runs
	@echo "Installing what the tests need (once) ..." >&2
	@$(BIN)/python -m pip install --disable-pip-version-check -q -r requirements-dev.txt >&2
	@touch $@

play: $(VENV)/runs ## Start a game in this terminal: no token, no servers. ARGS='--help' tells more.
	@$(BIN)/codemojex play $(ARGS)

test: $(VENV)/tests lint ## Set everything up, check the code, run every test.
	@$(BIN)/python -m pytest -n $(TEST_JOBS) --dist worksteal $(ARGS)

faults: $(VENV)/tests ## Break real processes and lines at every step, in some minutes.
	@FAULTS=1 $(BIN)/python -m pytest -n 2 tests/faults $(ARGS)

soak: $(VENV)/tests ## Let people play while everything breaks at random, for MINUTES=10.
	@$(BIN)/python -m tests.faults --minutes $(or $(MINUTES),10)

lint: $(VENV)/tests ## Style, types, import directions.
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

audit-deps: $(VENV)/tests ## Ask the package registry for known vulnerabilities of what is pinned.
	@$(BIN)/python .ci/audit_deps.py requirements.txt requirements-dev.txt

picture: $(VENV)/tests ## Take the README's picture of the page anew; needs Chromium.
	@$(BIN)/python -m tests.web.picture

clean: ## Remove what this file installed and what tools left.
	rm -rf $(VENV) bench/.peers .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis dist build

bench: $(VENV)/tests ## Measure the queue on this machine; writes bench/README.md and bench/native.md.
	@$(BIN)/python -m bench
	@$(BIN)/python -m bench.extend --write

bench-growth: $(VENV)/tests ## Measure what grows with batches, queues and databases; writes bench/growth.md.
	@$(BIN)/python -m bench.growth $(ARGS)

bench-peers: $(VENV)/tests ## Install other job queues, each apart, and measure them beside emq; writes bench/peers.md.
	@$(BIN)/python -m bench.peers $(ARGS)
