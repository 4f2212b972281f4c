"""The fold from events to rows: cases that playing does not reach, and that no follower can miss a change."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adk_agent_sim.server.api_models import Row
from adk_agent_sim.server.session_rows import SessionRows
from adk_agent_sim.timeline.events import (
    AgentEvent,
    AgentJoined,
    ArtifactSaved,
    Closed,
    Event,
    Payload,
    Player,
    RunEnded,
    RunOutcome,
    ToolFailed,
    ToolFinished,
    ToolStarted,
    TurnAsked,
    TurnDecided,
    TurnWithdrawn,
    UserSpoke,
)

JOINED = AgentJoined(app_name="app", user_id="user", adk_session_id="1", state={})


def _agent_event(*parts: dict[str, Any], final: bool = False, **more: Any) -> AgentEvent:
    return AgentEvent(
        invocation_id="i", event={"content": {"parts": list(parts), "role": "model"}, **more}, final=final
    )


def _call_part(call_id: str, name: str = "add", **args: Any) -> dict[str, Any]:
    return {"function_call": {"id": call_id, "name": name, "args": args}}


def _response_part(call_id: str, response: Any, name: str = "add") -> dict[str, Any]:
    return {"function_response": {"id": call_id, "name": name, "response": response}}


def _confirmation_part(question_id: str, call_id: str) -> dict[str, Any]:
    original = {"id": call_id, "name": "add", "args": {"a": 1}}
    confirmation = {"hint": "Really?", "payload": None}
    return _call_part(
        question_id, "adk_request_confirmation", originalFunctionCall=original, toolConfirmation=confirmation
    )


def _user_message(*parts: dict[str, Any]) -> UserSpoke:
    return UserSpoke(content={"parts": list(parts), "role": "user"})


def _turn_asked() -> TurnAsked:
    return TurnAsked(invocation_id="i", contents=((),), tools="", instruction="", config="")


def _turn_decided(*parts: dict[str, Any]) -> TurnDecided:
    return TurnDecided(decision_id="d", response={"content": {"parts": list(parts)}})


def _build_events(payloads: Sequence[Payload | tuple[str, Payload]]) -> list[Event]:
    events: list[Event] = []
    for seq, one in enumerate(payloads, start=1):
        agent, payload = one if isinstance(one, tuple) else ("agent", one)
        events.append(
            Event(
                event_id=str(seq),
                session_id="s",
                seq=seq,
                timestamp=float(seq),
                payload=payload,
                turn_id="t",
                agent_name=agent,
                player=Player.HUMAN if isinstance(payload, TurnDecided) else None,
            )
        )
    return events


def _fold(*payloads: Payload | tuple[str, Payload]) -> list[Row]:
    rows = SessionRows()
    for event in _build_events(payloads):
        rows.apply(event)
    return rows.get_last(1_000)


def _summarize(rows: Sequence[Row]) -> list[tuple[str, ...]]:
    return [(row.kind.value, row.subject, row.summary, row.status.value, row.result) for row in rows]


class TestCalls:
    def test_one_that_is_answered_without_its_tool_is_done_or_failed(self) -> None:
        rows = _fold(
            JOINED,
            _agent_event(_call_part("1", a=1), _call_part("2", a=2)),
            _agent_event(_response_part("1", {"result": 5}), _response_part("2", {"error": "no"})),
        )

        assert _summarize(rows) == [
            ("call", "add", "a=1", "done", "5"),
            ("call", "add", "a=2", "failed", '{"error": "no"}'),
        ]

    def test_an_id_that_a_model_uses_again_is_a_call_of_its_own(self) -> None:
        finished = ToolFinished(call_id="1", result=1, duration_ms=1)
        started = ToolStarted(call_id="1", tool_name="add", arguments={})
        rows = _fold(JOINED, _agent_event(_call_part("1")), started, finished, _agent_event(_call_part("1")), started)

        assert [row.status.value for row in rows] == ["done", "running"]

    def test_calls_that_run_when_a_run_ends_early_are_cancelled(self) -> None:
        failed = RunEnded(invocation_id="i", outcome=RunOutcome.FAILED, error_type="E", error_message="m")
        rows = _fold(
            JOINED, _agent_event(_call_part("1")), ToolStarted(call_id="1", tool_name="add", arguments={}), failed
        )

        assert _summarize(rows) == [("call", "add", "", "cancelled", ""), ("error", "E", "m", "failed", "")]

    def test_a_confirmation_that_is_not_answered_leaves_its_call_cancelled(self) -> None:
        rows = SessionRows()
        payloads = [
            JOINED,
            _agent_event(_call_part("1")),
            _agent_event(_confirmation_part("q", "1")),
            _user_message({"text": "never mind"}),
        ]
        for event in _build_events(payloads):
            rows.apply(event)

        assert rows.confirmation is None
        assert rows.get_last(9)[0].status.value == "cancelled"

    def test_other_requests_of_adk_are_notes(self) -> None:
        (row,) = _fold(JOINED, _agent_event(_call_part("1", "adk_request_credential", key="k")))

        assert (row.kind.value, row.subject) == ("note", "adk_request_credential")


class TestWords:
    def test_thoughts_text_and_calls_are_rows_of_their_own(self) -> None:
        parts = [{"text": "hm", "thought": True}, {"text": "I "}, {"text": "add"}, _call_part("1", a=1)]
        rows = _fold(JOINED, _agent_event(*parts))

        assert [(row.kind.value, row.subject, row.summary) for row in rows] == [
            ("say", "thought", "hm"),
            ("say", "", "I add"),
            ("call", "add", "a=1"),
        ]

    def test_the_last_final_one_is_the_answer(self) -> None:
        rows = _fold(
            JOINED,
            _user_message({"text": "q"}),
            ("first", _turn_decided({"text": "1"})),
            ("first", _agent_event({"text": "1"}, final=True)),
            ("second", _agent_event({"text": "2"}, final=True)),
        )

        assert [(row.kind.value, row.agent_name, row.player) for row in rows[1:]] == [
            ("say", "first", "human"),
            ("answer", "second", ""),
        ]

    def test_an_answer_of_bytes_has_a_row(self) -> None:
        (row,) = _fold(JOINED, _agent_event({"inline_data": {"mime_type": "image/png", "data": ""}}, final=True))

        assert (row.kind.value, row.summary) == ("answer", "image/png")

    def test_a_refusal_by_the_model_is_an_error(self) -> None:
        (row,) = _fold(JOINED, AgentEvent(invocation_id="i", event={"error_code": "SAFETY"}, final=True))

        assert (row.kind.value, row.subject, row.status.value) == ("error", "SAFETY", "failed")


class TestAnAgentThatTellsOfItsTurnsOnly:
    def test_its_decisions_are_its_rows(self) -> None:
        rows = _fold(
            _turn_asked(),
            _turn_decided({"text": "I add"}, {"function_call": {"name": "add", "args": {"a": 1}}}),
            _turn_asked(),
            _turn_decided({"text": "2"}),
        )

        assert _summarize(rows) == [
            ("say", "", "I add", "done", ""),
            ("call", "add", "a=1", "done", ""),
            ("answer", "", "2", "done", ""),
        ]
        assert {row.player for row in rows} == {"human"}


def _build_tool_started(call_id: str) -> Payload:
    return ToolStarted(call_id=call_id, tool_name="add", arguments={"a": 1})


def _build_tool_finished(call_id: str) -> Payload:
    return ToolFinished(call_id=call_id, result=[1], duration_ms=1)


def _build_tool_failed(call_id: str) -> Payload:
    return ToolFailed(call_id=call_id, error_type="ValueError", error_message="m", duration_ms=1)


def _build_tool_cancelled(call_id: str) -> Payload:
    return ToolFailed(call_id=call_id, error_type="Cancelled", error_message="m", duration_ms=1)


def _build_run_ended(outcome: RunOutcome) -> Payload:
    return RunEnded(invocation_id="i", outcome=outcome)


def _build_consent(question_id: str) -> Payload:
    return _user_message(_response_part(question_id, {"confirmed": True}))


def _build_user_message(parts: list[dict[str, Any]]) -> Payload:
    return _user_message(*parts)


def _build_decision(parts: list[dict[str, Any]]) -> Payload:
    return _turn_decided(*parts)


def _build_agent_event(parts: list[dict[str, Any]], final: bool) -> Payload:
    return _agent_event(*parts, final=final)


def _build_text_part(text: str, thought: bool) -> dict[str, Any]:
    return {"text": text, "thought": thought}


def _build_response_part(call_id: str, error: bool) -> dict[str, Any]:
    return _response_part(call_id, {"error": 1} if error else None)


_IDS = st.sampled_from(["1", "2", ""])
_QUESTIONS = st.sampled_from(["q", "r", "s"])
_PARTS: st.SearchStrategy[dict[str, Any]] = st.one_of(
    st.builds(_build_text_part, st.sampled_from(["x", ""]), st.booleans()),
    st.builds(_call_part, _IDS, st.sampled_from(["add", "adk_request_input"])),
    st.builds(_build_response_part, _IDS, st.booleans()),
    st.builds(_confirmation_part, _QUESTIONS, _IDS),
    st.just({"inline_data": {"mime_type": "image/png", "data": ""}}),
)
_SEVERAL = st.lists(_PARTS, max_size=3)
_PAYLOADS: st.SearchStrategy[Payload] = st.one_of(
    st.sampled_from([JOINED, _turn_asked(), TurnWithdrawn(), Closed(reason="r")]),
    _SEVERAL.map(_build_user_message),
    _SEVERAL.map(_build_decision),
    st.builds(_build_agent_event, _SEVERAL, st.booleans()),
    _QUESTIONS.map(_build_consent),
    _IDS.map(_build_tool_started),
    _IDS.map(_build_tool_finished),
    _IDS.map(_build_tool_failed),
    _IDS.map(_build_tool_cancelled),
    st.just(ArtifactSaved(filename="f", version=0, mime_type="text/plain", block="b")),
    st.sampled_from(RunOutcome).map(_build_run_ended),
)


class TestFollowing:
    @given(payloads=st.lists(st.tuples(st.sampled_from(["a", "b"]), _PAYLOADS), max_size=30), data=st.data())
    def test_a_follower_that_comes_back_at_any_time_has_all_rows(
        self, payloads: list[tuple[str, Payload]], data: st.DataObject
    ) -> None:
        """The rows at any seq plus the changes after it are the rows of the complete fold."""
        rows = SessionRows()
        seen: dict[int, Row] = {}
        seq = 0
        for event in _build_events(payloads):
            rows.apply(event)
            if data.draw(st.booleans()):
                seen.update({row.index: row for row in rows.get_changed_after(seq)})
                seq = rows.last_seq
        seen.update({row.index: row for row in rows.get_changed_after(seq)})
        whole = SessionRows()
        for event in _build_events(payloads):
            whole.apply(event)

        assert [seen[index] for index in sorted(seen)] == whole.get_last(10_000)
        assert rows.get_range(0, 10_000) == whole.get_last(10_000)

    @given(payloads=st.lists(st.tuples(st.sampled_from(["a", "b"]), _PAYLOADS), max_size=30))
    def test_rows_keep_their_index_and_their_sources(self, payloads: list[tuple[str, Payload]]) -> None:
        rows = SessionRows()
        before: list[Row] = []
        for event in _build_events(payloads):
            rows.apply(event)
            now = rows.get_last(10_000)
            assert [row.index for row in now] == list(range(len(now)))
            assert [(row.seq, row.timestamp) for row in now[: len(before)]] == [
                (row.seq, row.timestamp) for row in before
            ]
            changed = [row.index for row, old in zip(now, before, strict=False) if row != old]
            assert all(now[index].updated_seq == event.seq for index in changed)
            before = now
        for row in before:
            assert rows.get_sources(row.index)[0].seq == row.seq
            assert all(
                source.seq <= row.updated_seq or row.kind.value == "call" for source in rows.get_sources(row.index)
            )

    def test_the_cost_of_reading_changes_is_proportional_to_their_number(self) -> None:
        rows = SessionRows()
        for event in _build_events([_user_message({"text": "x"})] * 20_000):
            rows.apply(event)

        assert [row.index for row in rows.get_changed_after(19_998)] == [19_998, 19_999]


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ({"a": 2, "b": 2.0}, "a=2 b=2.0"),
        ({"text": "two words", "word": "one"}, 'text="two words" word=one'),
        ({"deep": {"a": [1, None, True]}}, 'deep={"a": [1, null, true]}'),
        ({"evil": "a\u202eb\x00"}, "evil=a\ufffdb\ufffd"),
        ({"long": "x" * 1_000}, f'long="{"x" * 293}\u2026'),
        ({}, ""),
    ],
)
def test_arguments_are_one_line(arguments: dict[str, Any], line: str) -> None:
    (row,) = _fold(JOINED, _agent_event(_call_part("1", **arguments)))

    assert row.summary == line
