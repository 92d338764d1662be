"""What each topic needs: its figures by name, its tables, and the common jobs it leads on to."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext as _

from advisor.guide.card_lines import card_lines
from advisor.guide.figures import GB_BYTES, GIB_BYTES, Desk
from advisor.guide.tables import MethodRow, image_rows, job_rows, offer_of, pair_rows, scaling_rows, term_rows
from advisor.presets import PRESETS
from advisor.sizing.llm.weights import FORMATS
from advisor.sizing.training_states import OPTIMIZER_BYTES
from billing.idle import OVERNIGHT_HOURS, SHORT_MINUTES, SHORT_STARTS, WEEKEND_HOURS, idle_money

C3060, C3080, C3090 = "rtx-3060-12g", "rtx-3080-20g", "rtx-3090-24g"
C4080, C4090, C4090_48, C4090D = "rtx-4080-super-32g", "rtx-4090-24g", "rtx-4090-48g", "rtx-4090d-24g"
C5090 = "rtx-5090-32g"
A100, A100_SXM, A100_80 = "a100-pcie-40g", "a100-sxm-40g", "a100-sxm-80g"
A800, A800_SXM = "a800-pcie-80g", "a800-sxm-80g"
TENSOR, TENSOR16 = "fp16_tensor_dense_fp32acc_tflops", "fp16_tensor_dense_fp16acc_tflops"
BANDWIDTH = "memory_bandwidth_gb_s"


@dataclass(frozen=True, slots=True)
class Chapter:
    """`fill` puts the figures on the desk and returns the page's tables by name; `presets` are the jobs it leads on to."""

    fill: Callable[[Desk], Mapping[str, Any]]
    presets: tuple[str, ...] = field(default=())


def _work(preset: str, **changes: Any) -> dict[str, Any]:
    """A common job, with some answers changed (None: left out)."""
    work = {**PRESETS[preset].workload, **changes}
    return {name: value for name, value in work.items() if value is not None}


def _how_to_choose(desk: Desk) -> Mapping[str, Any]:
    for name, preset in (("lora7", "finetune-7b-lora"), ("qlora7", "finetune-7b-qlora"), ("full7", "train-7b-full")):
        desk.need(name, _work(preset), A800_SXM, digits=0, what=str(PRESETS[preset].title))
    desk.measured("cog_full", "G0400", 1)
    desk.measured("cog_off", "G0330")
    desk.spec("tc30", C3090, TENSOR)
    desk.spec("tc90", C4090, TENSOR)
    desk.spec_ratio("peak", C4090, C3090, TENSOR)
    desk.spec("bw30", C3090, BANDWIDTH, 0)
    desk.spec("bw90", C4090, BANDWIDTH, 0)
    desk.spec_ratio("bw", C4090, C3090, BANDWIDTH, 2)
    desk.price_ratio("price_ratio", C4090, C3090)
    desk.measured_ratio("r50", "V0338", "V0328")
    desk.measured_ratio("bert", "L1162", "L1147")
    desk.measured_ratio("a100_r50", "V0330", "V0328")
    desk.measured_ratio("a100_bert", "L1150", "L1147")
    desk.price_ratio("a100_price", A100, C3090)
    return {"pairs": pair_rows(C3090, C4090), "pair": (desk.card_name(C3090), desk.card_name(C4090))}


def _methods() -> list[MethodRow]:
    half, single, adam = FORMATS["bf16"].linear, FORMATS["fp32"].linear, OPTIMIZER_BYTES["adamw"]
    return [
        MethodRow(
            _("Full, mixed precision, AdamW"),
            half + 2 * single + adam,
            _("16-bit weights, 32-bit copy, 32-bit gradients, two 32-bit moments"),
        ),
        MethodRow(_("Full, everything in BF16"), 4 * half, _("weights, gradients, two moments, 16 bits each")),
        MethodRow(_("LoRA on a 16-bit base"), half, _("frozen weights; the small adapters hardly count")),
        MethodRow(_("QLoRA on a 4-bit base"), FORMATS["nf4-dq"].linear, _("frozen 4-bit weights with their scales")),
        MethodRow(_("For comparison: running it in 16 bits"), half, _("weights only")),
    ]


