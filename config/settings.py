"""One file of settings, from the environment, safe by default. Demo and tests differ by a few variables, never by a file.

| variable | meaning | default |
|---|---|---|
| DATABASE_URL | PostgreSQL | the embedded server's socket under var/ |
| REDIS_URL | Redis or Valkey: broker and cache | the embedded server's port under var/ |
| SECRET_KEY | signing key | a random one kept in var/secret_key (DEBUG or embedded only) |
| ALLOWED_HOSTS, CSRF_TRUSTED_ORIGINS | comma separated | loopback |
| DEBUG | pages with tracebacks, the component gallery | off |
| HTTPS | cookies and redirects for TLS | on unless embedded |
| EMAIL_URL | smtp://user:password@host:port | files under var/mail |
| API_RATE, PAGE_RATE | what one network (IPv4 address, IPv6 /64) may ask of the API and of the costly pages; empty: no limit | 120/min, 300/min |
| NUM_PROXIES | proxies in front that append to X-Forwarded-For, so that visitors are told apart | 0 |
| CELERY_EAGER | run tasks in-process | off |
"""

import os
import secrets
import sys
from pathlib import Path
from typing import Any

import django_stubs_ext
import environ
from celery.schedules import crontab
from django.conf.locale import LANG_INFO
from django.utils.csp import CSP
from django.utils.translation import gettext_lazy as _

from config import embedded
from config.messages import compile_stale, languages_on_disk

django_stubs_ext.monkeypatch()
BASE_DIR = Path(__file__).resolve().parent.parent
env = environ.Env()
var = embedded.var_dir(BASE_DIR)
running = embedded.running(var)  # what a demo or a test session has started, if anything
TESTING = "pytest" in sys.modules

DEBUG = env.bool("DEBUG", False)
EMBEDDED = "DATABASE_URL" not in os.environ


def _secret_key() -> str:
    """The key from the environment; without one, a random key kept on this machine (never a default in the source)."""
    if key := os.environ.get("SECRET_KEY"):
        return key
    kept = var / "secret_key"
    try:
        return kept.read_text()
    except OSError:
        key = secrets.token_urlsafe(50)
    try:
        var.mkdir(parents=True, exist_ok=True)
        with os.fdopen(os.open(kept, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(key)
    except FileExistsError:
        return kept.read_text()
    except OSError:
        pass  # a read-only folder: a key for this process alone
    return key


SECRET_KEY = _secret_key()
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=["127.0.0.1", "localhost", "[::1]"])
CSRF_TRUSTED_ORIGINS = env.list("CSRF_TRUSTED_ORIGINS", default=[])
HTTPS = env.bool("HTTPS", default=not EMBEDDED and not DEBUG)
SECURE_SSL_REDIRECT = HTTPS
SECURE_REDIRECT_EXEMPT = [r"^livez$", r"^readyz$", r"^metrics$"]
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if HTTPS else None
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = HTTPS
SECURE_REFERRER_POLICY = "same-origin"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
X_FRAME_OPTIONS = "DENY"
DATA_UPLOAD_MAX_MEMORY_SIZE = 2_500_000
DATA_UPLOAD_MAX_NUMBER_FIELDS = 2_000

SECURE_CSP = {
    "default-src": [CSP.NONE],
    "script-src": [CSP.SELF],
    "style-src": [CSP.SELF],
    "img-src": [CSP.SELF],
    "font-src": [CSP.SELF],
    "connect-src": [CSP.SELF],
    "form-action": [CSP.SELF],
    "base-uri": [CSP.NONE],
    "frame-ancestors": [CSP.NONE],
    "manifest-src": [CSP.SELF],
}

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.postgres",
    "django_htmx",
    "rest_framework",
    "drf_spectacular",
    "config.apps.ConfigConfig",
    "catalog",
    "billing",
    "advisor",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "django.middleware.csp.ContentSecurityPolicyMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "config.middleware.metrics",
    "config.middleware.length_required",
    "django.middleware.gzip.GZipMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "config.middleware.htmx_caching",
    "config.middleware.signed_in_not_kept",
    "config.middleware.Limits",
    "config.middleware.admin_without_nul",
]

ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "config.context.frame",
            ],
        },
    }
]

DATABASES = {"default": env.db("DATABASE_URL", default=running.database_url)}
DATABASES["default"].update({"CONN_MAX_AGE": 60, "CONN_HEALTH_CHECKS": True, "ATOMIC_REQUESTS": False})
DATABASES["default"].setdefault("OPTIONS", {}).setdefault("connect_timeout", 3)
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
REDIS_URL = env.str("REDIS_URL", default=running.redis_url)
CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": REDIS_URL,
        "OPTIONS": {"socket_connect_timeout": 1, "socket_timeout": 2},  # a page waits no longer than that for a count
    }
    if REDIS_URL
    else {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}
}

AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "advisor:home"
LOGOUT_REDIRECT_URL = "advisor:home"

