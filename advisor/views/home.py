"""The door: choose a scenario, take a common job, or paste a config.json or an out-of-memory error."""

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from advisor.answers import ConfigTextError
from advisor.forms.problems import config_text
from advisor.pages import home as page
from advisor.pages.currency import currency_of
from advisor.pages.wizard import ladder_cards
from advisor.queries import catalogue_now


@require_http_methods(["GET", "HEAD", "POST"])
def home(request: HttpRequest) -> HttpResponse:
    """GET: the door. POST: reads a paste and leads on; what cannot be read is told at the field."""
    paste, error = "", ""
    if request.method == "POST":
        paste = request.POST.get("paste", "").strip()
        if paste.startswith("{"):
            try:
                return HttpResponseRedirect(page.address_of_config(paste))
            except ConfigTextError as problem:
                error = config_text(problem.code)
        elif paste:
            return HttpResponseRedirect(reverse("advisor:doctor"), preserve_request=True)
        else:
            error = _("Paste a config.json or an error message first.")
    return door(request, paste, error)


def door(request: HttpRequest, paste: str = "", error: str = "", file_error: str = "") -> HttpResponse:
    """The page itself; `error` and `file_error` stand at the paste and at the file."""
    currency = currency_of(request.GET)
    catalogue = catalogue_now(currency)
    context = {
        "nav": "choose",
        "scenarios": page.scenarios(),
        "ruler": page.ruler(ladder_cards(catalogue)),
        "cards": page.card_rows(catalogue),
        "catalogue": catalogue,
        "currency": currency,
        "paste": paste[:20_000],
        "error": error,
        "file_error": file_error,
    }
    return render(request, "advisor/home.html", context, status=422 if error or file_error else 200)
