"""Reads the dialects in which tools write schemas (types.Schema, OpenAPI 3.0, older drafts) as JSON Schema 2020-12.

A keyword that makes no sense is left out, never the whole schema: what is left can only take more, not less.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

from adk_agent_sim.forms.shapes import COUNTS, SHAPES, is_list

JsonSchema = dict[str, Any]
"""A JSON Schema, draft 2020-12."""

_ABOUT_OBJECTS = frozenset({"properties", "additionalProperties", "minProperties", "maxProperties", "required"})
_NOTHING: Mapping[str, Any] = {"not": {}}
"""What `false` says, in words that keep the path of a problem."""

_DEEPEST = 64
"""Deeper schemas are cut: nobody writes them, and each level costs the checker several frames of Python's stack."""

_ONE = frozenset({"items", "additionalProperties", "propertyNames", "contains", "not", "if", "then", "else"})
_LISTS = frozenset({"anyOf", "oneOf", "allOf", "prefixItems"})
_NAMED = frozenset({"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"})
_ELSEWHERE = frozenset({"$schema", "$id", "$anchor", "$dynamicAnchor", "$dynamicRef", "$recursiveRef", "$vocabulary"})
"""These lead to other dialects and other documents; nothing is fetched, and the dialect is known."""

_GENAI = {
    "any_of": "anyOf",
    "one_of": "oneOf",
    "all_of": "allOf",
    "min_length": "minLength",
    "max_length": "maxLength",
    "min_items": "minItems",
    "max_items": "maxItems",
    "min_properties": "minProperties",
    "max_properties": "maxProperties",
    "additional_properties": "additionalProperties",
    "prefix_items": "prefixItems",
    "property_ordering": "propertyOrdering",
    "ref": "$ref",
    "defs": "$defs",
}


def read(stated: Mapping[str, Any], *, genai: bool = False) -> JsonSchema:
    """The same schema in draft 2020-12; `genai` says that it is a `types.Schema` as JSON."""
    root = {_GENAI.get(key, key): value for key, value in stated.items()} if genai else dict(stated)
    root = _with_definitions_of_fields(root, "defs" if genai else "$defs")
    return _Reader(root, genai=genai).schema(root, 0)


def subschema(root: Mapping[str, Any], ref: str) -> Mapping[str, Any] | bool | None:
    """What a reference inside `root` names, if that is a schema."""
    if ref != "#" and not ref.startswith("#/"):
        return None
    steps = iter(step.replace("~1", "/").replace("~0", "~") for step in ref.split("/")[1:])
    found: Any = root
    for keyword in steps:
        if not isinstance(found, Mapping):
            return None
        found = _below(cast("Mapping[str, Any]", found).get(keyword), keyword, steps)
    return cast("Mapping[str, Any] | bool", found) if isinstance(found, Mapping | bool) else None


def _below(value: object, keyword: str, steps: Iterator[str]) -> object:
    if keyword in _ONE:
        return value
    name = next(steps, None)
    if keyword in _NAMED and isinstance(value, Mapping):
        return cast("Mapping[str, object]", value).get(name or "")
    if keyword in _LISTS and isinstance(value, list) and name is not None and name.isdecimal():
        return dict(enumerate(cast("list[object]", value))).get(int(name))
    return None


def _with_definitions_of_fields(root: JsonSchema, keyword: str) -> JsonSchema:
    """The schema with the definitions that its fields bring: ADK puts them there, and refers to them as the root's."""
    found: JsonSchema = {}
    for field in _named(root, "properties").values():
        for name, one in _named(field, keyword).items():
            # Two fields may mean different things by one name; then it stands for anything.
            found[name] = one if found.get(name, one) == one else {}
    return {**root, "$defs": {**found, **_named(root, "$defs")}} if found else root


def _named(schema: object, keyword: str) -> Mapping[str, Any]:
    stated = cast("Mapping[str, object]", schema).get(keyword) if isinstance(schema, Mapping) else None
    return cast("Mapping[str, Any]", stated) if isinstance(stated, Mapping) else {}


