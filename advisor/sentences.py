"""Code -> sentence, in every language: reasons, assumptions, warnings, questions, advice, and what is wrong with a workload.

The pure core speaks in codes with figures; here, and only here, they become words. A code has one sentence, or several, of
which the one is taken that tells most of the figures that are there. Figures are written for the reader's language: money with its sign, GiB with one decimal.
"""

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import Any

from babel.numbers import format_decimal
from django.utils.functional import Promise
from django.utils.translation import get_language, gettext
from django.utils.translation import gettext_lazy as _

from advisor.labels import CHOICES, FIELDS, TASKS
from advisor.sizing.answer import Note
from advisor.sizing.problems import Problem

type Text = str | Promise

MONEY_KEYS = frozenset(
    [
        "total",
        "more",
        "saves",
        "over",
        "budget",
        "per_hour",
        "other_per_hour",
        "cheapest_total",
        "fastest_total",
        "waste",
        "price",
    ]
)
"""Values that are decimal strings in the `currency` beside them."""
SIGNS: Mapping[str, str] = {"CNY": "¥", "USD": "$", "EUR": "€", "GBP": "£", "JPY": "JP¥", "HKD": "HK$"}
WORDS: Mapping[str, Text] = {
    "minute": _("by the minute"),
    "hour": _("by the hour"),
    "day": _("day card"),
    "week": _("week card"),
    "month": _("month card"),
}
"""Kinds of plan inside a sentence."""
ARITHMETIC: Mapping[str, Text] = {"FP16, FP32 accumulation": _("FP16, FP32 accumulation")}
"""Names of rates inside a sentence."""
UNITS: Mapping[str, Text] = {
    "tokens_per_second": _("tokens/s"),
    "images_per_second": _("images/s"),
    "seconds_per_image": _("s per image"),
    "seconds_per_video": _("s per video"),
    "steps_per_second": _("steps/s"),
    "x_realtime": _("times real time"),
    "samples_per_second": _("samples/s"),
    "items_per_second": _("items/s"),
    "frames_per_second": _("frames/s"),
    "ns_per_day": _("ns/day"),
    "million_cells_per_second": _("million cells/s"),
    "seconds": _("s"),
    "relative": _("times the reference card"),
}
"""Speed units inside a sentence."""

COMMA_AND_POINT = frozenset({"en", "zh_Hans"})
"""Locales whose numbers Python writes itself, ten times faster than a pattern."""