def _language_models(desk: Desk) -> Mapping[str, Any]:
    methods = _methods()
    desk.put(
        "amp",
        methods[0].bytes,
        digits=0,
        what=_("Bytes per parameter, mixed-precision AdamW"),
        source=str(methods[0].how),
    )
    desk.put("inf", methods[-1].bytes, digits=0, what=_("Bytes per parameter in 16 bits"))
    desk.usable("usable24", C3090)
    for name, preset in (
        ("lora7", "finetune-7b-lora"),
        ("qlora14", "finetune-14b-qlora"),
        ("qlora34", "finetune-34b-qlora"),
        ("qlora70", "finetune-70b-qlora"),
    ):
        desk.need(name, _work(preset), A800_SXM, what=str(PRESETS[preset].title))
    model = "llama-3-70b"
    desk.cache("kv70", model, digits=0)
    desk.cache("kv70_8k", model, 8192)
    for name, weight_format in (("w16", "bf16"), ("w8", "q8_0"), ("w4", "q4_k_m"), ("w2", "iq2_xs")):
        desk.weights(name, model, weight_format)
    for name, fact in (("t3090", "L0951"), ("t4090", "L0954"), ("ta6000", "L0957"), ("ta100", "L0972")):
        desk.measured(name, fact)
    _room_on_48(desk, model)
    desk.measured_ratio("gen", "L0945", "L0943")
    desk.measured_ratio("prompt", "L1030", "L1028")
    desk.measured_ratio("bert", "L1162", "L1147")
    desk.spec("nv_a100", A100_SXM, "nvlink_gb_s")
    desk.spec("nv_a800", A800_SXM, "nvlink_gb_s")
    desk.spec("bw_pcie", A800, BANDWIDTH)
    desk.spec("bw_sxm", A800_SXM, BANDWIDTH)
    desk.spec("mig", A100, "mig_instances")
    desk.spec_ratio("h100", "h100-sxm-80g", A100_SXM, "bf16_tensor_dense_tflops")
    jobs = ("finetune-7b-lora", "finetune-34b-qlora", "finetune-70b-qlora", "train-7b-full", "bert-large-finetune")
    serving = ("serve-7b-chat", "serve-8b-16", "serve-32b-4bit", "serve-70b-4bit", "serve-70b-16bit")
    return {"methods": methods, "jobs": job_rows(desk, (*jobs, *serving))}


def _room_on_48(desk: Desk, model: str) -> None:
    """Tokens of context that still go on a 48 GB card beside a 4-bit model, told in thousands."""
    work = _work("serve-70b-4bit")
    memory = desk.estimate(work, C4090_48).memory
    spare = (memory.usable_gib - memory.high_gib) * GIB_BYTES / desk.kv_bytes(model) if memory else 0.0
    tokens = work["prompt_tokens"] + work["output_tokens"] + max(0.0, spare)
    desk.put(
        "ctx48",
        tokens // 1000 * 1000,
        digits=0,
        unit=_("tokens"),
        kind="estimate",
        what=_("Context beside Llama 3 70B in 4 bits on 48 GB"),
        source=_("(usable memory − upper end of the estimate) / cache per token"),
    )


