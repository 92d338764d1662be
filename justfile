# The same words for people, hooks and CI: `uv run just` lists them, `uv run just check` runs one.
set shell := ["bash", "-euo", "pipefail", "-c"]

_list:
    @just --list

# everything on this machine: PostgreSQL, Valkey, worker, tables, web server
run *arguments:
    python manage.py demo {{arguments}}

# all tests, checks included
test *arguments:
    pytest {{arguments}}

# lint, formats, types, import contracts, templates, translations, migrations, schema
check: lint types imports templates translations migrations

lint:
    ruff check .
    ruff format --check .

types:
    mypy .

imports:
    lint-imports

templates:
    djlint templates --lint --quiet --configuration pyproject.toml
    git ls-files 'templates/*.html' | xargs djade --target-version 6.0 --check

translations:
    python manage.py messages --check

migrations:
    python manage.py makemigrations --check --dry-run

# repair what a tool can repair
fix:
    ruff check --fix .
    ruff format .
    git ls-files 'templates/*.html' | xargs djade --target-version 6.0 || true

# extract new strings into the catalogues
messages:
    python manage.py messages

# what the project claims about speed, each as a ratio in one run
bench:
    for file in benchmarks/*.py; do python "$file"; done

# every page at two widths, two themes, two languages, into one contact sheet
screenshots:
    python manage.py screenshots
