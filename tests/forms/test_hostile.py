"""Schemas and values that try to hang or crash the checker; each test proves that the check ends."""

import json
from typing import Any

import pytest
from google.genai import types

from adk_agent_sim.forms.bounded_regex import is_match
from adk_agent_sim.forms.json_schema import read_parameters_schema, to_json_schema
from adk_agent_sim.forms.schema_checker import SchemaChecker, build_arguments_checker


def _nest_schema(keyword: str, depth: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "integer"}
    for _ in range(depth):
        schema = {keyword: {"a": schema} if keyword == "properties" else schema}
    return schema


def _nest_value(depth: int) -> Any:
    value: Any = "x"
    for _ in range(depth):
        value = {"a": value}
    return value


@pytest.mark.parametrize("keyword", ["properties", "items", "not", "additionalProperties"])
def test_a_very_deep_schema_is_cut(keyword: str) -> None:
    assert SchemaChecker(_nest_schema(keyword, 50_000)).find_problems(_nest_value(100)) == []
    assert len(str(read_parameters_schema({"parameters_json_schema": _nest_schema(keyword, 50_000)}))) < 5_000


def test_a_schema_of_usual_depth_is_not_cut() -> None:
    (problem,) = SchemaChecker(_nest_schema("properties", 40)).find_problems(_nest_value(40))

    assert problem.path == ".".join("a" * 40)


def test_a_value_deeper_than_the_stack_does_not_crash() -> None:
    tree = {"type": "object", "properties": {"a": {"$ref": "#"}}, "additionalProperties": False}

    assert SchemaChecker(tree).find_problems(_nest_value(50_000)) == []
    assert SchemaChecker({"uniqueItems": True}).find_problems([_nest_value(50_000)] * 2) == []
    (problem,) = SchemaChecker({"enum": [1, 2]}).find_problems(_nest_value(50_000))
    assert problem.message == "is too large to show, must be one of: 1, 2"


def test_references_that_double_at_each_level_end() -> None:
    doubling = {f"d{n}": {"allOf": [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(60)}
    schema: dict[str, Any] = {"$ref": "#/$defs/d0", "$defs": {**doubling, "d60": {"type": "integer"}}}

    assert SchemaChecker(schema).find_problems(5) == []


def test_references_in_a_circle_end() -> None:
    circle = {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"anyOf": [{"$ref": "#/$defs/a"}]}}}

    assert SchemaChecker(circle).find_problems({"x": 1}) == []
    required = {
        "type": "object",
        "properties": {"x": {"$ref": "#/$defs/a"}},
        "required": ["x"],
        "$defs": circle["$defs"],
    }
    assert [problem.path for problem in SchemaChecker(required).find_problems({})] == ["x"]


def test_problems_found_before_the_check_took_too_long_are_reported() -> None:
    doubling = {f"d{n}": {"allOf": [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(60)}
    properties = {"a": {"type": "integer"}, "b": {"$ref": "#/$defs/d0"}}
    check = SchemaChecker({"properties": properties, "$defs": {**doubling, "d60": {}}})

    assert [problem.path for problem in check.find_problems({"a": "x", "b": 1})] == ["a"]


@pytest.mark.parametrize(
    "pattern",
    [
        "(a+)+$",
        "^(a|a)*$",
        "^(a|aa)+$",
        "(.*a){20}$",
        "^(([a-z])+.)+[A-Z]([a-z])+$",
        "(a{1,300}b?){1,300}x$",
        r"(?:\w{100}){10}\W$",
        r"(?=(a+)+$)b",
        "(?!x)a*a*a*a*a*a*a*a*b",
        "(?x)(a {300}) {300}x$",
        "a{300}{300}x$",
    ],
)
@pytest.mark.parametrize("length", [30, 3_000, 300_000])
def test_no_pattern_hangs(pattern: str, length: int) -> None:
    SchemaChecker({"pattern": pattern, "patternProperties": {pattern: {}}}).find_problems("a" * length + "!")
    SchemaChecker({"patternProperties": {pattern: False}, "additionalProperties": False}).find_problems(
        {"a" * length + "!": 1}
    )


def test_many_texts_that_are_each_slow_end() -> None:
    check = SchemaChecker({"items": {"pattern": "(a{1,30}b?){1,30}x$"}})

    assert check.find_problems(["a" * 60 + "!" for _ in range(100_000)])


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        ("^[a-z]+$", "abc", True),
        ("^[a-z]+$", "abc\n", False),
        ("b", "abc", True),
        (r"^\d{3}-\d{4}$", "555-1234", True),
        (r"^\p{L}+$", "Zoë", True),
        (r"^(?=.*\d).{4,}$", "abc1", True),
        (r"^(?=.*\d).{4,}$", "abcd", False),
        (r"(a)\1", "ab", True),
        ("(", "anything", True),
        ("\ud800", "anything", False),
        ("^a$", "\ud800", True),
    ],
)
def test_a_pattern_matches_or_accepts_what_is_not_evaluated(pattern: str, text: str, found: bool) -> None:
    assert is_match(pattern, text) is found


