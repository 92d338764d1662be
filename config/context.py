"""What every page's frame needs: theme, languages with this page's address in each, the sample-data notice."""

from typing import Any

from django.conf import settings
from django.core.exceptions import DisallowedHost
from django.http import HttpRequest
from django.urls import translate_url
from django.utils.translation import get_language

THEMES = ("auto", "light", "dark")


def _origin(request: HttpRequest) -> str:
    """Scheme and host; empty for a host that is not ours, so that the page which refuses it can be drawn."""
    try:
        return f"{request.scheme}://{request.get_host()}"
    except DisallowedHost:
        return ""


def frame(request: HttpRequest) -> dict[str, Any]:
    """Context for base.html. `?lang` is never read: the language is in the address."""
    current = get_language() or settings.LANGUAGE_CODE
    path = request.get_full_path()
    languages = [
        {"code": code, "name": str(name), "current": code == current, "url": translate_url(path, code)}
        for code, name in settings.LANGUAGES
    ]
    theme = request.COOKIES.get("theme", "auto")
    return {
        "frame_languages": languages,
        "frame_theme": theme if theme in THEMES else "auto",
        "frame_origin": _origin(request) if request.method == "GET" else "",
        "debug_pages": settings.DEBUG,
    }
