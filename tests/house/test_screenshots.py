"""No page without its picture: every address people open is among those `manage.py screenshots` takes."""

from collections.abc import Iterator

import pytest
from django.urls import URLPattern, URLResolver, get_resolver, resolve
from django.urls.resolvers import LocalePrefixPattern
from django.utils.translation import override

from config.management.commands.screenshots import ERRORS, SHOTS, error_page

FOLLOWED = {
    "sales-request": "billing:request",
    "sales-quote": "billing:quote",
    "sales-edit": "billing:edit",
    "offer": "billing:offer",
    "offer-accept": "billing:accept",
}
"""Pages reached over a link, because their address is not known beforehand."""
NO_PAGE = {
    "advisor:accuracy-csv",
    "advisor:read-file",
    "billing:asked",
    "billing:close",
    "billing:decline",
    "billing:differences",
    "billing:duplicate",
    "billing:link",
    "billing:mail-again",
    "billing:offer-pdf",
    "billing:offer-xlsx",
    "billing:question",
    "billing:quote-pdf",
    "billing:quote-xlsx",
    "billing:step",
    "billing:take",
    "logout",
}
"""Files, buttons, and pages that only follow a sent form."""


def pages(patterns: list[URLPattern | URLResolver], namespace: str = "") -> Iterator[str]:
    for one in patterns:
        if isinstance(one, URLResolver):
            inner = f"{one.namespace}:" if one.namespace else namespace
            if inner != "admin:":
                yield from pages(one.url_patterns, inner)
        elif one.name:
            yield f"{namespace}{one.name}"


def test_every_page_is_pictured():
    prefixed = [
        one for one in get_resolver().url_patterns
        if isinstance(one, URLResolver) and isinstance(one.pattern, LocalePrefixPattern)
    ]  # fmt: skip
    wanted = {name for resolver in prefixed for name in pages(resolver.url_patterns)}
    with override("en"):
        reached = {
            resolve(f"/en{shot.path.partition('?')[0]}").view_name
            for name, shot in SHOTS.items()
            if not shot.follow and name != "not-found"
        }
    assert wanted - reached - set(FOLLOWED.values()) == NO_PAGE
    assert set(FOLLOWED) <= set(SHOTS)


@pytest.mark.parametrize("name", ERRORS)
def test_pages_of_errors_are_rendered_without_a_shop(name):
    assert f'<p class="note">{name.removeprefix("error-")}</p>' in error_page(name, "en")
