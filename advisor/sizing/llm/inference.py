"""Serving a language model: one workload prepared once, asked per card kind and count."""

from collections.abc import Collection
from dataclasses import dataclass, field

from advisor.sizing.answer import Host, Note, Spread, Value
from advisor.sizing.fields import DEFAULT_OUTPUT_TOKENS, DEFAULT_PROMPT_TOKENS
from advisor.sizing.gpu import Gpu
from advisor.sizing.job import Library, Load, Rate
from advisor.sizing.llm.serving_memory import CACHE_BYTES, Serving, serving_parts
from advisor.sizing.llm.serving_speed import Pace, ServingWork, pace_of, serving_work
from advisor.sizing.llm.stacks import MEASURED_MODELS, Engine, engine_of, implied_engine
from advisor.sizing.llm.weights import Format, format_of, weights_of
from advisor.sizing.parallel import CARDS_PER_NODE, link_of, nodes_of, p2p
from advisor.sizing.shape import Shape
from advisor.sizing.shapes import shape_of
from advisor.sizing.units import GIB
from advisor.sizing.workload import Workload

LEGACY_MODELS = ("qwen-1.8b", "qwen-7b", "qwen-14b", "qwen-72b")
"""Models that run their own modelling code, whose cache grows by concatenation."""
PREALLOCATED_SHARE = 0.9
"""Share of a card vLLM and SGLang take on start, whatever the model needs (gpu_memory_utilization)."""
IMAGE_TOKEN_PIXELS = 28
"""Side of the square of pixels one image token stands for in Qwen2-VL and later."""
DEFAULT_IMAGE_TOKENS = 1280
FLOOR_SHARE = 0.98
"""Share of the counted weights below which no serving of the model goes (a packed format may leave less in 16 bit)."""
LONG_PROMPT = 4096
"""From here on a software version that builds all logits or none moves the answer visibly."""


@dataclass(frozen=True, slots=True)
class Layout:
    """How cards are used: replicas of pipelines of tensor groups."""

    tensor: int = 1
    pipeline: int = 1
    data: int = 1