SENTENCES: Mapping[str, tuple[Text, ...]] = {
    "cheapest": (
        _("Cheapest of the %(of)s that fit: %(total)s for about %(hours)s h"),
        _("Cheapest of the %(of)s that fit: %(total)s"),
    ),
    "fastest": (
        _("Fastest of the %(of)s that fit: about %(hours)s h"),
        _("Fastest of the %(of)s that fit: %(speed)s %(unit)s"),
    ),
    "fewer-cards": (
        _(
            "Fewer cards: %(other_count)s × %(other_name)s would save %(saves)s (%(percent)s%%), too little for splitting the work over more"
        ),
        _(
            "Fewer cards: %(other_count)s × %(other_name)s would be %(faster_percent)s%% faster for %(more)s more; in a hurry take those"
        ),
        _("Fewer cards than %(other_count)s × %(other_name)s: the work is split over no more than it has to be"),
    ),
    "nearest": (_("Nothing on offer keeps every limit; this comes nearest"),),
    "cheapest-limits-aside": (
        _("Limits aside, the cheapest of all that fit: %(total)s for about %(hours)s h"),
        _("Limits aside, the cheapest of all that fit: %(total)s"),
    ),
    "fastest-limits-aside": (
        _("Limits aside, the fastest of all that fit: about %(hours)s h"),
        _("Limits aside, the fastest of all that fit: %(speed)s %(unit)s"),
    ),
    "best-value": (
        _(
            "Best balance of money and time: %(total)s for about %(hours)s h, weighed against the cheapest, %(other_name)s"
        ),
        _("Best balance of price and speed: %(total)s, weighed against the cheapest, %(other_name)s"),
    ),
    "faster": (_("%(percent)s%% faster than the %(other_name)s"),),
    "memory-headroom": (
        _(
            "%(spare_gib)s GiB (%(percent)s%%) spare; even the upper end, %(high_gib)s, is inside the usable %(usable_gib)s"
        ),
    ),
    "fast-fp64": (_("Made for double precision: %(fp64_tflops)s TFLOPS FP64, 1/%(ratio)s of its FP32 rate"),),
    "has-ecc": (_("ECC memory: flipped bits are corrected on a long run"),),
    "mig": (_("MIG splits the card into up to %(instances)s isolated instances for several users"),),
    "fp8": (_("Computes FP8 natively: %(tflops)s TFLOPS dense, where the engine has an FP8 path"),),
    "nvlink": (_("NVLink joins the %(count)s cards at %(gb_s)s GB/s"),),
    "nvlink-single": (_("On one card NVLink at %(gb_s)s or %(full_gb_s)s GB/s makes no difference"),),
    "bandwidth-bound": (_("Memory bandwidth sets the speed of this job: %(gb_s)s GB/s here"),),
    "compute-bound": (_("Arithmetic sets the speed of this job: %(tflops)s TFLOPS (%(arithmetic)s) here"),),
    "long-term-plan": (_("Used this long, the %(plan)s plan saves %(saves)s against %(other_plan)s"),),
    "short-term-plan": (_("For a run this short pay %(plan)s: the %(other_plan)s plan would cost %(saves)s more"),),
    "tight": (_("May run out: %(low_gib)s–%(high_gib)s GiB straddles the usable %(usable_gib)s"),),
    "deadline-missed": (_("About %(hours)s h, %(over_hours)s h past the deadline of %(deadline_hours)s h"),),
    "over-budget": (_("%(total)s is %(over)s over the budget of %(budget)s"),),
    "first-token-late": (_("First token after %(seconds)s s; at most %(allowed_seconds)s s were asked for"),),
    "sequence-slow": (_("%(tokens_per_second)s tokens/s per sequence; at least %(wanted)s were asked for"),),
    "host-ram-short": (_("The machine has %(has_gib)s GiB of RAM; the job wants %(needed_gib)s GiB"),),
    "host-cpu-short": (_("The machine has %(has)s CPU cores; the job wants %(needed)s to keep the cards busy"),),
    "host-disk-short": (
        _(
            "The machine has %(has_gb)s GB of disk; the job wants %(needed_gb)s GB: the missing %(missing_gb)s GB cost %(price)s a day, not in the total"
        ),
        _("The machine has %(has_gb)s GB of disk; the job wants %(needed_gb)s GB"),
    ),
    "two-nodes": (
        _("%(count)s cards are %(nodes)s machines joined by a %(gbit_s)s Gbit/s network, not one NVLink domain"),
    ),
    "slow-fp64": (
        _("Double precision runs at %(fp64_tflops)s TFLOPS, 1/%(ratio)s of its FP32 rate"),
        _("Double precision runs at %(fp64_tflops)s TFLOPS only"),
        _("Double precision runs at %(tflops)s TFLOPS, 1/%(ratio)s of its FP32 rate"),
    ),
    "no-ecc": (
        _("No ECC on by default: over about %(hours)s h save checkpoints often and check that results repeat"),
        _("No ECC on by default: save checkpoints and check that results repeat"),
    ),
    "no-fp8": (_("No FP8 arithmetic: FP8 weights save memory here but run as 16 bit"),),
    "nvlink-reduced": (
        _("NVLink is cut to %(gb_s)s of the A100's %(full_gb_s)s GB/s: a third less for traffic among %(count)s cards"),
    ),
    "no-p2p": (
        _("No peer-to-peer over PCIe on the stock driver: traffic among %(count)s cards goes through host memory"),
        _("No peer-to-peer over PCIe on the stock driver: traffic among the cards goes through host memory"),
    ),
    "no-nvlink": (
        _("No NVLink: %(count)s cards talk over PCIe"),
        _("No NVLink"),
    ),
    "nvlink-pairs": (_("NVLink joins cards in groups of %(group)s; beyond that %(count)s cards talk over PCIe"),),
    "modified-card": (
        _("Modified card without a maker's specification: check name, core count and memory on the machine itself"),
    ),
    "dearer": (_("%(more)s (%(percent)s%%) more than the %(other_name)s"),),
    "slower": (
        _("About %(more_hours)s h slower than the %(other_name)s"),
        _("The %(other_name)s does the same in %(percent)s%% less time"),
    ),
    "oversized": (
        _(
            "%(percent)s%% of its memory stays idle: the job needs %(needed_gib)s of %(usable_gib)s GiB and costs %(more)s more than on the %(other_name)s"
        ),
    ),
    "idle-cost": (_("%(hours)s paid hours (%(percent)s%%) of the %(plan)s plan stay unused"),),
    "offload-slow": (
        _(
            "Offload (%(kind)s) moves data over PCIe at every step: it fits, but runs several times slower than resident"
        ),
        _("Offload (%(offload)s) moves data over PCIe: about %(seconds_per_sample)s s more for each piece"),
        _(
            "Offload (%(offload)s) moves data over PCIe at every step: it fits, but runs several times slower than resident"
        ),
        _("Offload moves data over PCIe at every step: it fits, but runs several times slower than resident"),
    ),
    "sparse-evidence": (
        _("Few measurements near this job: the interval is %(percent)s%% wide"),
        _("Few measurements near this job: take the interval seriously"),
    ),
    "scarce-stock": (_("Few left in stock; an order may not get %(count)s at once"),),
    "less-headroom": (_("%(spare_gib)s GiB spare; the %(other_name)s leaves %(other_spare_gib)s"),),
    "may-take-longer": (_("May take up to %(high_hours)s h instead of %(hours)s"),),
    "estimate-spread": (_("The need may lie anywhere from %(low_gib)s to %(high_gib)s GiB"),),
    "sample-price": (_("Sample prices: not an offer"),),
    "does-not-fit": (_("Does not fit: %(needed_gib)s GiB per card against %(usable_gib)s usable, %(over_gib)s short"),),
    "does-not-run": (_("The job does not run on %(count)s of these cards"),),
    "no-mig": (_("No MIG: the card cannot be split into isolated instances"),),
    "too-many-cards": (_("Machines of %(count)s cards were left out: at most %(allowed)s are allowed"),),
    "other-region": (_("Offered in %(region)s, not in %(asked)s"),),
    "no-price": (_("No price in %(currency)s"),),
    "out-of-stock": (_("None in stock (%(count)s cards, %(region)s)"),),
    "speed-unknown": (_("Nobody has measured or modelled this job's speed on it"),),
    "no-spec": (_("Its data sheet lacks figures without which nothing can be said"),),
    "not-offered": (_("Not for rent here"),),
    "catalogue-empty": (_("The catalogue holds no card to rent: nothing can be recommended"),),
    "no-prices": (_("No card has a price in %(currency)s: the cards are known, what they cost is not"),),
    "nothing-rentable": (_("No offer can take this job; every card says why below"),),
    "nothing-fits": (
        _(
            "No offer holds this job. The nearest, %(count)s × %(gpu_name)s, is %(over_gib)s GiB per card short (needs %(needed_gib)s, has %(usable_gib)s)"
        ),
    ),
    "only-tight": (_("No offer surely holds this job: the %(gpu_name)s may run out of memory. Try ten minutes first"),),
    "deadline-and-budget-unmet": (
        _(
            "%(deadline_hours)s h and %(budget)s cannot both be met. Cheapest that fits: %(cheapest_count)s × %(cheapest_gpu)s, %(cheapest_total)s, about %(cheapest_hours)s h. Fastest: %(fastest_count)s × %(fastest_gpu)s, about %(fastest_hours)s h, %(fastest_total)s"
        ),
    ),
    "deadline-unmet": (
        _(
            "No offer is done within %(deadline_hours)s h. The fastest that fits, %(fastest_count)s × %(fastest_gpu)s, takes about %(fastest_hours)s h for %(fastest_total)s"
        ),
    ),
    "budget-unmet": (
        _(
            "No offer does it for %(budget)s. The cheapest that fits, %(cheapest_count)s × %(cheapest_gpu)s, costs %(cheapest_total)s for about %(cheapest_hours)s h"
        ),
        _(
            "No offer does it for %(budget)s. The cheapest that fits, %(cheapest_count)s × %(cheapest_gpu)s, costs %(cheapest_total)s"
        ),
    ),
    "limits-unmet": (_("No offer keeps every limit. The nearest is %(count)s × %(gpu_name)s"),),
    "quantise-low-bit": (
        _("%(format)s keeps 2 to 3 bits per weight: clearly worse answers; try it on your own questions first"),
    ),
    "quantise-quality": (
        _(
            "%(format)s keeps about 4 bits per weight: most tasks lose little, code and arithmetic more; compare on your own data"
        ),
        _("About %(bits)s bits per weight: most tasks lose little, code and arithmetic more; compare on your own data"),
    ),
    "currency-differs": (_("The budget is in %(budget_currency)s, prices are in %(currency)s: it was not applied"),),
    "schedule-shortened": (_("The schedule is longer than is priced day by day: costs are for its total hours"),),
    "how-much-work": (_("How much work is there? Without it no hours and no total: prices are per hour of use"),),
    "deadline-needs-demand": (_("The deadline needs an amount of work to be checked against"),),
    "budget-needs-demand": (_("The budget needs an amount of work or a schedule to be checked against"),),
    "which-precision": (
        _(
            "Which precision does the code compute in? Mixed precision runs well on GeForce cards, double precision wants an A100-class card"
        ),
    ),
    "one-run": (_("One run without a break"),),
    "paid-by-the-hour": (_("How long it takes is not known: totals are for one hour, or one term of a plan"),),
    "scheduled-use": (
        _("Used %(hours_per_day)s h a day, %(days_per_week)s days a week, for %(weeks)s weeks: %(hours)s h"),
    ),
    "job-in-schedule": (
        _("Runs only in the scheduled hours: %(hours_per_day)s h a day, %(days_per_week)s days a week"),
    ),
    "no-extra-disk": (_("No disk beyond the free one"),),
    "quantise": (
        _(
            "Weights in %(format)s instead of %(from)s. The price is some accuracy: little at 8 bits, more at 4, so compare on your own data"
        ),
        _("QLoRA with a 4-bit base would save %(saves_gib)s GiB; each step about 1.2 to 1.9 times as long"),
    ),
    "quantise-cache": (_("KV cache in %(format)s: half the cache, a slight loss on long contexts"),),
    "cap-context": (_("Cap the context at %(tokens)s tokens instead of %(from)s"),),
    "shorter-context": (_("Sequences of %(tokens)s instead of %(from)s tokens; longer samples are cut or packed"),),
    "fewer-at-once": (_("%(concurrency)s sequences at once instead of %(from)s; others wait"),),
    "batch-more": (
        _("Batch %(batch)s instead of %(from)s: spare memory turns into throughput before a faster card is paid for"),
        _("Batch up to %(batch)s fits here (%(gib_per_item)s GiB each): spare memory turns into speed"),
    ),
    "use-lora": (_("LoRA instead of %(from)s training: the base stays frozen, enough for most fine-tuning"),),
    "use-qlora": (_("QLoRA instead of %(from)s: a 4-bit base; each step about 1.2 to 1.9 times as long as LoRA's"),),
    "checkpoint": (
        _("Gradient checkpointing: activations are computed again instead of kept, about a third more time"),
        _("Without gradient checkpointing %(over_gib)s GiB too much: switch it on, for about a third more time"),
        _("Gradient checkpointing would save %(saves_gib)s GiB, for about a third more time"),
    ),
    "smaller-batch": (_("Batch %(batch)s instead of %(from)s; accumulate gradients where the total must stay"),),
    "optimizer-8bit": (
        _("8-bit optimizer states; next to no loss in practice"),
        _("8-bit optimizer states would save %(saves_gib)s GiB; next to no loss in practice"),
    ),
    "shard": (_("Shard states over the cards (%(sharding)s); every step gathers them over the link"),),
    "chunk-logits": (_("Cross entropy in chunks: the logits of a large vocabulary are never held at once"),),
    "other-framework": (_("%(framework)s instead of %(from)s: the same job, other software"),),
    "offload": (
        _(
            "Offload (%(kind)s): parts wait in host memory and are fetched at every step: %(times)s times as long per piece, not resident"
        ),
        _("Offload (%(kind)s): parts wait in host memory, slower at every step"),
    ),
    "vae-tiling": (_("VAE in tiles: the decode peak shrinks, seams are rarely seen"),),
    "fewer-frames": (_("%(frames)s frames instead of %(from)s; join clips afterwards"),),
    "cache-latents": (_("Encode pictures once and keep the latents: the VAE leaves the card"),),
    "mixed-precision": (_("Mixed precision instead of %(from)s; check that the result stands"),),
    "second-card": (
        _(
            "%(count)s × %(gpu_name)s instead of %(from_count)s: %(ratio)s times the speed for %(cost_percent)s%% more money, so %(worth_percent)s%% of the work per unit of money"
        ),
        _(
            "%(count)s × %(gpu_name)s instead of %(from_count)s: %(ratio)s times the speed for %(cost_percent)s%% more money"
        ),
        _(
            "%(count)s × %(gpu_name)s instead of %(from_count)s: %(ratio)s times the speed for %(saves_percent)s%% less money"
        ),
        _("%(count)s × %(gpu_name)s instead of %(from_count)s: %(ratio)s times the speed for only %(more)s more"),
        _("%(count)s × %(gpu_name)s instead of %(from_count)s: %(ratio)s times the speed, and %(saves)s less"),
        _("%(count)s × %(gpu_name)s instead of %(from_count)s: %(ratio)s times the speed for the same money"),
        _("%(count)s cards together run %(speedup)s times as fast as one on this job"),
    ),
    "second-card-useless": (
        _(
            "%(count)s × %(gpu_name)s instead of %(from_count)s buys no speed (%(ratio)s times) for %(cost_percent)s%% more money"
        ),
        _("%(count)s × %(gpu_name)s instead of %(from_count)s buys no speed (%(ratio)s times)"),
    ),
    "plan-break-even": (
        _(
            "Used without a break, a day card pays from %(day_hours)s h, a week card from %(week_hours)s h, a month card from %(month_hours)s h"
        ),
    ),
    "left-running": (_("Left running idle for %(hours)s hours it wastes %(total)s: let it stop by itself"),),
    "split-prototype": (
        _(
            "Split the work: try the flow on a %(gpu_name)s at %(per_hour)s an hour, compute the final run on the %(other_name)s at %(other_per_hour)s"
        ),
    ),
    "fewer-per-batch": (_("Batch %(batch)s instead of %(from)s: a little slower, less memory"),),
    "then-possible": (_("Then %(count)s × %(gpu_name)s can do it: %(total)s"),),
    "then-cheaper": (_("Then %(count)s × %(gpu_name)s does it for %(total)s, %(saves)s less"),),
    "then-faster": (_("The same card is then %(percent)s%% faster: %(total)s"),),
    "then-other-faster": (_("Then %(count)s × %(gpu_name)s is %(percent)s%% faster: %(total)s"),),
    "then-fits": (_("The same card then fits: %(total)s"),),
    "takes-too-long": (_("Would take about %(hours)s h: longer than anything is rented for"),),
    "no-memory-model": (
        _("How much memory this needs is not known: nobody has published it and no formula covers it"),
    ),
    "no-speed-model": (_("How fast this runs is not known: nobody has published it and no formula covers it"),),
    "software-version-range": (
        _(
            "The same job was measured at %(low)s and at %(high)s %(unit)s: software versions differ (%(low_source)s; %(high_source)s)"
        ),
    ),
    "demand-without-speed": (_("The amount in %(unit)s gives no hours here: the speed is not known"),),
    "demand-unit-unusable": (
        _(
            "An amount in %(unit)s cannot be turned into hours at a speed in %(speed)s: give it in what the speed counts"
        ),
    ),
    "demand-counts-generated": (_("The tokens of the demand are taken as generated ones; prompts come on top"),),
    "no-bf16": (_("No BF16 arithmetic on this card: use FP16"),),
    "no-tf32": (_("No TF32 on this card: it runs as FP32"),),
    "no-mxfp4": (_("No native FP4 on this card: MXFP4 weights save memory but run as 16 bit"),),
    "fp8-not-for-cnn": (_("FP8 does nothing for convolutions: this network trains in FP16 or BF16"),),
    "loader-cores": (_("Feeding the cards takes about %(cores)s CPU cores: with fewer, a faster card only waits"),),
    "host-limited": (_("At batch %(batch)s the host sets the pace, not the card: a dearer card gains little"),),
    "cap-vae-tiling": (_("Decoding in tiles saves %(saves_gib)s GiB: then it fits here"),),
    "cap-batch": (_("Batch %(batch)s instead of %(asked)s would fit here"),),
    "cap-frames": (_("%(frames)s frames instead of %(asked)s would fit here"),),
    "cap-tokens": (_("Up to %(tokens)s residues fit here; %(asked)s were asked for"),),
    "cap-cache-text": (_("Encode the captions once: saves %(saves_gib)s GiB on the card"),),
    "typical-diffusion-model": (
        _(
            "The model is not in the library: a typical shape of this size is taken (%(layers)s layers, width %(hidden)s)"
        ),
        _("The model is not in the library: a typical shape of %(denoiser_b)s billion parameters is taken"),
    ),
    "typical-speech-model": (
        _(
            "The model is not in the library: a typical shape of this size is taken (%(layers)s layers, width %(hidden)s)"
        ),
    ),
    "typical-vision-model": (
        _(
            "The model is not in the library: a typical network of this size is taken (%(family)s, %(gmacs)s GMACs at %(image_size)s pixels)"
        ),
    ),
    "typical-shape": (
        _(
            "Only the size is known: a typical shape is taken (%(layers)s layers, width %(hidden)s, %(kv_heads)s KV heads)"
        ),
    ),
    "shape-from-config": (
        _("Shape read from the config.json: %(layers)s layers, %(parameters_b)s billion parameters"),
        _("Shape read from the config.json"),
    ),
    "config-assumed": (_("The config.json does not say it; taken: %(value)s"),),
    "stack-not-measured": (_("Nothing near was measured with this software: the interval is wide"),),
    "software-open": (_("Name the software: it decides %(metric)s more than the card does, and the interval narrows"),),
    "default": (_("%(label)s: %(value)s, as it was not told"),),
    "assumed": (_("%(label)s: %(value)s, as it was not told"),),
    "engine-implied": (_("The format implies the engine: %(value)s"),),
    "engine-unknown": (_("No engine told; an ordinary one is taken (%(value)s)"),),
    "ask-engine": (
        _("Which engine runs it? On the %(gpu_name)s: %(cases)s per card; speed differs by several times"),
        _("Which engine runs it? %(values)s differ by several times in speed and by half in memory"),
    ),
    "engine-not-measured": (_("No measurement of %(value)s: pooled constants are taken and the interval is wide"),),
    "version-range": (_("Versions of %(engine)s before 4.45 need up to %(more_gib)s GiB more for a prompt this long"),),
    "not-used": (_("%(label)s: told, but it changes nothing for %(application)s"),),
    "model-of-other-task": (_("%(value)s is made for %(home)s, not for this task: the figures say little"),),
    "context-over-model": (_("%(tokens)s tokens are more than the model was made for (%(max_context)s)"),),
    "no-vision-tower": (_("%(model)s takes no pictures: images count as plain tokens"),),
    "engine-preallocates": (
        _("%(engine)s takes %(takes_gib)s GiB at start whatever it needs; this job needs %(needs_gib)s"),
    ),
    "room-for-sequences": (_("Room for about %(sequences)s sequences of %(tokens)s tokens at once"),),
    "context-cap": (
        _(
            "Cap the context at what is used (%(tokens)s tokens): at the model's %(max_context)s the cache alone takes %(cache_gib_at_max)s GiB"
        ),
    ),
    "layer-split-no-speed": (_("Split by layers over %(count)s cards: more memory, no more speed"),),
    "more-cards-buy": (_("%(count)s cards run %(factor)s times as fast as %(fewer)s"),),
    "old-openai-whisper": (
        _("Old releases of openai-whisper took %(gib)s GiB for a large model; current ones about half"),
    ),
    "framework-unknown": (_("No framework told; an ordinary one is taken (%(value)s)"),),
    "ask-framework": (
        _("Which framework trains it? On the %(gpu_name)s: %(cases)s per card"),
        _("Which framework trains it? %(values)s differ by half in memory on the same job"),
    ),
    "reference-model": (_("The reference model is counted: %(copies)s further copies of the weights"),),
    "logits-large": (
        _("The logits of a vocabulary of %(vocab)s take %(gib)s GiB: cross entropy in chunks or fused avoids them"),
    ),
    "ask-sequence": (
        _("How long are the samples? Taken: %(value)s tokens; twice the length is nearly twice the activations"),
    ),
    "fuse-cross-entropy": (_("A fused cross entropy would save %(saves_gib)s GiB: the logits are never held at once"),),
    "gguf-head-only": (
        _(
            "Read from the first %(megabytes)s MB: whether the output table is stored of its own is taken from the family"
        ),
    ),
    "format-from-name": (_("The header's beginning does not say the format; by the file's name: %(value)s"),),
    "adapter-base-unknown": (_("The adapter's base, %(base)s, is not in the library: name the model beside it"),),
    "lookalike": (
        _(
            "Sold beside the %(other_name)s of the same memory: check on the machine that %(cores)s cores are reported, not %(other_cores)s"
        ),
    ),
    "host-needed": (
        _(
            "The machine itself needs %(ram_gib)s GiB of RAM, %(cpu_cores)s CPU cores and %(disk_gb)s GB of disk; it has %(has_ram_gib)s GiB, %(has_cores)s and %(has_disk_gb)s GB"
        ),
    ),
    "states-not-all": (
        _(
            "Tables of states say %(states_gib)s GiB per card on %(count)s; activations, logits, gathered parameters and fragmentation add %(more_gib)s GiB (%(percent)s%%)"
        ),
    ),
    "four-bit-many": (
        _(
            "At %(concurrency)s requests at once %(format)s saves memory, not time: with 128 requests 1,724 tokens/s were measured at 16 bits against 1,146 with AWQ"
        ),
    ),
    "unquantise": (
        _("Weights in %(format)s instead of %(from)s: with this many requests unpacking costs more than reading"),
    ),
    "smaller-images": (
        _("Pictures of %(pixels)s instead of %(from)s pixels; enlarge the result afterwards where it matters"),
    ),
    "stopped-billed": (
        _("Stopping does not end the bill: the card is still paid at %(per_hour)s an hour until it is released"),
    ),
    "stopped-not-kept": (
        _(
            "Stopped, its %(disk_gb)s GB of disk beyond the free ones cost %(price)s a day, and the card is not kept: the same kind may be taken when you start again"
        ),
    ),
    "price-terms-taxed": (
        _(
            "Price of %(count)s × %(gpu_name)s, paid %(plan)s, in %(region)s on %(date)s; %(tax_percent)s%% tax included, disk beyond %(free_disk_gb)s GB not"
        ),
    ),
    "price-terms-plus-tax": (
        _(
            "Price of %(count)s × %(gpu_name)s, paid %(plan)s, in %(region)s on %(date)s; %(tax_percent)s%% tax comes on top and is in the total, disk beyond %(free_disk_gb)s GB is not"
        ),
    ),
    "price-terms": (
        _(
            "Price of %(count)s × %(gpu_name)s, paid %(plan)s, in %(region)s on %(date)s; no tax is stated, disk beyond %(free_disk_gb)s GB is extra"
        ),
    ),
    "how-many-epochs": (
        _(
            "How many samples, of which length, and how many epochs? Hours come from these, not from a progress bar's first line: without them prices are per hour of use"
        ),
    ),
    "only-choice": (_("The only card that does it: %(total)s"),),
    "allow-hours": (_("Would do if %(hours)s h were allowed"),),
    "allow-both": (_("Would do if %(hours)s h and %(total)s were allowed"),),
    "allow-budget": (_("Would do for %(total)s"),),
    "try-tight": (
        _(
            "%(count)s × %(gpu_name)s may hold it for %(total)s, %(saves)s less: %(low_gib)s–%(high_gib)s GiB against %(usable_gib)s usable. Try ten minutes first"
        ),
    ),
}
"""Code -> its sentences, with %(named)s figures."""

