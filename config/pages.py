"""The frame's own pages: front door, theme, errors, robots, the component gallery, the API reference."""

import json
import re
import sys
from typing import Any

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import DisallowedRedirect, RequestDataTooBig, TooManyFieldsSent
from django.core.serializers.json import DjangoJSONEncoder
from django.db import InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.http import MAX_URL_REDIRECT_LENGTH
from django.utils.translation import get_language_from_request, override
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST, require_safe
from drf_spectacular.generators import SchemaGenerator

from advisor.charts import memory_bar
from advisor.guide.topics import TOPICS
from advisor.library import library
from advisor.sizing.answer import Memory, fit_of
from billing.hours_curve import hours_curves
from billing.plan_chart import plan_chart
from catalog.example import example_catalogue
from catalog.formats import wait_text
from catalog.limits import TooMany
from catalog.models import Gpu
from config.api_errors import CONTENT_TYPE, TYPE
from config.context import THEMES
from config.reference import operations_of

FIXED_PAGES = (
    "advisor:home",
    "catalog:cards",
    "billing:plans",
    "advisor:guide",
    "advisor:doctor",
    "advisor:accuracy",
    "advisor:models",
    "api-docs",
)
"""Pages without a name of their own in the address, for search engines."""


@require_safe
@never_cache
def front_door(request: HttpRequest) -> HttpResponse:
    """`/` leads to the home page in the visitor's language."""
    with override(get_language_from_request(request)):
        response = HttpResponseRedirect(reverse("advisor:home"))
    response["Vary"] = "Accept-Language, Cookie"
    return response


OWN_PAGE = re.compile(r"/(?![/\\])[\x21-\x7e]{0,16000}")
"""A path of ours with its answers, however long; never another host."""


@csrf_exempt  # a page behind a customer's link sends no referrer, so its forms say `Origin: null`; a theme is nobody's secret
@require_POST
def set_theme(request: HttpRequest) -> HttpResponse:
    """Keep the chosen appearance in a cookie and go back to where the form was."""
    target = request.POST.get("next", "")
    response = HttpResponseRedirect(target if OWN_PAGE.fullmatch(target) else "/")
    theme = request.POST.get("theme", "auto")
    response.set_cookie(
        "theme",
        theme if theme in THEMES else "auto",
        max_age=31_536_000,
        samesite="Lax",
        secure=settings.SESSION_COOKIE_SECURE,
    )
    return response


@require_safe
def robots(request: HttpRequest) -> HttpResponse:
    """Search engines may read pages, not quotations, not other people's answers."""
    lines = ["User-agent: *", "Disallow: /api/", "Disallow: /*/q/", "Disallow: /*/sales/", "Disallow: /*/admin/"]
    lines.append(f"Sitemap: {request.build_absolute_uri(reverse('sitemap'))}")
    return HttpResponse("\n".join(lines) + "\n", content_type="text/plain")


@require_safe
def sitemap(request: HttpRequest) -> HttpResponse:
    """The public pages in each language: the fixed ones, each topic of the guide, each card and model."""
    cards = list(Gpu.objects.visible().by_memory().values_list("slug", flat=True))
    pages = [
        *((name, ()) for name in FIXED_PAGES),
        *(("advisor:guide-topic", (topic,)) for topic in TOPICS),
        *(("catalog:card", (card,)) for card in cards),
        *(("advisor:model", (model,)) for model in library().models),
    ]
    addresses = []
    for code, _name in settings.LANGUAGES:
        with override(code):
            addresses += [request.build_absolute_uri(reverse(name, args=values)) for name, values in pages]
    return render(request, "sitemap.xml", {"addresses": addresses}, content_type="application/xml")


GALLERY_HOURS = 27.0
GALLERY_SCALE = 48.0
_TRAINING = {"weights": 9.8, "gradients": 0.8, "optimizer": 1.7, "activations": 6.7, "framework": 1.1}
_SERVING = {"weights": 15.0, "kv_cache": 4.0, "activations": 1.2, "framework": 1.1}
GALLERY_MEMORY = (
    (Memory(20.1, 18.6, 22.1, 22.9, _TRAINING), 24.0),
    (Memory(20.1, 18.6, 22.1, 19.0, _TRAINING), 20.0),
    (Memory(20.1, 18.6, 22.1, 11.2, _TRAINING), 12.0),
    (Memory(21.3, 20.3, 22.4, 22.9, _SERVING), 24.0),
)
"""Made-up needs with the size of their card: fits, tight, does not fit, and serving."""


