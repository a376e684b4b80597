# The front doors. `make tour` and `make test` need Python 3.11 or newer, make, and nothing else.
# Another Python: make tour PYTHON=python3.12 (it counts when .venv is made; `make clean` undoes that).

PYTHON ?= python3
ARGS ?=

# What the explorer's page is built from as Pellucid is installed.
WEB := $(shell find web -name node_modules -prune -o -type f -print 2> /dev/null)
INSTALL = .venv/bin/python -m pip --disable-pip-version-check install -qq --constraint constraints.txt
TOO_OLD = "Pellucid needs Python 3.11 or newer; $(PYTHON) is " + sys.version.split()[0] \
	+ ". Name another: make $(MAKECMDGOALS) PYTHON=python3.12"

.PHONY: help tour test check fix bench gallery clean

help: ## say what there is to make
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-7s %s\n", $$1, $$2 }' Makefile

tour: .venv/.pellucid ## train BabyGroot and walk through it (ARGS="--part 4" for one part)
	@.venv/bin/pellucid tour $(ARGS)

test: .venv/.pellucid-dev .venv/.browser ## formatter, linter, types, import contracts and all tests
	scripts/check
	scripts/test

check: .venv/.pellucid-dev ## all of that but the tests
	scripts/check

fix: .venv/.pellucid-dev ## format, and mend what the linter can mend
	scripts/fix

bench: .venv/.pellucid-dev ## the speed of Pellucid and its peers, side by side
	.venv/bin/python -m benchmarks

gallery: .venv/.pellucid-dev ## draw docs/gallery.md: one picture of everything there is
	.venv/bin/python scripts/make-gallery

clean: ## remove .venv and everything else that was made
	rm -rf .venv dist web/node_modules pellucid/views/explorer/static .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The package alone, for those who use it. Newer than pyproject.toml and than web/: nothing to do.
.venv/.pellucid: .venv/bin/pip pyproject.toml constraints.txt hatch_build.py $(WEB)
	@echo "Installing Pellucid into .venv (to type pellucid by itself: . .venv/bin/activate)"
	@$(INSTALL) --editable .
	@touch $@

# With everything that the tests need.
.venv/.pellucid-dev: .venv/bin/pip pyproject.toml constraints.txt hatch_build.py $(WEB)
	@echo "Installing Pellucid and its development tools into .venv"
	@$(INSTALL) --editable '.[dev]'
	@touch .venv/.pellucid $@

# A browser, which the explorer is tested in. Where none can be had, it is looked for again next time.
.venv/.browser: .venv/.pellucid-dev scripts/install-browser
	@if scripts/install-browser; then touch $@; fi

# pip comes last when an environment is made, so its presence says that the environment is whole.
.venv/bin/pip:
	@command -v $(PYTHON) > /dev/null || { echo "There is no $(PYTHON) here. Pellucid needs Python 3.11 or newer: make $(MAKECMDGOALS) PYTHON=/path/to/python3" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else $(TOO_OLD))'
	@$(PYTHON) -m venv .venv
	@touch -c $@
