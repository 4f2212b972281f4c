"""The messages and the tolerance of the schema checker."""

from __future__ import annotations

from typing import Any

import pytest

from adk_agent_sim.forms.schema_checker import SchemaChecker, build_arguments_checker

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


_MESSAGES: list[tuple[dict[str, Any], str]] = [
    ({}, "lines: is required"),
    ({"lines": [{}]}, "lines[0].sku: is required (text)"),
    ({"lines": [{"sku": 5}]}, "lines[0].sku: is 5, must be text"),
    ({"lines": [{"sku": "a", "quantity": "two"}]}, "lines[0].quantity: is 'two', must be an integer"),
    ({"lines": [{"sku": "a", "quantity": True}]}, "lines[0].quantity: is True, must be an integer"),
    ({"lines": [{"sku": "a", "quantity": 0}]}, "lines[0].quantity: 0 is less than the minimum of 1"),
    ({"lines": [{"sku": "a"}], "shipping": "boat"}, "shipping: is 'boat', must be one of: 'standard', 'express'"),
    ({"lines": [{"sku": "a"}], "note": 5}, "note: is 5, must be text or null"),
    ({"lines": [{"sku": "a"}], "where": {}}, "where.city: is required (text)"),
    (
        {"lines": [{"sku": "a"}], "colour": "red"},
        "colour: is not a field here; the fields are: lines, shipping, note, where",
    ),
]


@pytest.mark.parametrize(("arguments", "message"), _MESSAGES)
def test_a_problem_names_the_field_and_what_it_accepts(arguments: dict[str, Any], message: str) -> None:
    (problem,) = build_arguments_checker(_ORDER).find_problems(arguments)

    assert str(problem).startswith(message)


_PAYMENT: dict[str, Any] = {
    "anyOf": [
        {"type": "object", "properties": {"card": {"type": "string"}}, "required": ["card"]},
        {"type": "object", "properties": {"iban": {"type": "string"}, "name": {}}, "required": ["iban", "name"]},
        {"type": "boolean"},
    ]
}


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"card": 5}, "is {'card': 5}, matches none of 3 variants; closest: card: is 5, must be text"),
        (5, "is 5, matches none of 3 variants"),
    ],
)
def test_the_message_for_a_union_names_the_closest_variant(value: object, message: str) -> None:
    (problem,) = SchemaChecker(_PAYMENT).find_problems(value)

    assert str(problem) == message


def test_the_message_for_an_ambiguous_variant_says_how_to_choose() -> None:
    schema: dict[str, Any] = {
        "oneOf": [{"properties": {"kind": {"const": "a"}}}, {"properties": {"kind": {"const": "b"}}}],
        "discriminator": {"propertyName": "kind"},
    }
    (problem,) = SchemaChecker(schema).find_problems({})

    assert str(problem) == "is {}, matches several variants but must match exactly one; set kind to choose one"


@pytest.mark.parametrize(
    ("name", "fits", "refused"),
    [
        ("date", ["2026-01-31"], ["31.1.2026", "", "x" * 1_000]),
        ("date-time", ["2026-01-31T23:59:60Z", "2026-01-31 10:00", "2026-01-31T10:00:00+01:00"], ["yesterday"]),
        ("time", ["10:00", "23:59:60Z"], ["10 o'clock"]),
        ("duration", ["P1Y2M3DT4H", "PT0.5S", "-P1D"], ["1 hour"]),
        ("uuid", ["{123e4567-e89b-12d3-a456-426614174000}"], ["123e4567"]),
        ("ipv4", ["10.0.0.1"], ["10.0.0"]),
        ("ipv6", ["::1"], ["10.0.0.1"]),
        ("uri", ["anything", ""], []),
        ("binary", ["\udcff"], []),
    ],
)
def test_a_format_is_checked_as_pydantic_reads_it_or_not_at_all(name: str, fits: list[str], refused: list[str]) -> None:
    check = SchemaChecker({"format": name})

    assert [text for text in fits if check.find_problems(text)] == []
    assert [text for text in refused if not check.find_problems(text)] == []
    assert check.find_problems(5) == []


def test_all_problems_are_reported_at_once() -> None:
    problems = build_arguments_checker(_ORDER).find_problems({"lines": "none", "shipping": 1, "x": 2})

    assert {problem.path for problem in problems} == {"lines", "shipping", "x"}


def test_a_schema_may_allow_other_fields() -> None:
    assert not build_arguments_checker(
        {"type": "object", "properties": {}, "additionalProperties": True}
    ).find_problems({"x": 1})


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
def test_a_malformed_schema_accepts_everything_and_fetches_nothing(schema: dict[str, Any]) -> None:
    assert SchemaChecker(schema).find_problems({"a": "x"}) == []


def test_a_long_value_is_abbreviated() -> None:
    (problem,) = SchemaChecker({"type": "integer"}).find_problems("x" * 1_000)

    assert len(problem.message) < 120
