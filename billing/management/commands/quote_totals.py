"""`manage.py quote_totals --jsonl`: lines of a quotation's figures in, `{"id", "totals"}` or `{"id", "error"}` out."""

from billing.costing.quote_totals import quote_totals_line
from billing.management.lines import LinesCommand


class Command(LinesCommand):
    """Counts totals of quotations line by line, without database or server."""

    help = (
        "Totals of quotations: lines {id, currency, rounding, tax_percent, lines} in, {id, totals} or {id, error} out."
    )
    answer = staticmethod(quote_totals_line)
