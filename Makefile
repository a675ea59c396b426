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

AFRESH := $(subst -m pip,-m pip --python $(VENV)/released,$(INSTALL))

# What single benchmarks compare with.
BENCH_NEEDS_speed := $(VENV)/.extras-spark $(VENV)/.peers
BENCH_NEEDS_preferences := $(VENV)/.extras-frames $(VENV)/.peers $(VENV)/.test-all
BENCH_NEEDS_panel := $(VENV)/.ppi
BENCH_NEEDS_end-models := $(VENV)/.peers
BENCH_NEEDS_workbench := $(VENV)/.extras-serve $(VENV)/.test-all

# What the tests need.
TESTED := $(VENV)/.core $(VENV)/.test $(if $(EXTRAS),$(VENV)/.extras-$(EXTRAS)) $(if $(filter all,$(EXTRAS)),$(VENV)/.test-all $(VENV)/.peers $(VENV)/.repro)
PAGES := $(BIN)/python -m pytest -q -n 2 README.md docs tests/cli/test_docs.py -k "not spark and not json"

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help demo test kernels check lint format-check rules format types imports bench repro docs dist clean fuzz

help:  ## Show this list
	@sed -n 's/^\([a-z-]*\):.*## /\1|/p' Makefile | awk -F'|' '{printf "  %-17s %s\n", $$1, $$2}'

demo: $(VENV)/.core  ## From made-up texts to labels to a classifier, in half a minute
	@$(BIN)/corral demo

test: $(TESTED)  ## Run the tests (EXTRAS=all: with every optional package)
	$(BIN)/python -m pytest -n 2 --dist loadgroup $(ARGS)

kernels: $(TESTED)  ## Pages and demo by several kernels of linear algebra: none may change a digit
	for kernel in Prescott Nehalem Haswell Zen; do \
		echo "OPENBLAS_CORETYPE=$$kernel"; OPENBLAS_CORETYPE=$$kernel $(PAGES) || exit 1; done
	NPY_DISABLE_CPU_FEATURES="$$($(BIN)/python -c 'from numpy._core._multiarray_umath import __cpu_dispatch__ as names; print(*names)')" $(PAGES)

check: lint types imports test  ## Everything a change must pass

lint: format-check rules  ## Formatting and lint rules (ruff)

format-check: $(VENV)/.check  ## Only the formatting
	$(BIN)/ruff format --check .

rules: $(VENV)/.check  ## Only the lint rules
	$(BIN)/ruff check .

format: $(VENV)/.check  ## Put formatting and imports in order
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

types: $(VENV)/.core $(VENV)/.check $(VENV)/.extras-serve  ## Types (mypy, strict)
	$(BIN)/mypy

imports: $(VENV)/.core $(VENV)/.check  ## Direction of imports (import-linter)
	$(BIN)/lint-imports

bench: $(VENV)/.core $(BENCH_NEEDS_$(NAME))  ## A quick look at all benchmarks, or one in full: NAME=speed (ARGS=--small)
	$(BIN)/python -m benchmarks $(NAME) $(ARGS)

fuzz: $(VENV)/.core $(VENV)/.test $(VENV)/.test-all $(VENV)/.extras-frames $(VENV)/.extras-serve  ## New cases of tests/fuzz and tests/faults, so many of each (CASES=1000)
	CASES=$(or $(CASES),100) $(BIN)/python -m pytest tests/fuzz tests/faults $(ARGS)

repro: $(VENV)/.core $(VENV)/.repro  ## The paper's tables and figures (ARGS="run rank", ARGS="run all --smoke"; hours)
	$(BIN)/python -m repro $(or $(ARGS),run all)
	$(BIN)/python -m repro report

docs: $(VENV)/.core $(VENV)/.docs  ## Build the documentation into docs/_build/html
	$(BIN)/python -m sphinx -q -W --keep-going -b html docs docs/_build/html
	@echo "docs/_build/html/index.html"

dist: $(VENV)/.dist  ## Build the wheel and the sdist, and try both in a fresh environment
	rm -rf dist $(VENV)/released
	$(BIN)/hatchling build
	$(PYTHON) -m venv --without-pip $(VENV)/released
	$(AFRESH) dist/*.whl
	cd dist && ../$(VENV)/released/bin/corral demo >/dev/null
	$(AFRESH) --no-deps --force-reinstall dist/*.tar.gz
	cd dist && ../$(VENV)/released/bin/corral --version

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

$(VENV)/.test $(VENV)/.test-all $(VENV)/.check $(VENV)/.peers $(VENV)/.ppi $(VENV)/.repro $(VENV)/.docs $(VENV)/.dist: $(VENV)/.%: $(VENV)/.pip $(LOCK)
	$(INSTALL) --group $*
	@touch $@
