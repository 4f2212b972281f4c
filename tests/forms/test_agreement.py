"""The checker compared with jsonschema's own validator, on any schema and value."""

from __future__ import annotations

import copy
from functools import cache
from typing import Any, cast

import pytest
from counts import examples
from forms.corpus.signatures import CASES
from forms.declarations import FORMS, declaration
from hypothesis import HealthCheck, assume, example, given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from adk_agent_sim.forms.json_schema import JsonSchema, read_parameters_schema
from adk_agent_sim.forms.schema_checker import SchemaChecker

_DIFFERENT = {"format", "multipleOf", "pattern", "unevaluatedProperties", "unevaluatedItems"}
"""The keywords that the checker is documented to handle differently; the corpus and the hostile tests cover those."""

_LEAVES = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8)
_JSON = st.recursive(
    _LEAVES, lambda below: st.lists(below, max_size=4) | st.dictionaries(st.text(max_size=4), below, max_size=4)
)


@cache
def _schemas() -> list[tuple[JsonSchema, list[Any]]]:
    """Returns every schema of the corpus in every form, with the arguments of its case."""
    with pytest.MonkeyPatch.context() as patch:
        return [
            (
                _without_differences(read_parameters_schema(declaration(case, form, patch))),
                [*case.good, *(bad.arguments for bad in case.bad)],
            )
            for case in CASES
            for form in FORMS
        ]


def _without_differences(schema: Any) -> Any:
    if isinstance(schema, dict):
        keywords = cast("dict[str, Any]", schema)
        return {key: _without_differences(each) for key, each in keywords.items() if key not in _DIFFERENT}
    return [_without_differences(each) for each in cast("list[Any]", schema)] if isinstance(schema, list) else schema


@st.composite
def _schema_and_value(draw: st.DrawFn) -> tuple[JsonSchema, Any]:
    """A schema, and arguments for it in which one value is replaced or removed."""
    schema, known = draw(st.sampled_from(_schemas()))
    value = copy.deepcopy(draw(st.sampled_from(known)))
    container: Any = value
    while isinstance(container, dict | list) and container:
        keys = cast("list[Any]", list(container) if isinstance(container, dict) else list(range(len(container))))
        key = draw(st.sampled_from(keys))
        if isinstance(container[key], dict | list) and container[key] and draw(st.booleans()):
            container = cast("Any", container[key])
            continue
        if draw(st.booleans()):
            container[key] = draw(_JSON)
        else:
            del container[key]
        break
    return schema, value


def _assert_agreement(schema: JsonSchema, value: Any) -> None:
    assert (not SchemaChecker(schema).find_problems(value)) == cast("Any", Draft202012Validator(schema)).is_valid(value)


@given(_schema_and_value())
@examples(100)
def test_a_change_in_arguments_is_judged_as_jsonschema_judges_it(schema_and_value: tuple[JsonSchema, Any]) -> None:
    _assert_agreement(*schema_and_value)


@given(st.data(), _JSON)
@examples(60)
def test_any_value_is_judged_as_jsonschema_judges_it(data: st.DataObject, value: Any) -> None:
    _assert_agreement(data.draw(st.sampled_from(_schemas()))[0], value)


_NEAR = st.sampled_from([None, True, False, 0, 1, 1.0, 2, -1, "", "a", "b", "ab"])
_NAMES = st.sampled_from(["a", "b", "kind"])
_NEAR_JSON = st.recursive(
    _NEAR, lambda below: st.lists(below, max_size=3) | st.dictionaries(_NAMES, below, max_size=3), max_leaves=6
)
_TYPES = st.sampled_from(["string", "integer", "number", "boolean", "object", "array", "null"])


def _compose_schema(below: st.SearchStrategy[Any]) -> st.SearchStrategy[JsonSchema]:
    """A schema with keywords that contain schemas."""
    some = st.lists(below, min_size=1, max_size=3)
    named = st.dictionaries(_NAMES, below, max_size=2)
    lists = st.fixed_dictionaries({}, optional={"anyOf": some, "oneOf": some, "allOf": some, "prefixItems": some})
    ones = dict.fromkeys(
        ["not", "items", "contains", "additionalProperties", "propertyNames", "if", "then", "else"], below
    )
    return lists | st.fixed_dictionaries({}, optional={**ones, "properties": named, "dependentSchemas": named})


