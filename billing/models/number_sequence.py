"""Quotation numbers without gaps: one row per year, locked while a quotation is written."""

from django.db import models


class NumberSequenceManager(models.Manager["NumberSequence"]):
    def next(self, year: int) -> int:
        """The next number of the year. Only inside a transaction: a rollback gives it back, a commit keeps it.

        The row lock lasts to the end of that transaction, so parallel writers queue here and get consecutive numbers.
        """
        self.get_or_create(year=year)
        row = self.select_for_update().get(year=year)
        row.last += 1
        row.save(update_fields=["last"])
        return row.last


class NumberSequence(models.Model):
    """The last number given out in a year (of the seller's zone)."""

    year = models.PositiveSmallIntegerField(primary_key=True)
    last = models.PositiveIntegerField(default=0)

    objects = NumberSequenceManager()

    def __str__(self) -> str:
        return f"{self.year}: {self.last}"