def _images_and_video(desk: Desk) -> Mapping[str, Any]:
    for name, preset in (
        ("sdxl", "sdxl-images"),
        ("chain", "sdxl-chain"),
        ("flux", "flux-images"),
        ("sd35", "sd35-large"),
        ("sdxl_lora", "sdxl-lora"),
        ("sdxl_full", "sdxl-full"),
    ):
        desk.need(name, _work(preset), A800_SXM, what=str(PRESETS[preset].title))
    for count in (0, 2):
        desk.need(f"cn{count}", _work("sdxl-controlnet-2", controlnets=count or None), A800_SXM)
    less, more = desk.value("cn0"), desk.value("cn2")
    desk.put(
        "controlnet",
        (more - less) / 2 if more is not None and less is not None else None,
        digits=1,
        unit="GiB",
        kind="estimate",
        what=_("One SDXL ControlNet"),
        source=_("half the difference between two and none"),
    )
    desk.measured("flux4", "G0254", 1)
    desk.measured_ratio("sd15", "G0229", "G0207")
    for name, slug in (("30", C3090), ("80", C4080), ("90", C4090)):
        desk.spec(f"bw{name}", slug, BANDWIDTH, 0)
        desk.spec(f"tc{name}", slug, TENSOR, 0)
    desk.spec("cores", C4090_48, "cuda_cores")
    desk.spec("cores_d", C4090D, "cuda_cores")
    desk.spec("fp8", C4090, "fp8_tensor_dense_tflops")
    desk.measured("h720", "G0338")
    desk.measured("h544", "G0339")
    desk.measured("wan22", "G0100", 1)
    desk.measured("wan13", "G0002", 1)
    desk.measured("wan5", "G0058", 1)
    desk.price("p30", C3090)
    desk.price("p90", C4090)
    desk.price_ratio("price_ratio", C4090, C3090)
    ratio = desk.value("price_ratio")
    faster = desk.value("sd15") or 0.0
    jobs = ("sdxl-images", "sdxl-controlnet-2", "sdxl-chain", "flux-images", "flux-fp8", "sdxl-lora", "sdxl-full")
    return {
        "fast_cheaper": ratio is not None and ratio < faster,
        "slow_cheaper": ratio is not None and ratio > faster,
        "jobs": job_rows(desk, (*jobs, "wan21-small", "cogvideox-5b", "wan22-720p", "hunyuan-720p")),
    }


def _speech(desk: Desk) -> Mapping[str, Any]:
    desk.measured("m1", "S0019", 1)
    desk.measured("m8", "S0021", 1)
    desk.measured("s1", "S0020")
    desk.measured("s8", "S0022")
    desk.measured_ratio("faster", "S0022", "S0020", 1)
    desk.measured("int8", "S0023", 1)
    desk.need("sense", _work("transcribe-chinese"), C3060, what="SenseVoice")
    desk.need("paraformer", _work("transcribe-paraformer"), C3060, what="Paraformer")
    desk.need("cosy", _work("synthesise-cosyvoice"), C3060, what="CosyVoice 2")
    desk.need("tune", _work("whisper-finetune"), A800_SXM, digits=0, what=str(PRESETS["whisper-finetune"].title))
    desk.price("p3060", C3060)
    desk.price("p3080", C3080)
    desk.spec("bus", C3060, "memory_bus_bits")
    desk.spec("bw60", C3060, BANDWIDTH)
    desk.spec("bw80", C3080, BANDWIDTH, 0)
    jobs = ("transcribe-500h", "transcribe-diarize", "transcribe-chinese", "live-captions-8", "synthesise-cosyvoice")
    return {"jobs": job_rows(desk, (*jobs, "voice-clone-gpt-sovits", "whisper-finetune"))}


def _vision(desk: Desk) -> Mapping[str, Any]:
    desk.measured_ratio("r50", "V0338", "V0328")
    desk.measured_ratio("ssd", "V0337", "V0327")
    desk.measured_ratio("a100_r50", "V0330", "V0328")
    desk.price_ratio("price_ratio", C4090, C3090)
    desk.price_ratio("a100_price", A100, C3090)
    desk.spec_ratio("peak", C4090, C3090, TENSOR)
    for size in (640, 1280):
        desk.need(f"y{size}", _work("yolo-100k", image_size=size), A800_SXM, what=f"YOLOv8m, {size}²")
    desk.measured_ratio("two", "V0301", "V0268", 2)
    desk.measured_ratio("eight", "V0307", "V0268", 1)
    host = desk.estimate(_work("yolo-100k"), C4090).host
    desk.put(
        "cores",
        host.cpu_cores,
        digits=0,
        kind="estimate",
        what=_("Processor cores beside one card for YOLO training"),
        source=_("our estimate"),
    )
    jobs = ("yolo-100k", "yolo-x", "resnet50", "vit-b", "swin-finetune", "segmentation-high-resolution", "medical-3d")
    return {"jobs": job_rows(desk, (*jobs, "detect-stream"))}


