"""Import followed by export loses nothing, not even what ARE loses."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scenario_corpus import build_event, build_scenario, load_sandbox, load_scenarios, load_traces

from adk_agent_sim.scenario import JsonScenarioExporter, JsonScenarioImporter

_CORPUS = load_scenarios() | load_traces() | {"universe_sandbox": load_sandbox()}

_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


def _again(file: Any) -> Any:
    imported, _, _ = JsonScenarioImporter().import_from_json(json.dumps(file))
    return json.loads(JsonScenarioExporter().export_to_json(scenario=imported))


def _exactly(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


@pytest.mark.parametrize("name", _CORPUS)
@pytest.mark.req("004/schema-serialization")
def test_what_are_wrote_comes_out_as_it_went_in(name: str) -> None:
    assert _exactly(_again(_CORPUS[name])) == _exactly(_CORPUS[name])


@pytest.mark.req("004/ExportedTraceBase", "004/operation-type")
def test_what_are_loses_is_kept() -> None:
    env = build_event("env", after=("ask",), event_time=5)
    env["action"] |= {"operation_type": "WRITE"}
    env["action"]["args"] = [
        {"name": "sender", "value": "{{ask.sender}}", "value_type": "str"},
        {"name": "subject", "value": "", "value_type": "str"},
    ]
    done = build_event("env", after=("ask",), event_time=1001, class_name="CompletedEvent")
    done["metadata"] = {"return_value": "", "return_value_type": "str", "exception": None}
    file = build_scenario(build_event("ask", "USER"), env)
    file |= {"completed_events": [done], "augmentation": {"tool": {"p": 0.1}}, "a_field_of_tomorrow": [1, 2.0]}
    file["metadata"]["definition"]["another"] = {"deep": None}
    assert _exactly(_again(file)) == _exactly(file)


@given(extra=_JSON, state=st.dictionaries(st.text(), _JSON, max_size=3), seconds=st.integers() | st.floats(0, 1e9))
def test_any_state_and_any_unknown_field_is_kept(extra: Any, state: Any, seconds: Any) -> None:
    file = build_scenario(build_event("env", unknown=extra, event_relative_time=seconds)) | {
        "more": extra,
        "augmentation": state,
    }
    file["apps"][1]["app_state"] = state
    assert _exactly(_again(file)) == _exactly(file)
