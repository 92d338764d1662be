"""`manage.py compare_plans --jsonl`: lines `{"id", "plans", "usage"}` in, `{"id", "comparison"}` or `{"id", "error"}` out."""

from billing.costing.compare import compare_line
from billing.management.lines import LinesCommand


class Command(LinesCommand):
    """Compares rental plans line by line, without database or server."""

    help = "Compare rental plans for a usage: lines {id, plans, usage} in, {id, comparison} or {id, error} out."
    answer = staticmethod(compare_line)
