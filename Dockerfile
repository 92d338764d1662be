FROM python:3.13-slim
COPY --from=ghcr.io/astral-sh/uv:0.9 /uv /usr/local/bin/uv
ENV UV_COMPILE_BYTECODE=1 UV_LINK_MODE=copy PYTHONUNBUFFERED=1 PATH=/app/.venv/bin:$PATH
RUN useradd --create-home cardwise && install -d -o cardwise /var/lib/cardwise /srv/static
WORKDIR /app
COPY pyproject.toml uv.lock .python-version ./
RUN uv sync --frozen --no-default-groups
COPY . .
RUN STATIC_ROOT=/srv/static SECRET_KEY=build CARDWISE_VAR=/tmp/build python manage.py collectstatic --no-input
USER cardwise
EXPOSE 8000
