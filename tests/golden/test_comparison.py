from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from adk_agent_sim.golden.comparison import compare_recordings
from adk_agent_sim.golden.recording import RecordedRun, RecordedText, RecordedToolCall, Recording, StreamKey
from adk_agent_sim.timeline.events import AgentPath, RunOutcome

_ROOT = StreamKey(agent_name="root", path=AgentPath())


def _call(call_id: str, name: str, response: Mapping[str, Any] | None, **fields: Any) -> RecordedToolCall:
    return RecordedToolCall(
        key=_ROOT, call_id=call_id, tool_name=name, arguments={}, response=response, actions={}, **fields
    )


def _build_recording(
    *calls: RecordedToolCall, texts: tuple[tuple[str, str], ...] = (), final: str = "done"
) -> Recording:
    run = RecordedRun(
        message={"parts": [{"text": "hi"}]},
        is_query=True,
        decisions=[],
        calls=calls,
        texts=[RecordedText(key=StreamKey(agent_name=name, path=AgentPath()), text=text) for name, text in texts],
        final_text=final,
        outcome=RunOutcome.DONE,
    )
    return Recording(name="case", app_name="app", user_id="user", state={}, runs=[run])


def _list_differences(recorded: Recording, current: Recording, *ignored: str) -> list[tuple[str, Any, Any]]:
    found = compare_recordings(recorded, current, ignored).differences
    return [(difference.what, difference.recorded, difference.found) for difference in found]


def test_responses_are_matched_by_the_id_of_the_call() -> None:
    recorded = _build_recording(_call("a", "search", {"n": 1}), _call("b", "get", {"n": 2}))
    current = _build_recording(_call("b", "get", {"n": 3}), _call("a", "search", {"n": 1}))

    assert _list_differences(recorded, current) == [("call 2 of get", {"n": 2}, {"n": 3})]


def test_a_response_that_is_true_instead_of_1_is_a_difference() -> None:
    recorded = _build_recording(_call("a", "search", {"n": [1]}), _call("b", "search", {"n": [1]}))
    current = _build_recording(_call("a", "search", {"n": [True]}), _call("b", "search", {"n": [1.0]}))

    assert _list_differences(recorded, current) == [("call 1 of search", {"n": [1]}, {"n": [True]})]


def test_an_argument_that_is_true_instead_of_1_is_a_difference() -> None:
    recorded = _build_recording(replace(_call("a", "search", {}), arguments={"n": 1}))
    current = _build_recording(replace(_call("a", "search", {}), arguments={"n": True}))

    assert [what for what, _, _ in _list_differences(recorded, current)] == ["call 1 of search"]


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
    before = {"items": [{"id": 1, "score": 0.1}], "when": 1}
    now = {"items": [{"id": 1, "score": 0.9}], "when": 2}
    recorded = _build_recording(_call("a", "search", before), _call("b", "get", before))
    current = _build_recording(_call("a", "search", now), _call("b", "get", now))

    assert len(_list_differences(recorded, current, *ignored)) == left


def test_a_call_that_was_not_made_is_a_difference() -> None:
    recorded = _build_recording(_call("a", "search", {"n": 1}))

    assert _list_differences(recorded, _build_recording()) == [
        ("call 1 of search", {"name": "search", "args": {}}, None)
    ]


def test_a_call_that_is_not_recorded_is_a_difference() -> None:
    current = _build_recording(_call("a", "search", {"n": 1}))

    assert _list_differences(_build_recording(), current) == [
        ("an unrecorded call of search", None, {"name": "search", "args": {}})
    ]


def test_a_call_without_a_recorded_response_is_not_compared() -> None:
    comparison = compare_recordings(
        _build_recording(_call("a", "get", None)), _build_recording(_call("a", "get", {"n": 2}))
    )

    assert not comparison.differences
    assert (comparison.call_count, comparison.compared_call_count) == (1, 0)
    assert not comparison.has_compared


def test_a_call_without_a_recorded_response_that_fails_is_a_difference() -> None:
    failed = _call("a", "get", {"error": {"type": "KeyError", "message": "x"}}, error="KeyError: x")

    assert [
        what for what, _, _ in _list_differences(_build_recording(_call("a", "get", None)), _build_recording(failed))
    ] == ["call 1 of get"]


def test_a_tool_that_does_not_exist_is_a_difference() -> None:
    message = "Invoking `get()` failed as no tool with that name is available. ..."
    recorded = _build_recording(_call("a", "get", None))

    assert _list_differences(recorded, _build_recording(_call("a", "get", {"error": message}))) == [
        ("call 1 of get", None, {"error": message})
    ]


def test_texts_are_compared_by_agent_and_order() -> None:
    recorded = _build_recording(texts=(("a", "one"), ("b", "two"), ("a", "three")))
    current = _build_recording(texts=(("b", "two"), ("a", "one"), ("a", "3")))

    assert _list_differences(recorded, current) == [("text 2", "three", "3")]


def test_a_text_that_is_missing_is_a_difference() -> None:
    assert _list_differences(_build_recording(texts=(("a", "one"),)), _build_recording()) == [("text 1", "one", None)]


def test_the_final_response_is_compared() -> None:
    assert _list_differences(_build_recording(), _build_recording(final="other")) == [
        ("the final response", "done", "other")
    ]


def test_a_recording_that_names_no_paths_is_compared_by_agent() -> None:
    recorded = _build_recording(texts=(("a", "one"),))
    run = recorded.runs[0]
    nameless = replace(run, texts=[RecordedText(key=StreamKey(agent_name="a"), text="one")])

    assert not _list_differences(replace(recorded, runs=[nameless]), recorded)
