"""The one API error shape: RFC 9457 problem details. Field problems stand under `errors`, each with its path and the way out."""

from typing import Any

from django.core.exceptions import PermissionDenied, RequestDataTooBig
from django.http import Http404
from django.utils.translation import gettext_lazy, gettext_noop, ngettext
from rest_framework import exceptions, status
from rest_framework.response import Response
from rest_framework.views import exception_handler

from catalog.limits import TooMany

DJANGO_WORDS = (gettext_noop("Null characters are not allowed."),)
"""Sentences of Django whose Chinese says something else there: translated here, which goes before Django's."""
TYPE = "about:blank"
CONTENT_TYPE = "application/problem+json"


class TooLarge(exceptions.APIException):
    """A body beyond the limit."""

    status_code = status.HTTP_413_REQUEST_ENTITY_TOO_LARGE
    default_detail = gettext_lazy("The body is larger than this API takes.")
    default_code = "too-large"


def _flatten(detail: Any, path: str = "") -> list[dict[str, Any]]:
    """DRF's nested error detail as a flat list of {path, code, message}."""
    if isinstance(detail, dict):
        return [
            item for key, value in detail.items() for item in _flatten(value, f"{path}.{key}" if path else str(key))
        ]
    if isinstance(detail, list):
        nested = any(isinstance(part, dict | list) for part in detail)
        return [
            item
            for index, part in enumerate(detail)
            for item in _flatten(part, f"{path}[{index}]" if nested and isinstance(part, dict | list) else path)
        ]
    return [
        {
            "path": path.removesuffix(".non_field_errors"),
            "code": getattr(detail, "code", "invalid"),
            "message": str(detail),
        }
    ]


def problem_details(exc: Exception, context: dict[str, Any]) -> Response | None:
    """DRF's exception handler. An exception may carry `.problems`: a list of {path, code, message, ...} given as they are."""
    if isinstance(exc, RequestDataTooBig):
        exc = TooLarge()
    elif isinstance(exc, Http404):
        exc = exceptions.NotFound(str(exc) if exc.args and str(exc) else None)
    elif isinstance(exc, PermissionDenied):
        exc = exceptions.PermissionDenied()
    elif isinstance(exc, TooMany):
        exc = exceptions.Throttled(exc.seconds)
    response = exception_handler(exc, context)
    if response is None or not isinstance(exc, exceptions.APIException):
        return response
    problems = getattr(exc, "problems", None)
    if problems is None and isinstance(exc, exceptions.ValidationError):
        problems = _flatten(exc.detail)
    title = str(getattr(exc, "title", None) or exc.default_detail)
    body: dict[str, Any] = {
        "type": TYPE,
        "title": str(exc.detail)
        if "{" in title
        else title,  # DRF's words for a method or media type have a gap in them
        "status": response.status_code,
        "detail": str(exc.detail)
        if isinstance(exc.detail, str)
        else ngettext("The request has %(n)d problem.", "The request has %(n)d problems.", len(problems or ()))
        % {"n": len(problems or ())},
    }
    if problems is not None:
        body["errors"] = problems
    response.data = body
    response.content_type = CONTENT_TYPE
    return response
