"""Training a language model: one workload prepared once, asked per card kind and count."""

import dataclasses
from collections.abc import Collection
from dataclasses import dataclass, field

from advisor.sizing.answer import Host, Note, Spread, Value
from advisor.sizing.fields import DEFAULT_SEQUENCE_TOKENS
from advisor.sizing.gpu import Gpu
from advisor.sizing.job import Library, Load, Rate
from advisor.sizing.llm.frameworks import Framework, framework_of
from advisor.sizing.llm.stacks import MEASURED_MODELS
from advisor.sizing.llm.training_memory import (
    FULL_METHODS,
    PAGED,
    Recipe,
    trained_params,
    training_parts,
    ways_of,
)
from advisor.sizing.llm.training_speed import step_time
from advisor.sizing.llm.weights import format_of, weights_of
from advisor.sizing.parallel import link_of, nodes_of, p2p
from advisor.sizing.shape import Shape
from advisor.sizing.shapes import shape_of
from advisor.sizing.units import GIB
from advisor.sizing.workload import Workload

ENCODER_SEQUENCE = 512
SHORT_SAMPLES = {"torchtune": 512}
"""Frameworks whose documented runs state no length and do not pack: their data set's common length (Alpaca)."""
TRAINED_WHOLE_BELOW = 1e9
"""Parameters below which a run that names no method trains all of them."""
LARGE_VOCABULARY = 100_000
FLOOR_SHARE = 0.9
"""Share of the counted states below which no run goes (a sharded run gathers fewer layers, a table stays 16 bit)."""
ROLLOUTS = ("grpo", "ppo")


