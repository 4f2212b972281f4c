"""Reports of logs that older releases wrote: without reasons, rules, seeds, and how calls ended."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from adk_agent_sim.environment.recorded_report import build_recorded_report
from adk_agent_sim.generated.adksim import v1
from adk_agent_sim.persistence.row_codec import decode_event
from adk_agent_sim.timeline.events import EnvironmentDecided, Event, Payload, Player, ToolFailed, ToolStarted
from adk_agent_sim.timeline.jsonl import decode_line


def _number(*payloads: Payload) -> Iterator[Event]:
    for seq, payload in enumerate(payloads, start=1):
        player = Player.REAL if isinstance(payload, ToolStarted) else None
        yield Event(event_id=str(seq), session_id="s", seq=seq, timestamp=0.0, payload=payload, player=player)


def _decide(why: str, *, rule: str = "", call_id: str = "c") -> EnvironmentDecided:
    passed_over = [{"rule": "hit", "why": why}]
    return EnvironmentDecided(call_id=call_id, tool_name="lookup", rule=rule, actions=[], passed_over=passed_over)


_STARTED = ToolStarted(call_id="c", tool_name="lookup", arguments={})
_REFUSED = ToolFailed(call_id="c", error_type="RealToolRefused", error_message="refused", duration_ms=0)


def test_a_refused_call_is_recognized_by_its_error() -> None:
    (tool,) = build_recorded_report(_number(_decide("key is 'a', not 'b'"), _STARTED, _REFUSED)).tools

    assert (tool.calls, tool.real, tool.refused, tool.uncovered) == (1, 0, 1, 0)


def test_a_call_that_a_test_refuses_is_none_that_the_rules_refuse() -> None:
    (tool,) = build_recorded_report(_number(_STARTED, _REFUSED)).tools

    assert (tool.calls, tool.real, tool.refused) == (1, 1, 0)


@pytest.mark.parametrize(
    ("why", "reason", "uncovered"),
    [
        ("key is 'a', not 'b'", "arguments", 1),
        ("it has other arguments: x", "arguments", 1),
        ("the agent is a, not b", "agent", 1),
        ("create_order has not succeeded before", "earlier calls", 0),
        ("it is call 1, not nth 2", "call number", 0),
        ("probability: the draw 0.900 is not below 0.5", "probability", 0),
        ("it is switched off", "switched off", 0),
    ],
)
def test_the_reason_is_read_from_the_text(why: str, reason: str, uncovered: int) -> None:
    report = build_recorded_report(_number(_decide(why), _STARTED))

    assert (report.tools[0].real, report.tools[0].uncovered) == (1, uncovered)
    assert [(each.rule, each.skipped) for each in report.coverage] == [("hit", {reason: 1})]
    assert report.unused == ["hit"]


def test_models_that_use_the_ids_of_calls_again_are_counted_right() -> None:
    other = ToolStarted(call_id="c", tool_name="other", arguments={})
    report = build_recorded_report(_number(_decide("it is switched off", rule="answers"), other))

    assert [(tool.tool, tool.real, tool.simulated) for tool in report.tools] == [
        ("lookup", 0, {"answers": 1}),
        ("other", 1, {}),
    ]


def test_events_of_older_releases_are_read() -> None:
    fields: dict[str, Any] = {"call_id": "c", "tool_name": "t", "rule": "r"}
    stored = v1.SessionEvent(
        event_id="e",
        session_id="s",
        seq=1,
        environment_decided=v1.EnvironmentDecided(**fields, actions_json="[]", passed_over_json="[]"),
    )
    line = (
        '{"event": {"event_id": "e", "session_id": "s", "seq": 1, "timestamp": 0.0, "turn_id": "", "agent_name": "",'
        ' "player": null, "kind": "environment_decided", "payload":'
        ' {"call_id": "c", "tool_name": "t", "rule": "r", "actions": [], "passed_over": []}}}'
    )
    expected = EnvironmentDecided(**fields, actions=[], passed_over=[])

    assert decode_event(stored.SerializeToString()).payload == expected
    event = decode_line(line)
    assert isinstance(event, Event)
    assert event.payload == expected
