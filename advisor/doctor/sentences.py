"""The doctor's words: every code of `diagnosis.py` with its sentence. Figures are GiB unless a sentence says otherwise."""

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from advisor.sizing.answer import Note

CAUSES: Mapping[str, Promise] = {
    "too-little-memory": _("The card has too little memory for this job"),
    "fragmentation": _("The memory is there, but in pieces: reserved and not used"),
    "other-process": _("Another process holds part of the card"),
    "kv-cache-too-large": _("The context you ask for is longer than the cache can hold"),
    "nothing-left-for-cache": _("The weights fill the card; nothing is left for the cache"),
    "preallocation": _("The engine takes most of the card on purpose"),
    "host-memory": _("The machine's own memory ran out, not the card's"),
    "precision-unsupported": _("This card cannot compute in the format you ask for"),
    "states-only-estimate": _("The estimate counts states only; activations come on top"),
    "weights-only": _("The file must fit with its cache beside it"),
    "no-stock": _("That machine has no free card now"),
    "room-left": _("The card has room left"),
    "card-full": _("The card is nearly full"),
    "out-of-memory-unstated": _("Out of memory, but the text does not say enough to tell why"),
    "figure-wrong": _("A figure in this text cannot be right"),
    "unknown": _("No figure in this text that we can read"),
}

FIGURES: Mapping[str, Promise] = {
    "asked-beyond-the-card": _("%(tried)s GiB more were asked for."),
    "others-hold": _("Other processes hold about %(others)s GiB; %(tried)s GiB more were asked for."),
    "reserved-unused": _(
        "%(unallocated)s GiB are reserved but unused, more than the %(tried)s GiB asked for: no piece is large enough."
    ),
    "tried-only": _("%(tried)s GiB more were asked for; what was already in use is not in the text."),
    "cache-holds-fewer": _("The engine plans for %(asked)s tokens; the cache holds %(held)s."),
    "cache-too-small": _("The engine plans for %(asked)s tokens; the cache holds fewer."),
    "weights-fill-the-card": _("After loading the weights the engine found no memory for a single cache block."),
    "card-not-empty-at-start": _(
        "%(free)s of %(total)s GiB were free at start, less than the share of %(share)s the engine wants."
    ),
    "fp8-needs-8.9": _(
        "FP8 needs compute capability 8.9 or higher. A100, A800 and the RTX 30 series have 8.0 and 8.6."
    ),
    "bf16-needs-8.0": _("bfloat16 needs compute capability 8.0; this card has %(have)s."),
    "host-killed": _(
        "The system ended the process (signal 9). That is nearly always host RAM: loading, offload, data loaders."
    ),
    "host-allocation": _("The host, not the card, could not allocate memory."),
    "states-are-a-lower-bound": _(
        "%(states)s GiB are weights, gradients and optimizer states alone. Activations, buffers and fragmentation are not in it."
    ),
    "file-plus-cache": _(
        "The file takes %(file)s GiB; with cache and buffers plan for about %(need)s GiB on the card."
    ),
    "smi-shows": _("The fullest card shows %(used)s of %(total)s GiB in use."),
    "stock-of-the-host": _(
        "Stock of a card kind is not stock of your host: a stopped pay-as-you-go machine does not keep its card."
    ),
    "no-figures": _("The program says only that memory ran out."),
    "figure-beyond-any-card": _(
        "It is far more than any card or machine has (the largest card holds well under %(most)s GiB). Either the text was changed on its way here, or a size in the job itself is wrong by orders of magnitude."
    ),
    "not-an-error-we-know": _("Paste the whole message: the line with the sizes decides."),
}

