"""Reads the dialects in which tools write schemas (types.Schema, OpenAPI 3.0, older drafts) as JSON Schema 2020-12.

A keyword that makes no sense is left out, never the whole schema: what is left can only take more, not less.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

from adk_agent_sim.forms.keyword_checks import COUNT_KEYWORDS, KEYWORD_CHECKS, is_list

JsonSchema = dict[str, Any]
"""A JSON Schema, draft 2020-12."""

_OBJECT_KEYWORDS = frozenset({"properties", "additionalProperties", "minProperties", "maxProperties", "required"})
_FALSE_SCHEMA: Mapping[str, Any] = {"not": {}}
"""What `false` says, in words that keep the path of a problem."""

_MAX_DEPTH = 64
"""Deeper schemas are cut: nobody writes them, and each level costs the checker several frames of Python's stack."""

_SUBSCHEMA_KEYWORDS = frozenset(
    {"items", "additionalProperties", "propertyNames", "contains", "not", "if", "then", "else"}
)
_SUBSCHEMA_LIST_KEYWORDS = frozenset({"anyOf", "oneOf", "allOf", "prefixItems"})
_SUBSCHEMA_MAP_KEYWORDS = frozenset({"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"})
_IGNORED_KEYWORDS = frozenset(
    {"$schema", "$id", "$anchor", "$dynamicAnchor", "$dynamicRef", "$recursiveRef", "$vocabulary"}
)
"""These lead to other dialects and other documents; nothing is fetched, and the dialect is known."""

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


def normalize_schema(schema: Mapping[str, Any], *, genai: bool = False) -> JsonSchema:
    """The same schema in draft 2020-12; `genai` says that it is a `types.Schema` as JSON."""
    root = {_GENAI_KEYWORDS.get(key, key): value for key, value in schema.items()} if genai else dict(schema)
    root = _hoist_field_definitions(root, "defs" if genai else "$defs")
    return _SchemaNormalizer(root, genai=genai).normalize(root, 0)


def resolve_reference(root: Mapping[str, Any], ref: str) -> Mapping[str, Any] | bool | None:
    """What a reference inside `root` names, if that is a schema."""
    if ref != "#" and not ref.startswith("#/"):
        return None
    steps = iter(step.replace("~1", "/").replace("~0", "~") for step in ref.split("/")[1:])
    found: Any = root
    for keyword in steps:
        if not isinstance(found, Mapping):
            return None
        found = _descend(cast("Mapping[str, Any]", found).get(keyword), keyword, steps)
    return cast("Mapping[str, Any] | bool", found) if isinstance(found, Mapping | bool) else None


def _descend(value: object, keyword: str, steps: Iterator[str]) -> object:
    if keyword in _SUBSCHEMA_KEYWORDS:
        return value
    name = next(steps, None)
    if keyword in _SUBSCHEMA_MAP_KEYWORDS and isinstance(value, Mapping):
        return cast("Mapping[str, object]", value).get(name or "")
    if keyword in _SUBSCHEMA_LIST_KEYWORDS and isinstance(value, list) and name is not None and name.isdecimal():
        return dict(enumerate(cast("list[object]", value))).get(int(name))
    return None


def _hoist_field_definitions(root: JsonSchema, keyword: str) -> JsonSchema:
    """The schema with the definitions that its fields bring: ADK puts them there, and refers to them as the root's."""
    found: JsonSchema = {}
    for field in _get_subschemas(root, "properties").values():
        for name, one in _get_subschemas(field, keyword).items():
            # Two fields may mean different things by one name; then it stands for anything.
            found[name] = one if found.get(name, one) == one else {}
    return {**root, "$defs": {**found, **_get_subschemas(root, "$defs")}} if found else root


def _get_subschemas(schema: object, keyword: str) -> Mapping[str, Any]:
    stated = cast("Mapping[str, object]", schema).get(keyword) if isinstance(schema, Mapping) else None
    return cast("Mapping[str, Any]", stated) if isinstance(stated, Mapping) else {}


