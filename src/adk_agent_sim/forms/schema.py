"""Every way in which ADK states a schema, normalised to one JSON Schema.

ADK 2 declares a function with JSON Schema; toolsets, older releases and `output_schema` use `types.Schema`, a pydantic
class, a generic such as `list[Model]`, or a plain dict. What leaves this module is always JSON Schema.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from google.genai import types
from pydantic import TypeAdapter

JsonSchema = dict[str, Any]
"""A JSON Schema, draft 2020-12."""

_SAME_KEYWORD = {
    "title": "title",
    "description": "description",
    "default": "default",
    "enum": "enum",
    "format": "format",
    "pattern": "pattern",
    "minimum": "minimum",
    "maximum": "maximum",
    "min_length": "minLength",
    "max_length": "maxLength",
    "min_items": "minItems",
    "max_items": "maxItems",
    "min_properties": "minProperties",
    "max_properties": "maxProperties",
    "required": "required",
    "additional_properties": "additionalProperties",
    "ref": "$ref",
}


def parameters_schema(declaration: Mapping[str, Any]) -> JsonSchema:
    """The schema of a function's arguments, from its declaration as JSON with Python field names."""
    stated = declaration.get("parameters_json_schema")
    if isinstance(stated, Mapping):
        return dict(cast("Mapping[str, Any]", stated))
    older = declaration.get("parameters")
    if isinstance(older, Mapping):
        return _from_genai(cast("Mapping[str, Any]", older))
    return {"type": "object", "properties": {}}


def json_schema(stated: object) -> JsonSchema:
    """The JSON Schema of anything that ADK takes as `input_schema` or `output_schema`."""
    if isinstance(stated, types.Schema):
        return _from_genai(stated.model_dump(mode="json", exclude_none=True))
    if isinstance(stated, Mapping):
        found = dict(cast("Mapping[str, Any]", stated))
        return _from_genai(found) if _is_genai(found) else found
    return TypeAdapter(cast("Any", stated)).json_schema()


def _is_genai(schema: Mapping[str, Any]) -> bool:
    """Whether a dict is a `types.Schema` in JSON: that writes its types in capitals."""
    stated = schema.get("type")
    return isinstance(stated, str) and stated.isupper()


def _from_genai(schema: Mapping[str, Any]) -> JsonSchema:
    found: JsonSchema = {}
    kind = schema.get("type")
    if isinstance(kind, str) and kind != "TYPE_UNSPECIFIED":
        found["type"] = kind.lower()
    for ours, theirs in _SAME_KEYWORD.items():
        if ours in schema:
            found[theirs] = schema[ours]
    if "items" in schema:
        found["items"] = _from_genai(schema["items"])
    if "properties" in schema:
        found["properties"] = _ordered_properties(schema)
    if "any_of" in schema:
        found["anyOf"] = [_from_genai(one) for one in schema["any_of"]]
    if "defs" in schema:
        found["$defs"] = {name: _from_genai(one) for name, one in schema["defs"].items()}
    return _nullable(found) if schema.get("nullable") else found


def _ordered_properties(schema: Mapping[str, Any]) -> JsonSchema:
    properties = cast("Mapping[str, Mapping[str, Any]]", schema["properties"])
    order = [name for name in schema.get("property_ordering", ()) if name in properties]
    order += [name for name in properties if name not in order]
    return {name: _from_genai(properties[name]) for name in order}


def _nullable(schema: JsonSchema) -> JsonSchema:
    """The same schema, taking null too; an enum would refuse it otherwise."""
    if "anyOf" in schema:
        return {**schema, "anyOf": [*schema["anyOf"], {"type": "null"}]}
    wide = dict(schema)
    if "type" in wide:
        wide["type"] = [wide["type"], "null"]
    if "enum" in wide and None not in wide["enum"]:
        wide["enum"] = [*wide["enum"], None]
    return wide