def test_a_huge_enum_is_checked_and_abbreviated() -> None:
    check = SchemaChecker({"items": {"enum": [f"choice {n}" for n in range(100_000)]}})

    assert check.find_problems(["choice 99999"]) == []
    (problem,) = check.find_problems(["choice 100000"])
    assert "'choice 19' and 99980 more" in problem.message


def test_a_long_list_of_objects_is_compared_without_comparing_every_pair() -> None:
    items = [{"n": n, "of": ["a", {"b": None}]} for n in range(30_000)]

    assert SchemaChecker({"uniqueItems": True}).find_problems(items) == []
    assert SchemaChecker({"uniqueItems": True}).find_problems([*items, items[0]])


def test_the_number_of_problems_is_limited() -> None:
    assert len(SchemaChecker({"items": {"type": "integer"}}).find_problems(["x"] * 100_000)) == 100
    assert len(build_arguments_checker({"properties": {}}).find_problems({f"a{n}": n for n in range(100_000)})) == 100


@pytest.mark.parametrize(
    "keyword",
    [
        {"type": []},
        {"type": ["integer", "nonsense"]},
        {"type": 5},
        {"enum": []},
        {"enum": "abc"},
        {"minimum": "3"},
        {"minLength": -1},
        {"multipleOf": 0},
        {"required": "a"},
        {"required": [1]},
        {"anyOf": []},
        {"anyOf": {"type": "integer"}},
        {"oneOf": [{"type": "nonsense"}, {"type": "object"}]},
        {"not": {"type": "nonsense"}},
        {"not": {"$ref": "#/nowhere"}},
        {"if": {"type": "nonsense"}, "then": False},
        {"properties": {"a": 5}},
        {"items": "string"},
        {"$ref": 5},
        {"$ref": "#/x-hidden", "x-hidden": {"type": 5}},
        {"$ref": "#/$defs/a/enum/0", "$defs": {"a": {"enum": [{"type": 5}]}}},
        {"$ref": "file:///etc/passwd"},
        {"$schema": "http://json-schema.org/draft-03/schema#", "$id": "http://example.invalid/", "$dynamicRef": "#x"},
        {"discriminator": "kind", "oneOf": [{"type": "object"}, {"type": "object"}, {}][:1]},
        {"dependentRequired": {"a": "b"}},
        {"uniqueItems": "yes"},
        {"pattern": 5},
        {"format": ["date"]},
        {"patternProperties": {"(": {"type": "integer"}}},
    ],
)
def test_a_malformed_keyword_is_ignored_and_the_others_count(keyword: dict[str, Any]) -> None:
    check = SchemaChecker({**keyword, "maxProperties": 1})

    assert check.find_problems({"a": "x"}) == []
    assert [problem.path for problem in check.find_problems({"a": "x", "b": 1})] == [""]


def test_extreme_numbers_do_not_crash() -> None:
    check = SchemaChecker({"multipleOf": 0.1, "minimum": -1e308, "maximum": 10**400})

    assert check.find_problems(10**400) == []
    assert SchemaChecker({"type": "string"}).find_problems(10**5_000) == []
    for value in (float("nan"), float("inf"), -float("inf"), 1e-320):
        check.find_problems(value)


def test_a_converted_schema_can_be_converted_again() -> None:
    schemas: list[Any] = [types.Schema(type=types.Type.STRING, nullable=True), {"items": [{}, False]}]
    for schema in schemas:
        once = to_json_schema(schema)
        assert to_json_schema(json.loads(json.dumps(once))) == once
