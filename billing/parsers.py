"""JSON in, with a limit: DRF reads the stream itself, past Django's limit on bodies."""

import json
from collections.abc import Mapping
from typing import IO, Any

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.utils.translation import gettext as _
from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser

from billing.costing.jsonl import strict_json


class LimitedJSONParser(JSONParser):
    """Strict JSON in UTF-8 of at most `DATA_UPLOAD_MAX_MEMORY_SIZE` bytes, not nested beyond reason, no name twice in an object."""

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        """The decoded body. Raises RequestDataTooBig or ParseError."""
        limit = settings.DATA_UPLOAD_MAX_MEMORY_SIZE or 2_500_000
        declared = (parser_context or {}).get("request")
        length = int(declared.META.get("CONTENT_LENGTH") or 0) if declared is not None else 0
        if length > limit:
            raise RequestDataTooBig
        body = stream.read(limit + 1)
        if len(body) > limit:
            raise RequestDataTooBig
        try:
            return _value(body)
        except RecursionError as error:
            raise ParseError(_("The JSON is nested too deeply.")) from error
        except ValueError as error:
            raise ParseError(_("This is no JSON in UTF-8: %(reason)s.") % {"reason": error}) from error


def _value(body: bytes) -> Any:
    value = strict_json(body)
    if rb"\ud" in body.lower():
        json.dumps(value, ensure_ascii=False).encode()  # half of a pair is no character: no answer could repeat it
    return value
