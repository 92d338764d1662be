"""One card kind as the sizing core sees it: plain numbers from the spec sheet, None where nobody knows."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

DRIVER_RESERVE_SHARE = 0.0225
"""Share of a card that driver and CUDA context keep: nvidia-smi shows a "24 GB" RTX 3090/4090 as 24,564-24,576 MiB, PyTorch
error messages as 23.5-23.7 GiB in total (facts of `cases/oom_pastes.jsonl`), an A100 80G as 79.1-79.3 GiB."""
CONTEXT_GIB = 0.45
"""CUDA context and kernels of one process (0.3-0.6 GiB by card and library): on the card, not in an allocator's figures."""
_GEFORCE = re.compile(r"gtx-|rtx-[2-5]0[5-9]0(d|-|$)")
"""RTX 2050 to 5090, not the workstation cards: RTX 4000, 5000 and 6000 Ada, A4500, A6000, PRO 6000."""


@dataclass(frozen=True, slots=True)
class Gpu:
    """A card kind. Rates are dense peaks in TFLOPS, memory in GB as named on the card, bandwidths in GB/s (1e9).

    Source of every figure: `facts/gpu_specs.csv`, column `sources`. None means not known (or not existing: see `ecc`, `fp8`).
    """

    slug: str
    name: str
    architecture: str
    compute_capability: float
    vram_gb: float
    memory_bandwidth_gb_s: float
    cuda_cores: int
    sm_count: int
    boost_clock_mhz: float
    fp32_tflops: float
    fp64_tflops: float | None = None
    fp64_tensor_tflops: float | None = None
    tf32_tensor_tflops: float | None = None
    fp16_tensor_fp32acc_tflops: float | None = None
    fp16_tensor_fp16acc_tflops: float | None = None
    bf16_tensor_tflops: float | None = None
    fp8_tensor_tflops: float | None = None
    int8_tensor_tops: float | None = None
    nvlink_gb_s: float = 0.0
    pcie_gen: float | None = None
    pcie_p2p: bool | None = None
    ecc: bool | None = None
    mig_instances: int = 0
    modified: bool = False
    launch_year: int | None = None
    chip: str = ""

    @property
    def usable_gib(self) -> float:
        """GiB a job may fill: the card's GiB less what driver and one CUDA context keep."""
        return self.vram_gb * (1 - DRIVER_RESERVE_SHARE) - CONTEXT_GIB

    @property
    def is_geforce(self) -> bool:
        """Consumer card: FP16 with FP32 accumulation at half rate, no PCIe peer-to-peer on the stock driver."""
        return _GEFORCE.match(self.slug) is not None

    @property
    def form(self) -> str:
        """`sxm` or `pcie`."""
        return (
            "sxm" if "-sxm" in self.slug or self.slug.startswith(("gh200", "b200", "b300", "h200", "h20-")) else "pcie"
        )

    @property
    def nvlink_group(self) -> int:
        """How many cards one NVLink domain joins: 1 none, 2 bridged pairs (PCIe boards, RTX 3090), 8 an SXM board."""
        if not self.nvlink_gb_s:
            return 1
        return 8 if self.form == "sxm" else 2


NEEDED = (
    "vram_gb",
    "memory_bandwidth_gb_s",
    "cuda_cores",
    "sm_count",
    "boost_clock_mhz",
    "fp32_tflops",
    "compute_capability",
)


def _number(text: str | None) -> float | None:
    text = (text or "").strip()
    try:
        return float(text)
    except ValueError:
        return None


def _truth(text: str | None) -> bool | None:
    word = (text or "").strip().lower()
    if not word:
        return None
    return word.startswith("yes")


def gpu_from_row(row: Mapping[str, str]) -> Gpu:
    """A row of `gpu_specs.csv` as a `Gpu`.

    Raises ValueError where slug, memory, bandwidth, cores, SM count, clock or FP32 rate is missing: without them nothing can be said.
    """
    needed = {key: _number(row.get(key)) for key in NEEDED}
    cores, clock, rate = (needed[key] for key in ("cuda_cores", "boost_clock_mhz", "fp32_tflops"))
    if (
        cores
    ):  # one fused multiply-add per core and clock ties the three: whichever a sheet omits follows from the others
        needed["fp32_tflops"] = rate or (cores * 2 * clock / 1e6 if clock else None)
        needed["boost_clock_mhz"] = clock or (rate * 1e6 / (2 * cores) if rate else None)
    missing = [key for key, value in needed.items() if value is None]
    if missing or not row.get("slug"):
        raise ValueError(f"{row.get('slug') or '?'}: missing {', '.join(missing) or 'slug'}")
    value = {key: number for key, number in needed.items() if number is not None}
    return Gpu(
        slug=row["slug"],
        name=row["name"],
        architecture=row["architecture"],
        compute_capability=value["compute_capability"],
        vram_gb=value["vram_gb"],
        memory_bandwidth_gb_s=value["memory_bandwidth_gb_s"],
        cuda_cores=int(value["cuda_cores"]),
        sm_count=int(value["sm_count"]),
        boost_clock_mhz=value["boost_clock_mhz"],
        fp32_tflops=value["fp32_tflops"],
        fp64_tflops=_number(row.get("fp64_tflops")),
        fp64_tensor_tflops=_number(row.get("fp64_tensor_tflops")),
        tf32_tensor_tflops=_number(row.get("tf32_tensor_dense_tflops")),
        fp16_tensor_fp32acc_tflops=_number(row.get("fp16_tensor_dense_fp32acc_tflops")),
        fp16_tensor_fp16acc_tflops=_number(row.get("fp16_tensor_dense_fp16acc_tflops")),
        bf16_tensor_tflops=_number(row.get("bf16_tensor_dense_tflops")),
        fp8_tensor_tflops=_number(row.get("fp8_tensor_dense_tflops")),
        int8_tensor_tops=_number(row.get("int8_tensor_dense_tops")),
        nvlink_gb_s=_number(row.get("nvlink_gb_s")) or 0.0,
        pcie_gen=_number(row.get("pcie_gen")),
        pcie_p2p=_truth(row.get("pcie_p2p_supported"))
        if "over PCIe: no" not in (row.get("pcie_p2p_supported") or "")
        else False,
        ecc=_truth(row.get("ecc")),
        mig_instances=int(_number(row.get("mig_instances")) or 0),
        modified=(row.get("modified_card") or "").strip().lower() == "yes",
        launch_year=int(year) if (year := _number(row.get("launch_year"))) else None,
        chip=row.get("chip") or "",
    )
