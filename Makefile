# Every target makes the environment it needs, from pyproject.toml (which packages)
# and constraints.txt (which versions). Nothing has to be installed but Python and make.

PYTHON ?= python3
VENV ?= .venv
# Optional dependencies for the tests: `make test EXTRAS=all`.
EXTRAS ?=
# Passed on to pytest: `make test ARGS="-k solver"`.
ARGS ?=

BIN := $(VENV)/bin
LOCK := pyproject.toml constraints.txt
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check \
	--constraint constraints.txt --build-constraint constraints.txt

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help demo test check lint format-check rules format types imports bench bench-scale bench-soft bench-sparse bench-quality bench-calibration bench-adversarial bench-solvers bench-advice bench-labelers bench-minimax bench-end-models bench-functions repro docs clean

help:  ## Show this list
	@sed -n 's/^\([a-z-]*\):.*## /\1|/p' Makefile | awk -F'|' '{printf "  %-17s %s\n", $$1, $$2}'

demo: $(VENV)/.core  ## Label the paper's synthetic task and train a classifier on it
	@$(BIN)/corral demo

test: $(VENV)/.core $(VENV)/.test $(if $(EXTRAS),$(VENV)/.extras-$(EXTRAS))  ## Run the tests (EXTRAS=all: with every optional package)
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

bench: $(VENV)/.core  ## Time, memory and accuracy, next to a plain loop
	$(BIN)/python -m benchmarks $(ARGS)

bench-scale: $(VENV)/.core $(VENV)/.extras-peers $(VENV)/.bench  ## Time and memory as data grow, next to other tools (ARGS=--small)
	$(BIN)/python -m benchmarks.scale $(ARGS)

bench-soft: $(VENV)/.core  ## Soft signals, next to the matrix products alone (ARGS=--small)
	$(BIN)/python -m benchmarks.soft $(ARGS)

bench-sparse: $(VENV)/.core  ## Many signals, few votes each: time and memory (ARGS=--small)
	$(BIN)/python -m benchmarks.sparse $(ARGS)

bench-quality: $(VENV)/.core  ## Label quality on the public sets in CORRAL_DATA or ../shared/data
	$(BIN)/python -m benchmarks.quality $(ARGS)

bench-calibration: $(VENV)/.core $(VENV)/.bench  ## Whether probabilities mean what they say, before and after calibrating
	$(BIN)/python -m benchmarks.calibration $(ARGS)

bench-adversarial: $(VENV)/.core $(VENV)/.extras-torch  ## Labelers that train a classifier on features: breast cancer and digits
	$(BIN)/python -m benchmarks.adversarial

bench-solvers: $(VENV)/.core  ## The solvers next to each other and to counting (ARGS=--small)
	$(BIN)/python -m benchmarks.solvers $(ARGS)

bench-advice: $(VENV)/.core  ## Labelled rows that were suggested, next to random ones (ARGS="--draws 3")
	$(BIN)/python -m benchmarks.advice $(ARGS)

bench-labelers: $(VENV)/.core $(VENV)/.extras-peers  ## MeTaL and Dawid-Skene next to Snorkel and Crowd-Kit (ARGS=--small)
	$(BIN)/python -m benchmarks.labelers $(ARGS)

bench-minimax: $(VENV)/.core  ## MMCE on the public sets, next to the published loop
	$(BIN)/python -m benchmarks.minimax $(ARGS)

bench-end-models: $(VENV)/.core $(VENV)/.extras-torch  ## Classifiers trained on labels of the paper's signals, next to supervised
	$(BIN)/python -m benchmarks.end_models

bench-functions: $(VENV)/.core $(VENV)/.extras-frames $(VENV)/.extras-peers  ## Keyword signals on 100,000 texts, next to Snorkel's applier
	$(BIN)/python -m benchmarks.functions $(ARGS)

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

$(VENV)/.test $(VENV)/.check $(VENV)/.bench $(VENV)/.docs: $(VENV)/.%: $(VENV)/.pip $(LOCK)
	$(INSTALL) --group $*
	@touch $@
