"""A model's file sent by a browser or a partner: what it says of a workload. Never more of it is kept than its first bytes."""

from collections.abc import Mapping
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile, UploadedFile
from django.core.files.uploadhandler import FileUploadHandler
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_POST
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.parsers import BaseParser
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from advisor import api_schema
from advisor.answers import ConfigTextError
from advisor.forms.problems import config_text
from advisor.library import models
from advisor.model_files import HEAD_BYTES, ModelPart, read_model
from advisor.pages.home import address_of_part
from advisor.sentences import note_sentence, problem_sentence
from advisor.serializers import Problems, problems_of
from advisor.sizing.estimate import note_dict
from advisor.sizing.problems import WorkloadError
from advisor.views.home import door
from billing.parsers import LimitedJSONParser

LARGEST_UPLOAD_BYTES = 256_000_000
"""A longer upload is not read at all: without script a browser sends a file whole, and 40 GB of it would only be thrown away."""


class HeadUpload(FileUploadHandler):
    """Keeps the first `HEAD_BYTES` of each file in memory and lets the rest pass by unkept."""

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        """Begins with nothing kept."""
        super().new_file(*args, **kwargs)
        self.kept = bytearray()

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        """Keeps what is still wanted and passes nothing on."""
        self.kept += raw_data[: max(0, HEAD_BYTES - start)]

    def file_complete(self, file_size: int) -> SimpleUploadedFile:
        """The head as a file of its own."""
        return SimpleUploadedFile(self.file_name or "", bytes(self.kept))


@csrf_exempt  # the handler must be set before anything reads the body; the view inside checks the token
@require_POST
def read_file(request: HttpRequest) -> HttpResponse:
    """`POST read-model/`: leads on with the model filled in; what cannot be read is told at the field."""
    length = request.headers.get("Content-Length", "")
    if length.isdecimal() and int(length) > LARGEST_UPLOAD_BYTES:
        return door(
            request,
            file_error=_("This file is too long to be sent whole. Send its first 2 MB, or use the command line."),
        )
    request.upload_handlers = [HeadUpload(request)]
    return _read_file(request)


@csrf_protect
def _read_file(request: HttpRequest) -> HttpResponse:
    file = request.FILES.get("file")
    if not isinstance(file, UploadedFile) or not file.size:
        return door(request, file_error=_("Choose a GGUF file, a config.json or an adapter_config.json first."))
    try:
        return HttpResponseRedirect(address_of_part(read_model(file.read(), models(), file.name or "")))
    except WorkloadError as error:
        return door(request, file_error=" ".join(problem_sentence(one) for one in error.problems))
    except ConfigTextError as problem:
        return door(request, file_error=config_text(problem.code))


class HeadParser(BaseParser):
    """The first bytes of a file as they are."""

    media_type = "application/octet-stream"

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Mapping[str, Any] | None = None) -> Any:
        """At most `HEAD_BYTES`; whatever follows is not read."""
        return bytes(stream.read(HEAD_BYTES))


class ModelReading(APIView):
    """What a model's file says of a workload."""

    permission_classes = [AllowAny]
    parser_classes = [HeadParser, LimitedJSONParser]

    @extend_schema(
        operation_id="read_model",
        summary=gettext_lazy("Read a model's file"),
        description=api_schema.MODEL_FILE_TOLD,
        parameters=[
            OpenApiParameter(
                "name",
                str,
                description=gettext_lazy(
                    "The file's name: it may tell the weight format the header's beginning does not."
                ),
            )
        ],
        request={
            "application/octet-stream": {"type": "string", "format": "binary"},
            "application/json": {"type": "object"},
        },
        responses={(200, "application/json"): api_schema.MODEL_READING},
        auth=[],
    )
    def post(self, request: Request) -> Response:
        """Bytes or a JSON object."""
        body: object = request.data
        if not isinstance(body, bytes | Mapping):
            raise Problems(
                [{"path": "file", "code": "file-not-known", "message": _("Send a model's file or its JSON object.")}]
            )
        try:
            part = read_model(body, models(), request.query_params.get("name", "")[:300])
        except WorkloadError as error:
            raise Problems(problems_of(error)) from error
        return Response(part_dict(part))


def part_dict(part: ModelPart) -> dict[str, Any]:
    """A model part as JSON, its assumptions in words."""
    told = [{**note_dict(note), "text": note_sentence(note)} for note in part.assumptions]
    return {"kind": part.kind, "fields": dict(part.fields), "assumptions": told}
