"""Converts the schema dialects of tools (types.Schema, OpenAPI 3.0, older drafts) to JSON Schema 2020-12.

A malformed keyword is dropped, never the whole schema: the result can only accept more values, not fewer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, cast

_TYPE_NAMES = ("string", "integer", "number", "boolean", "object", "array", "null")


def is_list(value: object) -> bool:
    """Whether a value is a JSON list."""
    return isinstance(value, list)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_factor(value: Any) -> bool:
    return _is_number(value) and 0 < value < float("inf")


def _is_count(value: Any) -> bool:
    return _is_number(value) and value >= 0 and (isinstance(value, int) or value.is_integer())


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_flag(value: object) -> bool:
    return isinstance(value, bool)


def _is_name_list(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(name, str) for name in cast("list[object]", value))


def _is_dependency_map(value: object) -> bool:
    return isinstance(value, Mapping) and all(map(_is_name_list, cast("Mapping[str, object]", value).values()))


def _is_type_keyword(value: Any) -> bool:
    kinds: Any = [value] if isinstance(value, str) else value
    return bool(kinds) and _is_name_list(kinds) and set(kinds) <= {*_TYPE_NAMES}


def _is_choice_list(value: object) -> bool:
    return isinstance(value, list) and bool(cast("list[object]", value))


COUNT_KEYWORDS = {"minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"}
"""The keywords that limit a length or a number of items."""

KEYWORD_CHECKS: Mapping[str, Callable[[Any], bool]] = {
    **dict.fromkeys([*COUNT_KEYWORDS, "minContains", "maxContains"], _is_count),
    **dict.fromkeys(["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"], _is_number),
    **dict.fromkeys(["$ref", "pattern", "format", "title", "description"], _is_text),
    "type": _is_type_keyword,
    "enum": _is_choice_list,
    "required": _is_name_list,
    "uniqueItems": _is_flag,
    "multipleOf": _is_factor,
    "dependentRequired": _is_dependency_map,
}
"""For each keyword whose value is not a schema: whether a value is well-formed."""


JsonSchema = dict[str, Any]
"""A JSON Schema, draft 2020-12."""

_OBJECT_KEYWORDS = frozenset({"properties", "additionalProperties", "minProperties", "maxProperties", "required"})
_FALSE_SCHEMA: Mapping[str, Any] = {"not": {}}
"""Equivalent to `false`; jsonschema reports the path of an error only for this form."""

_MAX_DEPTH = 64
"""Deeper schemas are cut: each level costs the checker several frames of Python's stack."""

_SUBSCHEMA_KEYWORDS = frozenset(
    {"items", "additionalProperties", "propertyNames", "contains", "not", "if", "then", "else"}
)
_SUBSCHEMA_LIST_KEYWORDS = frozenset({"anyOf", "oneOf", "allOf", "prefixItems"})
_SUBSCHEMA_MAP_KEYWORDS = frozenset({"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"})
_NAME_LIST_KEYWORDS = frozenset({"required", "type", "dependentRequired"})
_IGNORED_KEYWORDS = frozenset(
    {"$schema", "$id", "$anchor", "$dynamicAnchor", "$dynamicRef", "$recursiveRef", "$vocabulary"}
)
"""These refer to other dialects and documents; nothing is fetched, and the dialect is known."""

