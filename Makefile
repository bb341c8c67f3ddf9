# Two commands do it all: `make tournament` runs the main job, `make test` the tests. Each sets up what it needs.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: tournament test test-all test-contract test-rest lint bench clean

tournament: $(READY)
	$(BIN)/pizzabots tournament robots-ate-our-pizza --schedule cross --deals 400

test: $(READY)
	$(BIN)/python -m pytest

# Two processes side by side, each with compiled code of its own: only one at a time may compile into a folder.
test-all: $(READY) lint
	$(MAKE) --jobs=2 --output-sync=target --no-print-directory test-rest test-contract

test-contract: $(READY)
	PIZZABOTS_CACHE=$(CURDIR)/$(VENV)/kernels-contract $(BIN)/python -m pytest -m "" tests/test_contract.py

test-rest: $(READY)
	PIZZABOTS_CACHE=$(CURDIR)/$(VENV)/kernels-rest $(BIN)/python -m pytest -m "" --ignore=tests/test_contract.py

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(READY)
	$(BIN)/pizzabots bench

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is needed, not " + sys.version.split()[0]) if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	touch $@

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache *.egg-info