def _science(desk: Desk) -> Mapping[str, Any]:
    desk.measured("omm30", "C0025")
    desk.measured("omm90", "C0027")
    desk.measured("omm_a100", "C0029")
    desk.measured("fx30", "C0233")
    desk.measured("fx90", "C0215")
    desk.measured("fx_a100", "C0206")
    desk.spec("fp64_a100", A100, "fp64_tflops")
    desk.spec("fp64t_a100", A100, "fp64_tensor_tflops")
    desk.spec("fp64_30", C3090, "fp64_tflops", 2)
    desk.spec("fp64_90", C4090, "fp64_tflops", 2)
    desk.spec_ratio("part", C3090, C3090, "fp32_tflops", 0, under="fp64_tflops")
    desk.spec("fp64_l40s", "l40s-48g", "fp64_tflops", 1)
    desk.spec("fp64_h20", "h20-96g", "fp64_tflops", 1)
    desk.spec_ratio("dense", A100, "v100-sxm-32g", "fp64_tensor_tflops", 1, under="fp64_tflops")
    desk.spec_ratio("plain", A100, "v100-sxm-32g", "fp64_tflops", 2)
    desk.spec_ratio("stream", A100_80, "v100-sxm-32g", BANDWIDTH, 1)
    desk.spec_ratio("single", C4090, C3090, "fp32_tflops")
    desk.spec_ratio("bw", C4090, C3090, BANDWIDTH, 2)
    desk.spec("fp32_5090", C5090, "fp32_tflops", 0)
    desk.spec("bw_5090", C5090, BANDWIDTH, 0)
    sold = [card for card in desk.cards.values() if card.prices]
    return {
        "doubles": sorted(sold, key=lambda card: card.fp64 or 0, reverse=True),
        "jobs": job_rows(desk, ("md-gromacs", "md-openmm", "cfd-100m", "cfd-double", "md-double", "alphafold3")),
    }


def _cards(desk: Desk) -> Mapping[str, Any]:
    return {
        "lines": card_lines(desk.cards.values()),
        "others": [card for card in desk.cards.values() if not card.prices],
    }


def _quantisation(desk: Desk) -> Mapping[str, Any]:
    model = "llama-3-70b"
    for name, weight_format in (
        ("w16", "bf16"),
        ("w8", "q8_0"),
        ("w4", "q4_k_m"),
        ("w3", "q3_k_m"),
        ("w2", "iq2_xs"),
    ):
        desk.weights(name, model, weight_format)
    desk.usable("usable24", C3090)
    desk.put(
        "usable24_gb",
        (desk.value("usable24") or 0) * GIB_BYTES / GB_BYTES,
        digits=1,
        unit="GB",
        kind="spec",
        what=_("The same in GB, as file sizes are given"),
    )
    desk.measured("g4", "L0943")
    desk.measured("g16", "L0944")
    desk.measured_ratio("gain", "L0943", "L0944", 1)
    desk.measured("p4", "L1028")
    desk.measured("p16", "L1029")
    desk.measured("flux4", "G0254", 1)
    desk.need("flux", _work("flux-images"), A800_SXM, what=str(PRESETS["flux-images"].title))
    desk.spec("fp8", C4090, "fp8_tensor_dense_tflops")
    desk.spec("fp16", C4090, TENSOR)
    return {"jobs": job_rows(desk, ("serve-7b-chat", "serve-14b-awq", "serve-32b-4bit", "serve-70b-4bit", "flux-fp8"))}


