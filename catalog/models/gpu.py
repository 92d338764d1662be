"""A card kind with its spec sheet."""

from decimal import Decimal
from typing import Any

from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from catalog.models.recorded import RecordedModel, RecordedQuerySet
from catalog.specs import SPEC, SPECS, derivations_by_column, sources_by_column, spec_text


class GpuQuerySet(RecordedQuerySet["Gpu"]):
    """Words about cards."""

    def visible(self) -> "GpuQuerySet":
        """Cards with a public page."""
        return self.filter(is_visible=True)

    def by_memory(self) -> "GpuQuerySet":
        """Smallest memory first, then by name."""
        return self.order_by("vram_gb", "name")


class Gpu(RecordedModel):
    """One card kind. Rates are dense peaks, memory in GB as on the card's name, bandwidths in GB/s (1e9 bytes).

    Each figure's unit stands in its name, its source in `sources`, how it was derived in `derived_cells`; empty means not known.
    """

    slug = models.SlugField(_("slug"), max_length=40, unique=True)
    name = models.CharField(_("name"), max_length=60)
    architecture = models.CharField(SPEC["architecture"].label, max_length=40, blank=True)
    chip = models.CharField(SPEC["chip"].label, max_length=20, blank=True)
    launch_year = models.PositiveIntegerField(SPEC["launch_year"].label, null=True, blank=True)
    compute_capability = models.DecimalField(SPEC["compute_capability"].label, max_digits=4, decimal_places=1)
    vram_gb = models.DecimalField(SPEC["vram_gb"].label, max_digits=12, decimal_places=4)
    memory_type = models.CharField(SPEC["memory_type"].label, max_length=20, blank=True)
    memory_bus_bits = models.PositiveIntegerField(SPEC["memory_bus_bits"].label, null=True, blank=True)
    memory_bandwidth_gb_s = models.DecimalField(SPEC["memory_bandwidth_gb_s"].label, max_digits=12, decimal_places=4)
    fp16_tensor_dense_fp32acc_tflops = models.DecimalField(
        SPEC["fp16_tensor_dense_fp32acc_tflops"].label, max_digits=12, decimal_places=4, null=True, blank=True
    )
    fp16_tensor_dense_fp16acc_tflops = models.DecimalField(
        SPEC["fp16_tensor_dense_fp16acc_tflops"].label, max_digits=12, decimal_places=4, null=True, blank=True
    )
    bf16_tensor_dense_tflops = models.DecimalField(
        SPEC["bf16_tensor_dense_tflops"].label, max_digits=12, decimal_places=4, null=True, blank=True
    )
    tf32_tensor_dense_tflops = models.DecimalField(
        SPEC["tf32_tensor_dense_tflops"].label, max_digits=12, decimal_places=4, null=True, blank=True
    )
    fp8_tensor_dense_tflops = models.DecimalField(
        SPEC["fp8_tensor_dense_tflops"].label, max_digits=12, decimal_places=4, null=True, blank=True
    )
    fp8_tensor_dense_fp16acc_tflops = models.DecimalField(
        SPEC["fp8_tensor_dense_fp16acc_tflops"].label, max_digits=12, decimal_places=4, null=True, blank=True
    )
    int8_tensor_dense_tops = models.DecimalField(
        SPEC["int8_tensor_dense_tops"].label, max_digits=12, decimal_places=4, null=True, blank=True
    )
    fp32_tflops = models.DecimalField(SPEC["fp32_tflops"].label, max_digits=12, decimal_places=4, null=True, blank=True)
    fp64_tflops = models.DecimalField(SPEC["fp64_tflops"].label, max_digits=12, decimal_places=4, null=True, blank=True)
    fp64_tensor_tflops = models.DecimalField(
        SPEC["fp64_tensor_tflops"].label, max_digits=12, decimal_places=4, null=True, blank=True
    )
    cuda_cores = models.PositiveIntegerField(SPEC["cuda_cores"].label)
    tensor_cores = models.PositiveIntegerField(SPEC["tensor_cores"].label, null=True, blank=True)
    sm_count = models.PositiveIntegerField(SPEC["sm_count"].label, null=True, blank=True)
    boost_clock_mhz = models.DecimalField(
        SPEC["boost_clock_mhz"].label, max_digits=12, decimal_places=4, null=True, blank=True
    )
    nvlink_gb_s = models.DecimalField(SPEC["nvlink_gb_s"].label, max_digits=12, decimal_places=4, null=True, blank=True)
    pcie_gen = models.DecimalField(SPEC["pcie_gen"].label, max_digits=4, decimal_places=1, null=True, blank=True)
    pcie_p2p_supported = models.CharField(SPEC["pcie_p2p_supported"].label, max_length=120, blank=True)
    ecc = models.CharField(SPEC["ecc"].label, max_length=60, blank=True)
    mig_instances = models.PositiveIntegerField(SPEC["mig_instances"].label, null=True, blank=True)
    nvenc = models.PositiveIntegerField(SPEC["nvenc"].label, null=True, blank=True)
    tdp_w = models.PositiveIntegerField(SPEC["tdp_w"].label, null=True, blank=True)
    unsupported_formats = models.CharField(SPEC["unsupported_formats"].label, max_length=120, blank=True)
    modified_card = models.BooleanField(
        _("modified card"),
        default=False,
        help_text=_("Rebuilt by a third party with more memory: no official specification exists."),
    )
    sources = models.TextField(_("sources"), blank=True, help_text=_("source -> column, column || source -> column"))
    derived_cells = models.TextField(
        _("derived figures"), blank=True, help_text=_("column = how it was computed ; column = ...")
    )
    notes = models.TextField(_("notes"), blank=True)
    is_visible = models.BooleanField(_("has a page"), default=True)

    objects = GpuQuerySet.as_manager()

    class Meta:
        ordering = ["vram_gb", "name"]
        verbose_name = _("card")
        verbose_name_plural = pgettext_lazy("catalogue", "cards")
        constraints = [
            models.CheckConstraint(condition=Q(vram_gb__gt=0), name="gpu_has_memory"),
            models.CheckConstraint(condition=Q(memory_bandwidth_gb_s__gt=0), name="gpu_has_bandwidth"),
            models.CheckConstraint(condition=Q(cuda_cores__gt=0), name="gpu_has_cores"),
        ]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("catalog:card", args=[self.slug])

    def spec_row(self) -> dict[str, str]:
        """The card as a row of `gpu_specs.csv` in its normal form (`catalog.specs.normal_row`): texts, "" for not known."""
        return spec_row_of({name: getattr(self, name) for name in SPEC_COLUMNS})

    def source_of(self, column: str) -> list[str]:
        """Where a figure comes from."""
        return sources_by_column(self.sources).get(column, [])

    def derivation_of(self, column: str) -> str:
        """How a figure was computed, "" if it was taken as it is."""
        return derivations_by_column(self.derived_cells).get(column, "")


SPEC_COLUMNS = ("slug", "name", *(spec.name for spec in SPECS), "modified_card", "sources", "derived_cells", "notes")
"""The columns a spec row is made of, for `values(*SPEC_COLUMNS)`."""


def spec_row_of(values: dict[str, Any]) -> dict[str, str]:
    """Stored values as a row of `gpu_specs.csv`."""
    written: dict[str, str] = {"slug": values["slug"], "name": values["name"]}
    for spec in SPECS:
        value: str | int | Decimal | None = values[spec.name]
        written[spec.name] = spec_text(spec, value)
    written["modified_card"] = "yes" if values["modified_card"] else "no"
    return written | {name: values[name] for name in ("sources", "derived_cells", "notes")}