PROBLEMS: Mapping[str, Text] = {
    "not-an-object": _("%(path)s must be an object with named fields, not %(got)s."),
    "missing": _("%(path)s is missing: give %(wanted)s."),
    "missing-field": _("%(path)s is missing. Allowed: %(allowed)s."),
    "missing-number": _("%(path)s is missing: give a number."),
    "missing-model": _("%(path)s is missing: name a model, or give its config.json or its number of parameters."),
    "unknown-scenario": _("%(value)s is no scenario. Allowed: %(allowed)s."),
    "unknown-task": _("%(value)s is no task of %(scenario)s. Allowed: %(allowed)s."),
    "unknown-field": _("There is no field %(value)s here. Allowed: %(allowed)s."),
    "unknown-field-near": _("There is no field %(value)s here. Did you mean %(suggestion)s? Allowed: %(allowed)s."),
    "field-of-other-task": _("%(value)s is not a field of %(task)s; it belongs to %(homes)s."),
    "value-of-other-task": _(
        "%(value)s is not meant for %(path)s here; it belongs to %(homes)s. Allowed: %(allowed)s."
    ),
    "unknown-value": _("%(value)s is not allowed for %(path)s. Allowed: %(allowed)s."),
    "unknown-value-near": _(
        "%(value)s is not allowed for %(path)s. Did you mean %(suggestion)s? Allowed: %(allowed)s."
    ),
    "wrong-type": _("%(path)s must be %(wanted)s, not %(got)s."),
    "too-small": _("%(path)s must be at least %(minimum)s; got %(value)s."),
    "too-large": _("%(path)s must be at most %(maximum)s; got %(value)s."),
    "not-finite": _("%(path)s must be an ordinary number, not %(value)s."),
    "unprintable": _("%(path)s holds characters that cannot be printed (such as NUL)."),
    "too-long": _("%(path)s is longer than %(maximum)s characters."),
    "too-many": _("%(path)s has more than %(maximum)s entries."),
    "unknown-model": _("No model %(value)s in the library. Use a name of the library, a config.json or parameters_b."),
    "unknown-model-near": _("No model %(value)s in the library. Nearest: %(suggestion)s."),
    "model-of-other-scenario": _("%(value)s is a model for %(home)s, not for %(scenario)s."),
    "model-for-science": _("A science workload takes an application, not a model."),
    "unknown-gpu": _("No card %(value)s is known. Nearest: %(suggestion)s."),
    "not-a-config": _("This is no Hugging Face config.json of a model: %(reason)s."),
    "config-contradiction": _("The config.json contradicts itself: %(reason)s."),
    "config-too-large": _("A config.json has at most %(maximum)s entries."),
    "file-not-known": _("This is no GGUF file, no config.json and no adapter_config.json."),
    "gguf-cut": _("The first %(bytes)s bytes of this GGUF file do not reach its layers: its header is longer."),
    "gguf-damaged": _("This GGUF file's header is damaged, or of a version that is not known."),
    "not-an-adapter": _("This adapter_config.json is of no LoRA adapter: peft_type LORA and a rank r are wanted."),
}
"""Code -> what is wrong with a workload, worded as `sizing.problems` does."""