class _Reader:
    def __init__(self, root: Mapping[str, Any], *, genai: bool) -> None:
        self._root = root
        self._genai = genai
        self._left_out = 0

    def schema(self, stated: Mapping[str, Any], depth: int) -> JsonSchema:
        if depth > _DEEPEST:
            self._left_out += 1
            return {}
        found: JsonSchema = {}
        for key, value in _foreign(stated, genai=self._genai, root=depth == 0).items():
            kept = self._keyword(key, value, depth)
            if kept is None:
                self._left_out += key in SHAPES or key in _ONE or key in _LISTS or key in _NAMED
            else:
                found.update(kept)
        return _nullable(found) if stated.get("nullable") is True else found

    def _keyword(self, key: str, value: Any, depth: int) -> JsonSchema | None:
        """The keyword as it should be said; None if it makes no sense."""
        if key == "$ref":
            return {key: value} if isinstance(value, str) and subschema(self._root, value) is not None else None
        if key == "oneOf":
            return self._one_of(value, depth)
        if key in _ONE:
            return self._one(key, value, depth)
        if key in _LISTS:
            return {key: self._list(value, depth)} if is_list(value) and value else None
        if key in _NAMED:
            return self._all_named(key, value, depth)
        if key in _ELSEWHERE or (key in SHAPES and not SHAPES[key](value)):
            return None
        return {key: value}

    def _one(self, key: str, value: Any, depth: int) -> JsonSchema | None:
        if isinstance(value, bool):
            return {key: value}
        before = self._left_out
        kept = self._any(value, depth)
        # Where a schema is turned around, taking more inside means taking less outside.
        turned = key in ("not", "if") and self._left_out > before
        return None if turned or not isinstance(value, Mapping) else {key: kept}

    def _one_of(self, value: Any, depth: int) -> JsonSchema | None:
        before = self._left_out
        kept = self._list(value, depth) if is_list(value) and value else None
        if kept is None:
            return None
        # A variant that lost a keyword may take what another takes, and exactly one must.
        return {"oneOf" if self._left_out == before else "anyOf": kept}

    def _list(self, stated: list[Any], depth: int) -> list[Any]:
        return [self._any(one, depth) for one in stated]

    def _all_named(self, key: str, value: object, depth: int) -> JsonSchema | None:
        if not isinstance(value, Mapping):
            return None
        return {key: {name: self._any(one, depth) for name, one in cast("Mapping[str, Any]", value).items()}}

    def _any(self, stated: Any, depth: int) -> JsonSchema | bool:
        if isinstance(stated, bool):
            return stated or dict(_NOTHING)
        if isinstance(stated, Mapping):
            return self.schema(cast("Mapping[str, Any]", stated), depth + 1)
        self._left_out += 1
        return {}


def _foreign(stated: Mapping[str, Any], *, genai: bool, root: bool) -> JsonSchema:
    """The keywords of other dialects under the names and in the forms of 2020-12."""
    found = {_GENAI.get(key, key) if genai else key: value for key, value in stated.items()}
    found.pop("nullable", None)
    _types(found)
    _exclusive(found, "minimum", "exclusiveMinimum")
    _exclusive(found, "maximum", "exclusiveMaximum")
    if is_list(found.get("items")):
        found["prefixItems"] = found.pop("items")
        if "additionalItems" in found:
            found["items"] = found.pop("additionalItems")
    if genai or "propertyOrdering" in found:
        _of_genai(found)
    if genai and not root and found.get("type") == "object" and not _ABOUT_OBJECTS & found.keys():
        # ADK writes a bare OBJECT for whatever it cannot say: no type at all, a constant, a condition.
        del found["type"]
    return found


def _types(found: JsonSchema) -> None:
    stated = found.get("type")
    if isinstance(stated, str):
        found["type"] = stated.lower()
    elif is_list(stated):
        found["type"] = [kind.lower() if isinstance(kind, str) else kind for kind in cast("list[object]", stated)]
    if found.get("type") == "type_unspecified":
        del found["type"]


def _exclusive(found: JsonSchema, bound: str, exclusive: str) -> None:
    """Draft 4 and OpenAPI 3.0 say with a flag that the bound itself is out."""
    if isinstance(found.get(exclusive), bool) and found.pop(exclusive) and bound in found:
        found[exclusive] = found.pop(bound)


def _of_genai(found: JsonSchema) -> None:
    if "anyOf" in found:
        # ADK writes OBJECT beside any union, whatever its variants are.
        found.pop("type", None)
    if is_list(found.get("enum")):
        _choices(found, found["enum"])
    for key in COUNTS & found.keys():
        found[key] = _number(found[key])
    order = found.pop("propertyOrdering", None)
    properties = found.get("properties")
    if is_list(order) and isinstance(properties, Mapping):
        named = cast("Mapping[str, Any]", properties)
        first = [name for name in cast("list[Any]", order) if isinstance(name, str) and name in named]
        found["properties"] = {name: named[name] for name in dict.fromkeys([*first, *named])}


def _choices(found: JsonSchema, choices: list[Any]) -> None:
    if found.get("type") in ("integer", "number"):
        found["enum"] = [_number(choice) for choice in choices]
    elif not all(isinstance(choice, str) for choice in choices):
        # ADK 1.39 writes STRING beside the numbers of an enumeration.
        found.pop("type", None)


def _number(value: object) -> object:
    """`types.Schema` holds choices as texts, and its wire form holds 64 bit integers as texts."""
    for kind in (int, float):
        try:
            return kind(value) if isinstance(value, str) else value
        except ValueError:
            continue
    return value


def _nullable(schema: JsonSchema) -> JsonSchema:
    """The same schema, taking null too."""
    if {"$ref", "allOf", "oneOf", "not", "const", "if"} & schema.keys():
        about = {key: schema[key] for key in ("title", "description", "default") if key in schema}
        named = {key: schema[key] for key in ("$defs", "definitions") if key in schema}
        inner = {key: value for key, value in schema.items() if key not in about and key not in named}
        return {**about, "anyOf": [inner, {"type": "null"}], **named}
    wide = dict(schema)
    if "anyOf" in wide:
        wide["anyOf"] = [*wide["anyOf"], {"type": "null"}]
    if "type" in wide:
        stated = wide["type"]
        kinds: list[str] = [stated] if isinstance(stated, str) else stated
        wide["type"] = [*dict.fromkeys([*kinds, "null"])]
    if "enum" in wide and None not in wide["enum"]:
        wide["enum"] = [*wide["enum"], None]
    return wide
