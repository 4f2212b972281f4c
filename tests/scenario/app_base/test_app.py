"""App state: loading and dumping round-trip, and a dumped state restores the app."""

from __future__ import annotations

import copy
import json
from typing import Any, cast

import pytest
from counts import examples
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from scenario_corpus import load_lines, load_sandbox, load_universe

from adk_agent_sim.errors import InvalidAppState
from adk_agent_sim.scenario.app_base.app import App, AppContext, CallerRole
from adk_agent_sim.scenario.app_base.tool_call import call_tool
from adk_agent_sim.scenario.apps.registry import BUILT_IN_APPS

_APPS: list[dict[str, Any]] = [*load_universe(), *load_sandbox()["apps"]]
_VALUES = st.none() | st.booleans() | st.integers() | st.text() | st.lists(st.integers(), max_size=2)


@pytest.mark.parametrize("class_name", BUILT_IN_APPS)
@pytest.mark.parametrize("state", [{}, {"unknown": [1, {"a": None}]}])
def test_an_app_without_its_keys_is_an_empty_app_and_dumps_none(class_name: str, state: dict[str, Any]) -> None:
    app = BUILT_IN_APPS[class_name](state=state)
    assert app.state() == state
    assert json.loads(json.dumps(app.hidden_state())) == app.hidden_state()


@examples(60, HealthCheck.data_too_large)
@given(st.sampled_from(_APPS), st.data())
def test_what_is_loaded_is_dumped_whatever_keys_are_missing_null_or_unknown(
    app: dict[str, Any], data: st.DataObject
) -> None:
    state: dict[str, Any] = copy.deepcopy(app["app_state"]) or {}
    for key in data.draw(st.sets(st.sampled_from([*state, ""]))) & state.keys():
        if data.draw(st.booleans()):
            del state[key]
        else:
            state[key] = None
    state |= data.draw(st.dictionaries(st.text(min_size=1).map(lambda text: f"x-{text}"), _VALUES, max_size=3))
    for entity in _entities(state):
        entity.update(
            data.draw(st.dictionaries(st.text(min_size=1).map(lambda text: f"x-{text}"), _VALUES, max_size=1))
        )
    before = json.dumps(state)
    assert json.dumps(BUILT_IN_APPS[app["class_name"]](state=state).state()) == before


def _entities(state: dict[str, Any]) -> list[dict[str, Any]]:
    """Some objects deep inside a state."""
    found: list[Any] = []
    for held in state.values():
        inner: Any = list(cast("dict[str, Any]", held).values()) if isinstance(held, dict) else held
        found += cast("list[Any]", inner)[:2] if isinstance(inner, list) else []
    return [each for each in found if isinstance(each, dict)]


_LEFT_OUT = {
    "is_read", "parent_id", "cc", "attachments", "nationality", "job", "phone", "email", "address", "gender",
    "status", "age", "tag", "description", "attendees", "start_strftime", "end_strftime", "amenities",
    "saved", "furnished_status", "floor_level", "pet_policy", "lease_term", "property_type", "options", "available",
    "delay_history", "title", "last_updated", "time_read",
}  # fmt: skip
"""Keys that the package fills in when a file leaves them out."""


def _without(value: Any, keys: set[str]) -> Any:
    if isinstance(value, dict):
        return {key: _without(held, keys) for key, held in cast("dict[str, Any]", value).items() if key not in keys}
    return [_without(each, keys) for each in cast("list[Any]", value)] if isinstance(value, list) else value


def test_entities_without_the_keys_that_have_defaults_can_be_used_all_the_same() -> None:
    rows = [row for row in load_lines("tool_calls.jsonl") if row["in"] == "B"]
    now = [0.0]
    world = _world(
        [each | {"app_state": _without(each["app_state"], _LEFT_OUT)} for each in load_sandbox()["apps"]], now
    )
    for row in rows:
        now[0] = 1_741_268_400.0 + row["t"]
        error = call_tool(world.apps[row["app"]], row["fn"], row["args"], caller=CallerRole(row["via"])).error
        surprising = isinstance(error, TypeError | AttributeError) and type(error).__name__ not in row.get("exc", [])
        missed = isinstance(error, KeyError) and error.args[0] in _LEFT_OUT
        assert not surprising, (row, repr(error))
        assert not missed, (row, repr(error))