_GENAI_KEYWORDS = {
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


def read_parameters_schema(declaration: Mapping[str, Any]) -> JsonSchema:
    """Return the schema of a function's arguments, from its declaration as JSON with Python field names."""
    json_schema = declaration.get("parameters_json_schema")
    if isinstance(json_schema, Mapping):
        return normalize_schema(cast("Mapping[str, Any]", json_schema))
    genai_schema = declaration.get("parameters")
    if isinstance(genai_schema, Mapping):
        return normalize_schema(cast("Mapping[str, Any]", genai_schema), genai=True)
    return {"type": "object", "properties": {}}


def normalize_schema(schema: Mapping[str, Any], *, genai: bool = False) -> JsonSchema:
    """Convert a schema to draft 2020-12.

    Args:
        schema: The schema, in any dialect.
        genai: Whether it is a `types.Schema` as JSON.
    """
    root = {_GENAI_KEYWORDS.get(key, key): value for key, value in schema.items()} if genai else dict(schema)
    root = _hoist_field_definitions(root, "defs" if genai else "$defs")
    return _SchemaNormalizer(root, genai=genai).normalize(root, 0)


def resolve_reference(root: Mapping[str, Any], ref: str) -> Mapping[str, Any] | bool | None:
    """Return the schema that a reference inside `root` names; None if there is none."""
    if ref != "#" and not ref.startswith("#/"):
        return None
    steps = iter(step.replace("~1", "/").replace("~0", "~") for step in ref.split("/")[1:])
    target: Any = root
    for keyword in steps:
        if not isinstance(target, Mapping):
            return None
        target = _descend(cast("Mapping[str, Any]", target).get(keyword), keyword, steps)
    return cast("Mapping[str, Any] | bool", target) if isinstance(target, Mapping | bool) else None


def _descend(value: object, keyword: str, steps: Iterator[str]) -> object:
    """Return the subschema under a keyword; take the name or index from `steps` for keywords that hold several."""
    if keyword in _SUBSCHEMA_KEYWORDS:
        return value
    name = next(steps, None)
    if keyword in _SUBSCHEMA_MAP_KEYWORDS and isinstance(value, Mapping):
        return cast("Mapping[str, object]", value).get(name or "")
    if keyword in _SUBSCHEMA_LIST_KEYWORDS and isinstance(value, list) and name is not None and name.isdecimal():
        return dict(enumerate(cast("list[object]", value))).get(int(name))
    return None


def _hoist_field_definitions(root: JsonSchema, keyword: str) -> JsonSchema:
    """Move the definitions of fields to the root: ADK puts them into the fields, but refers to them as the root's."""
    definitions: JsonSchema = {}
    for field in _get_subschemas(root, "properties").values():
        for name, definition in _get_subschemas(field, keyword).items():
            # Two fields may define one name differently; the name then accepts anything.
            definitions[name] = definition if definitions.get(name, definition) == definition else {}
    return {**root, "$defs": {**definitions, **_get_subschemas(root, "$defs")}} if definitions else root


def _get_subschemas(schema: object, keyword: str) -> Mapping[str, Any]:
    subschemas = cast("Mapping[str, object]", schema).get(keyword) if isinstance(schema, Mapping) else None
    return cast("Mapping[str, Any]", subschemas) if isinstance(subschemas, Mapping) else {}


def _remove_repetitions(names: Any) -> Any:
    """Return a list of names, or a map of such lists, without repetitions, which draft 2020-12 does not allow."""
    if isinstance(names, Mapping):
        lists = cast("Mapping[str, Any]", names)
        return {name: _remove_repetitions(each) for name, each in lists.items()}
    return list(dict.fromkeys(cast("list[str]", names))) if isinstance(names, list) else names


class _SchemaNormalizer:
    def __init__(self, root: Mapping[str, Any], *, genai: bool) -> None:
        self._root = root
        self._genai = genai
        self._dropped_count = 0

    def normalize(self, schema: Mapping[str, Any], depth: int) -> JsonSchema:
        if depth > _MAX_DEPTH:
            self._dropped_count += 1
            return {}
        normalized: JsonSchema = {}
        for key, value in _translate_keywords(schema, genai=self._genai, is_root=depth == 0).items():
            kept = self._normalize_keyword(key, value, depth)
            if kept is None:
                self._dropped_count += (
                    key in KEYWORD_CHECKS
                    or key in _SUBSCHEMA_KEYWORDS
                    or key in _SUBSCHEMA_LIST_KEYWORDS
                    or key in _SUBSCHEMA_MAP_KEYWORDS
                )
            else:
                normalized.update(kept)
        return _make_nullable(normalized) if schema.get("nullable") is True else normalized

    def _normalize_keyword(self, key: str, value: Any, depth: int) -> JsonSchema | None:
        """Return the keyword in draft 2020-12; None if it is malformed."""
        if key == "$ref":
            return {key: value} if isinstance(value, str) and resolve_reference(self._root, value) is not None else None
        if key == "oneOf":
            return self._normalize_one_of(value, depth)
        if key in _SUBSCHEMA_KEYWORDS:
            return self._normalize_subschema(key, value, depth)
        if key in _SUBSCHEMA_LIST_KEYWORDS:
            return {key: self._normalize_list(value, depth)} if is_list(value) and value else None
        if key in _SUBSCHEMA_MAP_KEYWORDS:
            return self._normalize_map(key, value, depth)
        if key in _IGNORED_KEYWORDS or (key in KEYWORD_CHECKS and not KEYWORD_CHECKS[key](value)):
            return None
        return {key: _remove_repetitions(value) if key in _NAME_LIST_KEYWORDS else value}

    def _normalize_subschema(self, key: str, value: Any, depth: int) -> JsonSchema | None:
        if isinstance(value, bool):
            return {key: value}
        before = self._dropped_count
        kept = self._normalize_value(value, depth)
        # Under a negation, accepting more inside means accepting less outside, so the keyword is dropped.
        is_unsafe = key in ("not", "if") and self._dropped_count > before
        return None if is_unsafe or not isinstance(value, Mapping) else {key: kept}

    def _normalize_one_of(self, value: Any, depth: int) -> JsonSchema | None:
        before = self._dropped_count
        kept = self._normalize_list(value, depth) if is_list(value) and value else None
        if kept is None:
            return None
        # A variant that lost a keyword may accept the values of another, but `oneOf` requires exactly one.
        return {"oneOf" if self._dropped_count == before else "anyOf": kept}

    def _normalize_list(self, schemas: list[Any], depth: int) -> list[Any]:
        return [self._normalize_value(each, depth) for each in schemas]

    def _normalize_map(self, key: str, value: object, depth: int) -> JsonSchema | None:
        if not isinstance(value, Mapping):
            return None
        return {
            key: {name: self._normalize_value(each, depth) for name, each in cast("Mapping[str, Any]", value).items()}
        }

    def _normalize_value(self, schema: Any, depth: int) -> JsonSchema | bool:
        if isinstance(schema, bool):
            return schema or dict(_FALSE_SCHEMA)
        if isinstance(schema, Mapping):
            return self.normalize(cast("Mapping[str, Any]", schema), depth + 1)
        self._dropped_count += 1
        return {}


def _translate_keywords(schema: Mapping[str, Any], *, genai: bool, is_root: bool) -> JsonSchema:
    """Return a schema's keywords with the names and forms of draft 2020-12."""
    keywords = {_GENAI_KEYWORDS.get(key, key) if genai else key: value for key, value in schema.items()}
    keywords.pop("nullable", None)
    _normalize_types(keywords)
    _normalize_exclusive_bound(keywords, "minimum", "exclusiveMinimum")
    _normalize_exclusive_bound(keywords, "maximum", "exclusiveMaximum")
    # Up to draft 2019-09, a list under `items` had a schema for each position, and `additionalItems` one for the rest.
    if is_list(keywords.get("items")):
        keywords["prefixItems"] = keywords.pop("items")
        if "additionalItems" in keywords:
            keywords["items"] = keywords.pop("additionalItems")
    if genai or "propertyOrdering" in keywords:
        _normalize_genai(keywords)
    if genai and not is_root and keywords.get("type") == "object" and not _OBJECT_KEYWORDS & keywords.keys():
        # ADK writes a bare OBJECT for whatever it cannot express: no type at all, a constant, a condition.
        del keywords["type"]
    return keywords


def _normalize_types(schema: JsonSchema) -> None:
    types = schema.get("type")
    if isinstance(types, str):
        schema["type"] = types.lower()
    elif is_list(types):
        schema["type"] = [each.lower() if isinstance(each, str) else each for each in cast("list[object]", types)]
    if schema.get("type") == "type_unspecified":
        del schema["type"]


def _normalize_exclusive_bound(schema: JsonSchema, bound: str, exclusive: str) -> None:
    """Convert the flag of draft 4 and OpenAPI 3.0, which excludes the bound itself, to a bound of its own."""
    if isinstance(schema.get(exclusive), bool) and schema.pop(exclusive) and bound in schema:
        schema[exclusive] = schema.pop(bound)


def _normalize_genai(schema: JsonSchema) -> None:
    if "anyOf" in schema:
        # ADK writes OBJECT beside every union, whatever its variants are.
        schema.pop("type", None)
    if is_list(schema.get("enum")):
        _normalize_choices(schema, schema["enum"])
    for key in COUNT_KEYWORDS & schema.keys():
        schema[key] = _parse_number(schema[key])
    order = schema.pop("propertyOrdering", None)
    properties = schema.get("properties")
    if is_list(order) and isinstance(properties, Mapping):
        named = cast("Mapping[str, Any]", properties)
        first = [name for name in cast("list[Any]", order) if isinstance(name, str) and name in named]
        schema["properties"] = {name: named[name] for name in dict.fromkeys([*first, *named])}


def _normalize_choices(schema: JsonSchema, choices: list[Any]) -> None:
    if schema.get("type") in ("integer", "number"):
        schema["enum"] = [_parse_number(choice) for choice in choices]
    elif not all(isinstance(choice, str) for choice in choices):
        # ADK 1.39 writes STRING beside the numbers of an enumeration.
        schema.pop("type", None)


def _parse_number(value: object) -> object:
    """Convert a text to a number: `types.Schema` writes choices, and its wire form 64-bit integers, as texts."""
    for kind in (int, float):
        try:
            return kind(value) if isinstance(value, str) else value
        except ValueError:
            continue
    return value


def _make_nullable(schema: JsonSchema) -> JsonSchema:
    """Return the schema, changed to accept null too."""
    # These reject null whatever `type` says, so null becomes a variant beside the whole schema.
    if {"$ref", "allOf", "oneOf", "not", "const", "if"} & schema.keys():
        annotations = {key: schema[key] for key in ("title", "description", "default") if key in schema}
        # References name definitions by their path from the root, so they must stay where they are.
        definitions = {key: schema[key] for key in ("$defs", "definitions") if key in schema}
        inner = {key: value for key, value in schema.items() if key not in annotations and key not in definitions}
        return {**annotations, "anyOf": [inner, {"type": "null"}], **definitions}
    nullable = dict(schema)
    if "anyOf" in nullable:
        nullable["anyOf"] = [*nullable["anyOf"], {"type": "null"}]
    if "type" in nullable:
        types = nullable["type"]
        type_list: list[str] = [types] if isinstance(types, str) else types
        nullable["type"] = [*dict.fromkeys([*type_list, "null"])]
    if "enum" in nullable and None not in nullable["enum"]:
        nullable["enum"] = [*nullable["enum"], None]
    return nullable