_PLAIN = st.fixed_dictionaries(
    {},
    optional={
        "type": _TYPES | st.lists(_TYPES, min_size=1, max_size=2, unique=True),
        "enum": st.lists(_NEAR_JSON, min_size=1, max_size=3),
        "const": _NEAR_JSON,
        "minimum": st.integers(-1, 2),
        "exclusiveMaximum": st.integers(-1, 2),
        "minLength": st.integers(0, 2),
        "maxItems": st.integers(0, 2),
        "minProperties": st.integers(0, 2),
        "uniqueItems": st.booleans(),
        "required": st.lists(_NAMES, max_size=2),
        "dependentRequired": st.dictionaries(_NAMES, st.lists(_NAMES, max_size=1), max_size=1),
        "$ref": st.just("#/$defs/a"),
    },
)
_VALID = st.recursive(st.booleans() | _PLAIN, _compose_schema, max_leaves=8)


@given(_compose_schema(_VALID) | _PLAIN, st.booleans() | _PLAIN, _NEAR_JSON)
@example({"enum": [1]}, {}, True)
@example({"uniqueItems": True}, {}, [1, True, {"a": 0}, {"a": False}])
@examples(100, HealthCheck.filter_too_much)
def test_any_valid_schema_is_interpreted_as_jsonschema_interprets_it(
    schema: JsonSchema, definition: Any, value: Any
) -> None:
    assume(definition in (True, False) or "$ref" not in definition)
    _assert_agreement({**schema, "$defs": {"a": definition}}, value)


_KEYWORDS = [
    "type", "enum", "const", "items", "prefixItems", "contains", "properties", "required", "additionalProperties",
    "patternProperties", "propertyNames", "anyOf", "oneOf", "allOf", "not", "if", "then", "else", "$ref", "$defs",
    "minimum", "multipleOf", "minLength", "uniqueItems", "pattern", "format", "nullable", "discriminator", "any_of",
    "dependentRequired", "exclusiveMinimum", "definitions", "property_ordering", "additionalItems",
]  # fmt: skip
_WORDS = st.sampled_from(["object", "string", "array", "OBJECT", "#", "#/$defs/a", "a", "kind", "date", "(", "^a"])
_SCHEMAS = st.recursive(
    _LEAVES | _WORDS,
    lambda below: (
        st.lists(below, max_size=3)
        | st.dictionaries(st.sampled_from([*_KEYWORDS, "a", "kind"]), below, max_size=4)
        | st.dictionaries(st.sampled_from(_KEYWORDS), below, max_size=4)
    ),
    max_leaves=20,
)


@given(st.dictionaries(st.sampled_from(_KEYWORDS), _SCHEMAS, max_size=5), _JSON)
@example({"type": "OBJECT", "properties": {"a": {"defs": 5}}}, {})
@examples(150)
def test_no_schema_and_no_value_raises(schema: dict[str, Any], value: Any) -> None:
    for variant in (schema, read_parameters_schema({"parameters": schema})):
        for problem in SchemaChecker(variant).find_problems(value):
            assert str(problem)


@example({"type": None, "minLength": 0.5})
@example({"required": ["a", "a"], "type": ["object", "object"], "dependentRequired": {"a": ["b", "b"]}})
@given(st.dictionaries(st.sampled_from(_KEYWORDS), _SCHEMAS, max_size=5))
@examples(60)
def test_a_normalized_schema_is_valid_and_normalizing_it_again_changes_nothing(schema: dict[str, Any]) -> None:
    once = read_parameters_schema({"parameters_json_schema": schema})

    cast("Any", Draft202012Validator).check_schema(once, format_checker=None)
    assert read_parameters_schema({"parameters_json_schema": once}) == once
