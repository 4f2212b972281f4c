"""The declared tools, compared with those of the ARE package."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from scenario_corpus import SPEC_EXAMPLE, load_manifest
from world_builders import build_world

from adk_agent_sim.scenario import World, load_scenario
from adk_agent_sim.scenario.app_base.app import Argument, Tool
from adk_agent_sim.scenario.apps.registry import BUILT_IN_APPS, NOT_IMPORTABLE_BY_ARE, UNKNOWN_TO_ARE, find_app_class

_MANIFEST = load_manifest()

_AT_IMPORT = "create_and_add_email_with_time"
"""ARE computes the default of its email_time when it is imported; here the default is the present."""

_LOOSER = {"dict": "dict[str, Any]", "dict | None": "dict[str, Any] | None", "NoneType": "None"}


def _describe_argument(argument: Argument) -> dict[str, Any]:
    if argument.variadic:
        return {"name": argument.name, "type": "dict[str, Any]", "required": True}
    stated = {"name": argument.name, "type": argument.annotation, "required": argument.required}
    return stated if argument.required else stated | {"default": argument.default}


def _loosen_type(argument: dict[str, Any]) -> dict[str, Any]:
    return argument | {"type": _LOOSER.get(argument["type"], argument["type"])}


def _notification(class_name: str, tool: Tool) -> dict[str, Any] | None:
    if tool.notification is None:
        return None
    told = ["ENV", "USER", "AGENT"] if tool.notification.notify_own_calls else ["ENV", "USER"]
    return {
        "min_level": tool.notification.level.value,
        "type": "ENVIRONMENT_NOTIFICATION",
        "template": f"{class_name}: {tool.notification.text}",
        "for_event_types": told,
    }


def test_all_22_classes_and_230_tools_are_declared() -> None:
    assert set(BUILT_IN_APPS) - set(UNKNOWN_TO_ARE) == set(_MANIFEST)
    assert sum(len(BUILT_IN_APPS[each].tools()) for each in _MANIFEST) == 230


@pytest.mark.parametrize("class_name", _MANIFEST)
def test_every_signature_is_the_one_the_package_states(class_name: str) -> None:
    expected = _MANIFEST[class_name]["tools"]
    tools = BUILT_IN_APPS[class_name].tools()
    assert set(tools) == set(expected)
    for name, tool in tools.items():
        stated = expected[name]
        assert {kind.value for kind in tool.kinds} == set(stated["kinds"])
        assert tool.operation == stated["operation"]
        assert tool.type_checked == stated["type_checked"]
        if name != _AT_IMPORT:
            assert [_describe_argument(each) for each in tool.arguments] == [
                _loosen_type(each) for each in stated["args"]
            ]
        if stated["returns"] is not None:
            assert tool.return_type == _LOOSER.get(stated["returns"], stated["returns"])


@pytest.mark.parametrize("class_name", _MANIFEST)
def test_every_notification_is_the_one_the_package_sends(class_name: str) -> None:
    for name, tool in BUILT_IN_APPS[class_name].tools().items():
        stated = _MANIFEST[class_name]["tools"][name].get("notification")
        if stated is None or stated["type"] == "ENVIRONMENT_NOTIFICATION":
            assert _notification(class_name, tool) == stated
        else:
            assert tool.notification is not None
            assert tool.notification.level == stated["min_level"]


@pytest.mark.parametrize("class_name", _MANIFEST)
def test_an_app_knows_the_keys_of_its_state(class_name: str) -> None:
    assert list(BUILT_IN_APPS[class_name].state_keys) == _MANIFEST[class_name]["state_keys"]
    assert (class_name in NOT_IMPORTABLE_BY_ARE) == (not _MANIFEST[class_name]["importable"])


@pytest.mark.parametrize("class_name", BUILT_IN_APPS)
def test_every_tool_and_argument_is_described(class_name: str) -> None:
    for tool in BUILT_IN_APPS[class_name].tools().values():
        assert tool.description.endswith(".")
        assert all(argument.description.endswith(".") for argument in tool.arguments), tool.name


@pytest.mark.req("004/app-class-name")
def test_a_class_name_is_looked_up_by_its_last_part_and_never_imported() -> None:
    assert find_app_class("are.simulation.apps.email.EmailApp") is BUILT_IN_APPS["EmailApp"]
    assert type(World(load_scenario(SPEC_EXAMPLE)).apps["EmailApp"]) is BUILT_IN_APPS["EmailApp"]
    assert type(build_world().apps["Emails"]) is BUILT_IN_APPS["EmailClientV2"]
    assert find_app_class("os.system") is None
    assert find_app_class("adk_agent_sim.scenario.app_base.app.App") is None


def test_every_test_that_the_list_of_differences_names_exists() -> None:
    root = Path(__file__).parents[3]
    named = re.findall(
        r"`(test_\w+\.py)::(test_\w+)`", (root / "docs" / "are-differences.md").read_text(encoding="utf-8")
    )
    assert len(named) > 10
    for file, name in named:
        found = [each.read_text(encoding="utf-8") for each in (root / "tests" / "scenario").rglob(file)]
        assert any(f"def {name}(" in text for text in found), f"{file}::{name}"
