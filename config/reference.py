"""The API reference as plain rows: what each call takes and answers, read from the schema that `/api/v1/schema` serves."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.text import format_lazy
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

type Schema = Mapping[str, Any]

KINDS = {
    "string": gettext_lazy("text"),
    "integer": gettext_lazy("whole number"),
    "number": gettext_lazy("number"),
    "boolean": gettext_lazy("true or false"),
    "object": gettext_lazy("object"),
}
FORMATS = {
    "decimal": gettext_lazy("decimal as text"),
    "date-time": gettext_lazy("moment (RFC 3339)"),
    "date": gettext_lazy("date"),
    "binary": gettext_lazy("bytes"),
}


@dataclass(frozen=True, slots=True)
class Field:
    """One field. `path` as in the errors: `usage.hours`, `plans[].name`."""

    path: str
    kind: str
    allowed: str
    required: bool
    told: SafeString


@dataclass(frozen=True, slots=True)
class Part:
    """Fields that go together; `title` where there are several such parts, one for each kind of object."""

    title: str
    fields: tuple[Field, ...]


@dataclass(frozen=True, slots=True)
class Operation:
    """One call with everything a partner needs to write it."""

    anchor: str
    method: str
    path: str
    summary: str
    description: SafeString
    parameters: tuple[Field, ...]
    body: tuple[Part, ...]
    example: str
    answer: tuple[Part, ...]
    statuses: tuple[str, ...]


def marked(text: str) -> SafeString:
    """Text whose `names` are code."""
    parts = enumerate(text.split("`"))
    return format_html_join(
        "", "{}", ((format_html("<code>{}</code>", one) if place % 2 else one,) for place, one in parts)
    )


def operations_of(schema: Schema) -> list[Operation]:
    """Every call of an OpenAPI document. A kind of object that several calls take is laid out where it is taken first."""
    known = schema.get("components", {}).get("schemas", {})
    found: list[Operation] = []
    laid_out: set[str] = set()
    for path, methods in schema["paths"].items():
        for method, operation in methods.items():
            one = _operation(path, method, operation, known)
            found.append(replace(one, body=tuple(part for part in one.body if part.title not in laid_out)))
            laid_out |= {part.title for part in one.body if part.title}
    return found


def _operation(path: str, method: str, operation: Schema, known: Schema) -> Operation:
    taken = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
    return Operation(
        anchor=operation["operationId"],
        method=method.upper(),
        path=path,
        summary=operation.get("summary", ""),
        description=marked(operation.get("description", "")),
        parameters=tuple(_field(one["name"], one["schema"], known, one) for one in operation.get("parameters", ())),
        body=tuple(_parts(taken.get("schema", {}), known)),
        example=_example(taken.get("examples", {})),
        answer=tuple(_parts(_answer(operation["responses"]), known)),
        statuses=tuple(operation["responses"]),
    )


def _answer(responses: Schema) -> Schema:
    content = responses.get("200", {}).get("content", {})
    found: Schema = content.get("application/json", {}).get("schema", {})
    return found


def _example(examples: Schema) -> str:
    value = next((one.get("value") for one in examples.values()), None)
    return "" if value is None else json.dumps(value, ensure_ascii=False, indent=2)


def _resolved(schema: Schema, known: Schema) -> Schema:
    """The schema itself, instead of its name; of one object or a list of them, the object."""
    if "$ref" in schema:
        return _resolved(known[schema["$ref"].rsplit("/", 1)[-1]], known)
    single = schema.get("allOf") or _one_of_a_list(schema.get("oneOf", ()))
    return {**_resolved(single[0], known), **_besides(schema)} if len(single or ()) == 1 else schema


def _one_of_a_list(choices: Sequence[Schema]) -> Sequence[Schema]:
    return choices[:1] if len(choices) == 2 and choices[1].get("items") == choices[0] else ()


def _besides(schema: Schema) -> Schema:
    return {name: value for name, value in schema.items() if name not in ("allOf", "oneOf")}


def _parts(schema: Schema, known: Schema) -> Iterator[Part]:
    """The plain fields as one part, then a part for each kind of object a field may be (the tasks of a workload)."""
    if not schema:
        return
    fields: list[Field] = []
    kinds: list[Part] = []
    for path, one, required in _properties("", _resolved(schema, known), known):
        named = [kind for kind in one.get("oneOf", ()) if "title" in kind]
        told = one.get("description") or (_("One of the kinds laid out on this page.") if named else "")
        fields.append(_field(path, one, known, {"required": required, "description": told}))
        for kind in named:
            inner = tuple(
                _field(at, each, known, {"required": needed, "description": each.get("description", "")})
                for at, each, needed in _properties(f"{path}.", kind, known)
            )
            kinds.append(Part(kind["title"], inner))
    if fields:
        yield Part("", tuple(fields))
    yield from kinds


def _properties(before: str, schema: Schema, known: Schema) -> Iterator[tuple[str, Schema, bool]]:
    """Every property and those inside it, objects first."""
    for name, raw in schema.get("properties", {}).items():
        one = _resolved(raw, known)
        yield f"{before}{name}", one, name in schema.get("required", ())
        inside = _resolved(one.get("items", {}), known) if _types(one) == ["array"] else one
        mark = "[]." if inside is not one else "."
        yield from _properties(f"{before}{name}{mark}", inside, known)


def _field(path: str, schema: Schema, known: Schema, about: Schema) -> Field:
    one = _resolved(schema, known)
    return Field(
        path, _kind(one, known), _allowed(one), bool(about.get("required")), marked(str(about.get("description") or ""))
    )


def _types(schema: Schema) -> list[str]:
    """OpenAPI 3.1 writes what may be null as a list."""
    told = schema.get("type", [])
    return [one for one in ([told] if isinstance(told, str) else told) if one != "null"]


def _kind(schema: Schema, known: Schema) -> str:
    if "oneOf" in schema:
        kinds = dict.fromkeys(_kind(_resolved(one, known), known) for one in schema["oneOf"])
        return _(" or ").join(kinds)
    types = _types(schema)
    if types == ["array"]:
        return str(
            format_lazy(gettext_lazy("list of {items}"), items=_kind(_resolved(schema.get("items", {}), known), known))
        )
    if schema.get("format") in FORMATS:
        return str(FORMATS[schema["format"]])
    return _(" or ").join(str(KINDS[one]) for one in types if one in KINDS) or _("any")


def _allowed(schema: Schema) -> str:
    """Choices, or bounds; what is taken where nothing is given."""
    told = []
    if "enum" in schema:
        told.append(", ".join(str(one) for one in schema["enum"] if one is not None))
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is not None and high is not None:
        told.append(f"{low:,}–{high:,}")
    elif low is not None:
        told.append(f"≥ {low:,}")
    elif high is not None:
        told.append(f"≤ {high:,}")
    if "exclusiveMinimum" in schema:
        told.append(f"> {schema['exclusiveMinimum']:,}")
    if schema.get("default") not in (None, "") and not isinstance(schema["default"], dict | list):
        told.append(_("else %(value)s") % {"value": json.dumps(schema["default"], ensure_ascii=False).strip('"')})
    return " · ".join(told)
