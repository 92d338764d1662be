"""Vision: classification, detection, segmentation, pose. Feature maps by architecture and picture size, sustained rates by kind."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from advisor.sizing.answer import Host, Limit, Note, Spread
from advisor.sizing.gpu import Gpu
from advisor.sizing.job import Job, Library, Load, Rate
from advisor.sizing.links import data_parallel_speedup, link_of, nodes_of
from advisor.sizing.taken import Taken, figure
from advisor.sizing.training_states import OPTIMIZER_BYTES
from advisor.sizing.transfer import Format, has_format, peak_tflops, relative_time
from advisor.sizing.units import gib
from advisor.sizing.workload import ModelRef, Workload

MAP_BYTES = 4.8
"""Kept per element of a feature map in half precision: convolution and norm outputs (ResNet-50: 0.0498 GiB an image of 11.1 M)."""
WIDE = 1.75
"""fp32 and TF32 keep this many times the half-precision maps: some are 32 bit in both."""
INFERENCE_SHARE = 0.16
"""Of a network's maps that are live at once when nothing is kept for backward."""
FRAMEWORK_GIB = 0.55


MAPS_PIXELS = 640.0 * 640.0
"""Picture the slopes of FAMILIES are for: maps grow with the pixels, multiply-adds per pixel say how rich they are."""


@dataclass(frozen=True, slots=True)
class Family:
    """How an architecture keeps its maps: GiB per 640 x 640 image = slope x (multiply-adds of it in 1e9) ** power."""

    fixed_gib: float
    slope: float
    power: float
    half_slope: bool = True
    """Whether `slope` holds for half precision (else for fp32)."""
    wide: float = WIDE
    """What fp32 keeps against half precision."""


FAMILIES: Mapping[str, Family] = {
    "yolov5": Family(0.5, 0.0353, 0.65),
    "yolov6": Family(0.6, 0.0439, 0.65),
    "yolov7": Family(0.5, 0.0433, 0.65),
    "yolov8": Family(1.2, 0.0300, 0.65),
    "yolox": Family(0.6, 0.0525, 0.65),
    "ppyoloe": Family(0.6, 0.1177, 0.65, half_slope=False),
    "yolo": Family(0.6, 0.0430, 0.65),
    "ssd": Family(0.52, 0.0465, 0.65),
    "rcnn": Family(0.6, 0.00156, 1.30, wide=1.25),
    "unet": Family(1.0, 0.045, 0.65),
    "unet3d": Family(1.5, 0.045, 0.65),
    "seg": Family(0.8, 0.0150, 0.80),
    "segformer": Family(0.8, 0.0300, 0.80),
    "cnn": Family(1.2, 0.0205, 0.62),
    "convnext": Family(1.0, 0.0180, 0.65),
    "swin": Family(0.8, 0.0320, 0.70),
    "vit": Family(0.8, 0.0215, 0.70),
}
"""Per model zoo (mmyolo, detectron2, mmdetection, Lambda): half-precision GiB per image against multiply-adds. Where the library has a
model's count of map elements, that counts instead."""
RCNN_INSTANCE = 0.92
MASKS_GIB = 0.14
"""Prototype masks of a one-stage instance segmenter, per image at 640."""
POSE = 1.09

MATRICES = ("vit", "swin")
DETECTION_KINDS = ("detection", "instance-segmentation", "pose")
DEFAULT_BATCH = {"yolo": 16, "rcnn": 2, "ssd": 32, "classification": 64, "segmentation": 8}

