"""JSON Schemas of tools' arguments."""

from __future__ import annotations

from typing import Any

import pytest
from jsonschema import Draft202012Validator

from adk_agent_sim.forms.schema_checker import SchemaChecker
from adk_agent_sim.scenario.app_base.app import Tool
from adk_agent_sim.scenario.app_base.tool_call import build_parameters_schema, build_type_schema, matches_type
from adk_agent_sim.scenario.apps.emails import EmailClientV2
from adk_agent_sim.scenario.apps.registry import find_app_class, list_app_class_names

VALUES: list[Any] = [None, True, 5, 5.5, "a", [], ["a"], [1], {}, {"a": 1.5}, {"a": "b"}, [{"a": 1}]]


def tools() -> list[Tool]:
    found = [find_app_class(name) for name in list_app_class_names()]
    return [tool for app in found if app is not None for tool in app.tools().values()]


def test_every_tool_has_a_schema_that_is_one() -> None:
    for tool in tools():
        schema = build_parameters_schema(tool)
        Draft202012Validator.check_schema(schema)
        assert schema.get("required", []) == list(tool.required_arguments)
        assert list(schema["properties"]) == list(tool.annotations)


@pytest.mark.parametrize("annotation", sorted({kind for tool in tools() for kind in tool.annotations.values()}))
def test_a_value_fits_the_schema_where_it_fits_the_tool(annotation: str) -> None:
    check = SchemaChecker(build_type_schema(annotation))
    for value in VALUES:
        if matches_type(value, annotation) and not (
            value is True and "int" in annotation
        ):  # to Python, True is a number
            assert check.find_problems(value) == [], value


def test_what_is_left_out_has_its_default() -> None:
    properties = build_parameters_schema(EmailClientV2.tools()["send_email"])["properties"]

    assert properties["subject"]["default"] == ""
    assert properties["recipients"]["anyOf"][0] == {"type": "array", "items": {"type": "string"}}
