FROM python:3.13-slim
COPY --from=ghcr.io/astral-sh/uv:0.9 /uv /usr/local/bin/uv
ENV UV_COMPILE_BYTECODE=1 UV_LINK_MODE=copy PYTHONUNBUFFERED=1 PATH=/app/.venv/bin:$PATH
# else each thread of the server keeps the pages of the largest body it ever saw (see GIVES_MEMORY_BACK of the demo)
ENV MALLOC_ARENA_MAX=2 MALLOC_TRIM_THRESHOLD_=131072 _RJEM_MALLOC_CONF=narenas:2,background_thread:true,dirty_decay_ms:500,muzzy_decay_ms:0
RUN useradd --create-home cardwise && install -d -o cardwise /var/lib/cardwise /srv/static
WORKDIR /app
COPY pyproject.toml uv.lock .python-version ./
RUN uv sync --frozen --no-default-groups
COPY . .
RUN STATIC_ROOT=/srv/static SECRET_KEY=build CARDWISE_VAR=/tmp/build python manage.py collectstatic --no-input
USER cardwise
EXPOSE 8000
