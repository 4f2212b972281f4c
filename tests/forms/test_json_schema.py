"""Every kind of schema that ADK uses becomes JSON Schema."""

from typing import Any, Literal

import pytest
from google.adk.tools import FunctionTool
from google.genai import types
from pydantic import BaseModel

from adk_agent_sim.forms.json_schema import read_parameters_schema, to_json_schema
from adk_agent_sim.forms.schema_checker import build_arguments_checker


class Line(BaseModel):
    sku: str
    quantity: int = 1


def search(query: str, limit: int = 10, lines: list[Line] | None = None, how: Literal["fast", "good"] = "fast") -> str:
    """Search."""
    return query


def _declaration(*, older: bool, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.setenv("ADK_DISABLE_JSON_SCHEMA_FOR_FUNC_DECL", "1" if older else "0")
    declaration = FunctionTool(search)._get_declaration()  # pyright: ignore[reportPrivateUsage]
    assert declaration is not None
    return declaration.model_dump(mode="json", exclude_none=True)


@pytest.mark.parametrize("older", [False, True])
@pytest.mark.req("001/FR-002", "001/FR-003")
def test_both_ways_of_declaring_a_function_give_json_schema(older: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    schema = read_parameters_schema(_declaration(older=older, monkeypatch=monkeypatch))

    assert list(schema["properties"]) == ["query", "limit", "lines", "how"]
    assert schema["required"] == ["query"]
    assert schema["properties"]["query"]["type"] == "string"
    assert schema["properties"]["limit"]["type"] == "integer"
    assert schema["properties"]["limit"]["default"] == 10
    assert schema["properties"]["how"]["enum"] == ["fast", "good"]
    check = build_arguments_checker(schema)
    assert not check.find_problems({"query": "x", "lines": [{"sku": "a", "quantity": 2}]})
    assert not check.find_problems({"query": "x", "lines": None})
    assert [problem.path for problem in check.find_problems({"lines": [{"sku": 1}], "how": "bad"})] != []


def test_a_function_without_arguments_takes_an_empty_object() -> None:
    schema = read_parameters_schema({"name": "ping"})

    assert not build_arguments_checker(schema).find_problems({})
    assert [problem.path for problem in build_arguments_checker(schema).find_problems({"x": 1})] == ["x"]


_SCHEMAS: list[tuple[Any, Any, Any]] = [
    (Line, {"sku": "a"}, {"quantity": 1}),
    (list[Line], [{"sku": "a"}], [{}]),
    (list[str], ["a"], [1]),
    ({"type": "object", "required": ["a"]}, {"a": 1}, {}),
    (types.Schema(type=types.Type.STRING, nullable=True, enum=["a", "b"]), None, "c"),
    (types.Schema(any_of=[types.Schema(type=types.Type.INTEGER)], nullable=True), None, "c"),
    ({"type": "OBJECT", "properties": {"n": {"type": "NUMBER"}}}, {"n": 1.5}, {"n": "x"}),
    ({"type": "OBJECT", "properties": {"n": {"anyOf": [{"type": "STRING"}]}}, "minProperties": "1"}, {"n": "x"}, {}),
    ({"type": "ARRAY", "items": {"type": "STRING"}, "minItems": "2"}, ["a", "b"], ["a"]),
    ({"allOf": [{"$ref": "#/$defs/a"}], "nullable": True, "$defs": {"a": {"type": "integer"}}}, None, "x"),
    ({"enum": ["a"], "nullable": True}, None, "b"),
    ({"type": "string", "nullable": False}, "a", None),
]


@pytest.mark.parametrize(("schema", "fits", "refused"), _SCHEMAS)
def test_every_kind_of_schema_becomes_json_schema(schema: object, fits: object, refused: object) -> None:
    check = build_arguments_checker(to_json_schema(schema))

    assert not check.find_problems(fits)
    assert check.find_problems(refused)


def test_property_ordering_is_kept() -> None:
    schema = {
        "type": "OBJECT",
        "properties": {"b": {"type": "STRING"}, "a": {"type": "STRING"}, "c": {"type": "STRING"}},
        "property_ordering": ["c", "a"],
    }

    assert list(to_json_schema(schema)["properties"]) == ["c", "a", "b"]
