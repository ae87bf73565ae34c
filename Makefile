# QKV. `make help` lists what can be done; every target has a plain equivalent in README.md.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
HOST ?= 127.0.0.1
PORT ?= 8000
WORKERS ?= 1
LAB ?= 1

ifeq ($(LAB),0)
REQUIREMENTS := requirements-web.txt
else
REQUIREMENTS := requirements.txt
endif

# A stamp is newer than the requirements that were installed. What was installed for development, or with the
# lab, is enough for the site.
ALL_REQUIREMENTS := requirements-web.txt requirements.txt requirements-dev.txt
SITE_STAMP := $(VENV)/.installed-$(basename $(REQUIREMENTS))
DEV_STAMP := $(VENV)/.installed-requirements-dev

.DEFAULT_GOAL := help
.PHONY: help serve install test prove mutants check
.DELETE_ON_ERROR:

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

serve: install ## run the site (HOST=0.0.0.0 PORT=8000 WORKERS=1; LAB=0: without torch)
	@exec $(BIN)/python manage.py serve --host "$(HOST)" --port "$(PORT)" --workers "$(WORKERS)" --parent $$PPID

install: $(SITE_STAMP) ## make .venv and install what the site needs

test: $(DEV_STAMP) ## the tests, on SQLite
	$(BIN)/python -m pytest -n auto --dist loadfile -m "not prove"

prove: $(DEV_STAMP) ## the long proofs, and the database tests on PostgreSQL (QUIZ_TEST_POSTGRES=postgres://…)
	$(BIN)/python -m pytest -n auto --dist loadfile -m prove
	$(BIN)/python -m tests.postgres  # the tests marked "database", again

mutants: $(DEV_STAMP) ## wrong attentions that the tests must notice: a table (part of prove)
	$(BIN)/python -m tests.core.mutants

check: $(DEV_STAMP) ## ruff, mypy, import-linter, migrations
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy attention_core quiz
	$(BIN)/lint-imports
	$(BIN)/python manage.py makemigrations --check --dry-run

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "QKV needs Python 3.11 or newer: make PYTHON=python3.11 …"; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(SITE_STAMP) $(DEV_STAMP): $(VENV)/.installed-%: %.txt $(ALL_REQUIREMENTS) | $(BIN)/python
	@echo "installing $< into $(VENV)$(if $(findstring web,$<),, (with torch, which is large; make LAB=0 serve leaves it out))"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -r $<
	@touch $@
