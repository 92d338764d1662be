"""Words people see in questions, for every scenario, task, field, unit and choice: what it means and where to find it, with an example.

Technical names (`nf4`, `vllm`) are their own labels in every language; only what needs a word has one here.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

type Text = str | Promise


@dataclass(frozen=True, slots=True)
class Words:
    """A label and, below it, a sentence: what it means, where to find it, an example."""

    label: Text
    hint: Text = ""


@dataclass(frozen=True, slots=True)
class TaskWords:
    """A task: its short name, what it is, and the question its page asks."""

    label: Text
    about: Text
    question: Text


SCENARIOS: Mapping[str, Words] = MappingProxyType(
    {
        "llm": Words(_("Language models"), _("Fine-tune, pretrain, serve a chat model")),
        "aigc": Words(_("Image and video generation"), _("Pictures, video, training a style")),
        "speech": Words(_("Speech and audio"), _("Transcription, synthesis, live captions")),
        "vision": Words(_("Computer vision"), _("Detection, segmentation, classification")),
        "science": Words(_("Scientific simulation"), _("Molecular dynamics, fluids, structure prediction")),
    }
)

TASKS: Mapping[tuple[str, str], TaskWords] = MappingProxyType(
    {
        ("llm", "training"): TaskWords(
            _("LLM training"),
            _("Fine-tuning with LoRA or QLoRA, full training, pretraining, preference tuning"),
            _("Train which model, and how?"),
        ),
        ("llm", "inference"): TaskWords(
            _("LLM inference"),
            _("Chat service, batch generation, a model of your own behind an API"),
            _("Run which model, for how many at once?"),
        ),
        ("aigc", "image-generation"): TaskWords(
            _("Image generation"),
            _("Text to picture, with ControlNets and LoRAs if you like"),
            _("Which image model, at what size?"),
        ),
        ("aigc", "image-editing"): TaskWords(
            _("Image editing"),
            _("Change a picture by words or by another picture"),
            _("Which editing model, at what size?"),
        ),
        ("aigc", "video-generation"): TaskWords(
            _("Video generation"),
            _("Text or picture to video"),
            _("Which video model, what size and length?"),
        ),
        ("aigc", "image-training"): TaskWords(
            _("Training an image model"),
            _("LoRA, DreamBooth, ControlNet or full training of a style or subject"),
            _("Train which image model, and how?"),
        ),
        ("aigc", "video-training"): TaskWords(
            _("Training a video model"),
            _("LoRA or full training on clips"),
            _("Train which video model, and how?"),
        ),
        ("speech", "transcription"): TaskWords(
            _("Transcription"),
            _("Recordings to text, or live captions"),
            _("Transcribe with which model?"),
        ),
        ("speech", "speech-synthesis"): TaskWords(
            _("Speech synthesis"),
            _("Text to voice"),
            _("Which voice model, how many at once?"),
        ),
        ("speech", "training"): TaskWords(
            _("Training a speech model"),
            _("Fine-tune or train on your recordings"),
            _("Train which speech model, and how?"),
        ),
        ("vision", "training"): TaskWords(
            _("Training a vision model"),
            _("YOLO, ResNet, ViT, segmentation networks on your pictures"),
            _("Train which vision model, on what pictures?"),
        ),
        ("vision", "inference"): TaskWords(
            _("Vision inference"),
            _("Run a trained model over pictures or streams"),
            _("Run which vision model, on what pictures?"),
        ),
        ("science", "simulation"): TaskWords(
            _("Simulation"),
            _("Molecular dynamics, fluids, climate, quantum chemistry, linear algebra"),
            _("Simulate what, with which program?"),
        ),
        ("science", "structure-prediction"): TaskWords(
            _("Structure prediction"),
            _("AlphaFold and its relatives"),
            _("Predict which structures?"),
        ),
    }
)

MODEL: Text = _("Model")

MODEL_HINTS: Mapping[str, Text] = MappingProxyType(
    {
        "llm": _(
            "Its name as in the title of its page, for example Qwen/Qwen2.5-7B. Unknown here? Write its size, for example 13B, or paste its config.json."
        ),
        "aigc": _(
            "Its name as in the title of its page, for example FLUX.1-dev or Wan2.2-T2V-A14B. Unknown here? Write its size, for example 12B."
        ),
        "speech": _(
            "Its name as in the title of its page, for example whisper-large-v3. Unknown here? Write its size, for example 2B."
        ),
        "vision": _("Its name, for example YOLOv8x or ResNet-50. Unknown here? Write its size, for example 25M."),
    }
)
"""What to write as the model, scenario by scenario; simulations have none."""

_SEQUENCE = Words(
    _("Longest training sample"),
    _(
        "In tokens: cutoff_len or model_max_length in your training settings. A page of text is about 500 to 800 tokens. Longer takes more memory."
    ),
)
_MICRO_BATCH = Words(
    _("Samples per card at once"),
    _("per_device_train_batch_size in your settings. Start with 1; raise it while memory lasts."),
)
_IMAGE_SIZE = Words(
    _("Picture size"),
    _(
        "The side of a square (640), or height × width (1024x2048), after resizing. imgsz in YOLO. Empty: what is usual for the model."
    ),
)
_BATCH_VISION = Words(
    _("Pictures per card at once"),
    _("batch or samples_per_gpu in your settings, per card, not in all. Empty: a usual one."),
)

FIELDS: Mapping[str, Words] = MappingProxyType(
    {
        "weight_format": Words(
            _("Weight format"),
            _(
                "How many bits each weight takes: 16 bits 2 bytes, 8 bits 1, 4 bits about half a byte. It is in the model's file name or page."
            ),
        ),
        "engine": Words(_("Software"), _("The program that runs the model. Named, the estimate is much closer.")),
        "prompt_tokens": Words(
            _("Prompt length"),
            _(
                "What goes in for one answer: question, history, documents. A short question is 100, a page 700, a chat with history 1,000 to 4,000."
            ),
        ),
        "output_tokens": Words(
            _("Answer length"), _("max_tokens in the request. A paragraph is about 200, a page 700.")
        ),
        "concurrency": Words(
            _("Answers being written at once"),
            _(
                "Not users in all: about one in ten of the people online is waiting for an answer at any moment. For one person, 1."
            ),
        ),
        "context_tokens": Words(
            _("Context to reserve"),
            _("max_model_len or ctx-size, if it is more than prompt and answer together. Empty: just these."),
        ),
        "kv_cache_format": Words(
            _("Cache format"), _("kv_cache_dtype. Eight bits halve the cache of long conversations.")
        ),
        "flash_attention": Words(_("FlashAttention"), _("Saves memory at long sequences, same results.")),
        "sharding": Words(_("Split over several cards"), _("Only matters where more than one card is used.")),
        "images": Words(_("Pictures per request"), _("For models that see. 0: text only.")),
        "image_size": _IMAGE_SIZE,
        "image_tokens": Words(_("Tokens per picture"), _("If you know it; else it follows from the picture's size.")),
        "method": Words(_("Method"), _("The difference is mostly memory: how many bytes each parameter takes.")),
        "objective": Words(_("Objective"), _("What the training optimises.")),
        "sequence_tokens": _SEQUENCE,
        "micro_batch": _MICRO_BATCH,
        "gradient_accumulation": Words(
            _("Gradient accumulation steps"), _("gradient_accumulation_steps. Larger batches without more memory.")
        ),
        "precision": Words(
            _("Precision"), _("bf16 or fp16 in your settings. Mixed keeps a 32-bit copy of what is trained.")
        ),
        "optimizer": Words(
            _("Optimizer"), _("optim in your settings. AdamW keeps two further numbers per trained parameter.")
        ),
        "framework": Words(_("Framework"), _("The same job takes gigabytes more or less in another one.")),
        "gradient_checkpointing": Words(
            _("Gradient checkpointing"),
            _("Recomputes instead of remembering: much less memory, about a quarter slower."),
        ),
        "base_format": Words(
            _("Format of the frozen weights"), _("bnb_4bit_quant_type or the quantised model's name.")
        ),
        "lora_rank": Words(_("LoRA rank"), _("r or lora_rank, usually 8 to 64.")),
        "lora_targets": Words(_("Layers LoRA is added to"), _("target_modules. All linear layers is usual today.")),
        "offload": Words(_("Move parts to main memory"), _("Saves card memory, costs time.")),
        "fused_cross_entropy": Words(
            _("Fused cross-entropy"), _("Liger and the like: saves the large table of outputs.")
        ),
        "chunked_cross_entropy": Words(_("Chunked cross-entropy"), _("Computes the loss piece by piece.")),
        "compile": Words(_("torch.compile"), _("Faster after a slow start.")),
        "activation_offload": Words(_("Move activations to main memory"), _("Saves card memory, costs time.")),
        "trainable_embeddings": Words(_("Train embeddings too"), _("Needed for new tokens; takes much more memory.")),
        "optimizer_in_backward": Words(_("Optimizer step in the backward pass"), _("Frees each gradient at once.")),
        "generations": Words(_("Answers per prompt"), _("num_generations of GRPO.")),
        "completion_tokens": Words(_("Length of those answers"), _("max_completion_length.")),
        "width": Words(_("Width"), _("For example 1024 pixels.")),
        "height": Words(_("Height"), _("For example 1024 pixels.")),
        "batch": Words(_("At once"), _("How many are worked on together on one card.")),
        "steps": Words(
            _("Denoising steps"), _("num_inference_steps. 20 to 50 for most models, 1 to 8 for turbo ones.")
        ),
        "text_encoder_format": Words(
            _("Format of the text encoder"), _("FLUX and video models have a large one (T5).")
        ),
        "text_encoder_offload": Words(
            _("Text encoder in main memory"), _("Loaded for a moment, then moved off the card.")
        ),
        "controlnets": Words(_("ControlNets"), _("How many at the same time. Each adds its own weights.")),
        "loras": Words(_("LoRAs"), _("How many at the same time.")),
        "activation_format": Words(_("Format of activations"), _("For engines that compute in 8 bits.")),
        "fuse_qkv": Words(_("Fused projections"), _("A little faster, a little more memory.")),
        "sequence_parallel": Words(_("Sequence parallel"), _("Splits one picture or video over several cards.")),
        "vae_tiling": Words(_("VAE tiling"), _("Decodes large pictures in tiles: less memory at the end.")),
        "vae_slicing": Words(_("VAE slicing"), _("Decodes a batch one by one.")),
        "attention": Words(_("Attention"), _("Which implementation. Eager needs far more memory.")),
        "frames": Words(_("Frames"), _("81 frames at 16 a second are five seconds.")),
        "fps": Words(_("Frames per second"), _("For example 16 or 24.")),
        "cached_latents": Words(_("Pictures encoded beforehand"), _("The VAE need not stay on the card.")),
        "cached_text": Words(_("Texts encoded beforehand"), _("The text encoder need not stay on the card.")),
        "streams": Words(
            _("Live streams at once"),
            _("Conversations or rooms transcribed while they happen. Empty: recordings, one after another."),
        ),
        "beam_size": Words(_("Beam size"), _("5 is the usual value, 1 is faster.")),
        "clip_seconds": Words(_("Length of one clip"), _("Whisper cuts into pieces of 30.")),
        "diarization": Words(_("Tell speakers apart"), _("A second model beside the first.")),
        "vad": Words(_("Skip silence"), _("vad_filter. Faster where people pause.")),
        "kind": Words(
            _("What the model does"),
            _("It decides how much work a picture is. Not chosen: what this model is mostly used for."),
        ),
        "channels_last": Words(_("Channels-last layout"), _("Faster convolutions on cards with tensor cores.")),
        "application": Words(_("Program"), _("The nearest one; “Another program” if none is.")),
        "system": Words(
            _("Named benchmark"), _("If your system is one of these or much like it. Else give atoms or cells.")
        ),
        "atoms": Words(
            _("Atoms"), _("With water. It is in the log of the first step, or in the header of the structure file.")
        ),
        "cells": Words(_("Grid cells"), _("All of them: 500 × 500 × 400 is 100,000,000.")),
        "potential": Words(_("Potential"), _("pair_style in LAMMPS.")),
        "memory_gib": Words(
            _("Memory it takes"), _("If you have seen it in nvidia-smi. It goes before every estimate.")
        ),
        "gpu_hours_on": Words(
            _("Hours it took on another card"),
            _("If you have run it: which card, how many hours. The best estimate there is."),
        ),
        "tokens": Words(_("Residues and other tokens"), _("Length of all chains together; a ligand atom counts one.")),
        # how much, how long
        "amount": Words(_("How much"), _("A number; 20M and 1.5B are understood. Empty if you only know the hours.")),
        "unit": Words(_("Counted in"), ""),
        "samples": Words(_("Samples in one epoch"), _("Lines of your data set; only if counted in epochs.")),
        "hours_per_day": Words(_("Hours a day"), _("A service round the clock: 24.")),
        "days_per_week": Words(_("Days a week"), _("For example 5.")),
        "weeks": Words(_("For how many weeks"), _("For example 4. A term is 16, a year 52.")),
        "starts_per_day": Words(
            _("Started how often a day"), _("Each start may be rounded up to a whole hour. Usually 1.")
        ),
        # limits
        "deadline_hours": Words(_("Done within how many hours"), _("Three days are 72. Empty: no hurry.")),
        "budget": Words(_("Budget for all of it"), _("Tax included. Empty: no limit.")),
        "currency": Words(_("Currency"), ""),
        "max_gpus": Words(_("At most how many cards"), _("Empty: as many as it takes.")),
        "region": Words(_("Region"), _("Where the data must stay. Empty: anywhere.")),
        "require": Words(_("Must have"), ""),
        "max_seconds_to_first_token": Words(
            _("First token within how many seconds"), _("What people wait before text appears. 1 to 2 feels quick.")
        ),
        "min_tokens_per_second_per_sequence": Words(
            _("Tokens a second for each user, at least"), _("People read 5 to 10 a second; agents want 30 and more.")
        ),
        "host_ram_gib": Words(_("Main memory, at least"), _("Only if your program needs much of it.")),
        "priority": Words(_("What matters most"), ""),
        "stage": Words(_("What is it for"), ""),
    }
)

FIELDS_OF: Mapping[tuple[str, str, str], Words] = MappingProxyType(
    {
        ("vision", "training", "batch"): _BATCH_VISION,
        ("vision", "inference", "batch"): _BATCH_VISION,
        ("speech", "training", "batch"): Words(
            _("Clips per card at once"), _("batch size in your settings, per card.")
        ),
        ("speech", "transcription", "batch"): Words(
            _("Pieces at once"), _("batch_size of faster-whisper or WhisperX. More is faster and takes more memory.")
        ),
        ("speech", "speech-synthesis", "batch"): Words(
            _("Texts at once"), _("How many are spoken together on one card.")
        ),
        ("aigc", "image-generation", "batch"): Words(_("Pictures at once"), _("batch_size or num_images_per_prompt.")),
        ("aigc", "image-editing", "batch"): Words(_("Pictures at once"), _("batch_size or num_images_per_prompt.")),
        ("aigc", "video-generation", "batch"): Words(_("Videos at once"), _("Usually 1.")),
        ("science", "simulation", "precision"): Words(
            _("Precision"),
            _(
                "Mixed or single for most molecular dynamics. Double needs a card with fast FP64: consumer cards run it at 1/64."
            ),
        ),
        ("vision", "training", "precision"): Words(
            _("Precision"), _("amp in most settings: 16 bits where it is safe.")
        ),
        ("vision", "inference", "precision"): Words(_("Precision"), _("fp16 or half in most settings.")),
        ("llm", "training", "precision"): Words(
            _("Precision"), _("bf16 or fp16 in your settings. Mixed keeps a 32-bit copy of what is trained.")
        ),
    }
)
"""Where one task means something else by a field."""

_LORA_DIFFUSION = Words(_("LoRA"), _("Trains a small add-on file. The usual way for a style or a person."))

CHOICES: Mapping[tuple[str, str], Words] = MappingProxyType(
    {
        ("method", "full"): Words(
            _("Full"), _("Changes every parameter. About 16 to 18 bytes each in mixed precision with AdamW.")
        ),
        ("method", "lora"): Words(
            _("LoRA"),
            _("The base stays in 16 bits and unchanged; small added matrices are trained. About 2 bytes each."),
        ),
        ("method", "qlora"): Words(
            _("QLoRA"),
            _(
                "The base is squeezed to 4 bits, then LoRA. About half a byte each; steps take 1.2 to 1.9 times as long."
            ),
        ),
        ("method", "freeze"): Words(_("Freeze"), _("Trains only the last layers.")),
        ("method", "adapter"): Words(_("Adapter"), ""),
        ("method", "adapter-v2"): Words(_("Adapter v2"), ""),
        ("method", "dreambooth"): Words(_("DreamBooth"), _("Trains the whole model on a few pictures.")),
        ("method", "controlnet"): Words(_("ControlNet"), _("Trains a copy of half the model as a control.")),
        ("method", "textual-inversion"): Words(_("Textual inversion"), _("Trains a single word.")),
        ("objective", "pretrain"): Words(_("Pretraining"), ""),
        ("objective", "sft"): Words(_("Supervised fine-tuning (SFT)"), ""),
        ("objective", "dpo"): Words(_("Preferences (DPO)"), ""),
        ("objective", "grpo"): Words(_("Reinforcement (GRPO)"), ""),
        ("objective", "ppo"): Words(_("Reinforcement (PPO)"), ""),
        ("kind", "classification"): Words(_("Classification"), _("What is in the picture")),
        ("kind", "detection"): Words(_("Detection"), _("Boxes round things")),
        ("kind", "instance-segmentation"): Words(_("Instance segmentation"), _("Outline of each thing")),
        ("kind", "segmentation"): Words(_("Segmentation"), _("A class for every pixel")),
        ("kind", "pose"): Words(_("Pose"), _("Joints of people")),
        ("offload", "none"): Words(_("None"), ""),
        ("offload", "model"): Words(_("Whole models in turn"), _("Each part is on the card only while it works.")),
        ("offload", "sequential"): Words(_("Layer by layer"), _("Least memory, several times slower.")),
        ("offload", "group"): Words(_("In groups of layers"), ""),
        ("offload", "optimizer"): Words(_("Optimizer"), ""),
        ("offload", "all"): Words(_("Optimizer and weights"), ""),
        ("sharding", "tensor"): Words(_("Tensor parallel"), ""),
        ("sharding", "pipeline"): Words(_("Layers in turn (pipeline)"), ""),
        ("sharding", "ddp"): Words(_("A full copy on each (DDP)"), ""),
        ("sharding", "zero1"): Words(_("ZeRO-1"), ""),
        ("sharding", "zero2"): Words(_("ZeRO-2"), ""),
        ("sharding", "zero3"): Words(_("ZeRO-3 or FSDP"), ""),
        ("sharding", "fsdp"): Words(_("FSDP"), ""),
        ("sequence_parallel", "none"): Words(_("None"), ""),
        ("lora_targets", "attention-qv"): Words(_("Attention, Q and V"), ""),
        ("lora_targets", "attention"): Words(_("Attention"), ""),
        ("lora_targets", "all-linear"): Words(_("All linear layers"), ""),
        ("precision", "bf16-mixed"): Words(_("BF16 mixed"), ""),
        ("precision", "fp16-mixed"): Words(_("FP16 mixed"), ""),
        ("precision", "amp"): Words(_("Mixed (AMP)"), _("16 bits where it is safe")),
        ("precision", "single"): Words(_("Single"), _("FP32 throughout")),
        ("precision", "mixed"): Words(_("Mixed"), _("FP32 forces, higher where it matters")),
        ("precision", "double"): Words(_("Double"), _("FP64: needs a card that is fast at it")),
        ("precision", "fp32-fp16"): Words(_("FP32, stored in FP16"), ""),
        ("precision", "fp32-fp16c"): Words(_("FP32, stored in a custom FP16"), ""),
        ("application", "generic"): Words(_("Another program"), ""),
        ("application", "quantum-chemistry"): Words(_("Quantum chemistry"), ""),
        ("application", "linear-algebra"): Words(_("Linear algebra"), ""),
        ("application", "climate"): Words(_("Climate and weather"), ""),
        ("application", "cfd"): Words(_("Fluids, finite volume (CFD)"), ""),
        ("application", "cfd-lbm"): Words(_("Fluids, lattice Boltzmann"), ""),
        ("application", "openmm"): Words(_("OpenMM"), ""),
        ("application", "gromacs"): Words(_("GROMACS"), ""),
        ("application", "amber"): Words(_("Amber"), ""),
        ("application", "namd"): Words(_("NAMD"), ""),
        ("application", "lammps"): Words(_("LAMMPS"), ""),
        ("application", "alphafold3"): Words(_("AlphaFold 3"), ""),
        ("application", "alphafold2"): Words(_("AlphaFold 2"), ""),
        ("priority", "balanced"): Words(
            _("Balanced"),
            _("The best work for the money, with some memory to spare; fewer cards where more would save little."),
        ),
        ("priority", "cheapest"): Words(
            _("Lowest cost"), _("The least money for the whole job, if it fits and is in time.")
        ),
        ("priority", "fastest"): Words(_("Fastest"), _("Done first, within the limits you set.")),
        ("stage", "production"): Words(
            _("The real thing"), _("The result must stand: memory with error correction counts.")
        ),
        ("stage", "prototype"): Words(_("A trial"), _("Testing whether it works; a restart is no harm.")),
        ("require", "ecc"): Words(_("ECC memory"), _("corrects bit errors; for runs of days")),
        ("require", "nvlink"): Words(_("NVLink"), _("fast link between cards")),
        ("require", "mig"): Words(_("MIG"), _("one card cut into several")),
        ("require", "fp8"): Words(_("FP8"), _("8-bit tensor cores")),
        ("require", "fp64"): Words(_("Fast FP64"), _("double precision at half the FP32 rate")),
    }
)
"""(field, value) -> its words. A value not listed is its own label."""

CHOICES_OF: Mapping[tuple[str, str, str], Words] = MappingProxyType(
    {
        ("aigc", "method", "lora"): _LORA_DIFFUSION,
        ("aigc", "method", "full"): Words(
            _("Full"), _("Changes every parameter: best quality, several times the memory.")
        ),
    }
)
"""(scenario, field, value) where one scenario means something else."""

UNITS: Mapping[str, Text] = MappingProxyType(
    {
        "tokens": _("tokens"),
        "images": _("pictures"),
        "videos": _("videos"),
        "audio_hours": _("hours of audio"),
        "samples": _("samples"),
        "requests": _("requests"),
        "ns": _("nanoseconds"),
        "steps": _("steps"),
        "gpu_hours": _("hours on the card"),
        "epochs": _("epochs"),
    }
)

UNIT_HINTS: Mapping[tuple[str, str], Text] = MappingProxyType(
    {
        ("llm", "training"): _("Say tokens seen (data times epochs), or epochs with the number of samples."),
        ("llm", "inference"): _("Tokens to write in all, or requests."),
        ("speech", "transcription"): _("Hours of recordings, for example 500."),
        ("vision", "training"): _("Epochs with the number of pictures as samples, or pictures seen in all."),
        ("science", "simulation"): _("Nanoseconds for molecular dynamics, steps for fluids."),
    }
)

SHORT: Mapping[str, Text] = MappingProxyType(
    {
        "sequence_tokens": _("sample length"),
        "prompt_tokens": _("prompt"),
        "output_tokens": _("answer"),
        "concurrency": _("at once"),
        "micro_batch": _("batch"),
        "batch": _("batch"),
        "gradient_accumulation": _("accumulation"),
        "width": _("width"),
        "height": _("height"),
        "image_size": _("size"),
        "steps": _("steps"),
        "frames": _("frames"),
        "beam_size": _("beam"),
        "lora_rank": _("rank"),
        "streams": _("streams"),
        "tokens": _("tokens"),
        "atoms": _("atoms"),
        "cells": _("cells"),
        "flash_attention": _("FlashAttention"),
        "gradient_checkpointing": _("checkpointing"),
        "compile": _("torch.compile"),
        "context_tokens": _("context"),
        "completion_tokens": _("completion"),
        "clip_seconds": _("clip"),
    }
)
"""Names of fields inside a line of a table."""


def field_words(scenario: str, task: str, name: str) -> Words:
    """Label and hint of a task's field."""
    return FIELDS_OF.get((scenario, task, name)) or FIELDS.get(name) or Words(name)


def choice_words(scenario: str, name: str, value: str) -> Words:
    """Label and sentence of a choice; a technical name is its own label."""
    return CHOICES_OF.get((scenario, name, value)) or CHOICES.get((name, value)) or Words(value)