def money(amount: str | Decimal, currency: str) -> str:
    """An amount with its sign in the active language; at least two decimals, all that the amount has up to six."""
    value = Decimal(amount)
    digits = max(2, min(6, -int(value.normalize().as_tuple().exponent)))
    if value == value.quantize(Decimal("0.01")):
        digits = 2
    sign = SIGNS.get(currency, f"{currency} ")
    return f"{'-' if value < 0 else ''}{sign}{_grouped(abs(value), digits)}"


def figure(value: float, decimals: int | None = None) -> str:
    """A number in the active language: so many decimals, or as many as three significant digits take."""
    if decimals is None:
        size = abs(value)
        decimals = 0 if size >= 100 or value == int(value) else 1 if size >= 10 else 2 if size >= 1 else 3
    return _grouped(round(value, decimals), decimals)


def _grouped(value: float | Decimal, decimals: int) -> str:
    """A number with grouped thousands and the active language's separators."""
    locale = _locale(get_language())
    if locale in COMMA_AND_POINT:
        return f"{value:,.{decimals}f}"
    pattern = f"#,##0.{'0' * decimals}" if decimals else "#,##0"
    return format_decimal(value, format=pattern, locale=locale)


def hours_text(value: float) -> str:
    """Hours as people say them: <0.01, 0.25, 3.4, 27, 1,200."""
    if 0 < value < 0.01:
        return "<" + figure(0.01, 2)
    return figure(value, 0 if value >= 24 or value == int(value) else 1 if value >= 1 else 2)


