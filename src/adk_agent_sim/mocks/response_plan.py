"""Compiles the JSON Schema of a tool's results into functions that generate a response.

    schema --ResponsePlan--> one function per field --(draws, arguments)--> response

A field that an argument names gets the argument's value; others get a realistic value for their name, within what the
schema allows. Optional fields are generated too, except those that describe an error.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, cast

from adk_agent_sim.errors import MockImpossible
from adk_agent_sim.forms.schema_checker import SchemaChecker
from adk_agent_sim.forms.schema_dialect import JsonSchema, normalize_schema, resolve_reference
from adk_agent_sim.mocks.field_values import (
    is_error_field,
)
from adk_agent_sim.mocks.mocked_call import (
    CallInputs,
    KeyedDraws,
    ValueBounds,
    fold_name,
    make_salt,
    split_words,
    to_singular,
)
from adk_agent_sim.mocks.value_generators import (
    ResponseGenerator,
    ResponseRun,
    compile_choice,
    compile_flag,
    compile_number,
    compile_text,
    copy_container,
    make_constant_generator,
)
from adk_agent_sim.timeline.canonical_json import Json, encode_json

_MAX_DEPTH = 8
"""How deep objects are nested in each other; below, optional fields are left out and lists are empty."""

_MAX_VALUES = 5_000
"""How many values a response may have; beyond, optional fields are left out and lists are empty, too."""

_ITEMS = (2, 3)
"""How many items a list has, unless the schema or an argument says otherwise."""

_COUNT_NAMES = frozenset({"total", "count", "totalcount", "totalresults", "resultcount", "numresults", "totalitems"})
_PYTHON_TYPES: Mapping[str, Any] = {"integer": int, "number": (int, float), "boolean": bool}
_NOTES = frozenset({"title", "description", "default", "examples"})
_EMPTY_VALUES: Sequence[Json] = (None, "", False, 0, [], {})
_NOTHING: Any = object()
_LABEL_NAMES = frozenset({"name", "title", "label", "subject"})


class ResponsePlan:
    """A compiled schema."""

    def __init__(self, schema: JsonSchema, *, noun: str = "", checks_arguments: bool = True) -> None:
        """Compile the schema of a tool's results.

        Args:
            schema: The schema.
            noun: What the results describe, such as `order`.
            checks_arguments: Whether an argument may have another type than the field of the same name.

        Raises:
            MockImpossible: No value can be generated for a part of the schema.
        """
        self._root = normalize_schema(schema)
        self._noun = noun
        self._checks_arguments = checks_arguments
        self._value_count = 0
        self._list_factor = 1
        self._generate = self._compile(self._root, ("",), noun, 0)

    def generate(self, draws: KeyedDraws, inputs: CallInputs) -> tuple[Json, tuple[str, ...]]:
        """Return a response, and the names of the arguments that it took something from."""
        run = ResponseRun(draws, inputs)
        return self._generate(run), tuple(run.used)

    def _compile(self, schema: object, path: tuple[str, ...], owner: str, depth: int) -> ResponseGenerator:
        self._value_count += self._list_factor
        # Required parts are generated beyond the limits, but a schema that needs twice as much cannot be satisfied.
        if depth > 2 * _MAX_DEPTH or self._value_count > 2 * _MAX_VALUES:
            raise MockImpossible(".".join(path[1:4]), "its schema is infinitely recursive, or has too many values")
        resolved = self._resolve(schema)
        if "const" in resolved:
            return make_constant_generator(resolved["const"])
        if choices := [each for each in resolved.get("enum", ()) if each is not None]:
            return compile_choice(choices, path)
        match _get_type(resolved):
            case "object":
                return self._compile_object(resolved, path, owner, depth)
            case "array":
                return self._compile_array(resolved, path, depth)
            case "string":
                return compile_text(resolved, path, owner)
            case "integer" | "number" as kind:
                return compile_number(resolved, path, is_integer=kind == "integer")
            case "boolean":
                return compile_flag(path)
            case "null":
                return make_constant_generator(None)
            case _:
                return compile_text({}, path, owner)

    def _resolve(self, schema: object, budget: int = 32) -> dict[str, Any]:
        """Return a schema without references and alternatives; the first alternative that is no error counts."""
        # The budget ends references that lead back to themselves.
        if not isinstance(schema, Mapping) or budget <= 0:
            return {}
        found = dict(cast("Mapping[str, Any]", schema))
        if isinstance(ref := found.pop("$ref", None), str):
            return self._merge(self._resolve(resolve_reference(self._root, ref), budget - 1), found, budget - 1)
        for each in cast("Sequence[object]", found.pop("allOf", ())):
            found = self._merge(found, self._resolve(each, budget - 1), budget - 1)
        for keyword in ("anyOf", "oneOf"):
            if alternatives := cast("Sequence[object]", found.pop(keyword, ())):
                resolved = [self._resolve(each, budget - 1) for each in alternatives]
                useful = [each for each in resolved if _get_type(each) != "null"]
                found = self._merge(found, min(useful or resolved, key=_count_error_signs), budget - 1)
        return found

    def _merge(self, first: dict[str, Any], second: dict[str, Any], budget: int) -> dict[str, Any]:
        merged = {**first, **second}
        for keyword in ("properties", "required"):
            if keyword in first and keyword in second:
                both = (first[keyword], second[keyword])
                merged[keyword] = {**both[0], **both[1]} if keyword == "properties" else [*both[0], *both[1]]
        return self._resolve(merged, budget) if {"$ref", "allOf", "anyOf", "oneOf"} & merged.keys() else merged

    def _compile_object(
        self, schema: dict[str, Any], path: tuple[str, ...], owner: str, depth: int
    ) -> ResponseGenerator:
        required = frozenset(schema.get("required", ()))
        fields: list[tuple[str, ResponseGenerator]] = []
        for name, subschema in schema.get("properties", {}).items():
            is_required = name in required
            if subschema in (False, {"not": {}}):
                continue  # the field must not be there
            if not is_required and (self._is_too_large(depth) or is_error_field(name)):
                continue
            fields.append((name, self._compile_field(name, subschema, (*path, name), owner, depth)))
        if not fields and not self._is_too_large(depth):
            fields = self._compile_free_fields(schema, path, owner, depth)
        properties = schema.get("properties", {})
        counts = [name for name in properties if fold_name(name) in _COUNT_NAMES and self._is_count(properties[name])]
        lists = [name for name in properties if self._is_list(properties[name])]
        counted = (counts, lists[0]) if counts and len(lists) == 1 else None

        def generate_object(run: ResponseRun) -> Json:
            value = {name: generate(run) for name, generate in fields}
            if counted is not None and counted[1] in value:
                total = run.inputs.total
                value |= dict.fromkeys(counted[0], len(value[counted[1]]) if total is None else total)
            return value

        return generate_object

    def _compile_free_fields(
        self, schema: dict[str, Any], path: tuple[str, ...], owner: str, depth: int
    ) -> list[tuple[str, ResponseGenerator]]:
        """Return the fields of an object whose schema names none."""
        extra = schema.get("additionalProperties", True)
        if isinstance(extra, Mapping) and extra:
            free = cast("Mapping[str, Any]", extra)
            return [(key, self._compile(free, (*path, key), owner, depth + 1)) for key in ("alpha", "bravo")]
        if path[-1] != "*" or extra is False:
            return []
        names = (f"{owner or 'item'}_id", "name")
        return [(name, self._compile_field(name, {"type": "string"}, (*path, name), owner, depth)) for name in names]

    def _find_empty_value(self, schema: object) -> Json:
        """Return what a required field about errors has if there is none; _NOTHING if it must have something."""
        own = cast("JsonSchema", schema) if isinstance(schema, Mapping) else {}
        checker = SchemaChecker({**own, "$defs": self._root.get("$defs", {})})
        return next((each for each in _EMPTY_VALUES if not checker.find_problems(each)), _NOTHING)

    def _is_count(self, schema: object) -> bool:
        resolved = self._resolve(schema)
        return _get_type(resolved) in ("integer", "number") and resolved.keys() <= {"type", *_NOTES}

    def _is_too_large(self, depth: int) -> bool:
        return depth >= _MAX_DEPTH or self._value_count > _MAX_VALUES

    def _is_list(self, schema: object) -> bool:
        return _get_type(self._resolve(schema)) == "array"

    def _compile_field(
        self, name: str, schema: object, path: tuple[str, ...], owner: str, depth: int
    ) -> ResponseGenerator:
        resolved = self._resolve(schema)
        if is_error_field(name) and (empty := self._find_empty_value(schema)) is not _NOTHING:
            return make_constant_generator(empty)
        noun = "_".join(split_words(name)) if _get_type(resolved) == "object" else owner
        generate = self._compile(resolved, path, noun, depth + 1)
        fits = self._compile_check(resolved)
        folded = fold_name(name)
        is_label = folded in _LABEL_NAMES and _get_type(resolved) == "string" and not resolved.get("pattern")
        alias = _find_alias(folded, owner or self._noun)

        def generate_field(run: ResponseRun) -> Json:
            inputs = run.inputs
            if run.is_in_list:
                # An argument `id` identifies the response as a whole, not each item of a list in it.
                found = inputs.top.get(folded) if folded != "id" else None
                if found is None and is_label and inputs.query is not None:
                    return _insert_query(run, str(generate(run)), fits)
            else:
                found = inputs.top.get(folded)
                if found is None and alias:
                    found = inputs.top.get(alias)
                if found is None and inputs.nested:
                    found = inputs.nested.get(folded)
            if found is not None and fits(found[1]):
                run.used[found[0]] = None
                return copy_container(found[1])
            value = generate(run)
            bounds = inputs.bounds.get(folded) if inputs.bounds else None
            return _keep_within(run, value, bounds, fits) if bounds else value

        return generate_field

    def _compile_check(self, schema: dict[str, Any]) -> Callable[[Json], bool]:
        """Return a function that says whether an argument can be the value of a field."""
        kind = _get_type(schema)
        if not self._checks_arguments or (not kind and not {"const", "enum"} & schema.keys()):
            return lambda value: True
        if kind == "string" and not {"const", "pattern", "format", "minLength", "maxLength"} & schema.keys():
            choices = schema.get("enum")
            return lambda value: isinstance(value, str) and (choices is None or value in choices)
        if schema.keys() <= {"type", *_NOTES} and kind in _PYTHON_TYPES:
            expected = _PYTHON_TYPES[kind]
            return lambda value: isinstance(value, expected) and (kind == "boolean" or not isinstance(value, bool))
        # Compiled when it is first needed: most fields are never compared with an argument.
        build_checker = cache(lambda: SchemaChecker({**schema, "$defs": self._root.get("$defs", {})}))
        return lambda value: not build_checker().find_problems(value)

    def _compile_array(self, schema: dict[str, Any], path: tuple[str, ...], depth: int) -> ResponseGenerator:
        noun = to_singular("_".join(split_words(path[-1]))) or self._noun
        if prefix := schema.get("prefixItems"):
            fixed = [self._compile(each, (*path, str(index)), noun, depth + 1) for index, each in enumerate(prefix)]
            return lambda run: [generate(run) for generate in fixed]
        low, high = schema.get("minItems", 0), schema.get("maxItems", 1_000)
        if self._is_too_large(depth) or self._list_factor * low > _MAX_VALUES:
            if low:
                raise MockImpossible(
                    ".".join(path[1:]), "its schema is infinitely recursive, or requires a list that is too long"
                )
            return make_constant_generator([])
        is_nested, outer_factor = self._list_factor > 1, self._list_factor
        # A list in a list has one item, so that a response does not grow with each level.
        usual = (1, 1) if is_nested else _ITEMS
        self._list_factor *= max(low, usual[1])
        generate_item = self._compile(schema.get("items", {}), (*path, "*"), noun, depth + 1)
        self._list_factor = outer_factor
        salt, must_differ = make_salt(*path, "length"), bool(schema.get("uniqueItems"))
        is_list_of_objects = _get_type(self._resolve(schema.get("items", {}))) == "object"

        def generate_list(run: ResponseRun) -> Json:
            if run.inputs.records is not None and is_list_of_objects:
                return _generate_records(run, generate_item)
            length = run.draws.draw_integer(salt, *usual)
            limit = run.inputs.limit
            if limit is not None and not run.is_in_list:
                length = min(length, limit[1])
                run.used[limit[0]] = None
            outer, was_in_list = run.draws, run.is_in_list
            run.is_in_list = True
            items: list[Json] = []
            for index in range(max(low, min(length, high))):
                run.draws = outer.derive(salt + index)
                items.append(generate_item(run))
            run.draws, run.is_in_list = outer, was_in_list
            return _remove_duplicates(items) if must_differ else items

        return generate_list


def _generate_records(run: ResponseRun, generate_item: ResponseGenerator) -> list[Json]:
    """Return a list of stored records, in the shape that the schema gives its items."""
    outer_inputs, outer_draws = run.inputs, run.draws
    items: list[Json] = []
    for index, record in enumerate(outer_inputs.records or ()):
        run.inputs, run.draws = record, outer_draws.derive(index)
        items.append(generate_item(run))
    run.inputs, run.draws = outer_inputs, outer_draws
    run.inputs.records = ()  # other lists of the response have no records
    return items


def _keep_within(run: ResponseRun, value: Json, bounds: ValueBounds, fits: Callable[[Json], bool]) -> Json:
    """Return a number that a filter such as `max_price` allows."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return value
    closest: float = value
    if bounds.high is not None and closest > bounds.high:
        closest = round(bounds.high * 0.9, 2) if isinstance(value, float) else int(bounds.high)
    if bounds.low is not None and closest < bounds.low:
        closest = bounds.low
    if not fits(closest):
        return value
    run.used.update(dict.fromkeys(bounds.names))
    return closest