# Chinese first, English equal; a folder under config/locale makes a further language appear.
LANGUAGE_CODE = "zh-hans"
LOCALE_PATHS = [BASE_DIR / "config" / "locale"]
LANGUAGES = [("zh-hans", _("Simplified Chinese")), ("en", _("English"))]
LANGUAGES += [
    (code, LANG_INFO[code]["name_local"])
    for code in languages_on_disk(LOCALE_PATHS[0])
    if code not in {"zh-hans", "en"} and code in LANG_INFO
]
USE_I18N = True
USE_TZ = True
TIME_ZONE = env.str("TIME_ZONE", default="Asia/Shanghai")
compile_stale(BASE_DIR)

STATIC_URL = "static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
STATIC_ROOT = Path(env.str("STATIC_ROOT", default=str(var / "static")))
WHITENOISE_USE_FINDERS = DEBUG or TESTING
WHITENOISE_MAX_AGE = 31_536_000
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage", "LOCATION": str(var / "files")},
    "staticfiles": {
        "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"
        if DEBUG or TESTING
        else "whitenoise.storage.CompressedManifestStaticFilesStorage"
    },
}
del STORAGES["default"]["LOCATION"]
MEDIA_ROOT = var / "files"


def _mailer() -> dict[str, Any]:
    """smtp://user:password@host:port (smtp+tls, smtp+ssl) as a mailer; without EMAIL_URL, files under var/mail."""
    if "EMAIL_URL" not in os.environ:
        return {
            "BACKEND": "django.core.mail.backends.filebased.EmailBackend",
            "OPTIONS": {"file_path": str(var / "mail")},
        }
    url = env.email_url("EMAIL_URL")
    options = {
        "host": url["EMAIL_HOST"],
        "port": url["EMAIL_PORT"] or 25,
        "username": url["EMAIL_HOST_USER"] or "",
        "password": url["EMAIL_HOST_PASSWORD"] or "",
        "use_tls": url.get("EMAIL_USE_TLS", False),
        "use_ssl": url.get("EMAIL_USE_SSL", False),
        "timeout": 10,
    }
    return {"BACKEND": url["EMAIL_BACKEND"], "OPTIONS": options}


MAILERS = {"default": _mailer()}
DEFAULT_FROM_EMAIL = env.str("DEFAULT_FROM_EMAIL", default="Cardwise <sales@example.com>")

API_RATE = env.str("API_RATE", default="120/min")
PAGE_RATE = env.str("PAGE_RATE", default="300/min")
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["rest_framework.authentication.SessionAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],  # closed unless a view says AllowAny
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "DEFAULT_THROTTLE_CLASSES": ["config.limits.ApiLimit"],
    "EXCEPTION_HANDLER": "config.api_errors.problem_details",
    "URL_FORMAT_OVERRIDE": None,  # there is JSON alone: `?format=` asks for nothing, and is no address that is missing
    "COERCE_DECIMAL_TO_STRING": True,
    "UNAUTHENTICATED_USER": "django.contrib.auth.models.AnonymousUser",
    "NUM_PROXIES": env.int("NUM_PROXIES", default=0),
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Cardwise API",
    "DESCRIPTION": _("Which rented GPU fits a job, how long it takes and what it costs under every rental plan."),
    "VERSION": "1",
    "OAS_VERSION": "3.1.1",
    "SERVE_INCLUDE_SCHEMA": False,
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "ENUM_GENERATE_CHOICE_DESCRIPTION": False,
    "COMPONENT_SPLIT_REQUEST": True,
}

CELERY_BROKER_URL = REDIS_URL or "memory://"
CELERY_RESULT_BACKEND = REDIS_URL or None
CELERY_TASK_ALWAYS_EAGER = env.bool("CELERY_EAGER", default=not REDIS_URL)
CELERY_TASK_EAGER_PROPAGATES = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_TASK_TIME_LIMIT = 600
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_TRANSPORT_OPTIONS = {"visibility_timeout": 900, "socket_connect_timeout": 3}
CELERY_REDIS_SOCKET_CONNECT_TIMEOUT = 3
CELERY_TIMEZONE = "UTC"  # clock changes must not run a job twice or never
CELERY_BEAT_SCHEDULE = {
    "recommendation-table": {"task": "advisor.tasks.refresh_table", "schedule": crontab(minute="*/10")},
    "sessions": {"task": "advisor.tasks.forget_old_sessions", "schedule": crontab(hour="4", minute="17")},
    "outbox": {"task": "billing.tasks.deliver_outbox", "schedule": 20},
    "expire-quotes": {"task": "billing.tasks.expire_quotes", "schedule": crontab(minute="*/5")},
}

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "%(asctime)s %(levelname)s %(name)s %(message)s"}},
    "filters": {"damaged": {"()": "config.logs.DamagedRequests"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line", "filters": ["damaged"]}},
    "root": {"handlers": ["console"], "level": env.str("LOG_LEVEL", default="INFO")},
}

CSRF_FAILURE_VIEW = "config.pages.csrf_failure"
