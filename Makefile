# Every target makes its own virtual environment when it is missing or older than pyproject.toml.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
WORKERS ?= auto

.PHONY: demo test test-alpha stress wheel lint format bench soak docs clean

demo: $(READY)
	@$(BIN)/gemsearch demo

test: $(READY)
	$(BIN)/python -m pytest -n $(WORKERS) -m "not soak"

# Datasette's alphas change under their plugins: one pinned version, in an environment of its own.
test-alpha: $(READY)
	$(PYTHON) -m venv .venv-alpha
	.venv-alpha/bin/python -m pip install --quiet --upgrade pip
	.venv-alpha/bin/python -m pip install --quiet --editable . --group dev datasette==1.0a41
	.venv-alpha/bin/python -m pytest -n $(WORKERS) tests/datasette tests/editions tests/browser

# A package that only works beside its tests is a common mistake.
wheel: $(READY)
	rm -rf dist .venv-wheel
	$(BIN)/python -m pip wheel --quiet --no-deps --wheel-dir dist .
	$(PYTHON) -m venv .venv-wheel
	.venv-wheel/bin/python -m pip install --quiet --upgrade pip
	.venv-wheel/bin/python -m pip install --quiet dist/*.whl
	.venv-wheel/bin/gemsearch demo >/dev/null
	.venv-wheel/bin/gemsearch --help >/dev/null
	echo '{}' | .venv-wheel/bin/gemsearch-hook claude-code --db dist/gems.db
	.venv-wheel/bin/python -m zipfile -l dist/*.whl | grep bundled/claude-code/.claude-plugin/plugin.json >/dev/null

# Kills, full disks and load in a middle form; `make test` has a short one.
stress: $(READY)
	GEMSEARCH_STRESS=middle $(BIN)/python -m pytest -n $(WORKERS) tests/faults tests/load -m "not soak"

# 2,000 kills, 32 processes for ten minutes and more; what was stopped goes on where it was.
soak: $(READY)
	GEMSEARCH_STRESS=long $(BIN)/python -m pytest -m soak

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(READY)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: $(READY)
	$(BIN)/python tools/make_docs.py

bench: $(READY)
	$(BIN)/python bench/startup.py
	$(BIN)/python bench/gates.py --sizes 2000,10000
	$(BIN)/python bench/batch.py
	$(BIN)/python bench/concurrency.py
	$(BIN)/python bench/hooks.py
	$(BIN)/python bench/history.py 50
	$(BIN)/python bench/load.py --processes 8 --seconds 10
	$(BIN)/python bench/publish.py 3000

clean:
	rm -rf $(VENV) .venv-alpha .venv-wheel build dist .pytest_cache .mypy_cache .ruff_cache

# The newest pip first: older ones know neither dependency groups nor some wheels.
$(READY): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "gemsearch needs Python 3.11 or newer: make PYTHON=python3.12 ..."; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable . --group dev
	@touch $(READY)