ACTIONS: Mapping[str, Promise] = {
    "set-max-model-len": _(
        "Set max_model_len to %(cap)s or less. No bigger card is needed unless you really use longer contexts."
    ),
    "raise-utilisation": _("Raise gpu_memory_utilization a little above %(now)s, if nothing else uses the card."),
    "lower-utilisation": _("Or lower gpu_memory_utilization to %(share)s."),
    "cache-fp8": _("Store the cache in FP8 (kv_cache_dtype fp8): half the cache per token."),
    "use-four-bit": _(
        "Load a 4-bit version (AWQ, GPTQ, NF4): about a quarter of the weights, with some loss of quality."
    ),
    "tensor-parallel": _("Spread over two cards (tensor_parallel_size 2): weights and cache halve per card."),
    "bigger-card": _("Take a card with more memory."),
    "take-fp8-card": _("Or take a card with FP8: RTX 40 series, L40S, H20, H100."),
    "fp8-weights-only": _(
        "Some engines run FP8 files on older cards as weights only, without the speed; this one does not."
    ),
    "more-host-ram": _("Rent a machine with more RAM: about twice the model file for loading, far more for offload."),
    "less-offload": _("Offload less: ZeRO-3 with CPU offload keeps all states in RAM, 16-18 bytes per parameter."),
    "fewer-loader-workers": _(
        "Fewer data loader workers; each keeps its own copies. In containers, raise shared memory."
    ),
    "load-in-shards": _("Load with low_cpu_mem_usage, and on one process at a time."),
    "load-as-fp16": _("Load in float16 (dtype float16). No new card and no new download are needed."),
    "no-flash-attention-2": _("FlashAttention-2 is missing on this card too; use sdpa."),
    "no-fp8-either": _("FP8 is missing as well."),
    "checkpoint": _("Switch on gradient checkpointing: far fewer activations, about a third slower."),
    "smaller-batch": _("Halve the batch per card and accumulate gradients: same result, less memory."),
    "shard-more": _("Shard weights too (ZeRO-3, FSDP)."),
    "smaller-quant": _("Take a smaller quantisation of the file, such as Q4_K_M."),
    "shorter-context": _("Cap the context (-c): the cache grows with it."),
    "split-layers-adds-memory-not-speed": _("Layers may be split over cards: that adds memory, not speed."),
    "fewer-layers-on-card": _("Put fewer layers on the card (-ngl): slower, but it runs."),
    "reserved-is-not-needed": _(
        "Engines such as vLLM, JAX and TensorFlow reserve most of the card at start: what is shown is not what is needed."
    ),
    "end-other-process": _("End the other process, or take a card for yourself."),
    "own-card": _("On a rented card of your own nobody else uses memory."),
    "measure-allocated": _("Measure inside the program: torch.cuda.max_memory_allocated()."),
    "host-may-be-the-limit": _(
        "If it is slow all the same, look at CPU cores, disk and data loading first: a better card would only idle more."
    ),
    "expandable-segments": _("Set PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True. It costs nothing."),
    "fused-loss": _(
        "Use a fused or chunked cross-entropy loss: the logits of a large vocabulary are then never stored whole."
    ),
    "logits-stay-on-card": _(
        "Offload does not help here: logits are batch × length × vocabulary and stay on the card."
    ),
    "half-precision": _("Check the loaded precision: float32 takes twice the memory of float16 or bfloat16."),
    "lora-instead": _("Train LoRA or QLoRA instead of all weights."),
    "lower-resolution": _("Lower resolution, batch or number of frames."),
    "vae-tiling": _("Decode in tiles (VAE tiling)."),
    "fp8-weights": _("Load FP8 or GGUF weights of the model."),
    "lowvram": _("Start with --lowvram: parts move to RAM between steps, slower."),
    "no-preallocation": _(
        "Switch off preallocation (TF_FORCE_GPU_ALLOW_GROWTH=true, XLA_PYTHON_CLIENT_PREALLOCATE=false) to see the real need."
    ),
    "mixed-precision": _("Train in mixed precision."),
    "look-at-nvidia-smi": _("Look at nvidia-smi: does another process use the card?"),
    "other-host": _("Start on another host with the same card; your data disk may have to be copied."),
    "check-shapes": _(
        "Print the shapes just before the failing line: a batch, a length or a picture size there is far larger than meant. No card ends that."
    ),
    "term-plan-keeps-card": _("A day, week or month card keeps the card while it is stopped."),
}

QUESTIONS: Mapping[str, Promise] = {
    "ask-card": _("Which card is it?"),
    "ask-model": _("Which model, in which precision?"),
    "ask-length-needed": _("How long are your prompts and answers really?"),
    "ask-host-ram": _("How much RAM does the machine have?"),
    "ask-whole-message": _("Can you paste the whole message, with the sizes?"),
    "ask-sequence-and-batch": _("What sequence length and batch per card?"),
    "ask-context": _("How long a context do you need?"),
    "ask-what-runs": _("Which program runs on it?"),
}

TABLES = (FIGURES, ACTIONS, QUESTIONS)


def sentence(note: Note) -> str:
    """One coded remark in the active language. Raises KeyError for a code without a sentence: a test forbids it."""
    for table in TABLES:
        if note.code in table:
            return str(table[note.code]) % note.values
    raise KeyError(note.code)
