"""Writes over several catalogue rows: keyword-only, `by=` who does it, one transaction, one catalogue version."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.db.backends.postgresql.psycopg_any import DateTimeTZRange

from catalog.example import EXAMPLE_SINCE, ExampleTerms, example_catalogue, example_terms, spec_rows
from catalog.importing.preview import Preview
from catalog.models import Gpu, Image, Plan, Price, Region, Sku, SkuImage, recorded
from catalog.plan_rules import MEANS
from catalog.snapshot import Offer
from catalog.specs import SPECS, spec_value


@dataclass(frozen=True, slots=True)
class Written:
    """What a write did: how many rows it created, changed or deleted, and the version it made (None: nothing changed)."""

    rows: int
    version: int | None


def load_spec_sheets(*, by: AbstractBaseUser | None, overwrite: bool = False) -> Written:
    """Bring the spec sheets of `data/gpu_specs.csv` into the catalogue: cards it lacks, with `overwrite` also changed figures."""
    with recorded(by=by, why="Spec sheets loaded from gpu_specs.csv") as recording:
        known = {gpu.slug: gpu for gpu in Gpu.objects.all()}
        Gpu.objects.bulk_create(Gpu(**_gpu_fields(row)) for slug, row in spec_rows().items() if slug not in known)
        for slug in known.keys() & spec_rows().keys() if overwrite else ():
            for name, value in _gpu_fields(spec_rows()[slug]).items():
                setattr(known[slug], name, value)
            known[slug].save()
    return Written(len(recording.changes), recording.version.number if recording.version else None)


def load_example_catalogue(*, by: AbstractBaseUser | None) -> Written:
    """Bring the example catalogue (sample prices, machines, plans, regions, images) in. Loading it again changes nothing, and what was
    edited since is kept: only rows that are missing are made.
    """
    terms = example_terms()
    with recorded(by=by, why="Example catalogue loaded (sample data)") as recording:
        load_spec_sheets(by=by)
        regions = {
            region["code"]: Region.objects.get_or_create(code=region["code"], defaults=region)[0]
            for region in terms.regions
        }
        images = {
            image["code"]: Image.objects.get_or_create(code=image["code"], defaults=_image(image))[0]
            for image in terms.images
        }
        plans = _example_plans(terms)
        gpus = {gpu.slug: gpu for gpu in Gpu.objects.all()}
        known = {sku.code: sku for sku in Sku.objects.all()}
        offers = {offer.sku: offer for offer in example_catalogue().offers}
        made = [
            _sku(offer, gpus[offer.gpu], regions[offer.region]) for code, offer in offers.items() if code not in known
        ]
        Sku.objects.bulk_create(made)
        SkuImage.objects.bulk_create(
            SkuImage(sku=sku, image=images[code]) for sku in made for code in offers[sku.code].images
        )
        skus = {sku.code: sku for sku in [*known.values(), *made]}
        priced = set(Price.objects.values_list("sku_id", "plan_id"))
        prices = [
            _price(skus[code], plans[str(plan["kind"])], plan)
            for code, offer in offers.items()
            for plan in offer.plans
            if (skus[code].pk, plans[str(plan["kind"])].pk) not in priced
        ]
        for price in prices:
            price.clean()
        Price.objects.bulk_create(prices)
    return Written(len(recording.changes), recording.version.number if recording.version else None)


def price_set(
    *,
    by: AbstractBaseUser | None,
    sku: Sku,
    plan: Plan,
    unit_price: Decimal,
    valid_from: datetime,
    is_sample: bool = False,
) -> Price:
    """Let a new price hold from `valid_from` until further notice; the one that holds then ends at that moment.

    The same price again changes nothing. Raises ValidationError where the new price breaks a rule, and where another price already
    begins later: a price list is not changed behind its own back.
    """
    with recorded(by=by, why=f"Price of {sku.code} under {plan.name} set"):
        running = (
            Price.objects.select_for_update(of=("self",))
            .filter(sku=sku, plan=plan, currency=plan.currency, valid_during__contains=valid_from)
            .first()
        )
        if running is not None and running.unit_price == unit_price and running.is_sample == is_sample:
            return running
        until = None
        if running is not None:
            until = running.valid_during.upper
            if running.valid_during.lower == valid_from:
                running.unit_price, running.is_sample = unit_price, is_sample
                running.full_clean()
                running.save()
                return running
            running.valid_during = DateTimeTZRange(running.valid_during.lower, valid_from)
            running.save()
        price = Price(
            sku=sku,
            plan=plan,
            currency=plan.currency,
            unit_price=unit_price,
            valid_during=DateTimeTZRange(valid_from, until),
            is_sample=is_sample,
        )
        price.full_clean()
        price.save()
        return price


def import_prices(
    *,
    by: AbstractBaseUser | None,
    preview: Preview,
    valid_from: datetime,
    accept_flagged: bool = False,
    is_sample: bool = False,
) -> Written:
    """Write what a preview proposes: its changes, with `accept_flagged` also the rows in doubt. Doing it again changes nothing.

    Raises ValueError while the preview has open questions, ValidationError where a price breaks a rule: then nothing is written.
    """
    if preview.questions:
        raise ValueError("A price list with open questions cannot be applied")
    wanted = [*preview.changes, *(preview.flagged if accept_flagged else ())]
    with recorded(by=by, why=f"Price list imported: {len(wanted)} prices") as recording:
        skus = Sku.objects.in_bulk([proposal.sku for proposal in wanted], field_name="code")
        plans = {
            (plan.name, plan.currency): plan
            for plan in Plan.objects.visible().filter(valid_from__lte=valid_from).order_by("valid_from")
        }
        for proposal in wanted:
            price_set(
                by=by,
                sku=skus[proposal.sku],
                plan=plans[proposal.plan.name, proposal.plan.currency],
                unit_price=proposal.unit_price,
                valid_from=valid_from,
                is_sample=is_sample,
            )
    return Written(len(recording.changes), recording.version.number if recording.version else None)


def _gpu_fields(row: Mapping[str, str]) -> dict[str, Any]:
    return {
        "slug": row["slug"],
        "name": row["name"],
        **{spec.name: spec_value(spec, row[spec.name]) for spec in SPECS},
        "modified_card": row["modified_card"] == "yes",
        **{name: row[name] for name in ("sources", "derived_cells", "notes")},
    }


def _image(image: Mapping[str, str]) -> dict[str, Any]:
    return {name: Decimal(value) if name.endswith("_capability") else value for name, value in image.items()}


def _example_plans(terms: ExampleTerms) -> dict[str, Plan]:
    """Pay-as-you-go plans first: the others name them."""
    found: dict[str, Plan] = {}
    by_name: dict[str, Plan] = {}
    for kind, rules in sorted(terms.plans.items(), key=lambda item: bool(item[1].get("on_demand_plan"))):
        values = {name: value for name, value in rules.items() if name not in {"name", "term", "on_demand_plan"}}
        if term := rules.get("term"):
            values |= {"term_unit": term["unit"], "term_count": term["count"]}
            assert rules.get(MEANS[term["unit"]])
        if after := rules.get("on_demand_plan"):
            values["on_demand_plan"] = by_name[after]
        plan, made = Plan.objects.get_or_create(
            name=rules["name"],
            currency=terms.currency,
            valid_from=EXAMPLE_SINCE,
            defaults={**values, "is_sample": True},
        )
        if made:
            plan.clean()
        found[kind] = by_name[plan.name] = plan
    return found


def _sku(offer: Offer, gpu: Gpu, region: Region) -> Sku:
    sku = Sku(
        code=offer.sku,
        gpu=gpu,
        count=offer.count,
        nodes=offer.nodes,
        link=offer.link,
        nvlink_group=offer.nvlink_group,
        network_gbit_s=offer.network_gbit_s,
        region=region,
        stock=offer.stock,
        cpu_cores=offer.cpu_cores,
        ram_gib=offer.ram_gib,
        disk_gb=offer.disk_gb,
        is_sample=offer.is_sample,
    )
    sku.clean()
    return sku


def _price(sku: Sku, plan: Plan, said: Mapping[str, object]) -> Price:
    return Price(
        sku=sku,
        plan=plan,
        currency=plan.currency,
        unit_price=Decimal(str(said["unit_price"])),
        valid_during=DateTimeTZRange(EXAMPLE_SINCE, None),
        is_sample=True,
    )