class _SchemaNormalizer:
    def __init__(self, root: Mapping[str, Any], *, genai: bool) -> None:
        self._root = root
        self._genai = genai
        self._dropped_count = 0

    def normalize(self, schema: Mapping[str, Any], depth: int) -> JsonSchema:
        if depth > _MAX_DEPTH:
            self._dropped_count += 1
            return {}
        found: JsonSchema = {}
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
                found.update(kept)
        return _make_nullable(found) if schema.get("nullable") is True else found

    def _normalize_keyword(self, key: str, value: Any, depth: int) -> JsonSchema | None:
        """The keyword as it should be said; None if it makes no sense."""
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
        return {key: value}

    def _normalize_subschema(self, key: str, value: Any, depth: int) -> JsonSchema | None:
        if isinstance(value, bool):
            return {key: value}
        before = self._dropped_count
        kept = self._normalize_value(value, depth)
        # Where a schema is turned around, taking more inside means taking less outside.
        turned = key in ("not", "if") and self._dropped_count > before
        return None if turned or not isinstance(value, Mapping) else {key: kept}

    def _normalize_one_of(self, value: Any, depth: int) -> JsonSchema | None:
        before = self._dropped_count
        kept = self._normalize_list(value, depth) if is_list(value) and value else None
        if kept is None:
            return None
        # A variant that lost a keyword may take what another takes, and exactly one must.
        return {"oneOf" if self._dropped_count == before else "anyOf": kept}

    def _normalize_list(self, schemas: list[Any], depth: int) -> list[Any]:
        return [self._normalize_value(one, depth) for one in schemas]

    def _normalize_map(self, key: str, value: object, depth: int) -> JsonSchema | None:
        if not isinstance(value, Mapping):
            return None
        return {
            key: {name: self._normalize_value(one, depth) for name, one in cast("Mapping[str, Any]", value).items()}
        }

    def _normalize_value(self, schema: Any, depth: int) -> JsonSchema | bool:
        if isinstance(schema, bool):
            return schema or dict(_FALSE_SCHEMA)
        if isinstance(schema, Mapping):
            return self.normalize(cast("Mapping[str, Any]", schema), depth + 1)
        self._dropped_count += 1
        return {}


def _translate_keywords(schema: Mapping[str, Any], *, genai: bool, is_root: bool) -> JsonSchema:
    """The keywords of other dialects under the names and in the forms of 2020-12."""
    found = {_GENAI_KEYWORDS.get(key, key) if genai else key: value for key, value in schema.items()}
    found.pop("nullable", None)
    _normalize_types(found)
    _normalize_exclusive_bound(found, "minimum", "exclusiveMinimum")
    _normalize_exclusive_bound(found, "maximum", "exclusiveMaximum")
    if is_list(found.get("items")):
        found["prefixItems"] = found.pop("items")
        if "additionalItems" in found:
            found["items"] = found.pop("additionalItems")
    if genai or "propertyOrdering" in found:
        _normalize_genai(found)
    if genai and not is_root and found.get("type") == "object" and not _OBJECT_KEYWORDS & found.keys():
        # ADK writes a bare OBJECT for whatever it cannot say: no type at all, a constant, a condition.
        del found["type"]
    return found


def _normalize_types(schema: JsonSchema) -> None:
    stated = schema.get("type")
    if isinstance(stated, str):
        schema["type"] = stated.lower()
    elif is_list(stated):
        schema["type"] = [kind.lower() if isinstance(kind, str) else kind for kind in cast("list[object]", stated)]
    if schema.get("type") == "type_unspecified":
        del schema["type"]


def _normalize_exclusive_bound(schema: JsonSchema, bound: str, exclusive: str) -> None:
    """Draft 4 and OpenAPI 3.0 say with a flag that the bound itself is out."""
    if isinstance(schema.get(exclusive), bool) and schema.pop(exclusive) and bound in schema:
        schema[exclusive] = schema.pop(bound)


def _normalize_genai(schema: JsonSchema) -> None:
    if "anyOf" in schema:
        # ADK writes OBJECT beside any union, whatever its variants are.
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
    """`types.Schema` holds choices as texts, and its wire form holds 64 bit integers as texts."""
    for kind in (int, float):
        try:
            return kind(value) if isinstance(value, str) else value
        except ValueError:
            continue
    return value


def _make_nullable(schema: JsonSchema) -> JsonSchema:
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
