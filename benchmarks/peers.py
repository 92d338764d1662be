"""The other tools as library calls: each takes a work of `works.py` and answers GiB on one card, or says why not.

Called the way each is meant to be called, with everything ready that a program would have ready (configuration read, model looked up,
machine described), and compared as its authors would compare it with a measured peak of torch: without safety reserves on top.
"""

import importlib
import importlib.metadata
import json
import logging
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.works import CONFIGS, PARAMETERS, Work

GIB = 1024**3

type Call = Callable[[], float]


class CannotSay(Exception):
    """The tool does not answer this work; the text says why."""


class Peer(ABC):
    """One tool. `at_most`: what share of its time ours may take."""

    name: str
    package: str
    version: str
    at_most: float = 1.0
    rounds: int = 200
    compared: str = "its total"

    def __init__(self, folder: Path) -> None:
        """`folder`: where configuration files may be put. Raises whatever importing the tool raises."""
        self.folder = folder
        found = importlib.metadata.version(self.package)
        if found != self.version:
            raise ImportError(f"version {found} is installed, {self.version} is compared with")
        self.load()

    @abstractmethod
    def load(self) -> None:
        """Imports the tool."""

    @abstractmethod
    def call(self, work: Work) -> Call:
        """The warm library call for a work. Raises CannotSay."""

    def directory(self, model: str) -> str:
        """A directory with the model's config.json."""
        path = self.folder / model
        path.mkdir(exist_ok=True)
        (path / "config.json").write_text(json.dumps(CONFIGS[model]), encoding="utf-8")
        return str(path)


def inference_only(work: Work) -> None:
    if work.get("task") != "inference":
        raise CannotSay("answers inference only")


def training_only(work: Work) -> None:
    if work.get("task") != "training":
        raise CannotSay("answers training only")


def one_card_only(work: Work) -> None:
    if work.count > 1:
        raise CannotSay("knows one card only")


def tokens_of(work: Work) -> int:
    return int(work.get("prompt_tokens", 0)) + int(work.get("output_tokens", 0)) or int(work.get("sequence_tokens"))


class Vramcalc(Peer):
    name, package, version = "vramcalc", "vramcalc", "0.1.2"

    def load(self) -> None:
        self.module = importlib.import_module("vramcalc")

    def call(self, work: Work) -> Call:
        one_card_only(work)
        config, estimate, method = dict(CONFIGS[work.model]), self.module.estimate, work.get("method")
        if work.get("weight_format") not in (None, "bf16", "fp16") or method == "qlora":
            raise CannotSay("knows no quantised weights")
        if config["model_type"] == "mixtral":
            raise CannotSay("refuses mixtures of experts")
        asked: dict[str, Any] = {"seq_len": tokens_of(work)}
        if work.get("task") == "training":
            asked |= {"mode": "train", "grad_checkpoint": bool(work.get("gradient_checkpointing"))}
            asked |= {"lora_rank": work.get("lora_rank")} if method == "lora" else {}
            asked |= {"precision": "amp" if method == "full" else "pure"}
        return lambda: estimate(config, **asked).total / GIB


class Canifinetune(Peer):
    name, package, version = "canifinetune", "canifinetune", "0.4.1"
    compared = "without its CUDA and safety terms"

    def load(self) -> None:
        self.module = importlib.import_module("canifinetune.estimator.memory")

    def call(self, work: Work) -> Call:
        training_only(work)
        one_card_only(work)
        request, estimate = self.module.EstimateRequest, self.module.estimate
        config = {
            **CONFIGS[work.model],
            "family": CONFIGS[work.model]["model_type"],
            "total_params": int(PARAMETERS[work.model]),
        }
        asked = {
            "model_id": work.model,
            "method": work.get("method"),
            "gpu_vram_gb": 80,
            "seq_len": work.get("sequence_tokens"),
            "lora_rank": work.get("lora_rank", 16),
            "lora_target_scope": "attention",
            "gradient_checkpointing": bool(work.get("gradient_checkpointing")),
            "optimizer": "adamw_torch",
            "base_dtype": "fp32" if work.get("method") == "full" else "bf16",
            "use_network": False,
            "override": config,
        }

        def answer() -> float:
            memory = estimate(request(**asked)).memory
            return float(memory.total_estimated_gb - memory.cuda_overhead_gb - memory.safety_margin_gb)

        return answer


