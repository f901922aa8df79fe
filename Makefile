# Each target sets itself up; the only needs are make and Python 3.11 or later.
PYTHON ?= python3
# Not .venv, which may be a user's own.
VENV := build/venv
BIN := $(VENV)/bin
INSTALL := .ci/install $(PYTHON) $(VENV)
DEMO := build/demo
NEWS := tests/data/news.jsonl
LINKED := build/lint
AZURITE := build/azurite/node_modules/.bin/azurite-blob
BROWSER := build/browser/chromium
HARNESS := build/harness/ready
OLDEST := build/oldest/ready
SUPERSET := build/superset/ready
TORCH := build/torch/ready
NPM := npm install --no-audit --no-fund
# Compiled files are kept between processes and runs even where a container's image says otherwise.
export PYTHONDONTWRITEBYTECODE :=
# On all cores; tests/conftest.py says which tests stay together.
PYTEST := $(BIN)/pytest --numprocesses logical

# The oldest releases are those for this Python; without it, their tests are left out and this is said.
OLDEST_PYTHON ?= python3.11

.PHONY: help demo table picture power site evidence docs columns nights claims dashboard test test-all test-oldest test-deploy test-torch deploy-parts image chaos simulate lint linked rules types quick ready bench archives clean

help:
	@echo "make demo   score ten systems on 20 programmes of broadcast news and show the result"
	@echo "make table  systems by references and consensus, as a paper has it"
	@echo "make picture the README's picture, taken again"
	@echo "make power  how often an audit finds faults, written into its page: some minutes"
	@echo "make site   the documentation as pages for a browser"
	@echo "make docs   pages and files that are written from the code"
	@echo "make evidence which measure prefers the better coder: docs/evidence.md, written from data that ships"
	@echo "make nights false alarms and power of the gate, simulated, into docs/claims.md"
	@echo "make claims how often intervals, tests and power are right, simulated: docs/claims.md"
	@echo "make dashboard the dashboards, written from their scripts"
	@echo "make test   rules, types, and the quick tests, which need no server, browser or root"
	@echo "make test-all the other tests: object stores, a browser, deploy/, killed runs, what takes long"
	@echo "make ready  what the tests need, set up side by side; the others do it when they need it"
	@echo "make test-oldest quick tests with the oldest releases that segscore runs with, on Python 3.11"
	@echo "make test-torch docs/training.md, and wtpsplit, in an environment with torch (4 GB)"
	@echo "make test-deploy the tests of deploy/ alone, on Docker, Slurm, Prometheus and systemd"
	@echo "make deploy-parts installs these programs with apt; needs root of a Debian"
	@echo "make image  the steps of the image, whole, in a folder: two minutes, needs root of a Linux"
	@echo "make simulate a night by each seed, in a simulated store, up to an hour; SEED=n replays one"
	@echo "make chaos  random chains of commands; runs killed at random and resumed: over an hour"
	@echo "make lint   rules and types alone"
	@echo "make bench  measure speed, as ratios"
	@echo "make archives the sdist and the wheel, checked, in build/archives"
	@echo "make clean  remove what the others made"

$(VENV)/core: pyproject.toml constraints.txt
	@echo "setting up $(VENV): about 800 MB, one to three minutes"
	@$(PYTHON) -c 'import sys; sys.exit("segscore needs Python 3.11 or later; name one with PYTHON=") if sys.version_info < (3, 11) else 0'
	@$(INSTALL) '.[report]'
	@touch $@

# Compiled here and not when imported: older packages warn when they are compiled, and in a test a
# warning is an error.
$(VENV)/test: $(VENV)/core
	@$(INSTALL) '.[test,lint]'
	@touch $@

$(VENV)/docs: $(VENV)/core
	@$(INSTALL) '.[docs]'
	@touch $@

# Its last three lines: what came out, which score prints last; where to see it; and what comes next.
demo: $(VENV)/core
	@rm -rf $(DEMO)
	$(BIN)/segscore score $(NEWS) $(NEWS) --unit millisecond --n-t 5000 --group-by programme --output $(DEMO)/run
	@$(BIN)/segscore report $(DEMO)/run --output $(DEMO)/report.html >/dev/null
	@echo "open $(DEMO)/report.html in a browser: all systems, both channels, the worst programmes drawn"
	@echo "your own data: two files, as README.md shows; the command is $(BIN)/segscore"

