"""Converts every kind of schema that ADK uses to JSON Schema.

ADK 2 declares functions with JSON Schema; toolsets, older releases and `output_schema` use `types.Schema`, a pydantic
class, a generic such as `list[Model]`, or a plain dict.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from google.genai import types
from pydantic import TypeAdapter

from adk_agent_sim.forms.schema_dialect import JsonSchema, normalize_schema, read_parameters_schema

__all__ = ["JsonSchema", "read_parameters_schema", "to_json_schema"]


def to_json_schema(schema: object) -> JsonSchema:
    """Return the JSON Schema of anything that ADK accepts as `input_schema` or `output_schema`."""
    if isinstance(schema, types.Schema):
        return normalize_schema(schema.model_dump(mode="json", exclude_none=True), genai=True)
    if isinstance(schema, Mapping):
        mapping = cast("Mapping[str, Any]", schema)
        return normalize_schema(mapping, genai=_is_genai_schema(mapping))
    return TypeAdapter(cast("Any", schema)).json_schema()


def _is_genai_schema(schema: Mapping[str, Any]) -> bool:
    """Whether a dict is a `types.Schema` in JSON, which writes its types in capitals."""
    type_name = schema.get("type")
    return isinstance(type_name, str) and type_name.isupper()
