"""A quotation as PDF, set by typst from its snapshot with fonts we ship: the same on every machine."""

import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import typst

from billing.documents.labels import document_labels, sample_notice, watermark

HERE = Path(__file__).parent
TEMPLATE = HERE / "quote.typ"
FONTS = HERE / "fonts"


@lru_cache(maxsize=1)
def _fonts() -> Any:
    """The fonts, read once for each process."""
    return typst.Fonts(include_system_fonts=False, include_embedded_fonts=False, font_paths=[str(FONTS)])


def quote_pdf(doc: Mapping[str, Any], *, draft: bool = False) -> bytes:
    """The PDF of a snapshot. `draft` marks every page as one."""
    data = {
        "doc": doc,
        "labels": document_labels(doc),
        "watermark": watermark(doc, draft=draft),
        "sample": sample_notice(doc),
    }
    made = typst.compile(
        TEMPLATE.read_bytes(),
        font_paths=_fonts(),
        sys_inputs={"data": json.dumps(data, ensure_ascii=False)},
        format="pdf",
        timestamp=None,
    )
    assert isinstance(made, bytes)
    return made
