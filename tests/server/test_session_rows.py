"""The fold from events to rows: what is not seen by playing, and that no follower can miss a change."""

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


def _said(*parts: dict[str, Any], final: bool = False, **more: Any) -> AgentEvent:
    return AgentEvent(
        invocation_id="i", event={"content": {"parts": list(parts), "role": "model"}, **more}, final=final
    )


def _call(call_id: str, name: str = "add", **args: Any) -> dict[str, Any]:
    return {"function_call": {"id": call_id, "name": name, "args": args}}


def _answer(call_id: str, response: Any, name: str = "add") -> dict[str, Any]:
    return {"function_response": {"id": call_id, "name": name, "response": response}}


def _question(question_id: str, call_id: str) -> dict[str, Any]:
    original = {"id": call_id, "name": "add", "args": {"a": 1}}
    stated = {"hint": "Really?", "payload": None}
    return _call(question_id, "adk_request_confirmation", originalFunctionCall=original, toolConfirmation=stated)


def _user(*parts: dict[str, Any]) -> UserSpoke:
    return UserSpoke(content={"parts": list(parts), "role": "user"})


def _asked() -> TurnAsked:
    return TurnAsked(invocation_id="i", contents=((),), tools="", instruction="", config="")


def _decided(*parts: dict[str, Any]) -> TurnDecided:
    return TurnDecided(decision_id="d", response={"content": {"parts": list(parts)}})


