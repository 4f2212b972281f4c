"""The summary and status of a session, folded from its events."""

from dataclasses import replace
from functools import reduce
from typing import Any, cast

import pytest

from adk_agent_sim.generated.adksim import v1
from adk_agent_sim.persistence.read_model_codec import (
    decode_annotations,
    decode_summary,
    encode_annotations,
    encode_summary,
)
from adk_agent_sim.timeline.events import (
    AgentEvent,
    AgentJoined,
    AgentPath,
    Closed,
    Event,
    Payload,
    Player,
    RunEnded,
    RunOutcome,
    Session,
    ToolFinished,
    ToolStarted,
    TurnAsked,
    TurnDecided,
    TurnRevived,
    TurnWithdrawn,
    UserSpoke,
)
from adk_agent_sim.timeline.read_model.pending_requests import RequestKind
from adk_agent_sim.timeline.read_model.session_read_model import fold_event
from adk_agent_sim.timeline.read_model.session_summary import (
    STATUS_PROJECTIONS,
    ExportEntry,
    SessionStatus,
    SessionSummary,
    create_summary,
)

SPOKE = UserSpoke(content={"parts": [{"text": "hi"}]})
ASKED = TurnAsked(invocation_id="i", contents=(), tools="", instruction="", config="")
DECIDED = TurnDecided(decision_id="d", response={})
DONE = RunEnded(invocation_id="i", outcome=RunOutcome.DONE)
LEFT = TurnWithdrawn(abandoned=True)
REVIVED = TurnRevived(invocation_id="i", client_id="agent-7")


def event(payload: Payload, turn_id: str = "t1", agent_name: str = "", player: Player | None = None) -> Event:
    return Event(
        event_id="e",
        session_id="s",
        seq=1,
        timestamp=1.0,
        payload=payload,
        turn_id=turn_id,
        agent_name=agent_name,
        player=player,
    )


def fold(*events: Event, description: str = "") -> SessionSummary:
    summary = create_summary(Session(session_id="s", created_at=1.0, description=description))
    return reduce(fold_event, (replace(each, seq=seq) for seq, each in enumerate(events, start=1)), summary)


def confirmation(question_id: str = "q") -> AgentEvent:
    call: dict[str, Any] = {"name": "delete", "id": "c1", "args": {}}
    asking: dict[str, Any] = {
        "name": "adk_request_confirmation",
        "id": question_id,
        "args": {"originalFunctionCall": call},
    }
    return AgentEvent(invocation_id="i", event={"content": {"parts": [{"function_call": asking}]}}, final=False)


JOINED = AgentJoined(app_name="shop", user_id="u", adk_session_id="a", state={})
CONSENTED = UserSpoke(content={"parts": [{"function_response": {"id": "q", "name": "x", "response": {}}}]})
CALLED = TurnDecided(decision_id="d", response={"content": {"parts": [{"function_call": {"name": "add"}}]}})
FAILED = RunEnded(invocation_id="i", outcome=RunOutcome.FAILED, error_type="E", error_message="m")
STOPPED = RunEnded(invocation_id="i", outcome=RunOutcome.CANCELLED)


@pytest.mark.parametrize(
    ("payloads", "status"),
    [
        ([], SessionStatus.NEW),
        ([JOINED], SessionStatus.NEW),
        ([SPOKE], SessionStatus.RUNNING),
        ([SPOKE, ASKED], SessionStatus.WAITING),
        ([JOINED, SPOKE, ASKED, DECIDED], SessionStatus.RUNNING),
        ([JOINED, SPOKE, ASKED, DECIDED, DONE], SessionStatus.DONE),
        ([JOINED, SPOKE, ASKED, DECIDED, DONE, SPOKE], SessionStatus.RUNNING),
        ([ASKED, DECIDED], SessionStatus.DONE),
        ([ASKED, CALLED], SessionStatus.RUNNING),
        ([SPOKE, ASKED, FAILED], SessionStatus.FAILED),
        ([SPOKE, ASKED, STOPPED], SessionStatus.STOPPED),
        ([SPOKE, ASKED, TurnWithdrawn()], SessionStatus.RUNNING),
        ([SPOKE, ASKED, LEFT], SessionStatus.ABANDONED),
        ([SPOKE, ASKED, LEFT, REVIVED], SessionStatus.WAITING),
        ([JOINED, SPOKE, ASKED, LEFT, REVIVED, DECIDED, DONE], SessionStatus.DONE),
        ([SPOKE, ASKED, LEFT, DONE], SessionStatus.DONE),
        ([SPOKE, confirmation()], SessionStatus.RUNNING),
        ([SPOKE, confirmation(), DONE], SessionStatus.WAITING),
        ([SPOKE, confirmation(), FAILED], SessionStatus.FAILED),
        ([SPOKE, confirmation(), DONE, CONSENTED], SessionStatus.RUNNING),
        ([SPOKE, confirmation(), DONE, CONSENTED, DONE], SessionStatus.DONE),
        ([SPOKE, confirmation(), DONE, SPOKE, DONE], SessionStatus.DONE),
        ([SPOKE, ASKED, Closed(reason="enough")], SessionStatus.CLOSED),
        ([SPOKE, ASKED, Closed(reason="enough", cancelled=True)], SessionStatus.CANCELLED),
    ],
)
def test_the_status_follows_from_the_log(payloads: list[Payload], status: SessionStatus) -> None:
    assert fold(*map(event, payloads)).status is status