@require_safe
def gallery(request: HttpRequest) -> HttpResponse:
    """Every component in every state; only with DEBUG. Its charts are drawn by the code that draws the real ones."""
    if not settings.DEBUG:
        raise Http404
    offer = next(one for one in example_catalogue().priced_offers if one.gpu == "rtx-3090-24g")
    curves = hours_curves(offer, GALLERY_HOURS)
    context = {
        "bars": [
            (fit_of(memory), card_gib, memory, memory_bar(memory, card_gib, GALLERY_SCALE))
            for memory, card_gib in GALLERY_MEMORY
        ],
        "figure": curves and plan_chart(curves, GALLERY_HOURS, _("your %(hours)s h") % {"hours": 27}),
        "currency": "CNY",
    }
    return render(request, "gallery.html", context)


@require_safe
def api_reference(request: HttpRequest) -> HttpResponse:
    """The API on one readable page: fields, limits and an example of each call."""
    with override(get_language_from_request(request)):
        schema: dict[str, Any] = SchemaGenerator().get_schema(request=None, public=True)
        operations = operations_of(json.loads(json.dumps(schema, cls=DjangoJSONEncoder)))
        return render(request, "api_reference.html", {"info": schema["info"], "operations": operations})


NOBODY: dict[str, Any] = {"user": AnonymousUser(), "perms": {}, "messages": ()}
"""Instead of the visitor, their permissions and messages, which would be read from session and database."""


def problem(status: int, title: str, text: str) -> HttpResponse:
    """An error in the API's own shape."""
    problem = {"type": TYPE, "title": title, "status": status, "detail": text}
    return JsonResponse(problem, status=status, content_type=CONTENT_TYPE, json_dumps_params={"ensure_ascii": False})


def _error(request: HttpRequest, status: int, title: str, text: str, **more: Any) -> HttpResponse:
    """An error as a page, below /api/ as the API's own shape."""
    if request.path_info.startswith("/api/"):
        return problem(status, title, text)
    context = {"status": status, "error_title": title, "error_text": text, **more}
    return render(request, "error.html", context, status=status)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """400: the request itself is broken. 413: it is larger than any form here needs, or than an address can carry."""
    if isinstance(exception, DisallowedRedirect):
        return _error(
            request,
            413,
            _("Your answers are too long"),
            _(
                "Answers travel in the address, and these would make it longer than %(most)s characters. Go back and shorten "
                "the longest of them; nothing was taken."
            )
            % {"most": f"{MAX_URL_REDIRECT_LENGTH:,}"},
        )
    if isinstance(exception, TooManyFieldsSent):
        return _error(
            request,
            413,
            _("That is too many fields"),
            _("A form takes %(most)s fields. Go back and send fewer; nothing was taken.")
            % {"most": f"{settings.DATA_UPLOAD_MAX_NUMBER_FIELDS:,}"},
        )
    if isinstance(exception, RequestDataTooBig):
        return _error(
            request,
            413,
            _("That is too much text"),
            _("A form takes 2.5 MB. Paste only the part with the figures: the last lines of a log decide."),
        )
    return _error(
        request,
        400,
        _("This request cannot be read"),
        _("Something in the address or form is damaged. Go back and try again."),
    )


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    """403: known, but not allowed."""
    return _error(
        request,
        403,
        _("You may not see this page"),
        _("Your account lacks the permission. Ask a manager, or sign in as somebody else."),
    )


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """403 for a form without its token: usually an old tab."""
    return _error(
        request,
        403,
        _("This form has expired"),
        _(
            "Nothing was sent. Go back in the browser: what you typed still stands in the form. Copy it, reload that page and "
            "send it again."
        ),
    )


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """404."""
    return _error(
        request,
        404,
        _("There is no such page"),
        _("The address may be old or mistyped. Start from the home page, or search the cards."),
    )


def too_many(request: HttpRequest, refused: TooMany) -> HttpResponse:
    """429 with the time to come back; reads neither session nor database, so that refusing is cheap."""
    title = _("Too much at once")
    wait = wait_text(refused.seconds)
    if request.path_info.startswith("/api/"):
        response = problem(429, title, _("Try again in %(wait)s.") % {"wait": wait})
    else:
        response = render(request, "429.html", {"wait": wait, "instead": refused.instead, **NOBODY}, status=429)
    response["Retry-After"] = str(refused.seconds)
    response["Cache-Control"] = "private, no-store"
    return response


def server_error(request: HttpRequest) -> HttpResponse:
    """500, or 503 where the database does not answer. Says so without session or database: neither may be there."""
    posted = request.method == "POST"
    if isinstance(sys.exc_info()[1], OperationalError | InterfaceError):
        text = (
            _(
                "The database does not answer. Keep this page open and reload it in a minute: the browser sends your form again."
            )
            if posted
            else _("The database does not answer. Try again in a minute; your answers are in the address.")
        )
        response = _error(request, 503, _("We are away for a moment"), text, **NOBODY)
        response["Retry-After"] = "60"
        return response
    text = (
        _("It has been logged. Keep this page open and reload it in a minute: the browser sends your form again.")
        if posted
        else _("It has been logged. Try again in a minute; your answers are in the address.")
    )
    return _error(request, 500, _("Something broke on our side"), text, **NOBODY)