TRAINING_TFLOPS: Mapping[str, float] = {
    "cnn": 90.0,
    "convnext": 114.0,
    "swin": 130.0,
    "vit": 140.0,
    "ssd": 44.0,
    "rcnn": 38.0,
    "unet": 105.0,
    "unet3d": 86.0,
    "seg": 40.0,
    "segformer": 45.0,
    "yolo": 32.0,
}
"""Sustained by a training step on an A100 in half precision, backward counted twice."""
INFERENCE_TFLOPS: Mapping[str, float] = {
    "cnn": 160.0,
    "convnext": 232.0,
    "swin": 110.0,
    "vit": 185.0,
    "ssd": 60.0,
    "rcnn": 40.0,
    "unet": 80.0,
    "unet3d": 70.0,
    "seg": 60.0,
    "segformer": 60.0,
    "yolo": 50.0,
}
TF32_PACE: Mapping[str, float] = {"training": 0.64, "inference": 0.55}
FP32_PACE: Mapping[str, float] = {"training": 0.38, "inference": 0.30}
MACS_PER_ELEMENT = 550.0
"""Multiply-adds in whose time one element of a feature map moves: EfficientNet-B0 to ConvNeXt-L and ViT-B to EVA-02 on one card
(timm inference tables)."""
VOLUME_PACE: Mapping[str, float] = {"tf32": 0.68, "fp32": 0.36}
"""Convolutions over volumes lose this much more without half precision (nnU-Net 3D on A100 and V100)."""
CHANNELS_LAST = 1.15
COMPILED = 1.15
TENSORRT = 3.2
TENSORRT_MATRICES = 1.5
"""The same for transformers: their products are large already, there is less to fuse."""
PEAK_SHARE = 0.8
"""More of a card's peak no network of matrix products sustains. (fp32 convolutions are not held to it: Winograd saves products.)"""
WINDOWED_PACE = 0.22
"""Image encoders with windowed attention and relative positions, against a plain transformer: SAM ViT-H takes about 0.15 s on an A100
(Segment Anything, arXiv 2304.02643), 11 images/s with TensorRT (EfficientViT-SAM, table of models)."""
TENSORRT_SECONDS = 0.0008
"""An engine's pass takes this much beside its arithmetic (RTMDet at batch 1: 1.0 ms for the smallest, 1.2 for the next)."""
HOST_SECONDS_PER_BATCH = 0.006
"""Launching one eager forward pass."""
DETECTION_HOST_SECONDS = 0.012
SERIAL_HOST = 0.35
LOADER_IMAGES_PER_CORE = 130.0
"""JPEG images a CPU core decodes and augments per second at ImageNet size."""


@dataclass(frozen=True, slots=True)
class VisionModel:
    """A vision network at its reference picture size. `maps`: elements of its feature maps per image, 0 where not known."""

    name: str
    family: str
    params: float
    macs: float
    maps: float
    pixels: float
    height: int
    width: int
    layers: int
    hidden: int
    known: bool
    pace: float = 1.0
    """Against its family."""

    @property
    def base(self) -> str:
        """The family whose pace it shares."""
        return "yolo" if self.family.startswith("yolo") or self.family == "ppyoloe" else self.family


def vision_model(reference: ModelRef | None, kind: str, library: Library, taken: Taken) -> VisionModel:
    """The network a workload names; an unknown one is taken as usual for its kind and size, and said so."""
    if reference is not None and reference.slug is not None:
        row = library.models[reference.slug]
        if row.get("family") and figure(row, "gmacs_per_image"):
            return _from_row(reference.slug, row)
        return _typical(figure(row, "params_b", 0.03), kind, taken)
    if reference is not None and reference.hf_config is not None:
        return _from_config(reference.hf_config, taken)
    return _typical((reference.parameters_b if reference else None) or 0.03, kind, taken)


def _from_row(slug: str, row: Mapping[str, str]) -> VisionModel:
    pixels, height = figure(row, "reference_pixels", 224 * 224), int(figure(row, "reference_height", 224))
    return VisionModel(
        name=slug,
        family=row.get("family") or "cnn",
        params=figure(row, "params_b") * 1e9,
        macs=figure(row, "gmacs_per_image") * 1e9,
        maps=figure(row, "macts_per_image") * 1e6,
        pixels=pixels,
        height=height,
        width=round(pixels / max(1, height)),
        layers=int(figure(row, "layers")),
        hidden=int(figure(row, "hidden_size")) if (row.get("hidden_size") or "").isdigit() else 0,
        known=True,
        pace=WINDOWED_PACE
        if row.get("family") == "vit" and row.get("attention_kind", "").startswith("windowed")
        else 1.0,
    )


