"""Tools as JSON Schemas."""

from __future__ import annotations

from typing import Any

import pytest
from jsonschema import Draft202012Validator

from adk_agent_sim.forms.check import Check
from adk_agent_sim.scenario.apps.emails import EmailClientV2
from adk_agent_sim.scenario.apps.fitting import fits
from adk_agent_sim.scenario.apps.parameters import parameters, type_schema
from adk_agent_sim.scenario.apps.registry import app_class, app_names
from adk_agent_sim.scenario.apps.tool import Tool

VALUES: list[Any] = [None, True, 5, 5.5, "a", [], ["a"], [1], {}, {"a": 1.5}, {"a": "b"}, [{"a": 1}]]


def tools() -> list[Tool]:
    found = [app_class(name) for name in app_names()]
    return [tool for app in found if app is not None for tool in app.tools().values()]


def test_every_tool_has_a_schema_that_is_one() -> None:
    for tool in tools():
        schema = parameters(tool)
        Draft202012Validator.check_schema(schema)
        assert schema.get("required", []) == list(tool.required)
        assert list(schema["properties"]) == list(tool.annotations)


@pytest.mark.parametrize("annotation", sorted({kind for tool in tools() for kind in tool.annotations.values()}))
def test_a_value_fits_the_schema_where_it_fits_the_tool(annotation: str) -> None:
    check = Check(type_schema(annotation))
    for value in VALUES:
        if fits(value, annotation) and not (value is True and "int" in annotation):  # to Python, True is a number
            assert check.problems(value) == [], value


def test_what_is_left_out_has_its_default() -> None:
    properties = parameters(EmailClientV2.tools()["send_email"])["properties"]

    assert properties["subject"]["default"] == ""
    assert properties["recipients"]["anyOf"][0] == {"type": "array", "items": {"type": "string"}}
