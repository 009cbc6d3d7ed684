# One virtual environment, `.venv`, made from the pinned versions in requirements-dev.txt.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: setup demo test test-slow sabotage audit-table check lock bench clean

setup: .venv/.ready

.venv/.ready: requirements-dev.txt pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-dev.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --editable .
	touch $@

demo: setup
	$(BIN)/equipoise demo

test: setup
	$(BIN)/python -m pytest -n 2

# Everything, the long audits and the sabotage suite included; property tests draw new examples.
test-slow: setup
	$(BIN)/python -m pytest -n 2 -m "" --hypothesis-profile=fresh
	$(BIN)/python -m tests.sabotage.runner

# Put one defect after another into the library: the tests must notice each.  The last line is the score.
sabotage: setup
	$(BIN)/python -m tests.sabotage.runner

# Attack every mechanism and write docs/reference/audit-table.md: about ten minutes on two quiet cores.
audit-table: setup
	OMP_NUM_THREADS=1 $(BIN)/equipoise audit --table --out docs/reference/audit-table.md

check: setup
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# Refresh the pins: install the newest of everything in a scratch environment and write down what came.
lock:
	rm -rf .lock-venv
	$(PYTHON) -m venv .lock-venv
	.lock-venv/bin/python -m pip install --quiet --upgrade ".[dev]"
	.lock-venv/bin/python -m pip freeze --exclude equipoise > requirements-dev.txt
	rm -rf .lock-venv build

clean:
	rm -rf .venv out build src/*.egg-info .mypy_cache .pytest_cache .ruff_cache .import_linter_cache
