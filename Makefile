# Two commands do it all: `make tournament` runs the main job, `make test` the tests. Each sets up what it needs.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

# The browser that is on the path, if any, for the test of the report's page.
FIND_BROWSER := for name in chromium chromium-browser google-chrome; do command -v $$name && break; done

# Tests for which every agent is compiled for every game: they share that, and take about half of the time.
EVERY_AGENT := tests/test_contract.py tests/agents
MARKED ?= not slow

.PHONY: tournament test test-slow test-all test-contract test-rest browser lint bench clean

tournament: $(READY)
	$(BIN)/pizzabots tournament robots-ate-our-pizza --schedule cross --deals 400

# The fast tests, and those that take long; `test-all` runs both, after the linters.
# Two processes side by side, each with compiled code of its own, so that neither waits for what the other compiles.
# Less optimized code takes a quarter less time to compile, which is most of what the tests do, and gives the same bytes.
test test-slow: export NUMBA_OPT = 1
test: $(READY)
	$(MAKE) --jobs=2 --output-sync=target --no-print-directory test-rest test-contract MARKED="not slow"

test-slow: $(READY) browser
	$(MAKE) --jobs=2 --output-sync=target --no-print-directory test-rest test-contract MARKED="slow"

test-all: $(READY) lint
	$(MAKE) --no-print-directory test
	$(MAKE) --no-print-directory test-slow

test-contract: $(READY)
	PIZZABOTS_CACHE=$(CURDIR)/$(VENV)/kernels-contract $(BIN)/python -m pytest -m "$(MARKED)" $(EVERY_AGENT)

test-rest: $(READY)
	PIZZABOTS_BROWSER="$${PIZZABOTS_BROWSER:-$$(cat $(VENV)/.browser 2>/dev/null)}" \
	PIZZABOTS_CACHE=$(CURDIR)/$(VENV)/kernels-rest $(BIN)/python -m pytest -m "$(MARKED)" $(addprefix --ignore=,$(EVERY_AGENT))

# Names the browser in a file: one that is there, or chromium where it could be installed (the test then insists on it).
browser: $(READY)
	@found=$$($(FIND_BROWSER)); \
	if [ -z "$$found" ] && [ -z "$$PIZZABOTS_BROWSER" ]; then \
		if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
			echo "installing chromium, to open the report's page in"; \
			export DEBIAN_FRONTEND=noninteractive; \
			if (apt-get -q update && apt-get -q install -y --no-install-recommends chromium) >$(VENV)/browser.log 2>&1; \
			then found=chromium; \
			else echo "chromium could not be installed ($(VENV)/browser.log says why); the page is not opened"; fi; \
		else echo "no browser is there, and this user cannot install chromium; the report's page is not opened"; fi; \
	fi; \
	echo "$$found" >$(VENV)/.browser

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