@dataclass(slots=True)
class InferenceJob:
    """A serving workload ready to be asked. Answers are kept per count (memory does not depend on the card kind)."""

    shape: Shape
    form_name: str
    form: Format
    engine: Engine
    stack: str | None
    serving: Serving
    sharding: str | None
    known_model: bool
    assumptions: tuple[Note, ...]
    questions: tuple[Note, ...]
    latency_bound: bool = False
    _parts: dict[tuple[int, int, int], dict[str, float]] = field(default_factory=dict)
    _work: dict[int, ServingWork] = field(default_factory=dict)
    _layouts: dict[tuple[str, int], Layout] = field(default_factory=dict)

    def spread(self, gpu: Gpu, count: int) -> Spread:
        """Tensor or layer split over as many cards as it takes, replicas over the rest."""
        layout = self._layout(gpu, count)
        return Spread(
            data=layout.data,
            tensor=layout.tensor,
            pipeline=layout.pipeline,
            link=link_of(gpu, count),
            nodes=nodes_of(count),
        )

    def load(self, gpu: Gpu, count: int) -> Load | None:
        """Memory on the fullest card."""
        parts = self._parts_of(self._layout(gpu, count))
        floor = parts["weights"] * (FLOOR_SHARE if self.form.quantised or count > 1 else 1.0)
        return Load(parts, "llm-inference", self.stack, self.known_model, floor_gib=floor)

    def rate(self, gpu: Gpu, count: int) -> Rate | None:
        """Tokens per second of all sequences, prompt and generation apart beside it."""
        layout = self._layout(gpu, count)
        pace = self._pace(gpu, layout)
        sequences = self._work_of(layout.data).serving.sequences * layout.data
        output, prompt = self.serving.output, self.serving.prompt
        whole = pace.prompt_seconds + pace.step_seconds * (output - 1)
        prompt_alone = max(1e-9, pace.prompt_seconds - pace.step_seconds)
        sequences = min(sequences, max(self.serving.sequences, 1))
        return Rate(
            value=sequences * output / whole,
            unit="tokens_per_second",
            limited_by=pace.limited_by,
            kind="llm-decode",
            stack=self.stack,
            known_model=self.known_model,
            generation_tokens_per_second=sequences / pace.step_seconds,
            prompt_tokens_per_second=sequences * prompt / prompt_alone,
            seconds_to_first_token=pace.first_prompt_seconds,
        )

    def host(self, gpu: Gpu, count: int) -> Host:
        """RAM to load the weights through, cores to feed the cards, disk for the files."""
        weights_gib = weights_of(self.shape, self.form).total_bytes / GIB
        return Host(ram_gib=8 + 1.2 * weights_gib, cpu_cores=max(4, 4 * count), disk_gib=30 + 1.1 * weights_gib)

    def notes(self, gpu: Gpu, count: int) -> tuple[Note, ...]:
        """What holds on this card: precision it lacks, room for more sequences, what more cards bring."""
        return (
            *self.questions,
            *_precision_notes(self.form_name, gpu),
            *self._room(gpu, count),
            *self._cards(gpu, count),
        )

    # -- how cards are used

    def _layout(self, gpu: Gpu, count: int) -> Layout:
        key = (gpu.slug, count)
        found = self._layouts.get(key)
        if found is None:
            found = self._layouts[key] = self._choose(gpu, count)
        return found

    def _choose(self, gpu: Gpu, count: int) -> Layout:
        if count == 1:
            return Layout()
        how = self.sharding or self.engine.split
        if how == "pipeline":
            return Layout(pipeline=count)
        inside = min(count, CARDS_PER_NODE)
        options = [
            ways for ways in (1, 2, 4, 8) if ways <= inside and count % ways == 0 and self.shape.heads % ways == 0
        ]
        if self.sharding == "tensor":
            ways = options[-1]
            return Layout(tensor=ways, pipeline=count // ways)
        fitting = [ways for ways in options if self._fits(gpu, Layout(tensor=ways, data=count // ways))]
        if not fitting:
            return Layout(tensor=options[-1], pipeline=count // options[-1])
        layouts = [Layout(tensor=ways, data=count // ways) for ways in fitting]
        return max(layouts, key=lambda layout: (self._throughput(gpu, layout), -layout.tensor))

    def _fits(self, gpu: Gpu, layout: Layout) -> bool:
        return sum(self._parts_of(layout).values()) <= gpu.usable_gib

    def _throughput(self, gpu: Gpu, layout: Layout) -> float:
        pace = self._pace(gpu, layout)
        whole = pace.prompt_seconds + pace.step_seconds * (self.serving.output - 1)
        return min(self.serving.sequences, self._work_of(layout.data).serving.sequences * layout.data) / whole

    def _parts_of(self, layout: Layout) -> dict[str, float]:
        key = (layout.tensor, layout.pipeline, layout.data)
        found = self._parts.get(key)
        if found is None:
            serving = self._share(layout.data)
            tensor = layout.tensor > 1
            if tensor and layout.pipeline > 1:
                inner = serving_parts(self.shape, self.form, self.engine, serving, layout.tensor, tensor=True)
                found = {
                    name: size / (layout.pipeline if name in ("weights", "kv_cache") else 1)
                    for name, size in inner.items()
                }
            else:
                cards = layout.tensor * layout.pipeline
                found = serving_parts(self.shape, self.form, self.engine, serving, cards, tensor)
            self._parts[key] = found
        return found

    def _share(self, replicas: int) -> Serving:
        if replicas == 1:
            return self.serving
        each = -(-self.serving.sequences // replicas)
        serving = self.serving
        return Serving(serving.prompt, serving.output, serving.context, each, serving.cache_bytes_each, serving.flash)

    def _work_of(self, replicas: int) -> ServingWork:
        found = self._work.get(replicas)
        if found is None:
            packed = self.engine.head_packed and self.form.quantised
            weights = weights_of(self.shape, self.form, self.engine.table_on_card, packed)
            found = serving_work(self.shape, self.form_name, self.form, self.engine, self._share(replicas), weights)
            self._work[replicas] = found
        return found

    def _pace(self, gpu: Gpu, layout: Layout) -> Pace:
        cards = layout.tensor if layout.tensor > 1 else layout.pipeline
        return pace_of(self._work_of(layout.data), gpu, cards, layout.tensor > 1)

    # -- remarks

    def _room(self, gpu: Gpu, count: int) -> tuple[Note, ...]:
        layout = self._layout(gpu, count)
        parts = self._parts_of(layout)
        total = sum(parts.values())
        notes: list[Note] = []
        if self.engine.preallocates:
            takes = PREALLOCATED_SHARE * gpu.vram_gb
            notes.append(
                Note(
                    "engine-preallocates",
                    "engine",
                    {"engine": self.engine.name, "needs_gib": round(total, 1), "takes_gib": round(takes, 1)},
                )
            )
        cache = parts.get("kv_cache", 0.0)
        if cache > 0 and total < gpu.usable_gib:
            each = cache / max(1, self._share(layout.data).sequences)
            room = int((gpu.usable_gib - total + cache) / each) * layout.data
            notes.append(Note("room-for-sequences", "concurrency", {"sequences": room, "tokens": self.serving.context}))
        most = self.shape.max_context
        if cache > 0 and most and most > 4 * self.serving.context:
            full = cache * most / self.serving.context
            if total - cache + full > gpu.usable_gib >= total:
                notes.append(
                    Note(
                        "context-cap",
                        "context_tokens",
                        {"tokens": self.serving.context, "max_context": most, "cache_gib_at_max": round(full, 1)},
                    )
                )
        return tuple(notes)

    def _cards(self, gpu: Gpu, count: int) -> tuple[Note, ...]:
        if count == 1:
            return ()
        notes: list[Note] = []
        layout = self._layout(gpu, count)
        if layout.pipeline == count:
            notes.append(Note("layer-split-no-speed", "sharding", {"count": count}))
        if link_of(gpu, count) == "pcie" and not p2p(gpu):
            notes.append(Note("no-p2p", None, {"gpu": gpu.slug}))
        if count % 2 == 0 and self._fits(gpu, self._layout(gpu, count // 2)):
            fewer, more = self.rate(gpu, count // 2), self.rate(gpu, count)
            if fewer and more:
                values: dict[str, Value] = {
                    "count": count,
                    "fewer": count // 2,
                    "factor": round(more.value / fewer.value, 2),
                }
                notes.append(Note("more-cards-buy", None, values))
        return tuple(notes)


def _precision_notes(form_name: str, gpu: Gpu) -> tuple[Note, ...]:
    if form_name == "fp8" and gpu.compute_capability < 8.9:
        return (Note("no-fp8", "weight_format", {"gpu": gpu.slug}),)
    if form_name == "bf16" and gpu.compute_capability < 8.0:
        return (Note("no-bf16", "weight_format", {"gpu": gpu.slug}),)
    if form_name == "mxfp4" and gpu.compute_capability < 9.0:
        return (Note("no-mxfp4", "weight_format", {"gpu": gpu.slug}),)
    return ()


def prepare_inference(workload: Workload, library: Library, left_out: Collection[str] = ()) -> InferenceJob:
    """Reads the workload once. `left_out`: engines whose own constants must not be used (for checks)."""
    assert workload.model is not None
    shape = shape_of(workload.model, library.models)
    assumptions: list[Note] = list(shape.notes)
    form_name = workload.get("weight_format")
    if form_name is None:
        form_name = shape.native_format or "bf16"
        assumptions.append(Note("default", "weight_format", {"value": form_name}))
    form = format_of(form_name)
    named = workload.get("engine") or implied_engine(form_name, form.gguf)
    engine, stack = engine_of(named, shape.name in LEGACY_MODELS, left_out)
    questions: list[Note] = []
    if workload.get("engine") is None:
        code = "engine-implied" if named else "engine-unknown"
        assumptions.append(Note(code, "engine", {"value": named or "vllm"}))
        if named is None:
            questions.append(Note("ask-engine", "engine", {"values": "vllm, transformers, llama.cpp"}))
    elif stack is None and not left_out:
        assumptions.append(Note("engine-not-measured", "engine", {"value": str(named)}))
    serving = _serving(workload, shape, engine, assumptions, questions)
    if form.bits <= 4 and form.quantised:
        questions.append(Note("quantise-quality", "weight_format", {"bits": form.bits}))
    if named in ("transformers", "pytorch") and serving.prompt * serving.sequences >= LONG_PROMPT:
        logits_gib = 6.0 * serving.prompt * serving.sequences * shape.vocab / GIB
        questions.append(Note("version-range", "engine", {"engine": "transformers", "more_gib": round(logits_gib, 1)}))
    return InferenceJob(
        shape=shape,
        form_name=form_name,
        form=form,
        engine=engine,
        stack=stack,
        serving=serving,
        sharding=workload.get("sharding"),
        known_model=workload.model.slug in MEASURED_MODELS.get(stack or "", ()),
        assumptions=tuple(assumptions),
        questions=tuple(questions),
    )


def _serving(
    workload: Workload, shape: Shape, engine: Engine, assumptions: list[Note], questions: list[Note]
) -> Serving:
    prompt, output = workload.get("prompt_tokens"), workload.get("output_tokens")
    context = workload.get("context_tokens")
    short = output is not None or engine.default_output < DEFAULT_OUTPUT_TOKENS
    if output is None:
        output = min(engine.default_output, max(1, context // 2)) if context else engine.default_output
        assumptions.append(Note("default", "output_tokens", {"value": output}))
    if prompt is None:
        prompt = engine.default_prompt if short else DEFAULT_PROMPT_TOKENS
        if context:
            prompt = max(1, min(prompt, context - output))
        assumptions.append(Note("default", "prompt_tokens", {"value": prompt}))
    prompt += _image_tokens(workload, shape, assumptions, questions)
    sequences = workload.get("concurrency", 1)
    if "concurrency" not in workload.fields:
        assumptions.append(Note("default", "concurrency", {"value": 1}))
    needed = max(prompt + output, context or 0)
    if shape.max_context and needed > shape.max_context:
        questions.append(
            Note("context-over-model", "context_tokens", {"tokens": needed, "max_context": shape.max_context})
        )
    cache = workload.get("kv_cache_format")
    if cache is None:
        cache = "bf16"
        assumptions.append(Note("default", "kv_cache_format", {"value": cache}))
    return Serving(prompt, output, needed, sequences, CACHE_BYTES[cache], workload.get("flash_attention"))


def _image_tokens(workload: Workload, shape: Shape, assumptions: list[Note], questions: list[Note]) -> int:
    images = workload.get("images", 0)
    if not images:
        return 0
    if not shape.tower_params:
        questions.append(Note("no-vision-tower", "images", {"model": shape.name}))
    each = workload.get("image_tokens")
    if each is None:
        size = workload.get("image_size")
        if size is None:
            each = DEFAULT_IMAGE_TOKENS
        else:
            height, width = (size, size) if isinstance(size, int) else size
            each = max(1, round(height / IMAGE_TOKEN_PIXELS) * round(width / IMAGE_TOKEN_PIXELS))
        assumptions.append(Note("default", "image_tokens", {"value": each}))
    return int(images * each)