def _from_config(config: Mapping[str, Any], taken: Taken) -> VisionModel:
    """A Hugging Face config.json of a vision transformer: maps and work from its layers."""

    def number(*names: str, default: int) -> int:
        for name in names:
            value = config.get(name)
            if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < 1e6:
                return int(value)
        return default

    layers, hidden = number("num_hidden_layers", "depth", default=12), number("hidden_size", "embed_dim", default=768)
    heads, feed = number("num_attention_heads", default=12), number("intermediate_size", default=4 * hidden)
    side, patch = number("image_size", default=224), number("patch_size", default=16)
    tokens = max(1, (side // max(1, patch)) ** 2)
    params = layers * (4.0 * hidden * hidden + 2 * hidden * feed) + 3 * patch * patch * hidden
    macs = params * tokens + 2.0 * layers * tokens * tokens * hidden
    maps = layers * tokens * (6.0 * hidden + 1.0 * feed + heads * 2)
    taken.assume("shape-from-config", "model.hf_config", layers=layers, hidden=hidden, parameters_b=params / 1e9)
    return VisionModel("config", "vit", params, macs, maps, side * side, side, side, layers, hidden, known=False)


def _typical(parameters_b: float, kind: str, taken: Taken) -> VisionModel:
    """A network of that size as they are usually built for the task."""
    params = parameters_b * 1e9
    million = params / 1e6
    if kind in DETECTION_KINDS:
        family, side, gmacs = "yolo", 640, 1.55 * million
    elif kind == "segmentation":
        family, side, gmacs = "seg", 512, 4.0 * million
    elif parameters_b > 0.15:
        family, side, gmacs = "vit", 224, 0.2 * million
    else:
        family, side, gmacs = "cnn", 224, 0.17 * million
    taken.assume("typical-vision-model", "model.parameters_b", family=family, gmacs=round(gmacs, 2), image_size=side)
    return VisionModel("unknown", family, params, gmacs * 1e9, 0.0, side * side, side, side, 0, 0, known=False)


@dataclass(frozen=True, slots=True)
class VisionJob:
    """Vision training or inference, ready to be asked per card."""

    model: VisionModel
    training: bool
    kind_of_task: str
    pixels: float
    batch: int
    precision: str
    optimizer: str
    channels_last: bool
    compiled: bool
    engine: str
    framework: str | None
    assumptions: tuple[Note, ...]

    @property
    def half(self) -> bool:
        """16-bit arithmetic."""
        return self.precision in ("amp", "fp16", "bf16")

    @property
    def scale(self) -> float:
        """Pixels asked over those of the reference size."""
        return self.pixels / self.model.pixels

    def maps_gib(self) -> float:
        """What one image keeps for backward, GiB."""
        model = self.model
        wide = 1.0 if self.half else WIDE
        scale = self.scale
        if model.maps:
            quadratic = 0.12 * scale * max(0.0, scale - 1) if model.family == "vit" else 0.0
            return gib(model.maps * MAP_BYTES * wide) * (scale + quadratic)
        family = FAMILIES.get(model.family, FAMILIES["cnn"])
        area = model.pixels / MAPS_PIXELS
        per_image = family.slope * math.pow(model.macs / 1e9 / area, family.power) * area * scale
        if family.half_slope and not self.half:
            per_image *= family.wide
        elif self.half and not family.half_slope:
            per_image /= family.wide
        return per_image * self._head()

    def _head(self) -> float:
        if self.model.base == "yolo" and self.kind_of_task == "pose":
            return POSE
        if self.model.family == "rcnn" and self.kind_of_task == "instance-segmentation":
            return RCNN_INSTANCE
        return 1.0

    def load(self, gpu: Gpu, count: int) -> Load:
        """Weights and optimizer, feature maps of the batch, work space."""
        model = self.model
        family = FAMILIES.get(model.family, FAMILIES["cnn"])
        maps = self.maps_gib() * self.batch
        if self.model.base == "yolo" and self.kind_of_task == "instance-segmentation":
            maps += MASKS_GIB * self.batch * self.scale
        if self.training:
            parts = {
                "weights": gib(model.params * (6.0 if self.precision == "amp" else 4.0)),
                "gradients": gib(model.params * 4.0),
                "optimizer": gib(model.params * OPTIMIZER_BYTES[self.optimizer]),
                "activations": maps,
                "framework": family.fixed_gib,
            }
            kind = "vision-training"
        else:
            per = 4.0 if self.precision in ("fp32", "tf32") else 6.0 if self.precision == "amp" else 2.0
            parts = {
                "weights": gib(model.params * per),
                "activations": maps * INFERENCE_SHARE,
                "framework": FRAMEWORK_GIB,
            }
            kind = "vision-inference"
        return Load(parts, kind, stack=self.framework, known_model=model.known)

    def spread(self, gpu: Gpu, count: int) -> Spread:
        """A copy per card."""
        return Spread(data=count, link=link_of(gpu, count), nodes=nodes_of(count))

    def kind(self) -> str:
        """Kind of work for the transfer law."""
        return vision_kind(self.model.family, training=self.training)

    def arithmetic(self) -> Format:
        """Number format of the heavy arithmetic."""
        return "fp16" if self.half else "fp32" if self.precision == "fp32" else "tf32"

    def rate(self, gpu: Gpu, count: int) -> Rate:
        """Images per second over all cards; `batch` is per card."""
        model, kind = self.model, self.kind()
        form = self.arithmetic()
        table = TRAINING_TFLOPS if self.training else INFERENCE_TFLOPS
        sustained = table.get(model.base, 40.0)
        pace = "training" if self.training else "inference"
        if not self.half:
            sustained *= (TF32_PACE if form == "tf32" else FP32_PACE)[pace]
            if model.family == "unet3d":
                sustained *= VOLUME_PACE[form]
        if self.channels_last and self.half and model.base in ("cnn", "yolo", "ssd"):
            sustained *= CHANNELS_LAST
        if self.compiled:
            sustained *= COMPILED
        if self.engine == "tensorrt" and not self.training:
            sustained *= TENSORRT_MATRICES if model.base in MATRICES else TENSORRT
        passes = 3 if self.training else 1
        per_image = self._macs() * 2 * passes / (sustained * model.pace * 1e12) * relative_time(kind, gpu, form)
        if self.half or model.base in MATRICES:
            per_image = max(
                per_image, model.macs * self.scale * 2 * passes / (PEAK_SHARE * peak_tflops(gpu, form) * 1e12)
            )
        host = DETECTION_HOST_SECONDS if model.base in ("yolo", "rcnn", "ssd") else HOST_SECONDS_PER_BATCH
        if self.engine == "tensorrt":
            host = TENSORRT_SECONDS
        host *= (3 if self.training else 1) * (SERIAL_HOST if self.compiled else 1.0)
        work = per_image * self.batch
        seconds = work + host if self.engine == "tensorrt" else max(work, host)
        limit: Limit = "host" if host > work else self._limit()
        many = data_parallel_speedup("vision", gpu, count) if self.training else float(count)
        return Rate(
            self.batch * many / seconds, "images_per_second", limit, kind, stack=self.framework, known_model=model.known
        )

    def _limit(self) -> Limit:
        return "compute" if self.model.family == "vit" else "memory-bandwidth"

    def _macs(self) -> float:
        """Multiply-adds per image at the asked size, and those in whose time its feature maps move."""
        return (self.model.macs + self.model.maps * MACS_PER_ELEMENT) * self.scale

    def host(self, gpu: Gpu, count: int) -> Host:
        """CPU cores that keep the cards fed with pictures."""
        rate = self.rate(gpu, count).value
        share = min(4.0, self.pixels / (224 * 224)) ** 0.5
        cores = (
            max(4 * count, math.ceil(min(24.0 * count, rate * share / LOADER_IMAGES_PER_CORE)))
            if self.training
            else 4 * count
        )
        return Host(
            ram_gib=math.ceil(8 + 2 * cores + gib(self.model.params * 8)),
            cpu_cores=cores,
            disk_gib=120 if self.training else 40,
        )

    def notes(self, gpu: Gpu, count: int) -> tuple[Note, ...]:
        """What the card lacks, what feeds it, and that FP8 does nothing for convolutions."""
        found: list[Note] = []
        if self.precision == "bf16" and not has_format(gpu, "bf16"):
            found.append(Note("no-bf16", "precision", {"gpu": gpu.slug}))
        if self.precision == "tf32" and not has_format(gpu, "tf32"):
            found.append(Note("no-tf32", "precision", {"gpu": gpu.slug}))
        if has_format(gpu, "fp8") and self.model.family != "vit" and self.half:
            found.append(Note("fp8-not-for-cnn", "precision", {"gpu": gpu.slug}))
        if self.training:
            cores = self.host(gpu, count).cpu_cores
            if cores > 6 * count:
                found.append(Note("loader-cores", None, {"cores": cores, "count": count}))
        over = sum(self.load(gpu, count).parts.values()) - gpu.usable_gib
        per_image = self.maps_gib() * (1.0 if self.training else INFERENCE_SHARE)
        if over > 0 and self.batch > 1 and per_image > 0:
            fits = self.batch - math.ceil(over / per_image)
            if fits >= 1:
                found.append(Note("cap-batch", "batch", {"batch": fits, "asked": self.batch}))
        return tuple(found)


def vision_kind(family: str, *, training: bool) -> str:
    """Kind of work of a vision network."""
    if family in ("vit", "swin", "segformer"):
        return "transformer-training" if training else "transformer-inference"
    return "cnn-training" if training else "cnn-inference"


def _pixels(taken: Taken, model: VisionModel) -> float:
    size = taken.said("image_size")
    if size is None:
        taken.assume("assumed", "image_size", value=round(math.sqrt(model.pixels)))
        return model.pixels
    if isinstance(size, int | float):
        return float(size) * float(size)
    return float(size[0]) * float(size[1])


def _usual_kind(model_family: str, task_kind: str | None) -> str:
    if task_kind:
        return task_kind
    if model_family.startswith("yolo") or model_family in ("ppyoloe", "rcnn", "ssd"):
        return "detection"
    return "segmentation" if model_family in ("seg", "segformer", "unet", "unet3d") else "classification"


def prepare(workload: Workload, library: Library) -> Job:
    """A vision workload, ready to be asked per card."""
    taken = Taken(workload)
    training = workload.task == "training"
    model = vision_model(workload.model, taken.said("kind") or "", library, taken)
    kind = _usual_kind(model.family, taken.said("kind"))
    usual = DEFAULT_BATCH.get(model.base, DEFAULT_BATCH.get(kind, 32)) if training else 1
    default_precision = "fp32" if model.family in ("rcnn", "ppyoloe") and training else "amp"
    return VisionJob(
        model=model,
        training=training,
        kind_of_task=kind,
        pixels=_pixels(taken, model),
        batch=taken.whole("batch", usual),
        precision=taken.word("precision", default_precision),
        optimizer=taken.word(
            "optimizer", "adamw" if model.family in ("vit", "swin", "convnext", "segformer") else "sgd"
        )
        if training
        else "sgd",
        channels_last=taken.flag("channels_last", False),
        compiled=taken.flag("compile", False),
        engine=taken.said("engine") or "pytorch",
        framework=taken.said("framework"),
        assumptions=taken.notes,
    )