def _events(payloads: Sequence[Payload | tuple[str, Payload]]) -> list[Event]:
    found: list[Event] = []
    for seq, one in enumerate(payloads, start=1):
        agent, payload = one if isinstance(one, tuple) else ("agent", one)
        found.append(
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
    return found


def _fold(*payloads: Payload | tuple[str, Payload]) -> list[Row]:
    rows = SessionRows()
    for event in _events(payloads):
        rows.apply(event)
    return rows.get_last(1_000)


def _shown(rows: Sequence[Row]) -> list[tuple[str, ...]]:
    return [(row.kind.value, row.subject, row.summary, row.status.value, row.result) for row in rows]


class TestCalls:
    def test_one_that_is_answered_without_its_tool_is_done_or_failed(self) -> None:
        rows = _fold(
            JOINED,
            _said(_call("1", a=1), _call("2", a=2)),
            _said(_answer("1", {"result": 5}), _answer("2", {"error": "no"})),
        )

        assert _shown(rows) == [
            ("call", "add", "a=1", "done", "5"),
            ("call", "add", "a=2", "failed", '{"error": "no"}'),
        ]

    def test_an_id_that_a_model_uses_again_is_a_call_of_its_own(self) -> None:
        finished = ToolFinished(call_id="1", result=1, duration_ms=1)
        started = ToolStarted(call_id="1", tool_name="add", arguments={})
        rows = _fold(JOINED, _said(_call("1")), started, finished, _said(_call("1")), started)

        assert [row.status.value for row in rows] == ["done", "running"]

    def test_what_runs_when_a_run_ends_early_is_cancelled(self) -> None:
        failed = RunEnded(invocation_id="i", outcome=RunOutcome.FAILED, error_type="E", error_message="m")
        rows = _fold(JOINED, _said(_call("1")), ToolStarted(call_id="1", tool_name="add", arguments={}), failed)

        assert _shown(rows) == [("call", "add", "", "cancelled", ""), ("error", "E", "m", "failed", "")]

    def test_a_question_that_is_passed_over_leaves_its_call_cancelled(self) -> None:
        rows = SessionRows()
        payloads = [JOINED, _said(_call("1")), _said(_question("q", "1")), _user({"text": "never mind"})]
        for event in _events(payloads):
            rows.apply(event)

        assert rows.confirmation is None
        assert rows.get_last(9)[0].status.value == "cancelled"

    def test_other_questions_of_adk_are_notes(self) -> None:
        (row,) = _fold(JOINED, _said(_call("1", "adk_request_credential", key="k")))

        assert (row.kind.value, row.subject) == ("note", "adk_request_credential")


class TestWords:
    def test_thoughts_text_and_calls_are_rows_of_their_own(self) -> None:
        parts = [{"text": "hm", "thought": True}, {"text": "I "}, {"text": "add"}, _call("1", a=1)]
        rows = _fold(JOINED, _said(*parts))

        assert [(row.kind.value, row.subject, row.summary) for row in rows] == [
            ("say", "thought", "hm"),
            ("say", "", "I add"),
            ("call", "add", "a=1"),
        ]

    def test_the_last_final_one_is_the_answer(self) -> None:
        rows = _fold(
            JOINED,
            _user({"text": "q"}),
            ("first", _decided({"text": "1"})),
            ("first", _said({"text": "1"}, final=True)),
            ("second", _said({"text": "2"}, final=True)),
        )

        assert [(row.kind.value, row.agent_name, row.player) for row in rows[1:]] == [
            ("say", "first", "human"),
            ("answer", "second", ""),
        ]

    def test_an_answer_of_bytes_has_a_row(self) -> None:
        (row,) = _fold(JOINED, _said({"inline_data": {"mime_type": "image/png", "data": ""}}, final=True))

        assert (row.kind.value, row.summary) == ("answer", "image/png")

    def test_what_a_model_refuses_is_an_error(self) -> None:
        (row,) = _fold(JOINED, AgentEvent(invocation_id="i", event={"error_code": "SAFETY"}, final=True))

        assert (row.kind.value, row.subject, row.status.value) == ("error", "SAFETY", "failed")


class TestAnAgentThatTellsOfItsTurnsOnly:
    def test_its_decisions_are_its_rows(self) -> None:
        rows = _fold(
            _asked(),
            _decided({"text": "I add"}, {"function_call": {"name": "add", "args": {"a": 1}}}),
            _asked(),
            _decided({"text": "2"}),
        )

        assert _shown(rows) == [
            ("say", "", "I add", "done", ""),
            ("call", "add", "a=1", "done", ""),
            ("answer", "", "2", "done", ""),
        ]
        assert {row.player for row in rows} == {"human"}


def _started(call_id: str) -> Payload:
    return ToolStarted(call_id=call_id, tool_name="add", arguments={"a": 1})


def _finished(call_id: str) -> Payload:
    return ToolFinished(call_id=call_id, result=[1], duration_ms=1)


def _failed(call_id: str) -> Payload:
    return ToolFailed(call_id=call_id, error_type="ValueError", error_message="m", duration_ms=1)


def _cancelled(call_id: str) -> Payload:
    return ToolFailed(call_id=call_id, error_type="Cancelled", error_message="m", duration_ms=1)


def _ended(outcome: RunOutcome) -> Payload:
    return RunEnded(invocation_id="i", outcome=outcome)


def _consented(question_id: str) -> Payload:
    return _user(_answer(question_id, {"confirmed": True}))


def _spoken(parts: list[dict[str, Any]]) -> Payload:
    return _user(*parts)


def _chosen(parts: list[dict[str, Any]]) -> Payload:
    return _decided(*parts)


def _emitted(parts: list[dict[str, Any]], final: bool) -> Payload:
    return _said(*parts, final=final)


def _text(text: str, thought: bool) -> dict[str, Any]:
    return {"text": text, "thought": thought}


def _answered(call_id: str, error: bool) -> dict[str, Any]:
    return _answer(call_id, {"error": 1} if error else None)


_IDS = st.sampled_from(["1", "2", ""])
_QUESTIONS = st.sampled_from(["q", "r", "s"])
_PARTS: st.SearchStrategy[dict[str, Any]] = st.one_of(
    st.builds(_text, st.sampled_from(["x", ""]), st.booleans()),
    st.builds(_call, _IDS, st.sampled_from(["add", "adk_request_input"])),
    st.builds(_answered, _IDS, st.booleans()),
    st.builds(_question, _QUESTIONS, _IDS),
    st.just({"inline_data": {"mime_type": "image/png", "data": ""}}),
)
_SEVERAL = st.lists(_PARTS, max_size=3)
_PAYLOADS: st.SearchStrategy[Payload] = st.one_of(
    st.sampled_from([JOINED, _asked(), TurnWithdrawn(), Closed(reason="r")]),
    _SEVERAL.map(_spoken),
    _SEVERAL.map(_chosen),
    st.builds(_emitted, _SEVERAL, st.booleans()),
    _QUESTIONS.map(_consented),
    _IDS.map(_started),
    _IDS.map(_finished),
    _IDS.map(_failed),
    _IDS.map(_cancelled),
    st.just(ArtifactSaved(filename="f", version=0, mime_type="text/plain", block="b")),
    st.sampled_from(RunOutcome).map(_ended),
)


class TestFollowing:
    @given(payloads=st.lists(st.tuples(st.sampled_from(["a", "b"]), _PAYLOADS), max_size=30), data=st.data())
    def test_a_follower_that_comes_back_at_any_time_has_all_rows(
        self, payloads: list[tuple[str, Payload]], data: st.DataObject
    ) -> None:
        """Whoever saw the rows at some seq, and gets what changed after it, has what the whole fold gives."""
        rows = SessionRows()
        seen: dict[int, Row] = {}
        seq = 0
        for event in _events(payloads):
            rows.apply(event)
            if data.draw(st.booleans()):
                seen.update({row.index: row for row in rows.get_changed_after(seq)})
                seq = rows.last_seq
        seen.update({row.index: row for row in rows.get_changed_after(seq)})
        whole = SessionRows()
        for event in _events(payloads):
            whole.apply(event)

        assert [seen[index] for index in sorted(seen)] == whole.get_last(10_000)
        assert rows.get_range(0, 10_000) == whole.get_last(10_000)

    @given(payloads=st.lists(st.tuples(st.sampled_from(["a", "b"]), _PAYLOADS), max_size=30))
    def test_rows_keep_their_place_and_what_made_them(self, payloads: list[tuple[str, Payload]]) -> None:
        rows = SessionRows()
        before: list[Row] = []
        for event in _events(payloads):
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

    def test_what_changed_costs_what_it_finds(self) -> None:
        rows = SessionRows()
        for event in _events([_user({"text": "x"})] * 20_000):
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
    (row,) = _fold(JOINED, _said(_call("1", **arguments)))

    assert row.summary == line