@lru_cache(maxsize=32)
def _locale(language: str | None) -> str:
    return {"zh-hans": "zh_Hans", None: "en"}.get(language, (language or "en").replace("-", "_"))


METRICS: Mapping[str, Text] = {"memory": _("memory"), "speed": _("speed")}
"""Names of figures inside a sentence."""
TYPES: Mapping[str, Text] = {
    "null": _("null"),
    "a truth value": _("a truth value"),
    "a number": _("a number"),
    "text": _("text"),
    "a list": _("a list"),
    "an object": _("an object"),
    "true or false": _("true or false"),
    "a whole number": _("a whole number"),
    "a number or [height, width]": _("a number or [height, width]"),
    "a model's name or an object": _("a model's name or an object"),
    "an amount such as 100.50": _("an amount such as 100.50"),
    "the slug of a card kind": _("the slug of a card kind"),
    "an object with named fields": _("an object with named fields"),
    "the pasted message": _("the pasted message"),
}
"""Kinds of JSON values inside a sentence about a wrong one."""


def _shown(key: str, value: Any, values: Mapping[str, Any]) -> str:
    """One figure as text, by the unit in its name."""
    if isinstance(value, bool):
        return gettext("yes") if value else gettext("no")
    if key in MONEY_KEYS and "currency" in values:
        try:
            return money(value, str(values["currency"]))
        except InvalidOperation:
            return str(value)
    if isinstance(value, int | float):
        if key.endswith("gib"):
            return figure(value, 0 if float(value).is_integer() else 1)
        if key.endswith("hours"):
            return hours_text(value)
        if key == "ratio" and isinstance(value, float):
            return figure(value, 2)
        return str(value) if key.endswith(("year", "id")) else figure(value)
    if key in ("plan", "other_plan"):
        return str(WORDS.get(value, value))
    if key == "home":
        return next((f"“{words.label}”" for (_scenario, task), words in TASKS.items() if task == value), str(value))
    if key == "arithmetic":
        return str(ARITHMETIC.get(value, value))
    if key == "metric":
        return str(METRICS.get(value, value))
    if key in ("unit", "speed"):
        return str(UNITS.get(value, value))
    return str(value)


