# The same words for people, hooks and CI. `uv run just` lists them.
set shell := ["bash", "-euo", "pipefail", "-c"]

_list:
    @just --list

# everything on this machine: PostgreSQL, Valkey, worker, tables, web server
run *arguments:
    uv run manage.py demo {{arguments}}

# all tests, checks included
test *arguments:
    uv run pytest {{arguments}}

# lint, formats, types, import contracts, templates, translations, migrations, schema
check: lint types imports templates translations migrations

lint:
    uv run ruff check .
    uv run ruff format --check .

types:
    uv run mypy .

imports:
    uv run lint-imports

templates:
    uv run djlint templates --check --lint --quiet --configuration pyproject.toml
    git ls-files 'templates/*.html' | xargs uv run djade --target-version 6.0 --check

translations:
    uv run manage.py messages --check

migrations:
    uv run manage.py makemigrations --check --dry-run

# repair what a tool can repair
fix:
    uv run ruff check --fix .
    uv run ruff format .
    git ls-files 'templates/*.html' | xargs uv run djade --target-version 6.0 || true

# extract new strings into the catalogues
messages:
    uv run manage.py messages

# what the project claims about speed, each as a ratio in one run
bench:
    for file in benchmarks/*.py; do uv run python "$file"; done

# every page at two widths, two themes, two languages, into one contact sheet
screenshots:
    uv run manage.py screenshots