@pytest.mark.parametrize(
    ("class_name", "state"),
    [
        ("EmailClientV2", {"folders": {"INBOX": {"emails": [{"subject": "no id"}]}}}),
        ("EmailClientV2", {"folders": ["INBOX"]}),
        ("ContactsApp", {"contacts": 3}),
        ("VirtualFileSystem", {"files": {"children": [{"type": "file"}]}}),
        ("ShoppingApp", {"products": "none"}),
        ("MessagingAppV2", {"conversations": 1}),
    ],
)
def test_a_state_of_another_shape_is_refused_by_the_name_of_the_app(class_name: str, state: dict[str, Any]) -> None:
    with pytest.raises(InvalidAppState, match=rf"The state of app 'Mine' \({class_name}\) is invalid: "):
        BUILT_IN_APPS[class_name]("Mine", AppContext(), state)


def _world(apps: list[dict[str, Any]], now: list[float]) -> AppContext:
    world = AppContext(now=lambda: now[0])
    for each in apps:
        BUILT_IN_APPS[each["class_name"]](each["name"], world, each["app_state"])
    return world


def _do(world: AppContext, rows: list[dict[str, Any]], now: list[float]) -> str:
    """Make recorded calls and return everything observable. Recorded ids are unknown here, so some calls fail."""
    seen: list[Any] = []
    for row in rows:
        now[0] = 1_741_268_400.0 + row["t"]
        outcome = call_tool(world.apps[row["app"]], row["fn"], row["args"], caller=CallerRole(row["via"]))
        seen.append([outcome.text, repr(outcome.error)])
    return json.dumps([seen, {name: app.state() for name, app in world.apps.items()}])


def test_a_scenario_is_never_changed_and_worlds_do_not_see_each_other() -> None:
    apps = load_sandbox()["apps"]
    before = json.dumps(apps)
    rows = [row for row in load_lines("tool_calls.jsonl") if row["in"] == "B"]
    now = [0.0]
    first, second = _world(apps, now), _world(apps, now)
    untouched = json.dumps({name: app.state() for name, app in second.apps.items()})
    _do(first, rows, now)
    assert json.dumps(apps) == before
    assert json.dumps({name: app.state() for name, app in second.apps.items()}) == untouched


@pytest.mark.parametrize("cut", [40, 150, 300, 450])
def test_a_restored_world_repeats_what_it_did(cut: int) -> None:
    rows = [row for row in load_lines("tool_calls.jsonl") if row["in"] == "B"]
    now = [0.0]
    world = _world(load_sandbox()["apps"], now)
    _do(world, rows[:cut], now)
    kept = {name: (app.state(), app.hidden_state()) for name, app in world.apps.items()}
    text = json.dumps(kept)
    done = _do(world, rows[cut:], now)
    assert json.dumps(kept) == text
    for name, (state, hidden) in kept.items():
        world.apps[name].load(state)
        world.apps[name].restore_hidden_state(hidden)
    assert _do(world, rows[cut:], now) == done


def test_an_app_that_keeps_nothing_of_its_own_needs_no_more_than_its_tools() -> None:
    class Bare(App):
        """An app with a state that nothing changes."""

    assert Bare(state={"a": 1}).state() == {"a": 1}
    assert Bare().name == "Bare"


def test_what_a_tool_returned_can_be_changed_without_changing_the_world() -> None:
    world = _world(load_sandbox()["apps"], [1_741_268_400.0])
    before = json.dumps({name: app.state() for name, app in world.apps.items()})
    read = {
        "list_emails",
        "get_contacts",
        "list_all_apartments",
        "list_orders",
        "list_cart",
        "get_ride_history",
        "search_events",
    }
    for name, app in world.apps.items():
        for function in read & app.tools().keys():
            arguments = {"query": ""} if function == "search_events" else {}
            _spoil(call_tool(app, function, arguments, caller=CallerRole.AGENT).value)
        assert {name: app.state() for name, app in world.apps.items()} == json.loads(before), name


def _spoil(value: Any) -> None:
    """Empty everything that can be emptied."""
    if isinstance(value, dict):
        for each in cast("dict[Any, Any]", value).values():
            _spoil(each)
        cast("dict[Any, Any]", value).clear()
    elif isinstance(value, list):
        for each in cast("list[Any]", value):
            _spoil(each)
        cast("list[Any]", value).clear()