@lru_cache(maxsize=2048)
def _placeholders(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"%\((\w+)\)s", text))


PLURAL_ONE = re.compile(r"(?<![\d.,])1 (card|day|hour|machine|minute|picture|request|token|week)s\b")
"""`1 weeks` in an English sentence whose figures come from anywhere."""


def sentence(code: str, values: Mapping[str, Any]) -> str:
    """The sentence of a code with its figures, in the active language; the code itself where it has none."""
    told = max(
        (str(text) for text in SENTENCES.get(code, ())), key=lambda text: _figures_told(text, values), default=""
    )
    needed = _placeholders(told)
    if not told or not needed <= values.keys():
        return code
    said = told % {key: _shown(key, values[key], values) for key in needed}
    return PLURAL_ONE.sub(r"1 \1", said) if str(get_language()).startswith("en") else said


def _figures_told(text: str, values: Mapping[str, Any]) -> int:
    """How many of the figures a sentence tells; -1 where it asks for one that is not there."""
    needed = _placeholders(text)
    return len(needed) if needed <= values.keys() else -1


def note_sentence(note: Note) -> str:
    """The sentence of a note."""
    return sentence(note.code, _labelled(note.field, note.values))


REASONS: Mapping[str, Text] = {
    "its sizes are beyond any model": _("its sizes are beyond any model"),
    "it has more key-value heads than attention heads": _("it has more key-value heads than attention heads"),
    "give hf_config or parameters_b, not both": _("give hf_config or parameters_b, not both"),
}
"""What the reader of config.json files says, where no name of theirs is in it."""


