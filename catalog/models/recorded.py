"""Every write to a catalogue row, however it is made, ends in one new catalogue version with its changes: no signals.

`Model.save` and `delete` and the QuerySet's `update`, `bulk_create`, `bulk_update` and `delete` all write through here. A write that
changes nothing leaves no version. Inside `with recorded(by=..., why=...)` all writes of the block make one version together; outside
of one, each write is its own. Only raw SQL and `_raw_delete` go past it.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any, Self

from django.contrib.auth.models import AbstractBaseUser
from django.db import NotSupportedError, connections, models, router, transaction
from django.db.backends.postgresql.psycopg_any import Range

from catalog.models.catalogue_version import CatalogueChange, CatalogueVersion

VERSION_LOCK = 0x6361726477697365
"""Key of the PostgreSQL advisory lock that lets one transaction at a time take the next version number ("cardwise")."""

type Values = dict[str, Any]


@dataclass(slots=True)
class Recording:
    """What one block of writes has changed so far; `version` is set when the block ends, None if nothing changed."""

    by: AbstractBaseUser | None
    why: str
    changes: list[CatalogueChange] = field(default_factory=list)
    version: CatalogueVersion | None = None

    def add(self, row: "RecordedModel", action: CatalogueChange.Action, before: Values, after: Values) -> None:
        """Note one row. Of a changed row only the fields that differ are kept."""
        if action == CatalogueChange.Action.CHANGED:
            names = [name for name in after if before.get(name) != after[name]]
            before, after = {n: before.get(n) for n in names}, {n: after[n] for n in names}
        self.changes.append(
            CatalogueChange(
                model=row._meta.model_name or "",
                row_id=row.pk,
                label=str(row)[:200],
                action=action,
                before={name: _plain(value) for name, value in before.items()},
                after={name: _plain(value) for name, value in after.items()},
            )
        )

    def close(self) -> None:
        """Write the version. The lock is held to the end of the transaction, so numbers grow in the order of commit."""
        if not self.changes:
            return
        using = router.db_for_write(CatalogueVersion)
        with connections[using].cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [VERSION_LOCK])
        newest: int = CatalogueVersion.objects.aggregate(newest=models.Max("number"))["newest"] or 0
        by: Any = self.by if self.by is not None and self.by.pk is not None else None
        self.version = CatalogueVersion.objects.create(number=newest + 1, by=by, why=self.why[:300])
        for change in self.changes:
            change.version = self.version
        CatalogueChange.objects.bulk_create(self.changes, batch_size=500)


_open: ContextVar[Recording | None] = ContextVar("catalogue_recording", default=None)


@contextmanager
def recorded(*, by: AbstractBaseUser | None, why: str) -> Iterator[Recording]:
    """One transaction and at most one catalogue version for every catalogue write inside. Nests: the outermost one counts."""
    outer = _open.get()
    if outer is not None:
        mark = len(outer.changes)
        try:
            with transaction.atomic():
                yield outer
        except BaseException:
            del outer.changes[mark:]
            raise
        return
    with transaction.atomic():
        recording = Recording(by=by, why=why)
        token = _open.set(recording)
        try:
            yield recording
        finally:
            _open.reset(token)
        recording.close()


def _plain(value: Any) -> Any:
    """A field's value as JSON can keep it: decimals and times as text, never a float."""
    if isinstance(value, Decimal):
        return f"{value.normalize():f}"
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, Range):
        return [_plain(value.lower), _plain(value.upper)]
    return value


class RecordedQuerySet[M: "RecordedModel"](models.QuerySet[M]):
    """A QuerySet whose bulk writes are recorded like single ones."""

    def update(self, **kwargs: Any) -> int:
        """As Django's; rows whose values really changed are recorded."""
        with recorded(by=None, why=f"{self.model._meta.model_name} rows updated") as recording:
            rows = list(self.all().order_by().select_for_update(of=("self",)))
            if not rows:
                return 0
            before = {row.pk: row.record_values() for row in rows}
            count = super().update(**kwargs)
            for row in self.model._base_manager.filter(pk__in=before):
                after = row.record_values()
                if after != before[row.pk]:
                    recording.add(row, CatalogueChange.Action.CHANGED, before[row.pk], after)
            return count

    update.alters_data = True  # type: ignore[attr-defined]

    def bulk_create(self, objs: Any, *args: Any, **kwargs: Any) -> list[M]:
        """As Django's, without `update_conflicts`: it would hide what was there before."""
        if kwargs.get("update_conflicts"):
            raise NotSupportedError("Catalogue rows are changed by save or update, so that the change can be recorded")
        with recorded(by=None, why=f"{self.model._meta.model_name} rows created") as recording:
            rows = super().bulk_create(objs, *args, **kwargs)
            for row in rows:
                if row.pk is not None:
                    recording.add(row, CatalogueChange.Action.CREATED, {}, row.record_values())
            return rows

    bulk_create.alters_data = True  # type: ignore[attr-defined]

    def delete(self) -> tuple[int, dict[str, int]]:
        """As Django's; what is gone is recorded."""
        with recorded(by=None, why=f"{self.model._meta.model_name} rows deleted") as recording:
            rows = list(self.all())
            known = [(row, row.record_values()) for row in rows]
            keys = [row.pk for row in rows]
            done = super().delete()
            for (row, before), key in zip(known, keys, strict=True):
                row.pk = key
                recording.add(row, CatalogueChange.Action.DELETED, before, {})
            return done

    delete.alters_data = True  # type: ignore[attr-defined]
    delete.queryset_only = True  # type: ignore[attr-defined]


class RecordedModel(models.Model):
    """A row of the catalogue: saving it changes the catalogue's version, unless nothing in it changed."""

    class Meta:
        abstract = True

    def save(self, *args: Any, **kwargs: Any) -> None:
        with recorded(by=None, why=f"{self._meta.model_name} saved") as recording:
            stored = self._stored()
            if stored is None:
                super().save(*args, **kwargs)
                recording.add(self, CatalogueChange.Action.CREATED, {}, self.record_values())
                return
            before, after = stored.record_values(), self.record_values()
            if before == after:
                return
            super().save(*args, **kwargs)
            recording.add(self, CatalogueChange.Action.CHANGED, before, after)

    def delete(self, *args: Any, **kwargs: Any) -> tuple[int, dict[str, int]]:
        with recorded(by=None, why=f"{self._meta.model_name} deleted") as recording:
            before, key = self.record_values(), self.pk
            done = super().delete(*args, **kwargs)
            self.pk = key
            recording.add(self, CatalogueChange.Action.DELETED, before, {})
            self.pk = None
            return done

    def record_values(self) -> Values:
        """Every column with its value as the field understands it: `"1.320"` and `Decimal("1.32")` are the same price."""
        return {
            column.attname: column.to_python(getattr(self, column.attname))
            for column in self._meta.concrete_fields
            if not column.primary_key
        }

    def _stored(self) -> Self | None:
        if self._state.adding or self.pk is None:
            return None
        return type(self)._base_manager.select_for_update(of=("self",)).filter(pk=self.pk).first()