# Kazantseva & Szpakowicz 2012, Table 2, of the coders and segmenters of Stargazer.
table: $(VENV)/core
	@$(BIN)/segscore score tests/data/stargazer.jsonl tests/data/stargazer.jsonl \
		--consensus 0.5,0.3,any --reference-points random-mean --fresh --output build/stargazer >/dev/null
	@$(BIN)/segscore compare build/stargazer --measure window_diff,mult_window_diff \
		--layout references --format markdown --average macro

# The picture in the README, of the run that `table` makes.
picture: demo $(VENV)/test $(BROWSER)
	$(BIN)/python -m tests.docs.picture $(DEMO)/run docs/report.png

# Which measure prefers the better coder, from data that ships: docs/evidence.md and its picture.
evidence: $(VENV)/test
	@$(BIN)/python -m benchmarks.evidence

# Simulated annotation projects, audited.
power: $(VENV)/test
	$(BIN)/python -m tests.docs.power docs/claims.md

# A few minutes of one core.
nights: $(VENV)/core
	$(BIN)/python -m benchmarks.nights

# Some minutes of one core.
claims: $(VENV)/core
	$(BIN)/python -m benchmarks.claims

docs columns: $(VENV)/core
	@$(BIN)/python -m docs.tools

dashboard: $(VENV)/test
	@$(BIN)/python deploy/dashboards/dashboard.py > deploy/dashboards/grafana.json
	@$(BIN)/python deploy/dashboards/superset.py

# A warning, such as of a link that leads nowhere, is an error.
site: $(VENV)/docs
	@rm -rf build/site
	@$(BIN)/sphinx-build -W --keep-going -n -q docs build/site
	@echo "the documentation: build/site/index.html"

# Every test is run by one of the two; tests/conftest.py marks those that are quick.  Those that
# generate examples are run by both, with a third of their examples and with all; where
# SEGSCORE_EXAMPLES is set to all, as in .ci/run, by the first alone.
# The types are checked beside the tests, because mypy uses one core.
test: rules
	@$(MAKE) --no-print-directory --jobs 2 types quick

quick: $(VENV)/test
	$(PYTEST) -m quick

# What the tests need, set up side by side: pip and npm each use one core.
ready:
	@$(MAKE) --no-print-directory --jobs $(VENV)/test $(AZURITE) $(BROWSER) $(HARNESS)

test-all: ready
	SEGSCORE_EXAMPLES=all $(PYTEST) -m "not quick$(if $(SEGSCORE_EXAMPLES),, or hypothesis)"

# The pages are of the newest releases, so that their tests are left out.
test-oldest: $(OLDEST)
	@if [ -e $(OLDEST) ]; then build/oldest/bin/python -m pytest --numprocesses logical -m quick \
		tests/unit tests/conformance tests/commands; fi

test-deploy: $(VENV)/test $(BROWSER) $(SUPERSET)
	$(BIN)/pytest tests/deploy

# Debian starts their services where systemd runs; the tests need none of these and start their own.
deploy-parts:
	apt-get update
	apt-get install --yes --no-install-recommends containerd docker.io iproute2 iptables mmdebstrap \
		munge prometheus prometheus-alertmanager prometheus-node-exporter runc slurm-client \
		slurmctld slurmd systemd-container util-linux

# A store for the tests of abfs://.  Where npm cannot install it they are skipped, and say so.
$(AZURITE):
	@command -v npm >/dev/null || exit 0; echo "setting up $@"; mkdir -p build; \
		$(NPM) --prefix build/azurite azurite@3.37.0 >build/azurite.log 2>&1 || \
		echo "npm could not install Azurite (build/azurite.log): tests that need it are skipped"

# A browser for the tests of reports, and what checks that everybody can read them; likewise.
$(BROWSER):
	@command -v npm >/dev/null || exit 0; echo "setting up $@"; mkdir -p build; \
		( $(NPM) --prefix build/browser @sparticuz/chromium@153.0.0 axe-core@4.14.1 && \
		cd build/browser && TMPDIR=$$PWD node --input-type=module --eval \
			'import chromium from "@sparticuz/chromium"; await chromium.executablePath()'; \
		) >build/browser.log 2>&1 || { rm -f $@; \
		echo "npm could not install a browser (build/browser.log): tests that need it are skipped"; }

