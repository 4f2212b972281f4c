"""What the check says of any value at all, compared with jsonschema's own validator."""

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
"""The keywords that the check is documented to judge in its own way; the corpus and the hostile tests prove those."""

_LEAVES = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8)
_JSON = st.recursive(
    _LEAVES, lambda below: st.lists(below, max_size=4) | st.dictionaries(st.text(max_size=4), below, max_size=4)
)


@cache
def _schemas() -> list[tuple[JsonSchema, list[Any]]]:
    """Every schema of the corpus in every form, with the arguments that its case has."""
    with pytest.MonkeyPatch.context() as patch:
        return [
            (
                _without_differences(read_parameters_schema(declaration(case, form, patch))),
                [*case.good, *(one.arguments for one in case.bad)],
            )
            for case in CASES
            for form in FORMS
        ]


def _without_differences(schema: Any) -> Any:
    if isinstance(schema, dict):
        keywords = cast("dict[str, Any]", schema)
        return {key: _without_differences(one) for key, one in keywords.items() if key not in _DIFFERENT}
    return [_without_differences(one) for one in cast("list[Any]", schema)] if isinstance(schema, list) else schema


@st.composite
def _checked(draw: st.DrawFn) -> tuple[JsonSchema, Any]:
    """A schema, and arguments for it in which one thing is replaced, added or missing."""
    schema, known = draw(st.sampled_from(_schemas()))
    value = copy.deepcopy(draw(st.sampled_from(known)))
    container: Any = value
    while isinstance(container, dict | list) and container:
        places = cast("list[Any]", list(container) if isinstance(container, dict) else list(range(len(container))))
        place = draw(st.sampled_from(places))
        if isinstance(container[place], dict | list) and container[place] and draw(st.booleans()):
            container = cast("Any", container[place])
            continue
        if draw(st.booleans()):
            container[place] = draw(_JSON)
        else:
            del container[place]
        break
    return schema, value


def _agree(schema: JsonSchema, value: Any) -> None:
    assert (not SchemaChecker(schema).find_problems(value)) == cast("Any", Draft202012Validator(schema)).is_valid(value)


@given(_checked())
@examples(100)
def test_a_change_in_arguments_is_judged_as_jsonschema_judges_it(checked: tuple[JsonSchema, Any]) -> None:
    _agree(*checked)


@given(st.data(), _JSON)
@examples(60)
def test_any_value_is_judged_as_jsonschema_judges_it(data: st.DataObject, value: Any) -> None:
    _agree(data.draw(st.sampled_from(_schemas()))[0], value)


_NEAR = st.sampled_from([None, True, False, 0, 1, 1.0, 2, -1, "", "a", "b", "ab"])
_NAMES = st.sampled_from(["a", "b", "kind"])
_NEAR_JSON = st.recursive(
    _NEAR, lambda below: st.lists(below, max_size=3) | st.dictionaries(_NAMES, below, max_size=3), max_leaves=6
)
_TYPES = st.sampled_from(["string", "integer", "number", "boolean", "object", "array", "null"])


def _one_keyword(below: st.SearchStrategy[Any]) -> st.SearchStrategy[JsonSchema]:
    """A schema with keywords that hold schemas."""
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
_SOUND = st.recursive(st.booleans() | _PLAIN, _one_keyword, max_leaves=8)


@given(_one_keyword(_SOUND) | _PLAIN, st.booleans() | _PLAIN, _NEAR_JSON)
@example({"enum": [1]}, {}, True)
@example({"uniqueItems": True}, {}, [1, True, {"a": 0}, {"a": False}])
@examples(100, HealthCheck.filter_too_much)
def test_any_sound_schema_is_understood_as_jsonschema_understands_it(
    schema: JsonSchema, definition: Any, value: Any
) -> None:
    assume(definition in (True, False) or "$ref" not in definition)
    _agree({**schema, "$defs": {"a": definition}}, value)


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
def test_any_text_for_a_schema_and_any_value_never_raise(schema: dict[str, Any], value: Any) -> None:
    for stated in (schema, read_parameters_schema({"parameters": schema})):
        for problem in SchemaChecker(stated).find_problems(value):
            assert str(problem)


@example({"type": None, "minLength": 0.5})
@given(st.dictionaries(st.sampled_from(_KEYWORDS), _SCHEMAS, max_size=5))
@examples(60)
def test_what_was_read_is_a_schema_and_reading_it_again_changes_nothing(schema: dict[str, Any]) -> None:
    once = read_parameters_schema({"parameters_json_schema": schema})

    cast("Any", Draft202012Validator).check_schema(once, format_checker=None)
    assert read_parameters_schema({"parameters_json_schema": once}) == once
