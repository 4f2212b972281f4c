from typing import Any

import pytest
from google.genai import types

from adk_agent_sim.golden.drift import find_drifts

_USES = [types.FunctionCall(id="a", name="search", args={}), types.FunctionCall(id="b", name="get", args={})]


def _recorded(first: dict[str, Any], second: dict[str, Any]) -> list[types.FunctionResponse]:
    return [
        types.FunctionResponse(id="b", name="get", response=second),
        types.FunctionResponse(id="a", name="search", response=first),
    ]


def test_results_are_matched_by_id_and_compared_in_order() -> None:
    found = list(find_drifts(_USES, _recorded({"n": 1}, {"n": 2}), [{"n": 1}, {"n": 3}]))

    assert [(drift.place, drift.tool_name, drift.recorded, drift.found) for drift in found] == [
        (2, "get", {"n": 2}, {"n": 3})
    ]


@pytest.mark.parametrize(
    ("ignored", "left"),
    [
        ([], 2),
        (["when"], 2),
        (["items.*.score", "when"], 0),
        (["items.0.score", "*"], 0),
        (["search:items.*.score", "search:when"], 1),
        (["get:when", "get:items"], 1),
        (["nowhere.at.all"], 2),
    ],
)
def test_ignored_paths_are_not_compared(ignored: list[str], left: int) -> None:
    recorded = {"items": [{"id": 1, "score": 0.1}], "when": 1}
    now = {"items": [{"id": 1, "score": 0.9}], "when": 2}

    assert len(list(find_drifts(_USES, _recorded(recorded, recorded), [now, now], ignored))) == left


def test_a_call_without_a_current_result_is_drift() -> None:
    found = list(find_drifts(_USES, _recorded({"n": 1}, {"n": 2}), [{"n": 1}]))

    assert [drift.found for drift in found] == [None]


def test_a_call_without_a_recorded_result_is_not_drift() -> None:
    assert not list(find_drifts(_USES, [], [{"n": 1}, {"n": 2}]))
