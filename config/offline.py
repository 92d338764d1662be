"""Without a connection: a page that says so, and the results, guide and cards seen before, kept by the browser itself."""

import hashlib
import json

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.templatetags.static import static
from django.urls import reverse
from django.utils.translation import override
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

KEPT = ("css/site.css", "js/site.js", "icons.svg", "fonts/plex-400.woff2", "fonts/plex-600.woff2")
"""Files the page cannot do without."""


@require_safe
def offline(request: HttpRequest) -> HttpResponse:
    """The page a browser shows where the network does not answer and nothing was kept."""
    return render(request, "offline.html")


@require_safe
@cache_control(max_age=0, must_revalidate=True)
def worker(request: HttpRequest) -> HttpResponse:
    """The script that keeps them. It stands at the root, so that it may answer for every page; a new file makes a new cache."""
    pages = {}
    for code, _name in settings.LANGUAGES:
        with override(code):
            pages[code] = reverse("offline")
    files = [static(name) for name in KEPT]
    version = hashlib.sha256(repr((pages, files)).encode()).hexdigest()[:12]
    kept = json.dumps({"version": version, "pages": pages, "files": files})
    text = f"self.kept = {kept};\nimportScripts({json.dumps(static('js/worker.js'))});\n"
    return HttpResponse(text, content_type="text/javascript; charset=utf-8")