def _insert_query(run: ResponseRun, label: str, fits: Callable[[Json], bool]) -> str:
    """Return the name of something that a search for a text has found."""
    name, query = cast("tuple[str, str]", run.inputs.query)
    text = f"{label.partition(' ')[0]} {query}"
    if not fits(text):
        return label
    run.used[name] = None
    return text


def _get_type(schema: Mapping[str, Any]) -> str:
    kind = schema.get("type")
    if isinstance(kind, list):
        kind = next((each for each in cast("list[str]", kind) if each != "null"), "null")
    if isinstance(kind, str):
        return kind
    if "properties" in schema or "additionalProperties" in schema:
        return "object"
    return "array" if "items" in schema or "prefixItems" in schema else ""


def _count_error_signs(schema: Mapping[str, Any]) -> int:
    """Return how much speaks for a schema being that of an error."""
    titles = {"error", "failure", "exception"} & {*split_words(str(schema.get("title", "")))}
    return len(titles) + sum(map(is_error_field, schema.get("required", ())))


def _find_alias(folded: str, owner: str) -> str:
    """Return another name of an argument that means a field: `order_id` is the `id` of an order, and the reverse."""
    noun = fold_name(owner) if owner else ""
    if not noun:
        return ""
    return f"{noun}id" if folded == "id" else "id" if folded == f"{noun}id" else ""


def _remove_duplicates(items: list[Json]) -> list[Json]:
    return [*{encode_json(item): item for item in items}.values()]
