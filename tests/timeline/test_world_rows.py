"""The rows of a scenario's world, and verdicts on closed sessions."""

from __future__ import annotations

from typing import Any

import pytest
from stores import AnyStore
from timeline_builders import user_content

from adk_agent_sim.errors import InvalidField, SessionClosed
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.event_validation import validate_payload
from adk_agent_sim.timeline.events import AgentEvent, Event, Payload, UserSpoke
from adk_agent_sim.timeline.read_model.session_rows import SessionRows
from adk_agent_sim.timeline.submissions import EventBatch
from adk_agent_sim.timeline.timeline import Timeline
from adk_agent_sim.timeline.world_events import (
    NotificationDelivered,
    VerdictReached,
    WorldEventHappened,
    WorldStarted,
    WorldTimeChanged,
)


def _build_world_event(
    kind: str, function: str | None, call_id: str = "", error: str | None = None
) -> WorldEventHappened:
    args = [{"name": "subject", "value": "Lunch?", "value_type": "str"}]
    action = None if function is None else {"action_id": "a", "app": "Emails", "function": function, "args": args}
    completed: dict[str, Any] = {
        "class_name": "CompletedEvent",
        "event_type": kind,
        "event_time": 1060.0,
        "event_id": f"{kind}-1",
        "dependencies": [],
        "event_relative_time": None,
        "action": action,
        "metadata": {"exception": error},
    }
    return WorldEventHappened(event=completed, elapsed_seconds=60.0, call_id=call_id)


def _list_rows(*payloads: Payload) -> list[tuple[str, str, str, str, str, float | None]]:
    rows = SessionRows()
    for number, payload in enumerate(payloads, start=1):
        rows.apply(Event(event_id=str(number), session_id="s", seq=number, timestamp=5.0, payload=payload))
    return [
        (each.kind, each.status, each.subject, each.summary, each.result, each.world_seconds)
        for each in rows.changed.values()
    ]


def test_each_event_of_a_world_is_one_line() -> None:
    assert _list_rows(
        WorldStarted(scenario_id="lunch", start_time=1000.0, seed=7),
        _build_world_event("ENV", "send_email_to_user"),
        _build_world_event("ENV", "delete_email", error="There is no such email."),
        _build_world_event("VALIDATION", None),
        NotificationDelivered(kind="ENVIRONMENT_NOTIFICATION", text="New email\nfrom Ada", elapsed_seconds=61.0),
        WorldTimeChanged(from_seconds=61.0, to_seconds=120.0, reason="wait"),
        VerdictReached(turn=1, passed=True),
        VerdictReached(turn=0, passed=False, reason="Event 'a' is missing."),
    ) == [
        ("world", "done", "started", "lunch, 1970-01-01 00:16:40 UTC, seed 7", "", 0.0),
        ("world", "done", "Emails__send_email_to_user", "subject=Lunch?", "", 60.0),
        ("world", "failed", "Emails__delete_email", "subject=Lunch?", "There is no such email.", 60.0),
        ("world", "done", "validation", "VALIDATION-1", "", 60.0),
        ("world", "done", "notification", "New email from Ada", "", 61.0),
        ("world", "done", "time", "from t+61 s to t+120 s: wait", "", 120.0),
        ("world", "done", "verdict", "turn 1 passed", "", None),
        ("world", "failed", "verdict", "the run failed", "Event 'a' is missing.", None),
    ]


def test_what_has_a_row_already_gets_no_second_one() -> None:
    function_call: dict[str, Json] = {"id": "c", "name": "Emails__send_email", "args": {}}
    call: dict[str, Json] = {"parts": [{"function_call": function_call}], "role": "model"}
    rows = _list_rows(
        UserSpoke(content=user_content("Hello")),
        _build_world_event("USER", "send_message_to_agent"),
        AgentEvent(invocation_id="i", event={"content": call}, final=False),
        _build_world_event("AGENT", "send_email", call_id="c"),
        _build_world_event("AGENT", "list_emails", call_id="a call that has ended"),
        AgentEvent(invocation_id="i", event={"author": "environment", "content": user_content("News")}, final=False),
        WorldTimeChanged(from_seconds=61.0, to_seconds=62.0, reason="thinking"),
        _build_world_event("AGENT", "send_message_to_user"),
    )
    assert [(kind, subject, seconds) for kind, _, subject, _, _, seconds in rows] == [
        ("user", "", None),
        ("call", "Emails__send_email", 60.0),
    ]


async def test_a_closed_session_takes_verdicts_and_nothing_else(store: AnyStore) -> None:
    timeline = Timeline(store)
    session_id = (await timeline.create_session("")).session_id
    closed = await timeline.close_session(session_id, "over")
    await timeline.append(EventBatch(session_id, [VerdictReached(turn=0, passed=True)]))
    assert await timeline.close_session(session_id, "again") == closed
    assert [row.subject for row in await timeline.read_rows(session_id, 0, 9)] == ["closed", "verdict"]
    with pytest.raises(SessionClosed):
        await timeline.append(EventBatch(session_id, [_build_world_event("ENV", "add_email")]))


@pytest.mark.parametrize(
    ("payload", "field"),
    [
        (WorldStarted(scenario_id="s", start_time=-1.0, seed=0), "world_started.start_time"),
        (WorldStarted(scenario_id="s", start_time=0.0, seed=2**63), "world_started.seed"),
        (WorldEventHappened(event={"event_id": "x"}, elapsed_seconds=0.0), "world_event_happened.event.event_type"),
        (VerdictReached(turn=0, passed=True, verdict={"matches": {"a": 1}}), "verdict_reached.verdict.matches.a"),
        (WorldTimeChanged(from_seconds=0.0, to_seconds=float("inf"), reason=""), "world_time_changed.to_seconds"),
    ],
)
def test_an_invalid_world_event_is_refused(payload: Payload, field: str) -> None:
    with pytest.raises(InvalidField) as caught:
        validate_payload(payload)
    assert caught.value.field == field
