"""Builds the JSON Schema of a rules file, for editors; `adksim env schema` prints it."""

from __future__ import annotations

from typing import Any, cast

from adk_agent_sim.environment.rules import Rules
from adk_agent_sim.environment.value_conditions import CONDITION_MARK, OPERATOR_SYNONYMS, OPERATORS, ArgumentCondition


def build_rules_schema() -> dict[str, Any]:
    """Return the schema; `docs/environment.schema.json` is a copy, and a test compares them."""
    schema = cast("dict[str, Any]", _refine(Rules.model_json_schema(by_alias=True, mode="validation")))
    schema["$defs"]["Condition"] = _build_condition_schema()
    schema["$defs"]["ArgumentCondition"] = _refine(ArgumentCondition.model_json_schema(by_alias=True))
    schema["$defs"]["Variable"] = {
        "description": "A variable of the file, with the type of its value.",
        "type": "string",
        "pattern": r"^\{\{\s*vars\.[^{}']+\}\}$",
    }
    _describe_model_match(schema["$defs"])
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Rules for simulated tools (adksim)",
        **{key: value for key, value in schema.items() if key != "title"},
    }


def _describe_model_match(definitions: dict[str, Any]) -> None:
    """Let the conditions of a rule for the model's seat have the schemas that they have for tools."""
    match = definitions["Rule"]["then"]["properties"]["match"]
    allowed = match.pop("propertyNames")["enum"]
    match["properties"] = {name: {"$ref": f"#/$defs/Match/properties/{name}"} for name in allowed}
    match["dependentRequired"] = definitions["Match"]["dependentRequired"]
    match["additionalProperties"] = False


def _build_condition_schema() -> dict[str, Any]:
    """Return the schema of a value in `args`: conditions, if it has an operator, or the value to compare with."""
    return {
        "description": "The value that it must equal, or conditions.",
        "if": {"type": "object", "anyOf": [{"required": [operator]} for operator in sorted(OPERATORS)]},
        "then": {"$ref": "#/$defs/ArgumentCondition"},
        "else": {
            "not": {"type": "object", "minProperties": 1, "propertyNames": {"enum": sorted(OPERATOR_SYNONYMS)}},
        },
    }


def _refine(schema: Any) -> Any:
    """Return a schema that says what a file may contain, beyond what pydantic knows.

    Conditions have a definition of their own, an optional key is left out instead of null, and a variable may stand for
    any value that is not a text.
    """
    if isinstance(schema, list):
        return [_refine(each) for each in cast("list[Any]", schema)]
    if not isinstance(schema, dict):
        return schema
    mapping = {
        # What follows these keys decides which schema holds; a variable is not known there.
        key: value if key in ("if", "propertyNames") else _refine(value)
        for key, value in cast("dict[str, Any]", schema).items()
    }
    alternatives = mapping.get("anyOf")
    if CONDITION_MARK.items() <= mapping.items():
        notes = {key: mapping[key] for key in ("title", "description") if key in mapping}
        return {**notes, "$ref": "#/$defs/Condition"}
    if "title" in mapping and mapping.get("default", ...) is None:
        del mapping["default"]
        if alternatives:
            mapping["anyOf"] = [each for each in alternatives if each != {"type": "null"}]
    return _allow_variable(mapping)


def _allow_variable(schema: dict[str, Any]) -> dict[str, Any]:
    if schema.get("type") in ("number", "integer", "boolean", "array") or ("enum" in schema or "const" in schema):
        notes = {key: schema[key] for key in ("title", "description", "default") if key in schema}
        own = {key: value for key, value in schema.items() if key not in notes}
        return {**notes, "anyOf": [own, {"$ref": "#/$defs/Variable"}]}
    return schema