def reason_words(reason: str) -> str:
    """Why a config.json cannot be used, in the active language."""
    if reason.endswith(" is not a size"):
        return gettext("%(name)s is not a size") % {"name": reason.removesuffix(" is not a size")}
    if reason.endswith(" missing"):
        names = reason.removesuffix(" missing").split(" and ")
        return gettext("%(names)s missing") % {"names": gettext(" and ").join(names)}
    return str(REASONS.get(reason, reason))


def problem_sentence(problem: Problem) -> str:
    """What is wrong, in the active language."""
    text = PROBLEMS.get(problem.code)
    typed = {
        key: str(TYPES.get(str(value), value)) for key, value in problem.values.items() if key in ("got", "wanted")
    }
    if "reason" in problem.values:
        typed["reason"] = reason_words(str(problem.values["reason"]))
    values = {"path": problem.path, **problem.values, **typed}
    return str(text) % values if text is not None else problem.sentence


def _told(note: Mapping[str, Any]) -> dict[str, Any]:
    return {**note, "text": sentence(note["code"], _labelled(note.get("field"), note["values"]))}


def _labelled(field: str | None, values: Mapping[str, Any]) -> Mapping[str, Any]:
    """The figures with the label of the field they are about, and answers to it in the reader's words."""
    if field is None:
        return values
    words = {key: word for key, value in values.items() if (word := _answer_word(field, key, value))}
    return {**values, **words, "label": FIELDS[field].label if field in FIELDS else field}


