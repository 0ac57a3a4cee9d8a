# Two commands: `make` reproduces the studies at quick scale, `make test` tests the library and a run. `make help` lists the rest.

PYTHON ?= python3
SCALE ?= quick
MIRROR ?=
BIN := .venv/bin
# Containers often set this variable, and each process of a run would then compile all that it imports.
unexport PYTHONDONTWRITEBYTECODE
CONFIG := scale=$(SCALE) $(if $(MIRROR),mirror=$(MIRROR))

.DEFAULT_GOAL := reproduce
.PHONY: reproduce report figures example check reference test test-rest quality format floors docs article notebooks bench soak lock clean help

reproduce: .venv/ready ## Run all studies (SCALE=quick|laptop|paper, MIRROR=folder) and write the report
	@$(BIN)/snakemake --cores all --config $(CONFIG)

report: .venv/ready ## Write the report of a run; REFERENCE=1: write that of the reference (SCALE; default: the largest) in seconds
ifdef REFERENCE
	@$(BIN)/pumetrics reference report $(if $(filter-out undefined file,$(origin SCALE)),--scale $(SCALE))
else
	@$(MAKE) --no-print-directory reproduce
endif

figures: .venv/ready ## Draw the figures of the papers from the tracked tables, as SVG and PDF, without a run
	@$(BIN)/snakemake figures_of_reference --cores all
	@echo "figures: $(CURDIR)/results/figures"

example: .venv/ready ## Write a file of simulated frauds, evaluate two models on it, and print where the pages are
	@$(BIN)/pumetrics example results/example

check: .venv/ready ## Report whether the reference (SCALE=quick|laptop|paper) is current, and compare a run with it if there is one
	@$(BIN)/pumetrics reference check results/$(SCALE)

reference: .venv/ready ## Keep the tables of a run (SCALE; STUDY=name for one study) as the reference; renew what quotes it
	@$(BIN)/pumetrics reference keep results/$(SCALE) $(if $(STUDY),--study $(STUDY))
	@$(BIN)/python docs/generated.py

# Two processes; the tests of a file share one (tests/conftest.py), and what takes long comes first. ORDER= shuffles.
ORDER ?= -p no:randomly
PYTEST := $(BIN)/pytest -n 2 --dist loadfile --no-loadscope-reorder $(ORDER)

test: .venv/ready ## Test the library and a run, without what takes seconds each (about three minutes)
	$(PYTEST) -m "not slow" tests/workflow/test_runs.py tests/unit

REST ?= tests/workflow tests/whole tests/browser tests/notebooks tests/unit
test-rest: .venv/ready ## Test the rest: slow tests, browser, notebooks, pages, faults of a run, recipes (about fifteen minutes)
	$(PYTEST) -m slow $(REST)

quality: .venv/ready ## Check the style of Python and Snakemake files
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/snakefmt --check Snakefile workflow/rules
	$(BIN)/snakemake --lint

format: .venv/ready ## Format Python and Snakemake files, then correct and list what the linter finds
	$(BIN)/ruff format
	$(BIN)/snakefmt Snakefile workflow/rules
	$(BIN)/ruff check --fix

floors: .venv/ready ## Run examples and a study with the lowest declared versions and with the newest, each in a temporary environment
	.ci/floors

bench: .venv/ready ## Compare speed and memory with alternatives (pip install -e '.[bench]' installs these)
	$(BIN)/python -m benchmarks

docs: .venv/ready ## Build the documentation into docs/_build (warnings are errors)
	@$(BIN)/sphinx-build --fail-on-warning --quiet docs docs/_build || { rm -rf docs/_build/.doctrees; exit 1; }
	@echo "documentation: $(CURDIR)/docs/_build/index.html"

article: docs ## Print the article on the replication and its details to PDF, with a headless Chromium
	@for page in replication replication_details; do \
	  $(BIN)/python docs/print_pdf.py docs/_build/$$page.html docs/_build/$$page.pdf || exit 1; done
	@echo "article: $(CURDIR)/docs/_build/replication.pdf, details: replication_details.pdf"

notebooks: .venv/ready ## Run the notebooks on the reference and keep what they print and draw
	@$(BIN)/python notebooks/renew.py

soak: .venv/ready ## Kill and resume a study for MINUTES, then compare (MINUTES=30 STUDY=ramola2019 SCALE, MIRROR)
	@$(BIN)/python benchmarks/soak.py --minutes $(or $(MINUTES),30) --study $(or $(STUDY),ramola2019) --scale $(SCALE) \
	  $(if $(MIRROR),--mirror $(MIRROR))

lock: .venv/ready ## Update requirements.lock from pyproject.toml
	$(BIN)/uv pip compile pyproject.toml --extra dev --universal --fork-strategy fewest --python-version 3.11 --generate-hashes --no-annotate \
	  --no-emit-index-url --custom-compile-command "make lock" --output-file requirements.lock

clean: ## Remove results and prepared data, keep downloads
	rm -rf results/quick results/laptop results/paper resources/prepared logs

help: ## List these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# The environment: exactly what the lock says, by hash, and this project on top. uv installs it in seconds; pip installs uv.
UV := $(BIN)/uv pip install --quiet --python $(BIN)/python
.venv/ready: requirements.lock pyproject.toml
	@case "$(CURDIR)" in *[[:space:]]*) echo "$(CURDIR): Snakemake cannot run jobs in a folder whose path has a space: rename or move it" >&2; exit 1; esac
	@echo "Setting up .venv (once)"
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 15) and "Python 3.11 to 3.14 is needed: make PYTHON=python3.11")'
	@$(PYTHON) -m venv .venv
	@awk '/^[^ ]/ { uv = /^uv==/ } uv' requirements.lock >.venv/uv.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --requirement .venv/uv.lock
	@$(UV) --require-hashes --requirement requirements.lock
	@$(UV) --no-deps --no-build-isolation --editable .
	@$(BIN)/python -m compileall -q -j 0 src
	@touch $@