def test_every_status_has_its_projections_and_a_number_of_its_own() -> None:
    assert set(STATUS_PROJECTIONS) == set(SessionStatus)
    assert len({projection.number for projection in STATUS_PROJECTIONS.values()}) == len(SessionStatus)
    for status, projection in STATUS_PROJECTIONS.items():
        assert v1.SessionStatus.Name(cast("v1.SessionStatus", projection.number)) == f"SESSION_STATUS_{status.name}"


def test_every_kind_of_request_is_in_the_protocol() -> None:
    names = [name.removeprefix("REQUEST_KIND_").lower() for name, _ in v1.RequestKind.items()]

    assert names == ["unspecified", *RequestKind]


def test_only_a_persons_turns_wait_for_a_person() -> None:
    summary = fold(event(SPOKE), event(ASKED, player=Player.REAL), event(ASKED, turn_id="t2"))

    assert list(summary.pending) == ["t2"]
    assert summary.is_waiting("t1")
    assert fold(event(SPOKE), event(ASKED, player=Player.REAL)).status is SessionStatus.RUNNING


def test_a_revived_turn_waits_behind_the_others() -> None:
    summary = fold(event(ASKED), event(ASKED, turn_id="t2"), event(LEFT), event(REVIVED))

    assert list(summary.pending) == ["t2", "t1"]
    assert summary.pending["t1"].client_id == "agent-7"


def test_a_pending_request_says_who_asks_for_what_since_when() -> None:
    path = AgentPath(branch="all.left")
    asked = replace(event(ASKED, agent_name="left"), agent_path=path, timestamp=5.0)
    turn, consent = fold(asked, event(confirmation(), turn_id="")).pending.values()

    assert (turn.kind, turn.request_id, turn.agent_name, turn.agent_path) == (RequestKind.MODEL, "t1", "left", path)
    assert (turn.requested_at, turn.seq, turn.invocation_id, turn.claimed_by) == (5.0, 1, "i", "")
    assert (consent.kind, consent.request_id, consent.tool_name) == (RequestKind.CONSENT, "q", "delete")


def test_the_agent_is_the_app_that_joined_or_the_first_that_asked() -> None:
    asked = event(ASKED, agent_name="waiter")

    assert fold(event(JOINED), asked).agent_name == "shop"
    assert fold(asked, event(ASKED, turn_id="t2", agent_name="cook")).agent_name == "waiter"
    assert fold(asked, event(ASKED, turn_id="t2", agent_name="cook"), asked).agent_names == ("waiter", "cook")


@pytest.mark.parametrize(
    ("description", "given", "name"),
    [("", "", "Where is my order?"), ("shop", "", "Where is my order?"), ("Run 7", "", "Run 7"), ("", "Mine", "Mine")],
)
def test_the_name_is_chosen_by_a_person_or_begins_the_first_message(description: str, given: str, name: str) -> None:
    spoke = UserSpoke(content={"parts": [{"text": "Where is\nmy order?"}]})

    assert replace(fold(event(JOINED), event(spoke), description=description), given_name=given).name == name
    assert fold().name == "Unnamed session"


def test_calls_that_run_are_known_until_they_end() -> None:
    started = [event(ToolStarted(call_id=call_id, tool_name="add", arguments={})) for call_id in ("1", "2")]
    summary = fold(event(SPOKE), replace(started[0], timestamp=3.0), replace(started[1], timestamp=4.0))

    assert (summary.running_since, summary.call_count) == (3.0, 2)
    ended = fold_event(summary, event(ToolFinished(call_id="1", result=1, duration_ms=1)))
    assert ended.running_since == 4.0
    assert fold_event(summary, event(DONE)).running_since is None


def test_a_summary_is_stored_and_read_back() -> None:
    exported = ExportEntry(format="evalset", path="a.json", eval_id="e", exported_at=2.0)
    asked = replace(event(ASKED, agent_name="\ud800"), agent_path=AgentPath(branch="b", parent_call_id="c"))
    summary = replace(
        fold(event(JOINED), event(SPOKE), asked, event(confirmation()), event(FAILED), event(REVIVED)),
        exports=(exported,),
        given_name="Mine",
    )

    annotations = decode_annotations(encode_annotations(summary))
    assert decode_summary(summary.session, annotations, encode_summary(summary)) == summary
