"""Follows a path of a rule into the JSON Schema of a tool's arguments."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from adk_agent_sim.environment.json_values import WILDCARD, ValuePath, is_index
from adk_agent_sim.forms.schema_dialect import JsonSchema

_MAX_BRANCHES = 100
"""The most alternatives of a schema that are looked at; one that has more accepts everything."""

_ANYTHING: JsonSchema = {}
_COMBINED = ("allOf", "not", "if", "dependentSchemas", "patternProperties")
"""Keywords whose effect is not computed: a schema with one of them accepts everything."""


@dataclass(frozen=True, slots=True)
class DeadEnd:
    """The place at which a schema has nothing for a path."""

    parent: str
    """The path so far."""
    step: str
    """The step that cannot be taken."""
    types: Sequence[str]
    """The types that the value there can have."""
    known: Sequence[str]
    """The names that the value there has, if it is an object."""


def find_schemas(arguments: JsonSchema, path: ValuePath) -> list[JsonSchema] | DeadEnd:
    """Return the alternatives for the value at a path, without references; or where the path ends too early."""
    current = _list_branches(arguments, arguments)
    for number, step in enumerate(path):
        children = [
            branch
            for schema in current
            for child in _iter_children(schema, step)
            for branch in _list_branches(child, arguments)
        ][:_MAX_BRANCHES]
        if not children:
            types = sorted({each for schema in current for each in list_types(schema) or ()})
            known = sorted({name for schema in current for name in _get_mapping(schema, "properties")})
            return DeadEnd(parent=".".join(path[:number]), step=str(step), types=types, known=known)
        current = children
    return current


def find_item_schemas(schemas: Iterable[JsonSchema], arguments: JsonSchema) -> list[JsonSchema]:
    """Return the alternatives for the items of a list."""
    lists = [schema for schema in schemas if "array" in (list_types(schema) or ("array",))]
    return [
        branch
        for schema in lists
        for child in _iter_children(schema, WILDCARD)
        for branch in _list_branches(child, arguments)
    ][:_MAX_BRANCHES]


def list_types(schema: JsonSchema) -> frozenset[str] | None:
    """Return the types that a schema without alternatives allows; None if any."""
    declared = schema.get("type")
    if isinstance(declared, str):
        return frozenset({declared})
    if isinstance(declared, list):
        return frozenset(str(each) for each in cast("list[object]", declared))
    if "properties" in schema:
        return frozenset({"object"})
    return frozenset({"array"}) if "items" in schema else None


def _iter_children(schema: JsonSchema, step: str) -> Iterator[JsonSchema]:
    types = list_types(schema)
    if types is None or any(keyword in schema for keyword in _COMBINED):
        yield _ANYTHING
        return
    if "object" in types:
        yield from _iter_properties(schema, step)
    if "array" in types and (step is WILDCARD or is_index(step)):
        yield _get_schema(schema, "items")


def _iter_properties(schema: JsonSchema, step: str) -> Iterator[JsonSchema]:
    properties = _get_mapping(schema, "properties")
    others = schema.get("additionalProperties")
    if step is WILDCARD:
        yield from (_as_schema(each) for each in properties.values())
    elif step in properties:
        yield _as_schema(properties[step])
        return
    # Without `additionalProperties`, an object that lists its names has no others, as ADK's own form of arguments.
    if others or (others is None and not properties):
        yield _get_schema(schema, "additionalProperties")


def _list_branches(schema: JsonSchema, root: JsonSchema) -> list[JsonSchema]:
    """Return the alternatives of a schema (`anyOf`, `oneOf`), with references replaced."""
    found: list[JsonSchema] = []
    remaining: list[JsonSchema] = [schema]
    steps = 0
    while remaining:
        steps += 1
        # Definitions may refer to each other in a circle.
        if steps > _MAX_BRANCHES:
            return [_ANYTHING]
        each = remaining.pop(0)
        if isinstance(reference := each.get("$ref"), str):
            remaining.append(_find_definition(root, reference))
        elif alternatives := each.get("anyOf") or each.get("oneOf"):
            remaining += [_as_schema(one) for one in cast("Sequence[object]", alternatives)]
        else:
            found.append(each)
    return found


def _find_definition(root: JsonSchema, reference: str) -> JsonSchema:
    value: object = root
    for step in reference.removeprefix("#/").split("/"):
        value = cast("Mapping[str, object]", value).get(step) if isinstance(value, Mapping) else None
    return _as_schema(value)


def _get_mapping(schema: JsonSchema, key: str) -> Mapping[str, Any]:
    value = schema.get(key)
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}


def _get_schema(schema: JsonSchema, key: str) -> JsonSchema:
    return _as_schema(schema.get(key))


def _as_schema(value: object) -> JsonSchema:
    """Return a subschema; one that accepts everything if it is `true`, missing or malformed."""
    return cast("JsonSchema", value) if isinstance(value, Mapping) else _ANYTHING