# Programs that segscore is used in, which cannot be in one environment with the other tests.
# After the tests' environment, as both install the checkout.
$(HARNESS): pyproject.toml constraints-harness.txt | $(VENV)/test
	@echo "setting up build/harness"; mkdir -p build; rm -rf build/harness; \
		( $(PYTHON) -m venv build/harness && build/harness/bin/python -m pip \
		--disable-pip-version-check install --no-compile --constraint constraints-harness.txt \
		--editable '.[harness]' && touch $@ ) >build/harness.log 2>&1 || \
		echo "pip could not install them (build/harness.log): tests that need them are skipped"

# The environment of the oldest releases, which only a Python 3.11 takes.
$(OLDEST): pyproject.toml constraints-oldest.txt
	@command -v $(OLDEST_PYTHON) >/dev/null || { echo "no $(OLDEST_PYTHON) here: the oldest releases" \
		"are not tested; name one with OLDEST_PYTHON="; exit 0; }; \
		echo "setting up build/oldest"; mkdir -p build; rm -rf build/oldest; \
		$(OLDEST_PYTHON) -m venv build/oldest && PYTHONWARNINGS=ignore build/oldest/bin/python -m pip \
		--disable-pip-version-check --quiet install --constraint constraints-oldest.txt \
		--editable '.[quick]' && touch $@

# 870 MB, and only for Python 3.11; without it, its test is skipped and says so.
$(SUPERSET): constraints-superset.txt
	@command -v $(OLDEST_PYTHON) >/dev/null || exit 0; echo "setting up build/superset"; mkdir -p build; \
		rm -rf build/superset; ( $(OLDEST_PYTHON) -m venv build/superset && \
		build/superset/bin/python -m pip --disable-pip-version-check install \
		--requirement constraints-superset.txt && touch $@ ) >build/superset.log 2>&1 || \
		echo "pip could not install Superset (build/superset.log): its test is skipped"

# 4 GB, so these tests are in neither of the two; without it they are skipped.
$(TORCH): pyproject.toml
	@echo "setting up build/torch"; mkdir -p build; rm -rf build/torch; $(PYTHON) -m venv build/torch
	build/torch/bin/python -m pip --disable-pip-version-check install --quiet --editable . \
		lightning torch wtpsplit
	@touch $@

test-torch: $(VENV)/test $(TORCH)
	$(PYTEST) tests/integrations/test_training.py tests/integrations/test_sentences.py

image: $(VENV)/test
	SEGSCORE_IMAGE=whole $(BIN)/pytest tests/deploy/test_image.py tests/deploy/test_compose.py

chaos: $(VENV)/test
	$(BIN)/python -m tests.faults.chains --chains 1000 --first 1000
	$(BIN)/python -m tests.faults.chaos --kills 300
	$(BIN)/python -m tests.faults.chaos --kills 100 --store

# `--mutations` leaves out each guard in turn; WITH has further options.
simulate: $(VENV)/test
	$(BIN)/python -m tests.simulation $(if $(SEED),--seed $(SEED)) $(WITH)

lint: rules types

rules: $(VENV)/test linked
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	@cd $(LINKED) && $(CURDIR)/$(BIN)/lint-imports --config ../../pyproject.toml

types: $(VENV)/test linked
	@cd $(LINKED) && $(CURDIR)/$(BIN)/mypy --config-file ../../pyproject.toml

# mypy and import-linter find packages by their folders alone, so that these are linked as they are installed.
linked:
	@rm -rf $(LINKED)/segscore && mkdir -p $(LINKED)/segscore
	@ln -s ../../../pipeline ../../../schemas ../../../jobs $(CURDIR)/segscore/* $(LINKED)/segscore
	@ln -sfn ../../tests $(LINKED)/tests && ln -sfn ../../benchmarks $(LINKED)/benchmarks
	@ln -sfn ../../docs $(LINKED)/docs

# A kernel that was compiled before what it calls was changed would be measured as it was.
bench: export NUMBA_CACHE_DIR = $(CURDIR)/build/bench
bench: $(VENV)/test
	@rm -rf $(NUMBA_CACHE_DIR)
	@$(BIN)/segscore warm-up
	$(BIN)/python -m benchmarks

# ADDRESS, of the repository, and TAG make the README's links full addresses, as a release needs.
archives: $(VENV)/test
	$(BIN)/python .ci/archives.py

clean:
	rm -rf $(VENV) build *.egg-info .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
