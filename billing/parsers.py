"""JSON in, with a limit: DRF reads the stream itself, past Django's limit on bodies."""

import io
from collections.abc import Mapping
from typing import IO, Any

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser


class LimitedJSONParser(JSONParser):
    """Strict JSON of at most `DATA_UPLOAD_MAX_MEMORY_SIZE` bytes, not nested beyond reason."""

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
            return super().parse(io.BytesIO(body), media_type, parser_context)
        except RecursionError as error:
            raise ParseError("The JSON is nested too deeply.") from error