class Vramscout(Peer):
    name, package, version = "vramscout", "vramscout", "0.7.0"
    compared = "without its 5 % reserve"

    def load(self) -> None:
        self.plan = importlib.import_module("vramscout").plan_modern

    def call(self, work: Work) -> Call:
        inference_only(work)
        formats = {"gptq-int4": "int4", "nf4-dq": "int4"}
        asked = {
            "context": tokens_of(work),
            "weight_dtype": formats.get(work.get("weight_format"), work.get("weight_format")),
            "vram_gib": 80,
        }
        where = self.directory(work.model)

        def answer() -> float:
            plan = self.plan(where, **asked)
            return float(plan.total_gib - plan.parts_gib["Safety reserve"])

        return answer


class LlmAnalysis(Peer):
    name, package, version = "llm-analysis", "llm-analysis", "0.2.2"
    compared = "feed-forward width of the nearest size it accepts"

    def load(self) -> None:
        self.module = importlib.import_module("llm_analysis.analysis")

    def call(self, work: Work) -> Call:
        shape = CONFIGS[work.model]
        if shape["model_type"] == "mixtral":
            raise CannotSay("refuses this mixture's widths")
        if work.get("method") not in (None, "full"):
            raise CannotSay("knows no adapters")
        hidden = shape["hidden_size"]
        config = {
            "name": work.model,
            "num_layers": shape["num_hidden_layers"],
            "n_head": shape["num_attention_heads"],
            "hidden_dim": hidden,
            "vocab_size": shape["vocab_size"],
            "max_seq_len": 131_072,
            "num_key_value_heads": shape["num_key_value_heads"],
            "ffn_embed_dim": round(1.5 * shape["intermediate_size"] / hidden) * hidden,
            "model_type": "llama",
        }
        path = self.folder / f"{work.model}.llm-analysis.json"
        path.write_text(json.dumps(config), encoding="utf-8")
        common: dict[str, Any] = {
            "model_name": str(path),
            "gpu_name": "a100-sxm-80gb",
            "flops_efficiency": 0.7,
            "hbm_memory_efficiency": 0.8,
            "log_level": "CRITICAL",
        }
        return self._inference(work, common) if work.get("task") == "inference" else self._training(work, common)

    def _inference(self, work: Work, common: dict[str, Any]) -> Call:
        four = work.get("weight_format") in ("gptq-int4", "nf4-dq")
        asked = {
            **common,
            "dtype_name": "w4a16e16" if four else "w16a16e16",
            "seq_len": work.get("prompt_tokens"),
            "num_tokens_to_generate": work.get("output_tokens"),
        }
        parts = ("weight_memory_per_gpu", "kv_cache_memory_per_gpu", "prefill_activation_memory_per_gpu")

        def answer() -> float:
            found = self.module.infer(**asked)
            return float(sum(found[name] for name in parts)) / GIB

        return answer

    def _training(self, work: Work, common: dict[str, Any]) -> Call:
        asked = {
            **common,
            "seq_len": work.get("sequence_tokens"),
            "batch_size_per_gpu": 1,
            "gradient_accumulation_steps": 1,
            "total_num_tokens": 1e6,
            "total_num_gpus": work.count,
            "dp_size": work.count,
            "ds_zero": 3 if work.get("sharding") == "zero3" else 0,
            "activation_recomputation": 2 if work.get("gradient_checkpointing") else 0,
        }
        parts = (
            "weight_memory_per_gpu",
            "gradient_memory_per_gpu",
            "optimizer_state_memory_per_gpu",
            "activation_memory_per_gpu",
        )

        def answer() -> float:
            found = self.module.train(**asked)
            return float(sum(found[name] for name in parts)) / GIB

        return answer


