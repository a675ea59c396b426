# Every target makes the environment it needs, from pyproject.toml (which packages)
# and constraints.txt (which versions). Nothing has to be installed but Python and make.

PYTHON ?= python3
VENV ?= .venv
# Optional dependencies for the tests: `make test EXTRAS=all`.
EXTRAS ?=
# Passed on to pytest: `make test ARGS="-k solver"`.
ARGS ?=

# One benchmark: `make bench NAME=quality`; `make bench NAME=--help` lists them.
NAME ?=

BIN := $(VENV)/bin
LOCK := pyproject.toml constraints.txt
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check \
	--constraint constraints.txt --build-constraint constraints.txt

# What single benchmarks compare with, or draw with.
BENCH_NEEDS_scale := $(VENV)/.extras-peers $(VENV)/.bench
BENCH_NEEDS_labelers := $(VENV)/.extras-peers
BENCH_NEEDS_functions := $(VENV)/.extras-frames $(VENV)/.extras-peers
BENCH_NEEDS_preferences := $(VENV)/.extras-frames $(VENV)/.extras-peers $(VENV)/.test-all
BENCH_NEEDS_calibration := $(VENV)/.bench
BENCH_NEEDS_adversarial := $(VENV)/.extras-torch
BENCH_NEEDS_end-models := $(VENV)/.extras-peers
BENCH_NEEDS_workbench := $(VENV)/.extras-serve $(VENV)/.test-all
BENCH_NEEDS_networks := $(VENV)/.extras-torch

# What fuzzing and faults read and write, and fifty digits.
RELIABILITY := $(VENV)/.core $(VENV)/.test $(VENV)/.test-all $(VENV)/.extras-frames

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help demo test check lint format-check rules format types imports bench repro docs clean fuzz faults numbers hostile load versions guided

help:  ## Show this list
	@sed -n 's/^\([a-z-]*\):.*## /\1|/p' Makefile | awk -F'|' '{printf "  %-17s %s\n", $$1, $$2}'

demo: $(VENV)/.core  ## Label the paper's synthetic task and train a classifier on it
	@$(BIN)/corral demo

test: $(VENV)/.core $(VENV)/.test $(if $(EXTRAS),$(VENV)/.extras-$(EXTRAS)) $(if $(filter all,$(EXTRAS)),$(VENV)/.test-all)  ## Run the tests (EXTRAS=all: with every optional package)
	$(BIN)/python -m pytest -n 2 --dist loadgroup $(ARGS)

check: lint types imports test  ## Everything a change must pass

lint: format-check rules  ## Formatting and lint rules (ruff)

format-check: $(VENV)/.check  ## Only the formatting
	$(BIN)/ruff format --check .

rules: $(VENV)/.check  ## Only the lint rules
	$(BIN)/ruff check .

format: $(VENV)/.check  ## Put formatting and imports in order
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

types: $(VENV)/.core $(VENV)/.check  ## Types (mypy, strict)
	$(BIN)/mypy

imports: $(VENV)/.core $(VENV)/.check  ## Direction of imports (import-linter)
	$(BIN)/lint-imports

bench: $(VENV)/.core $(BENCH_NEEDS_$(NAME))  ## A quick look at all benchmarks, or one in full: NAME=scale (ARGS=--small)
	$(BIN)/python -m benchmarks $(NAME) $(ARGS)

fuzz: $(RELIABILITY) $(VENV)/.extras-serve $(VENV)/.extras-spark  ## Arbitrary input against invariants, counted (CASES=1000000; ARGS=--more adds)
	$(BIN)/python -m reliability fuzz --cases $(or $(CASES),10000) $(ARGS)

guided: $(RELIABILITY) $(VENV)/.extras-serve $(VENV)/.fuzz  ## Files that reach ever more of corral's readers (SECONDS_EACH=300 per reader)
	$(BIN)/python -m reliability guided --seconds $(or $(SECONDS_EACH),60) $(ARGS)

faults: $(RELIABILITY)  ## Runs that are killed (COUNT=500 times), interrupted or starved
	$(BIN)/python -m reliability faults --count $(or $(COUNT),50) $(ARGS)

numbers: $(RELIABILITY)  ## Solvers against fifty digits (CASES=60 per solver and constraint)
	$(BIN)/python -m reliability numbers --cases $(or $(CASES),5)

hostile: $(RELIABILITY) $(VENV)/.extras-serve  ## Crafted files, names and requests, counted (ARGS="--surfaces models")
	$(BIN)/python -m reliability hostile $(ARGS)

load: $(RELIABILITY) $(VENV)/.extras-serve $(VENV)/.extras-spark  ## Many chunks, many clients, many rows (ARGS="--parts engines --rows 1000000")
	$(BIN)/python -m reliability load $(ARGS)

versions: $(VENV)/.core $(VENV)/.versions  ## The wheel without the source tree, with the oldest and newest libraries
	$(BIN)/python -m reliability versions $(ARGS)

repro: $(VENV)/.core $(VENV)/.extras-torch $(VENV)/.extras-plots  ## The paper's tables and figures (ARGS="run rank", ARGS="run all --smoke"; hours)
	$(BIN)/python -m repro $(or $(ARGS),run all)
	$(BIN)/python -m repro report

docs: $(VENV)/.core $(VENV)/.docs  ## Build the documentation into docs/_build/html
	$(BIN)/python -m sphinx -q -W --keep-going -b html docs docs/_build/html
	@echo "docs/_build/html/index.html"

clean:  ## Remove the environment, caches and built files
	rm -rf $(VENV) build dist docs/_build docs/api/generated
	rm -rf .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# -- environment: a stamp file for every set of packages -----------------------

# Dependency groups need a newer pip than the one that comes with Python 3.11.
$(VENV)/.pip: constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check \
		--constraint constraints.txt --upgrade pip
	@touch $@

$(VENV)/.core: $(VENV)/.pip $(LOCK)
	$(INSTALL) --editable .
	@touch $@

$(VENV)/.extras-%: $(VENV)/.core
	$(INSTALL) --editable '.[$*]'
	@touch $@

$(VENV)/.test $(VENV)/.test-all $(VENV)/.check $(VENV)/.bench $(VENV)/.docs $(VENV)/.versions $(VENV)/.fuzz: $(VENV)/.%: $(VENV)/.pip $(LOCK)
	$(INSTALL) --group $*
	@touch $@
