"""The spec sheet: each column of `data/gpu_specs.csv` once, with its unit, its place on a page and how its text is written.

Model fields, spec pages, comparison, API and the rows handed to the sizing core all come from this one list.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Literal

from django.utils.translation import gettext_lazy as _

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise

type Text = str | _StrPromise
type SpecKind = Literal["text", "integer", "decimal"]
type SpecGroup = Literal["memory", "compute", "link", "reliability", "make", "about"]


@dataclass(frozen=True, slots=True)
class Spec:
    """One column: `unit` as shown beside the figure ("" = none), `places` the fixed decimals (None: as many as the figure has).

    `hint` is one plain sentence on what the figure means for a job.
    """

    name: str
    kind: SpecKind
    group: SpecGroup
    label: Text
    unit: str = ""
    places: int | None = None
    hint: Text = ""


SPECS: tuple[Spec, ...] = (
    Spec("architecture", "text", "make", _("Architecture")),
    Spec("chip", "text", "make", _("Chip")),
    Spec("launch_year", "integer", "make", _("Launched")),
    Spec(
        "compute_capability",
        "decimal",
        "make",
        _("Compute capability"),
        "",
        1,
        _("Decides which framework builds run on it."),
    ),
    Spec("vram_gb", "decimal", "memory", _("Memory"), "GB", None, _("The gate: a job that does not fit does not run.")),
    Spec("memory_type", "text", "memory", _("Memory type")),
    Spec("memory_bus_bits", "integer", "memory", _("Memory bus"), "bit"),
    Spec(
        "memory_bandwidth_gb_s",
        "decimal",
        "memory",
        _("Memory bandwidth"),
        "GB/s",
        None,
        _("Sets the speed of token generation and of most simulations."),
    ),
    Spec(
        "fp16_tensor_dense_fp32acc_tflops",
        "decimal",
        "compute",
        _("FP16, FP32 accumulation"),
        "TFLOPS",
        None,
        _("The line to read for training."),
    ),
    Spec(
        "fp16_tensor_dense_fp16acc_tflops",
        "decimal",
        "compute",
        _("FP16, FP16 accumulation"),
        "TFLOPS",
        None,
        _("The line adverts like to quote."),
    ),
    Spec("bf16_tensor_dense_tflops", "decimal", "compute", _("BF16"), "TFLOPS"),
    Spec("tf32_tensor_dense_tflops", "decimal", "compute", _("TF32"), "TFLOPS"),
    Spec("fp8_tensor_dense_tflops", "decimal", "compute", _("FP8, FP32 accumulation"), "TFLOPS"),
    Spec("fp8_tensor_dense_fp16acc_tflops", "decimal", "compute", _("FP8, FP16 accumulation"), "TFLOPS"),
    Spec("int8_tensor_dense_tops", "decimal", "compute", _("INT8"), "TOPS"),
    Spec("fp32_tflops", "decimal", "compute", _("FP32"), "TFLOPS"),
    Spec("fp64_tflops", "decimal", "compute", _("FP64"), "TFLOPS", None, _("Only for double-precision codes.")),
    Spec("fp64_tensor_tflops", "decimal", "compute", _("FP64, Tensor Core"), "TFLOPS"),
    Spec("cuda_cores", "integer", "compute", _("CUDA cores")),
    Spec("tensor_cores", "integer", "compute", _("Tensor Cores")),
    Spec("sm_count", "integer", "compute", _("Multiprocessors (SM)")),
    Spec("boost_clock_mhz", "decimal", "compute", _("Boost clock"), "MHz"),
    Spec("nvlink_gb_s", "decimal", "link", _("NVLink, all links"), "GB/s"),
    Spec("pcie_gen", "decimal", "link", _("PCIe generation"), "", 1),
    Spec("pcie_p2p_supported", "text", "link", _("PCIe peer to peer")),
    Spec("ecc", "text", "reliability", "ECC"),
    Spec("mig_instances", "integer", "reliability", _("MIG instances")),
    Spec("nvenc", "integer", "about", _("Video encoders (NVENC)")),
    Spec("tdp_w", "integer", "about", _("Board power"), "W"),
    Spec("unsupported_formats", "text", "about", _("Number formats it lacks")),
)
SPEC: Mapping[str, Spec] = {spec.name: spec for spec in SPECS}
FREE_TEXT = ("modified_card", "sources", "derived_cells", "notes")
COLUMNS = ("slug", "name", *(spec.name for spec in SPECS), *FREE_TEXT)


def spec_value(spec: Spec, text: str | None) -> str | int | Decimal | None:
    """The cell of a spec sheet as a value: None (for text: "") where the sheet is empty.

    Raises ValueError naming the column where a number was meant and is none.
    """
    text = (text or "").strip()
    if spec.kind == "text":
        return text
    if not text:
        return None
    try:
        number = Decimal(text)
    except InvalidOperation:
        raise ValueError(f"{spec.name}: {text!r} is not a number") from None
    if not number.is_finite() or not 0 <= number < 10**8:
        raise ValueError(f"{spec.name}: {text!r} is not a number from 0 to 100 million")
    if spec.kind == "decimal":
        return number
    if number != number.to_integral_value():
        raise ValueError(f"{spec.name}: {text!r} is not a whole number")
    return int(number)


def spec_text(spec: Spec, value: str | int | Decimal | None) -> str:
    """The one way a figure is written: no exponent, no trailing zeros beyond `places`; "" for not known."""
    if value is None:
        return ""
    if not isinstance(value, Decimal):
        return str(value)
    if spec.places is not None:
        return f"{value:.{spec.places}f}"
    text = f"{value:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def normal_row(row: Mapping[str, str]) -> dict[str, str]:
    """A row of the file in the form every reader of the catalogue gets: all columns, figures written by `spec_text`."""
    return {
        "slug": row["slug"],
        "name": row["name"],
        **{spec.name: spec_text(spec, spec_value(spec, row.get(spec.name))) for spec in SPECS},
        **{name: (row.get(name) or "").strip() for name in FREE_TEXT},
    }


def sources_by_column(sources: str) -> dict[str, list[str]]:
    """`sources` of a row, taken apart: column -> the sources that stand behind it, in the row's order.

    Written as `source -> column, column || source -> column`; a piece without an arrow speaks for the whole row under "".
    """
    found: dict[str, list[str]] = {}
    for piece in filter(None, (part.strip() for part in sources.split("||"))):
        source, arrow, columns = piece.rpartition(" -> ")
        if not arrow and piece.startswith("derived (see derived_cells):"):
            source, columns = "derived", piece.partition(":")[2]
        elif not arrow:
            source, columns = piece, ""
        for column in columns.split(",") if columns else [""]:
            found.setdefault(column.strip(), []).append(source.strip())
    return found


def derivations_by_column(derived_cells: str) -> dict[str, str]:
    """`derived_cells` of a row, taken apart: column -> how it was computed. Written as `column = how ; column = how`."""
    found: dict[str, str] = {}
    for piece in derived_cells.split(" ; "):
        column, equals, how = piece.partition(" = ")
        if equals and column.strip() in SPEC:
            found[column.strip()] = how.strip()
    return found
