# Developers have one virtual environment, `.venv`, made from the pinned versions in requirements-dev.txt.
# The demo needs no development tools: where there is no `.venv` it makes the small `.venv-demo`.
PYTHON ?= python3
BIN := .venv/bin
DEMO := $(if $(wildcard .venv/.ready),.venv,.venv-demo)
COMPILED := src/equipoise/inside/compiled/passes.c src/equipoise/rows/compiled/cells.c
PIP := -m pip --disable-pip-version-check install --quiet

# Compiled text is kept, whatever the shell says: test workers, commands and the next run would compile every file anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: setup demo build test test-all test-slow sabotage audit-table check lock bench bench-large docs clean

setup: .venv/.ready

.venv/.ready: requirements-dev.txt pyproject.toml $(COMPILED)
	$(PYTHON) -m venv .venv
	$(BIN)/python $(PIP) -r requirements-dev.txt
	$(BIN)/python $(PIP) --no-deps --editable .
	touch $@

.venv-demo/.ready: requirements-dev.txt pyproject.toml $(COMPILED)
	$(PYTHON) -m venv .venv-demo
	.venv-demo/bin/python $(PIP) --no-compile --constraint requirements-dev.txt --editable .
	touch $@

demo: $(DEMO)/.ready
	$(DEMO)/bin/equipoise demo --force

# dist/equipoise-*.whl; `scripts/try-wheel` installs it in an empty environment and runs the demo from there.
build:
	rm -rf dist build
	$(PYTHON) -m pip --disable-pip-version-check wheel --quiet --no-deps --wheel-dir dist .
	rm -rf build
	scripts/try-wheel dist/*.whl

# Two test workers on two cores: threads of their own would only wait for each other.
test: setup
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n 2

# The suite on every Python we promise.  PART=tests/estimators runs a part of it.
test-all:
	scripts/test-all $(PART)

# Everything, the long audits and the sabotage suite included; property tests draw new examples.
test-slow: setup
	$(BIN)/python -m pytest -n 2 -m "" --hypothesis-profile=fresh
	$(BIN)/python -m tests.sabotage.runner

# Put one defect after another into the library: the tests must notice each.  The last line is the score.
sabotage: setup
	$(BIN)/python -m tests.sabotage.runner

# Attack every mechanism and write docs/reference/audit-table.md: about ten minutes on two quiet cores.
audit-table: setup
	OMP_NUM_THREADS=1 $(BIN)/equipoise audit --table --force --out docs/reference/audit-table.md

check: setup
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# Measure what is missing of the standing comparison with peers; writes docs/explanation/accuracy.md.
bench: setup
	OMP_NUM_THREADS=1 $(BIN)/equipoise bench accuracy

# A hundred million rows in Parquet, made in FOLDER (8 GB), scanned and fitted; writes
# benchmarks/results/large.csv.
bench-large: setup
	OMP_NUM_THREADS=1 $(BIN)/python -m benchmarks.large $(or $(FOLDER),out/large)

# Refresh the pins: install the newest of everything in a scratch environment and write down what came.
lock:
	rm -rf .lock-venv
	$(PYTHON) -m venv .lock-venv
	.lock-venv/bin/python -m pip install --quiet --upgrade ".[dev]"
	.lock-venv/bin/python -m pip freeze --exclude equipoise > requirements-dev.txt
	rm -rf .lock-venv build

# The site, in out/site/index.html: every page, the reference, and the examples, which are run.  A warning is an error.
# Unchanged examples are not run again; after removing a name or an example, delete docs/gallery and docs/api/generated.
docs: setup
	OMP_NUM_THREADS=1 $(BIN)/python -m sphinx -q -W --keep-going -j 1 -d out/site-trees docs out/site

clean:
	rm -rf .venv .venv-* out build dist docs/gallery docs/api/generated src/*.egg-info .mypy_cache .pytest_cache .ruff_cache .import_linter_cache