def _several_cards(desk: Desk) -> Mapping[str, Any]:
    desk.spec("nv_a100", A100_SXM, "nvlink_gb_s")
    desk.spec("nv_a800", A800_SXM, "nvlink_gb_s")
    desk.spec_ratio("nv_part", A800_SXM, A100_SXM, "nvlink_gb_s", 2)
    nvlink = desk.value("nv_part")
    desk.put(
        "nv_less",
        None if nvlink is None else (1 - nvlink) * 100,
        digits=0,
        kind="spec",
        what=_("Less NVLink on an A800, per cent"),
    )
    desk.spec("nv_3090", C3090, "nvlink_gb_s")
    desk.spec("pcie", C4090, "pcie_gen", 0)
    desk.measured_ratio("bert2", "L1120", "L1092", 2)
    desk.measured_ratio("bert4", "L1123", "L1092", 2)
    desk.measured_ratio("r8", "V0307", "V0268", 1)
    desk.measured_ratio("gen2", "L0949", "L0943", 2)
    desk.measured("t3090", "L0951")
    desk.measured("t3090x4", "L0981")
    sixteen = next((offer for offer in desk.catalogue.priced_offers if offer.count == 16), None)
    pairs = (
        ("V0268", "V0301"),
        ("V0268", "V0307"),
        ("L1092", "L1120"),
        ("L1092", "L1123"),
        ("L0943", "L0949"),
        ("L1030", "L1035"),
    )
    return {"scaling": scaling_rows(desk, pairs), "sixteen": sixteen}


def _software_images(desk: Desk) -> Mapping[str, Any]:
    desk.spec("cc_v100", "v100-sxm-32g", "compute_capability", 1)
    desk.spec("cc_3090", C3090, "compute_capability", 1)
    desk.spec("cc_4090", C4090, "compute_capability", 1)
    desk.spec("cc_a100", A100, "compute_capability", 1)
    desk.spec("cc_5090", C5090, "compute_capability", 1)
    return {"images": image_rows(desk)}


def _billing(desk: Desk) -> Mapping[str, Any]:
    offer = offer_of(desk, C3090)
    for kind in ("minute", "hour", "day", "week", "month"):
        desk.price(f"p_{kind}", C3090, kind)
    if offer is not None:
        idle = idle_money(offer)
        name = desk.card_name(C3090)
        words = {
            "overnight": _("%(card)s left on for %(hours)s hours") % {"card": name, "hours": OVERNIGHT_HOURS},
            "weekend": _("%(card)s left on for %(hours)s hours") % {"card": name, "hours": WEEKEND_HOURS},
            "short_by_hour": _("%(starts)s starts of %(minutes)s minutes, hourly")
            % {"starts": SHORT_STARTS, "minutes": SHORT_MINUTES},
            "short_by_minute": _("%(starts)s starts of %(minutes)s minutes, per minute")
            % {"starts": SHORT_STARTS, "minutes": SHORT_MINUTES},
        }
        for key, what in words.items():
            desk.amount(key, getattr(idle, key), what=what, source=_("worked out by the plan's own rules"))
    for key, count in (("starts", SHORT_STARTS), ("minutes", SHORT_MINUTES)):
        desk.put(key, count, digits=0, what=_("the example's own choice"))
    return {"terms": term_rows(offer), "card": desk.card_name(C3090), "priced": offer is not None}


def _network_and_data(desk: Desk) -> Mapping[str, Any]:
    size = 70.0
    desk.weights("w7", "qwen2.5-7b", "bf16")
    desk.weights("w70", "llama-3-70b", "bf16")
    desk.price("p_hour", A800_SXM)
    weight = desk.value("w70") or size
    for name, megabits in (("slow", 100), ("fast", 1000)):
        minutes = weight * 8000 / megabits / 60
        desk.put(
            name,
            minutes,
            digits=0,
            unit=_("min"),
            what=_("Download of 70B weights at %(rate)s Mbit/s") % {"rate": megabits},
            source=_("size × 8 / rate"),
        )
    price = desk.hour_price(A800_SXM)
    slow = desk.figures["slow"].value
    cost = price * 8 * round(float(slow or 0)) / 60 if price is not None else None
    desk.amount(
        "waiting",
        None if cost is None else round(cost, 2),
        what=_("Eight A800 waiting for that download"),
        source=_("8 × hourly price × minutes / 60"),
    )
    return {}


