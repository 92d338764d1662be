"""Files as answers."""

from collections.abc import Mapping
from typing import Any

from django.http import HttpResponse

XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


def _response(doc: Mapping[str, Any], body: bytes, kind: str, ending: str) -> HttpResponse:
    name = f"{doc['number'] or 'draft'}-{doc['revision']}.{ending}"
    return HttpResponse(body, content_type=kind, headers={"Content-Disposition": f'attachment; filename="{name}"'})


def pdf_response(doc: Mapping[str, Any], body: bytes) -> HttpResponse:
    """A PDF to keep."""
    return _response(doc, body, "application/pdf", "pdf")


def xlsx_response(doc: Mapping[str, Any], body: bytes) -> HttpResponse:
    """A workbook to keep."""
    return _response(doc, body, XLSX, "xlsx")