@dataclass(slots=True)
class TrainingJob:
    """A training workload ready to be asked."""

    shape: Shape
    recipe: Recipe
    framework: Framework
    stack: str | None
    known_model: bool
    accumulation: int
    sharding: str | None
    assumptions: tuple[Note, ...]
    questions: tuple[Note, ...]
    checkpointing_given: bool
    states_given: bool
    kind: str
    _parts: dict[tuple[str, int], dict[str, float]] = field(default_factory=dict)
    _recipes: dict[str, Recipe] = field(default_factory=dict)
    _chosen: dict[tuple[str, int], str] = field(default_factory=dict)

    def spread(self, gpu: Gpu, count: int) -> Spread:
        """Data parallel, sharded, tensor or pipeline, over which link."""
        how = self._how(gpu, count)
        link, nodes = link_of(gpu, count), nodes_of(count)
        ways = ways_of(how, count)
        if how in ("zero1", "zero2", "zero3"):
            return Spread(sharded=count, link=link, nodes=nodes)
        return Spread(data=ways.data, tensor=ways.tensor, pipeline=ways.pipeline, link=link, nodes=nodes)

    def load(self, gpu: Gpu, count: int) -> Load | None:
        """Memory on the fullest card at the worst phase of a step."""
        parts = self._parts_of(self._how(gpu, count), count)
        held = self.held if self.states_given else self.held[:1]
        floor = FLOOR_SHARE * sum(parts.get(name, 0.0) for name in held)
        if self.recipe.method in FULL_METHODS and not self.states_given:
            floor /= 2  # weights in 16 bit where no precision is given
        if count == 1 and self.recipe.offload == "none":
            floor = max(floor, weights_of(self.shape, self.recipe.base).total_bytes / GIB)
        return Load(parts, self.kind, self.stack, self.known_model, floor_gib=floor)

    @property
    def held(self) -> tuple[str, ...]:
        """Parts that are counted, not estimated."""
        return ("weights", "gradients", "optimizer") if self.recipe.method in FULL_METHODS else ("weights",)

    def rate(self, gpu: Gpu, count: int) -> Rate | None:
        """Tokens (decoders) or samples (encoders) trained per second over all cards."""
        step = step_time(self.shape, self._recipe(self._how(gpu, count)), self.framework, gpu, count, self.accumulation)
        value = step.tokens / step.seconds
        encoder = self.shape.family != "decoder"
        if encoder:
            value /= self.recipe.sequence
        return Rate(
            value=value,
            unit="samples_per_second" if encoder else "tokens_per_second",
            limited_by=step.limited_by,
            kind="llm-training",
            stack=self.stack,
            known_model=self.known_model,
        )

    def host(self, gpu: Gpu, count: int) -> Host:
        """RAM to load through and to hold what is offloaded, cores for the data, disk for weights and checkpoints."""
        weights_gib = weights_of(self.shape, self.recipe.base).total_bytes / GIB
        trained_gib = trained_params(self.shape, self.recipe) / GIB
        ram = 16 + 1.2 * weights_gib
        if self.recipe.offload != "none" or (self.recipe.optimizer in PAGED and self.recipe.method in FULL_METHODS):
            ram += 12 * trained_gib
        if self.recipe.offload == "all":
            ram += 4 * trained_gib
        disk = 50 + 1.1 * weights_gib + (3 * 14 if self.recipe.method in FULL_METHODS else 3 * 2) * trained_gib
        return Host(ram_gib=ram, cpu_cores=max(4, 6 * count), disk_gib=disk)

    def notes(self, gpu: Gpu, count: int) -> tuple[Note, ...]:
        """What holds on this card: precision it lacks, what more cards bring, what would make it fit."""
        return (*self.questions, *self._precision(gpu), *self._levers(gpu, count), *self._cards(gpu, count))

    # -- how cards are used

    def _how(self, gpu: Gpu, count: int) -> str:
        if count == 1:
            return self.sharding or "ddp"
        if self.sharding is not None:
            return self.sharding
        key = (gpu.slug, count)
        found = self._chosen.get(key)
        if found is None:
            found = self._chosen[key] = self._choose(gpu, count)
        return found

    def _choose(self, gpu: Gpu, count: int) -> str:
        """The least sharding that fits: it moves the least data."""
        options = ("ddp", "zero2", "zero3") if self.recipe.method in FULL_METHODS else ("ddp", "zero3")
        for how in options:
            if sum(self._parts_of(how, count).values()) <= gpu.usable_gib:
                return how
        return "zero3"

    def _recipe(self, how: str) -> Recipe:
        found = self._recipes.get(how)
        if found is None:
            checkpointing = self.recipe.checkpointing
            if not self.checkpointing_given and how == "zero3":
                checkpointing = self.framework.checkpointing_sharded
            same = how == self.recipe.sharding and checkpointing == self.recipe.checkpointing
            found = self.recipe if same else dataclasses.replace(self.recipe, sharding=how, checkpointing=checkpointing)
            self._recipes[how] = found
        return found

    def _parts_of(self, how: str, count: int) -> dict[str, float]:
        found = self._parts.get((how, count))
        if found is None:
            found = self._parts[how, count] = training_parts(self.shape, self._recipe(how), self.framework, count)
        return found

    # -- remarks

    def _precision(self, gpu: Gpu) -> tuple[Note, ...]:
        if self.recipe.precision.startswith("bf16") and gpu.compute_capability < 8.0:
            return (Note("no-bf16", "precision", {"gpu": gpu.slug}),)
        if self.recipe.precision == "tf32" and gpu.compute_capability < 8.0:
            return (Note("no-tf32", "precision", {"gpu": gpu.slug}),)
        return ()

    def _levers(self, gpu: Gpu, count: int) -> tuple[Note, ...]:
        """Changes that save memory, with what each saves, where the card is nearly full or too small."""
        how = self._how(gpu, count)
        recipe = self._recipe(how)
        total = sum(self._parts_of(how, count).values())
        if total <= 0.8 * gpu.usable_gib:
            return ()
        options: list[tuple[str, str, Recipe]] = []
        if not recipe.checkpointing:
            options.append(("checkpoint", "gradient_checkpointing", dataclasses.replace(recipe, checkpointing=True)))
        if not recipe.fused and self.shape.vocab >= LARGE_VOCABULARY:
            options.append(("fuse-cross-entropy", "fused_cross_entropy", dataclasses.replace(recipe, fused=True)))
        if recipe.method in FULL_METHODS and recipe.optimizer == "adamw":
            options.append(("optimizer-8bit", "optimizer", dataclasses.replace(recipe, optimizer="adamw-8bit")))
        if recipe.method == "lora" and not recipe.base.quantised:
            options.append(("quantise", "method", dataclasses.replace(recipe, method="qlora", base=format_of("nf4"))))
        notes = []
        for code, name, changed in options:
            less = total - sum(training_parts(self.shape, changed, self.framework, count).values())
            if less > 0.1:
                notes.append(Note(code, name, {"saves_gib": round(less, 1)}))
        return tuple(notes)

    def _cards(self, gpu: Gpu, count: int) -> tuple[Note, ...]:
        if count == 1:
            return ()
        notes: list[Note] = []
        if link_of(gpu, count) == "pcie" and not p2p(gpu):
            notes.append(Note("no-p2p", None, {"gpu": gpu.slug}))
        if self.recipe.sharding == "pipeline" or self._how(gpu, count) == "pipeline":
            notes.append(Note("layer-split-no-speed", "sharding", {"count": count}))
        fewer = self.rate(gpu, count // 2) if count % 2 == 0 else None
        more = self.rate(gpu, count)
        if fewer and more:
            values: dict[str, Value] = {
                "count": count,
                "fewer": count // 2,
                "factor": round(more.value / fewer.value, 2),
            }
            notes.append(Note("more-cards-buy", None, values))
        return tuple(notes)


def prepare_training(workload: Workload, library: Library, left_out: Collection[str] = ()) -> TrainingJob:
    """Reads the workload once. `left_out`: frameworks whose own constants must not be used (for checks)."""
    assert workload.model is not None
    shape = shape_of(workload.model, library.models)
    framework, stack = framework_of(workload.get("framework"), left_out)
    reader = _Reader(workload, shape, framework, list(shape.notes), [])
    recipe = reader.recipe()
    accumulation = workload.get("gradient_accumulation", 1)
    method = "llm-full" if recipe.method in FULL_METHODS else "llm-qlora" if recipe.base.quantised else "llm-lora"
    return TrainingJob(
        shape=shape,
        recipe=recipe,
        framework=framework,
        stack=stack,
        known_model=workload.model.slug in MEASURED_MODELS.get(stack or "", ()),
        accumulation=accumulation,
        sharding=_sharding(workload),
        assumptions=tuple(reader.assumptions),
        questions=tuple(reader.questions),
        checkpointing_given="gradient_checkpointing" in workload.fields,
        states_given="precision" in workload.fields and "optimizer" in workload.fields,
        kind=method,
    )


def _sharding(workload: Workload) -> str | None:
    given: str | None = workload.get("sharding")
    if given is None and workload.get("offload", "none") == "all":
        return "zero3"
    if given is None and workload.get("framework") == "ms-swift":
        return "pipeline"  # its device_map splits layers where no DeepSpeed is asked for
    return given


@dataclass(slots=True)
class _Reader:
    """Fills in what the workload leaves open, and says so."""

    workload: Workload
    shape: Shape
    framework: Framework
    assumptions: list[Note]
    questions: list[Note]

    def given(self, name: str, otherwise: Value) -> Value:
        """The field's value, or the default with an assumption noted."""
        value: Value | None = self.workload.get(name)
        if value is None:
            self.assumptions.append(Note("default", name, {"value": otherwise}))
            return otherwise
        return value

    def recipe(self) -> Recipe:
        """The whole set-up."""
        workload, shape, framework = self.workload, self.shape, self.framework
        if workload.get("framework") is None:
            self.assumptions.append(Note("framework-unknown", "framework", {"value": "transformers"}))
            self.questions.append(Note("ask-framework", "framework", {"values": "transformers, unsloth, torchtune"}))
        small = shape.params < TRAINED_WHOLE_BELOW
        method = str(self.given("method", "full" if small or workload.get("objective") == "pretrain" else "lora"))
        base = self._base(method)
        full = method in FULL_METHODS
        precision = str(self.given("precision", framework.precision))
        optimizer = str(self.given("optimizer", "adamw"))
        sequence = int(self.given("sequence_tokens", self._sequence()))
        batch = int(self.given("micro_batch", 1))
        checkpointing = bool(
            self.given("gradient_checkpointing", framework.checkpointing and shape.family == "decoder")
        )
        rank, targets = framework.rank, framework.targets
        if not full and not method.startswith("adapter"):
            rank = int(self.given("lora_rank", rank))
            targets = str(self.given("lora_targets", targets))
        self._warn(sequence, batch)
        tokens, copies = self._objective(sequence, batch, full)
        fused = workload.get("fused_cross_entropy") or workload.get("chunked_cross_entropy")
        return Recipe(
            method=method,
            precision=precision,
            base=format_of(base),
            optimizer=optimizer,
            tokens=tokens,
            sequence=sequence,
            batch=batch,
            checkpointing=checkpointing,
            flash=workload.get("flash_attention", framework.flash),
            fused=framework.fused if fused is None else bool(fused),
            compiled=workload.get("compile", False),
            activation_offload=workload.get("activation_offload", False),
            in_backward=workload.get("optimizer_in_backward", self._steps_in_backward(method, optimizer)),
            trains_embeddings=workload.get("trainable_embeddings", False),
            rank=rank,
            targets=targets,
            sharding="ddp",
            offload=workload.get("offload", "none"),
            copies=copies,
        )

    def _base(self, method: str) -> str:
        given: str | None = self.workload.get("base_format")
        if given is None:
            if method == "qlora":
                return str(self.given("base_format", "nf4"))
            return "bf16"
        return "nf4" if given == "int4" else given

    def _sequence(self) -> int:
        if self.shape.family == "encoder":
            return ENCODER_SEQUENCE
        return SHORT_SAMPLES.get(self.framework.name, DEFAULT_SEQUENCE_TOKENS)

    def _steps_in_backward(self, method: str, optimizer: str) -> bool:
        # torchtune's single-card full recipe frees each gradient as soon as it is used
        return (
            self.framework.name == "torchtune"
            and method == "full"
            and optimizer in PAGED
            and not self.workload.get("sharding")
        )

    def _objective(self, sequence: int, batch: int, full: bool) -> tuple[float, float]:
        """Tokens of a micro-step and copies of the frozen model beside the trained one."""
        objective = self.given("objective", "sft")
        tokens = float(sequence * batch)
        if objective == "dpo":
            self.assumptions.append(Note("reference-model", "objective", {"copies": 1 if full else 0}))
            return 2 * tokens, 1.0 if full else 0.0
        if objective in ROLLOUTS:
            generations = int(self.given("generations", 8 if objective == "grpo" else 1))
            completion = int(self.given("completion_tokens", max(1, sequence // 2)))
            self.questions.append(Note("sparse-evidence", "objective", {"objective": objective}))
            copies = (1.0 if full else 0.0) + (1.0 if objective == "ppo" else 0.0)
            return float(batch * (sequence + (generations - 1) * completion)), copies
        return tokens, 0.0

    def _warn(self, sequence: int, batch: int) -> None:
        shape = self.shape
        if shape.max_context and sequence > shape.max_context:
            self.questions.append(
                Note("context-over-model", "sequence_tokens", {"tokens": sequence, "max_context": shape.max_context})
            )
        if shape.vocab >= LARGE_VOCABULARY and not self.framework.fused and shape.family == "decoder":
            gib = sequence * batch * shape.vocab * self.framework.logits_bytes / GIB
            if gib > 2:
                self.questions.append(
                    Note("logits-large", "fused_cross_entropy", {"gib": round(gib, 1), "vocab": shape.vocab})
                )
        if self.workload.get("sequence_tokens") is None:
            self.questions.append(Note("ask-sequence", "sequence_tokens", {"value": self._sequence()}))
        if self.workload.get("offload", "none") != "none":
            self.questions.append(Note("offload-slow", "offload", {}))
