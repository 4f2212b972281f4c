"""Tools called with arbitrary arguments return a result or an error and keep the world intact."""

from __future__ import annotations

import json
from typing import Any, cast

import pytest
from counts import examples
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from scenario_corpus import load_sandbox

from adk_agent_sim.scenario.app_base.app import APP, DATA, App, AppContext, CallerRole, Tool
from adk_agent_sim.scenario.app_base.tool_call import call_tool
from adk_agent_sim.scenario.apps.registry import BUILT_IN_APPS

_STATES = {each["class_name"]: each["app_state"] for each in load_sandbox()["apps"]}
_STARTED = load_sandbox()["metadata"]["definition"]["start_time"]


def _words(value: Any) -> set[str]:
    """Short texts of a state: ids, names, paths."""
    if isinstance(value, dict):
        held = cast("dict[str, Any]", value)
        return set(held).union(*map(_words, held.values()))
    if isinstance(value, list):
        return set[str]().union(*map(_words, cast("list[Any]", value)))
    return {value} if isinstance(value, str) and len(value) < 40 else set()


_KNOWN = sorted(_words(list(_STATES.values())))
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda held: st.lists(held, max_size=3) | st.dictionaries(st.text(max_size=5), held, max_size=3),
    max_leaves=6,
)
_TEXTS = st.one_of(
    st.text(max_size=40),
    st.sampled_from(_KNOWN),
    st.sampled_from(["", "sent", "Van", "Work", "2024-10-15 07:00:00", "9999-12-31 23:59:59", "0001-01-01 00:00:00"]),
    st.sampled_from(
        ["a@b.org", "+1 2", "(a+)+$", "[", "{content}", "%s", "../..", "/Documents", "~", "\0", "x" * 5000]
    ),
)
_ANYTHING = _JSON | _TEXTS
_BY_TYPE: dict[str, st.SearchStrategy[Any]] = {
    "str": _TEXTS,
    "int": st.integers(-3, 12) | st.integers(),
    "float": st.floats(-1e6, 1e6) | st.floats(),
    "bool": st.booleans(),
    "None": st.none(),
    "list[str]": st.lists(_TEXTS, max_size=4),
    "dict[str, Any]": st.dictionaries(st.sampled_from(_KNOWN) | st.text(max_size=8), _JSON, max_size=4),
    "dict[str, float]": st.dictionaries(_TEXTS, st.floats(), max_size=4),
    "list[dict[str, Any]]": st.lists(st.dictionaries(st.text(max_size=8), _JSON), max_size=2),
}
_TOOLS = [(app, tool) for app in BUILT_IN_APPS.values() for tool in app.tools().values() if tool.kinds - {DATA}]
_CHECKED = [(app, tool) for app, tool in _TOOLS if tool.type_checked]


def _build_fitting_strategy(tool: Tool) -> st.SearchStrategy[dict[str, Any]]:
    """Build arguments of the types that a tool states, optional ones sometimes left out."""
    values = {
        each.name: st.one_of(*(_BY_TYPE[part] for part in each.annotation.split(" | "))) for each in tool.arguments
    }
    required = {each.name: values[each.name] for each in tool.arguments if each.required}
    return st.fixed_dictionaries(
        required, optional={name: each for name, each in values.items() if name not in required}
    )


def _world(app: type[App]) -> App:
    """The app in the world of the sandbox, under a name of its own."""
    world = AppContext(now=lambda: _STARTED)
    for name, state in _STATES.items():
        BUILT_IN_APPS[name](f"the {name}", world, state)
    known = next((state for name, state in _STATES.items() if issubclass(app, BUILT_IN_APPS[name])), None)
    return app("tried", world, known)


def _name(tools: list[tuple[type[App], Tool]]) -> dict[str, tuple[type[App], Tool]]:
    """Tools by name, those that subclasses only inherit left out."""
    return {f"{app.__name__}.{tool.name}": (app, tool) for app, tool in tools if tool.name in vars(app)}


_NAMED, _NAMED_CHECKED = _name(_TOOLS), _name(_CHECKED)
_FITTING = {name: _build_fitting_strategy(tool) for name, (_, tool) in _NAMED_CHECKED.items()}


@pytest.mark.parametrize("name", _NAMED)
@examples(12, HealthCheck.data_too_large)
@given(st.data())
def test_any_arguments_at_all_give_an_answer_or_an_error(name: str, data: st.DataObject) -> None:
    kind, tool = _NAMED[name]
    app = _world(kind)
    values = {each.name: data.draw(_ANYTHING) for each in tool.arguments if data.draw(st.booleans())}
    via = CallerRole.AGENT if APP in tool.kinds else CallerRole.ENV
    outcome = call_tool(app, tool.name, values, caller=via)
    assert (outcome.text is None) == (outcome.error is not None)
    json.dumps(app.state())
    json.dumps(app.hidden_state())


@pytest.mark.parametrize("name", _NAMED_CHECKED)
@examples(25, HealthCheck.data_too_large)
@given(st.data())
def test_arguments_of_the_right_types_meet_no_error_that_the_tool_did_not_choose(
    name: str, data: st.DataObject
) -> None:
    kind, tool = _NAMED_CHECKED[name]
    app = _world(kind)
    via = CallerRole.AGENT if APP in tool.kinds else CallerRole.ENV
    outcome = call_tool(app, tool.name, data.draw(_FITTING[name]), caller=via)
    chosen = ValueError, KeyError, IndexError, AttributeError, OSError
    refused = outcome.error
    assert (
        refused is None
        or type(refused) is Exception
        or type(refused).__name__ == "error"
        or isinstance(refused, chosen)
    )
    assert not isinstance(refused, UnicodeError)
    json.dumps(app.state())
