"""What is wrong with a body, as an API error: the one handler turns `.problems` into problem+json."""

from collections.abc import Sequence
from typing import Any

from django.utils.translation import gettext_lazy as _
from rest_framework import status
from rest_framework.exceptions import APIException


class Problems(APIException):
    """A body that was read but cannot be answered. `problems`: {path, code, message, allowed?, suggestion?} each."""

    status_code = status.HTTP_422_UNPROCESSABLE_ENTITY
    default_detail = _("The request cannot be answered as it is.")
    default_code = "invalid"

    def __init__(self, problems: Sequence[dict[str, Any]]) -> None:
        super().__init__(" ".join(str(problem["message"]) for problem in problems))
        self.problems = list(problems)

    @property
    def body(self) -> dict[str, Any]:
        """The problem as it stands in a list of answers: in the form the answer to one question has."""
        return {
            "type": "about:blank",
            "title": str(self.default_detail),
            "status": self.status_code,
            "detail": str(self.detail),
            "errors": self.problems,
        }