class Aiconfigurator(Peer):
    name, package, version = "aiconfigurator", "aiconfigurator", "0.12.0"
    rounds = 5
    compared = "without its 3.5 GiB of others"

    def load(self) -> None:
        self.estimate = importlib.import_module("aiconfigurator.cli.api").cli_estimate

    def call(self, work: Work) -> Call:
        inference_only(work)
        if CONFIGS[work.model]["model_type"] == "mixtral":
            raise CannotSay("finds it too large for one card")
        asked: dict[str, Any] = {
            "mode": "static",
            "backend_name": "vllm",
            "isl": work.get("prompt_tokens"),
            "osl": max(2, work.get("output_tokens")),
            "batch_size": 1,
            "tp_size": 1,
        }
        if work.get("weight_format") in ("gptq-int4", "nf4-dq"):
            asked |= {"gemm_quant_mode": "int4_wo", "database_mode": "HYBRID"}
        where = self.directory(work.model)
        return lambda: float(self.estimate(where, "a100_sxm", **asked).raw["memory"]) - 3.5


class Llmcalculator(Peer):
    name, package, version = "llmcalculator", "llmcalculator", "0.2.3"
    at_most = 2.0

    def load(self) -> None:
        self.module = importlib.import_module("llmcalculator")
        self.catalog = importlib.import_module("llmcalculator.models.catalog")

    def call(self, work: Work) -> Call:
        one_card_only(work)
        module = self.module
        model = self.catalog._spec_from_config(work.model, dict(CONFIGS[work.model]))
        machine = module.manual(80, 256, "A100")
        formats = {"gptq-int4": "gptq-4bit", "nf4-dq": "nf4"}
        method = work.get("method") or "inference"
        weights = (
            "nf4" if method == "qlora" else formats.get(work.get("weight_format"), work.get("weight_format") or "bf16")
        )
        kind = module.workloads.get(method)
        asked = {
            "quant_name": weights,
            "context": tokens_of(work),
            "gradient_checkpointing": bool(work.get("gradient_checkpointing")),
        }
        estimate = module.estimate_module.estimate
        return lambda: float(estimate(model, machine, kind, **asked).breakdown.total) / GIB


class Ftuneai(Peer):
    name, package, version = "ftuneai", "ftuneai", "0.4.1"
    at_most = 2.0

    def load(self) -> None:
        self.module = importlib.import_module("ftuneai")
        self.models = importlib.import_module("ftuneai.core.models")
        self.loader = importlib.import_module("ftuneai.loader")

    def call(self, work: Work) -> Call:
        training_only(work)
        shape, estimator = CONFIGS[work.model], self.module.Estimator
        self.loader.load_models()[work.model] = self.models.ModelSpec(
            name=work.model,
            parameters=int(PARAMETERS[work.model]),
            hidden_size=shape["hidden_size"],
            num_layers=shape["num_hidden_layers"],
            num_attention_heads=shape["num_attention_heads"],
            num_kv_heads=shape["num_key_value_heads"],
            intermediate_size=shape["intermediate_size"],
            vocab_size=shape["vocab_size"],
            max_seq_length=131_072,
        )
        method = work.get("method")
        asked = {
            "model": work.model,
            "method": method,
            "quantization": "4bit" if method == "qlora" else "none",
            "batch_size": 1,
            "seq_length": work.get("sequence_tokens"),
            "gradient_checkpointing": bool(work.get("gradient_checkpointing")),
            "lora_rank": work.get("lora_rank", 16),
            "lora_target": "attention" if work.get("lora_targets") == "attention-qv" else "attention_all",
            "flash_attention": True,
            "sharding": "zero_3" if work.get("sharding") == "zero3" else "none",
            "num_gpus": work.count,
        }

        def answer() -> float:
            one = estimator(**asked)
            one.estimate_time("A100-80GB", dataset_size=1000, num_gpus=work.count)
            return float(one.estimate_memory().total_gb)

        return answer


PEERS: tuple[type[Peer], ...] = (Vramcalc, Canifinetune, Vramscout, LlmAnalysis, Aiconfigurator, Llmcalculator, Ftuneai)


def installed(folder: str) -> tuple[list[Peer], dict[str, str]]:
    """The peers that can be called here, and why the others cannot, by name."""
    logging.disable(logging.CRITICAL)
    found, missing = [], {}
    for kind in PEERS:
        try:
            found.append(kind(Path(folder)))
        except Exception as error:  # a tool may fail to import in any way; the reason is told
            missing[kind.name] = f"{type(error).__name__}: {error}"
    return found, missing


def scratch() -> tempfile.TemporaryDirectory[str]:
    """A folder for configuration files, gone afterwards."""
    return tempfile.TemporaryDirectory(prefix="peers-")
