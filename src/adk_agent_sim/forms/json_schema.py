"""Every way in which ADK states a schema, normalised to one JSON Schema.

ADK 2 declares a function with JSON Schema; toolsets, older releases and `output_schema` use `types.Schema`, a pydantic
class, a generic such as `list[Model]`, or a plain dict. What leaves this module is always JSON Schema.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from google.genai import types
from pydantic import TypeAdapter

from adk_agent_sim.forms.schema_dialect import JsonSchema, normalize_schema

__all__ = ["JsonSchema", "read_parameters_schema", "to_json_schema"]


def read_parameters_schema(declaration: Mapping[str, Any]) -> JsonSchema:
    """The schema of a function's arguments, from its declaration as JSON with Python field names."""
    stated = declaration.get("parameters_json_schema")
    if isinstance(stated, Mapping):
        return normalize_schema(cast("Mapping[str, Any]", stated))
    older = declaration.get("parameters")
    if isinstance(older, Mapping):
        return normalize_schema(cast("Mapping[str, Any]", older), genai=True)
    return {"type": "object", "properties": {}}


def to_json_schema(schema: object) -> JsonSchema:
    """The JSON Schema of anything that ADK takes as `input_schema` or `output_schema`."""
    if isinstance(schema, types.Schema):
        return normalize_schema(schema.model_dump(mode="json", exclude_none=True), genai=True)
    if isinstance(schema, Mapping):
        found = cast("Mapping[str, Any]", schema)
        return normalize_schema(found, genai=_is_genai_schema(found))
    return TypeAdapter(cast("Any", schema)).json_schema()


def _is_genai_schema(schema: Mapping[str, Any]) -> bool:
    """Whether a dict is a `types.Schema` in JSON: that writes its types in capitals."""
    stated = schema.get("type")
    return isinstance(stated, str) and stated.isupper()
