from typing import Any

import pytest

from adk_agent_sim.forms.check import Check, arguments_check

_ORDER: dict[str, Any] = {
    "type": "object",
    "properties": {
        "lines": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "properties": {"sku": {"type": "string"}, "quantity": {"type": "integer", "minimum": 1}},
                "required": ["sku"],
            },
        },
        "shipping": {"enum": ["standard", "express"]},
        "note": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        "where": {"anyOf": [{"$ref": "#/$defs/Address"}, {"type": "null"}]},
    },
    "required": ["lines"],
    "$defs": {
        "Address": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    },
}


_SAID: list[tuple[dict[str, Any], str]] = [
    ({}, "lines: is required"),
    ({"lines": [{}]}, "lines[0].sku: is required (a text)"),
    ({"lines": [{"sku": 5}]}, "lines[0].sku: is 5, must be a text"),
    ({"lines": [{"sku": "a", "quantity": "two"}]}, "lines[0].quantity: is 'two', must be an integer"),
    ({"lines": [{"sku": "a", "quantity": True}]}, "lines[0].quantity: is True, must be an integer"),
    ({"lines": [{"sku": "a", "quantity": 0}]}, "lines[0].quantity: 0 is less than the minimum of 1"),
    ({"lines": [{"sku": "a"}], "shipping": "boat"}, "shipping: is 'boat', must be one of: 'standard', 'express'"),
    ({"lines": [{"sku": "a"}], "note": 5}, "note: is 5, must be a text or null"),
    ({"lines": [{"sku": "a"}], "where": {}}, "where.city: is required (a text)"),
    (
        {"lines": [{"sku": "a"}], "colour": "red"},
        "colour: is not a field here; the fields are: lines, shipping, note, where",
    ),
]


@pytest.mark.parametrize(("arguments", "said"), _SAID)
def test_a_problem_names_the_field_and_what_would_fit(arguments: dict[str, Any], said: str) -> None:
    (problem,) = arguments_check(_ORDER).problems(arguments)

    assert str(problem).startswith(said)


_PAYMENT: dict[str, Any] = {
    "anyOf": [
        {"type": "object", "properties": {"card": {"type": "string"}}, "required": ["card"]},
        {"type": "object", "properties": {"iban": {"type": "string"}, "name": {}}, "required": ["iban", "name"]},
        {"type": "boolean"},
    ]
}


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ({"card": 5}, "is {'card': 5}, fits none of 3 variants; closest: card: is 5, must be a text"),
        (5, "is 5, fits none of 3 variants"),
    ],
)
def test_a_union_tells_the_closest_variant(value: object, said: str) -> None:
    (problem,) = Check(_PAYMENT).problems(value)

    assert str(problem) == said


def test_all_problems_are_told_at_once() -> None:
    problems = arguments_check(_ORDER).problems({"lines": "none", "shipping": 1, "x": 2})

    assert {problem.path for problem in problems} == {"lines", "shipping", "x"}


def test_a_schema_that_allows_other_fields_is_taken_at_its_word() -> None:
    assert not arguments_check({"type": "object", "properties": {}, "additionalProperties": True}).problems({"x": 1})


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "nonsense"},
        {"properties": 5},
        {"$ref": "https://example.invalid/schema.json"},
        {"$ref": "#/$defs/missing"},
        {"$ref": "#"},
        {"properties": {"a": {"pattern": "("}}},
    ],
)
def test_a_schema_that_cannot_be_read_checks_nothing_and_fetches_nothing(schema: dict[str, Any]) -> None:
    assert Check(schema).problems({"a": "x"}) == []


def test_a_long_value_is_shown_short() -> None:
    (problem,) = Check({"type": "integer"}).problems("x" * 1_000)

    assert len(problem.message) < 120