def _glossary(desk: Desk) -> Mapping[str, Any]:
    desk.spec("gddr", C3090, BANDWIDTH, 0)
    desk.spec("hbm", A100, BANDWIDTH, 0)
    desk.spec("fp16acc", C4090, TENSOR16)
    desk.spec("fp32acc", C4090, TENSOR)
    desk.usable("usable24", C3090)
    desk.cache("kv70", "llama-3-70b", digits=0)
    desk.spec("mig", A100, "mig_instances")
    desk.spec("nv_a100", A100_SXM, "nvlink_gb_s")
    return {}


def _faq(desk: Desk) -> Mapping[str, Any]:
    for name, weight_format in (("w16", "bf16"), ("w4", "q4_k_m"), ("w2", "iq2_xs")):
        desk.weights(name, "llama-3-70b", weight_format)
    desk.usable("usable24", C3090)
    for name, fact in (("t3090", "L0951"), ("t4090", "L0954"), ("ta100", "L0972")):
        desk.measured(name, fact)
    desk.spec("fp32_a100", A100, "fp32_tflops")
    desk.spec("fp64_a100", A100, "fp64_tflops")
    desk.spec("bw_a100", A100, BANDWIDTH)
    desk.spec("bw_a800p", A800, BANDWIDTH)
    desk.spec("bw_a800s", A800_SXM, BANDWIDTH)
    desk.spec("nv_a100", A100_SXM, "nvlink_gb_s")
    desk.spec("nv_a800", A800_SXM, "nvlink_gb_s")
    desk.measured("m1", "S0019", 1)
    desk.measured_ratio("faster", "S0022", "S0020", 1)
    desk.spec_ratio("part", C3090, C3090, "fp32_tflops", 0, under="fp64_tflops")
    desk.measured_ratio("bert4", "L1123", "L1120", 2)
    desk.measured_ratio("gen2", "L0949", "L0943", 2)
    desk.need("full7", _work("train-7b-full"), A800_SXM, digits=0, what=str(PRESETS["train-7b-full"].title))
    offer = offer_of(desk, C3090)
    desk.amount(
        "overnight",
        idle_money(offer).overnight if offer else None,
        what=_("%(card)s left on for %(hours)s hours") % {"card": desk.card_name(C3090), "hours": OVERNIGHT_HOURS},
    )
    return {}


CHAPTERS: Mapping[str, Chapter] = {
    "how-to-choose": Chapter(
        _how_to_choose, ("finetune-7b-qlora", "sdxl-controlnet-2", "transcribe-500h", "yolo-100k")
    ),
    "language-models": Chapter(
        _language_models,
        ("finetune-7b-lora", "finetune-34b-qlora", "serve-8b-16", "serve-70b-4bit", "generate-1b-tokens"),
    ),
    "images-and-video": Chapter(
        _images_and_video, ("sdxl-controlnet-2", "flux-images", "sdxl-lora", "wan21-small", "hunyuan-720p")
    ),
    "speech": Chapter(_speech, ("transcribe-500h", "live-captions-8", "transcribe-chinese", "synthesise-cosyvoice")),
    "vision": Chapter(_vision, ("yolo-100k", "resnet50", "vit-b", "segmentation-high-resolution", "detect-stream")),
    "science": Chapter(_science, ("md-gromacs", "md-double", "cfd-100m", "cfd-double", "alphafold3")),
    "cards": Chapter(_cards, ("finetune-7b-qlora", "sdxl-images", "serve-70b-4bit", "md-double")),
    "quantisation": Chapter(_quantisation, ("serve-14b-awq", "serve-70b-4bit", "finetune-14b-qlora", "flux-fp8")),
    "several-cards": Chapter(_several_cards, ("serve-70b-16bit", "train-7b-full", "finetune-70b-qlora")),
    "software-images": Chapter(_software_images, ("serve-8b-16", "sdxl-controlnet-2", "yolo-100k")),
    "billing": Chapter(_billing, ("serve-8b-16", "transcribe-500h")),
    "network-and-data": Chapter(_network_and_data, ("serve-70b-16bit", "pretrain-1b")),
    "glossary": Chapter(_glossary, ("serve-7b-chat", "finetune-7b-lora")),
    "faq": Chapter(_faq, ("serve-70b-4bit", "transcribe-500h", "md-prototype", "train-7b-full")),
}
"""Topic -> its chapter."""
