"""A model that reuses the ids of its calls, or answers them again, does not make its history slow."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from google.genai import types
from work_counter import count_lines

from adk_agent_sim.golden.invocation_contents import CallIdAllocator
from adk_agent_sim.timeline.events import AgentEvent, Event, Payload, ToolFinished
from adk_agent_sim.timeline.history import ToolCall, ToolOutput, UniqueIds, build_history

_FEW, _MANY = 50, 800
_MAX_LINES = 5_000_000


def _number(payloads: list[Payload]) -> list[Event]:
    return [
        Event(event_id=str(seq), session_id="s", seq=seq, timestamp=1.0, payload=payload, agent_name="a", player=None)
        for seq, payload in enumerate(payloads, start=1)
    ]


def _call(call_id: str) -> AgentEvent:
    parts: list[dict[str, Any]] = [{"function_call": {"id": call_id, "name": "add", "args": {}}}]
    return AgentEvent(invocation_id="i", event={"content": {"role": "model", "parts": parts}}, final=False)


def _finish(call_id: str, result: int) -> ToolFinished:
    return ToolFinished(call_id=call_id, result=result, duration_ms=1.0)


def _reuse_one_id(count: int) -> list[Payload]:
    return [payload for number in range(count) for payload in (_call("c"), _finish("c", number))]


def _reuse_numbered_ids(count: int) -> list[Payload]:
    return [*(_call(f"c#{number}") for number in range(2, count)), *([_call("c")] * count)]


def _answer_again(count: int) -> list[Payload]:
    calls: list[Payload] = [_call(str(number)) for number in range(count)]
    return calls + [_finish(str(number), turn) for turn in range(2) for number in range(count)]


@pytest.mark.parametrize("build", [_reuse_one_id, _reuse_numbered_ids, _answer_again])
def test_the_history_takes_work_in_proportion_to_its_events(build: Callable[[int], list[Payload]]) -> None:
    def measure(count: int) -> int:
        events = _number(build(count))
        return count_lines(lambda: build_history(events), _MAX_LINES)

    assert measure(_MANY) < measure(_FEW) * (_MANY // _FEW) * 1.5


def test_each_call_gets_its_own_result() -> None:
    history = build_history(_number(_reuse_one_id(3)))

    assert [entry.call_id for entry in history if isinstance(entry, ToolCall)] == ["c", "c#2", "c#3"]
    assert [(e.call_id, e.result) for e in history if isinstance(e, ToolOutput)] == [("c", 0), ("c#2", 1), ("c#3", 2)]


def test_a_second_result_replaces_the_first_one() -> None:
    history = build_history(_number(_answer_again(3)))

    assert [(e.call_id, e.result) for e in history if isinstance(e, ToolOutput)] == [("0", 1), ("1", 1), ("2", 1)]


def test_numbered_ids_that_are_taken_are_skipped() -> None:
    ids = UniqueIds("#")

    assert [ids.assign(each) for each in ("c#2", "c", "c", "c", "c#2")] == ["c#2", "c", "c#3", "c#4", "c#2#2"]


def test_imported_calls_take_work_in_proportion_to_their_number() -> None:
    def measure(count: int) -> int:
        ids = CallIdAllocator()

        def assign() -> None:
            for _ in range(count):
                ids.assign_call_id(types.FunctionCall(id="c", name="add", args={}))
            for _ in range(count):
                ids.assign_response_id(types.FunctionResponse(id="c", name="add", response={}))

        return count_lines(assign, _MAX_LINES)

    assert measure(_MANY) < measure(_FEW) * (_MANY // _FEW) * 1.5
