"""What the log says of requests that are the sender's fault."""

import logging

from django.core.exceptions import RequestDataTooBig, SuspiciousOperation
from django.http import UnreadablePostError
from django.http.multipartparser import MultiPartParserError

SENDERS_FAULTS = (SuspiciousOperation, RequestDataTooBig, MultiPartParserError, UnreadablePostError)


class DamagedRequests(logging.Filter):
    """A damaged or oversized request is one line, a warning: anybody can send thousands, and a traceback tells nothing more."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Lets every record through, such a one without its traceback."""
        if record.exc_info and isinstance(record.exc_info[1], SENDERS_FAULTS):
            record.exc_info = record.exc_text = None
            record.levelno, record.levelname = logging.WARNING, "WARNING"
        return True
