"""The fold from events to rows: cases that playing does not reach, and that no follower can miss a change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adk_agent_sim.persistence.read_model_codec import decode_row, decode_rows_state, encode_row, encode_rows_state
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.events import (
    AgentEvent,
    AgentJoined,
    AgentPath,
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
from adk_agent_sim.timeline.read_model.session_rows import SessionRows
from adk_agent_sim.timeline.read_model.timeline_row import TimelineRow

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


class RowTable:
    """The rows as a store keeps them: each commit adds and replaces rows."""

    def __init__(self) -> None:
        self.state = SessionRows()
        self.rows: dict[int, TimelineRow] = {}

    def apply(self, event: Event) -> None:
        self.state = self.state.copy()
        self.state.apply(event)
        self.rows.update(self.state.changed)

    def get_all(self) -> list[TimelineRow]:
        return [self.rows[index] for index in sorted(self.rows)]

    def get_changed_after(self, seq: int) -> list[TimelineRow]:
        return [row for row in self.get_all() if row.updated_seq > seq]


def _fold(*payloads: Payload | tuple[str, Payload]) -> list[TimelineRow]:
    table = RowTable()
    for event in _build_events(payloads):
        table.apply(event)
    return table.get_all()


def _summarize(rows: Sequence[TimelineRow]) -> list[tuple[str, ...]]:
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

    @pytest.mark.parametrize(
        ("result", "status"),
        [
            ({"error": "no such city"}, "failed"),
            ({"content": [], "isError": True}, "failed"),
            ({"status": "error", "error_message": "no such city"}, "failed"),
            ({"error": None, "city": "Rome"}, "done"),
            ({"content": [], "isError": False}, "done"),
            ("error", "done"),
        ],
    )
    def test_a_result_that_reports_a_failure_is_one(self, result: Json, status: str) -> None:
        started = ToolStarted(call_id="1", tool_name="add", arguments={})
        finished = ToolFinished(call_id="1", result=result, duration_ms=1)
        answered = _agent_event(_response_part("1", result if isinstance(result, dict) else {"result": result}))

        for payloads in ((started, finished), (answered,)):
            (row,) = _fold(JOINED, _agent_event(_call_part("1")), *payloads)
            assert row.status.value == status

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
        rows = _fold(
            JOINED,
            _agent_event(_call_part("1")),
            _agent_event(_confirmation_part("q", "1")),
            _user_message({"text": "never mind"}),
        )

        assert rows[0].status.value == "cancelled"

    def test_other_requests_of_adk_are_notes(self) -> None:
        (row,) = _fold(JOINED, _agent_event(_call_part("1", "adk_request_something", key="k")))

        assert (row.kind.value, row.subject) == ("note", "adk_request_something")

    def test_a_request_to_the_user_waits_until_it_is_answered(self) -> None:
        asked = _agent_event(_call_part("1", "adk_request_input", message="Where to?"))
        answer = {"id": "1", "name": "adk_request_input", "response": {"result": "Rome"}}
        answered = UserSpoke(content={"role": "user", "parts": [{"function_response": answer}]})
        (waiting,) = _fold(JOINED, asked)
        (done,) = _fold(JOINED, asked, answered)

        assert (waiting.kind.value, waiting.subject, waiting.summary) == ("request", "input", "Where to?")
        assert (waiting.status.value, waiting.result) == ("confirm", "")
        assert (done.status.value, done.result) == ("done", "Rome")

    def test_a_request_to_the_user_is_given_up_with_a_new_query(self) -> None:
        query = UserSpoke(content={"role": "user", "parts": [{"text": "hi"}]})
        row, _ = _fold(JOINED, _agent_event(_call_part("1", "adk_request_credential", authConfig={})), query)

        assert (row.kind.value, row.subject, row.status.value) == ("request", "credential", "cancelled")


class TestWords:
    def test_thoughts_text_and_calls_are_rows_of_their_own(self) -> None:
        parts = [{"text": "hm", "thought": True}, {"text": "I "}, {"text": "add"}, _call_part("1", a=1)]
        rows = _fold(JOINED, _agent_event(*parts))

        assert [(row.kind.value, row.subject, row.summary) for row in rows] == [
            ("commentary", "thought", "hm"),
            ("commentary", "", "I add"),
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
            ("commentary", "first", "human"),
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
            ("commentary", "", "I add", "done", ""),
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


def _build_consent(question_id: str, *, confirmed: bool = True) -> Payload:
    return _user_message(_response_part(question_id, {"confirmed": confirmed}))


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


_LOGS = st.lists(st.tuples(st.sampled_from(["a", "b"]), _PAYLOADS), max_size=30)


def _without_sources(rows: Sequence[TimelineRow]) -> list[TimelineRow]:
    """Return rows as they are sent to a browser."""
    return [replace(row, sources=()) for row in rows]


class TestFollowing:
    @pytest.mark.parametrize("confirmed", [True, False])
    def test_an_answer_to_a_confirmation_of_a_call_that_has_ended_does_not_run_it_again(self, confirmed: bool) -> None:
        rows = _fold(
            ("a", AgentJoined(app_name="app", user_id="user", adk_session_id="1", state={})),
            ("a", _build_tool_started("1")),
            ("a", _build_agent_event([_confirmation_part("q", "1"), _build_text_part("x", False)], False)),
            ("a", _build_tool_finished("1")),
            ("a", _build_consent("q", confirmed=confirmed)),
        )

        assert [row.status.value for row in rows if row.kind.value == "call"] == ["done"]
        assert [row.summary for row in rows if row.kind.value == "consent"] == ["approved" if confirmed else "denied"]

    @given(payloads=_LOGS, data=st.data())
    def test_a_follower_that_comes_back_at_any_time_has_all_rows(
        self, payloads: list[tuple[str, Payload]], data: st.DataObject
    ) -> None:
        """The rows at any seq plus the changes after it are the rows of the complete fold."""
        table = RowTable()
        seen: dict[int, TimelineRow] = {}
        seq = 0
        for event in _build_events(payloads):
            table.apply(event)
            if data.draw(st.booleans()):
                seen.update({row.index: row for row in table.get_changed_after(seq)})
                seq = event.seq
        seen.update({row.index: row for row in table.get_changed_after(seq)})

        assert _without_sources([seen[index] for index in sorted(seen)]) == _without_sources(_fold(*payloads))

    @given(payloads=_LOGS)
    def test_rows_keep_their_index_and_their_sources(self, payloads: list[tuple[str, Payload]]) -> None:
        table = RowTable()
        before: list[TimelineRow] = []
        for event in _build_events(payloads):
            table.apply(event)
            now = table.get_all()
            assert [row.index for row in now] == list(range(table.state.row_count))
            assert [(row.seq, row.timestamp) for row in now[: len(before)]] == [
                (row.seq, row.timestamp) for row in before
            ]
            shown = zip(_without_sources(now), _without_sources(before), strict=False)
            assert all(row.updated_seq == event.seq for row, old in shown if row != old)
            before = now
        for row in before:
            assert row.sources[0].seq == row.seq
            assert all(source.seq <= row.updated_seq or row.kind.value == "call" for source in row.sources)

    @given(payloads=_LOGS)
    def test_the_fold_can_be_stored_after_any_event_and_continued(self, payloads: list[tuple[str, Payload]]) -> None:
        table = RowTable()
        for event in _build_events(payloads):
            table.state = decode_rows_state(encode_rows_state(table.state))
            table.apply(event)

        assert table.get_all() == _fold(*payloads)
        assert [decode_row(encode_row(row)) for row in table.get_all()] == table.get_all()

    @given(payloads=_LOGS)
    def test_a_commit_that_fails_leaves_the_fold_as_it_was(self, payloads: list[tuple[str, Payload]]) -> None:
        rows = SessionRows()
        for event in _build_events(payloads):
            before = encode_rows_state(rows)
            rows.copy().apply(event)
            assert encode_rows_state(rows) == before
            rows = rows.copy()
            rows.apply(event)

    def test_what_is_kept_does_not_grow_with_the_session(self) -> None:
        table = RowTable()
        sizes: list[int] = []
        turns = 300
        payloads: list[Payload] = [JOINED, _user_message({"text": "q"})]
        for number in range(turns):
            call_id = f"call-{number:04}"
            payloads += [
                _agent_event(_call_part(call_id)),
                _build_tool_started(call_id),
                _build_tool_finished(call_id),
                _agent_event(_response_part(call_id, {"result": 1})),
                _build_tool_started(f"inner-{number:04}"),
                _build_tool_finished(f"inner-{number:04}"),
            ]
        for event in _build_events(payloads):
            table.apply(event)
            sizes.append(len(encode_rows_state(table.state)))

        assert max(sizes[-60:]) <= max(sizes[:60]) + 60, "the digits of numbers grow, and nothing else"
        assert table.state.row_count == 1 + 2 * turns


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


def test_a_call_that_was_sent_anyway_is_marked_until_the_agents_next_turn() -> None:
    decided = replace(_turn_decided(_call_part("c1", "invented")), force=True)
    rows = SessionRows()
    payloads = [JOINED, decided, _agent_event(_call_part("c1", "invented")), _turn_asked(), _turn_decided()]
    for event in _build_events([*payloads, _agent_event(_call_part("c2"))]):
        rows.apply(event)
        rows = decode_rows_state(encode_rows_state(rows))
    assert [(row.call_id, row.force) for row in rows.rows.values()] == [("c1", True), ("c2", False)]


def test_what_an_agent_inside_a_tool_says_is_a_row_of_its_lane() -> None:
    path = AgentPath(branch="outer.inner", parent_call_id="c1")
    outer, inner = _turn_decided({"text": "outside"}), _turn_decided({"text": "inside"}, _call_part("c2"))
    events = _build_events([JOINED, outer, inner])
    rows = SessionRows()
    for event in [*events[:2], replace(events[2], agent_path=path)]:
        rows.apply(event)
    (row,) = rows.rows.values()
    assert (row.kind, row.summary, row.branch, row.parent_call_id) == ("commentary", "inside", "outer.inner", "c1")
    assert decode_row(encode_row(row)) == row