ANSWER_KEYS = frozenset({"value", "from", "format", "kind"})
"""Values of a note that are answers to its field; others are answers where they bear a field's name."""


def _answer_word(field: str, key: str, value: object) -> str:
    """An answer as the forms call it; empty where it is none, or its own name."""
    if isinstance(value, bool):
        return (gettext("in use") if value else gettext("not in use")) if key == "value" else ""
    words = CHOICES.get((field if key in ANSWER_KEYS else key, str(value)))
    if words is None:
        return ""
    label = str(words.label)
    return label if key == "value" else _inside(label)


def _inside(label: str) -> str:
    """A label inside an English sentence: a common word begins small, a name or an abbreviation keeps its letters."""
    first = re.split(r"[ ,]", label, maxsplit=1)[0]
    return label[0].lower() + label[1:] if first.isascii() and first[1:].islower() else label


def _all_told(notes: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [_told(note) for note in notes]


def estimate_in_words(estimate: Mapping[str, Any]) -> dict[str, Any]:
    """An estimate's JSON with a `text` beside every code, in the active language."""
    told = {name: _all_told(estimate[name]) for name in ("assumptions", "warnings")}
    return {**estimate, **told}


def _choice_in_words(choice: Mapping[str, Any]) -> dict[str, Any]:
    remedy = choice["remedy"]
    told = {"reasons": _all_told(choice["reasons"]), "remedy": _told(remedy) if remedy else None}
    return {**estimate_in_words(choice), **told}


def _rejection_in_words(rejection: Mapping[str, Any]) -> dict[str, Any]:
    estimate, remedy = rejection["estimate"], rejection["remedy"]
    return {
        **rejection,
        "reason": _told(rejection["reason"]),
        "reasons": _all_told(rejection["reasons"]),
        "remedy": _told(remedy) if remedy else None,
        "estimate": estimate_in_words(estimate) if estimate else None,
    }


def _advice_in_words(advice: Mapping[str, Any]) -> dict[str, Any]:
    outcome = advice["outcome"]
    return {**_told(advice), "outcome": _told(outcome) if outcome else None}


def recommendation_in_words(recommendation: Mapping[str, Any]) -> dict[str, Any]:
    """A recommendation's JSON with a `text` beside every code, in the active language."""
    told: dict[str, Any] = {name: _all_told(recommendation[name]) for name in ("warnings", "questions", "assumptions")}
    told["advice"] = [_advice_in_words(advice) for advice in recommendation["advice"]]
    told["choices"] = [_choice_in_words(choice) for choice in recommendation["choices"]]
    told["rejected"] = [_rejection_in_words(rejection) for rejection in recommendation["rejected"]]
    return {**recommendation, **told}
