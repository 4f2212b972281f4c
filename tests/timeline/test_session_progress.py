"""The progress and status of a session, folded from its events."""

import pytest

from adk_agent_sim.timeline.events import (
    AgentJoined,
    Closed,
    Event,
    Payload,
    Player,
    RunEnded,
    RunOutcome,
    ToolStarted,
    TurnAsked,
    TurnDecided,
    TurnRevived,
    TurnWithdrawn,
    UserSpoke,
)
from adk_agent_sim.timeline.session_progress import SessionProgress, SessionStatus, StatusSnapshot

SPOKE = UserSpoke(content={})
ASKED = TurnAsked(invocation_id="i", contents=(), tools="", instruction="", config="")
DECIDED = TurnDecided(decision_id="d", response={})
DONE = RunEnded(invocation_id="i", outcome=RunOutcome.DONE)
LEFT = TurnWithdrawn(abandoned=True)
REVIVED = TurnRevived(invocation_id="i")


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


@pytest.mark.parametrize(
    ("payloads", "status"),
    [
        ([], SessionStatus.RUNNING),
        ([SPOKE, ASKED], SessionStatus.WAITING),
        ([SPOKE, ASKED, DECIDED], SessionStatus.RUNNING),
        ([SPOKE, ASKED, DECIDED, DONE], SessionStatus.DONE),
        ([SPOKE, ASKED, DECIDED, DONE, SPOKE], SessionStatus.RUNNING),
        ([SPOKE, ASKED, RunEnded(invocation_id="i", outcome=RunOutcome.FAILED)], SessionStatus.FAILED),
        ([SPOKE, ASKED, TurnWithdrawn()], SessionStatus.RUNNING),
        ([SPOKE, ASKED, LEFT], SessionStatus.ABANDONED),
        ([SPOKE, ASKED, LEFT, REVIVED], SessionStatus.WAITING),
        ([SPOKE, ASKED, LEFT, REVIVED, DECIDED, DONE], SessionStatus.DONE),
        ([SPOKE, ASKED, LEFT, DONE], SessionStatus.DONE),
        ([SPOKE, ASKED, Closed(reason="enough")], SessionStatus.DONE),
        ([SPOKE, ASKED, Closed(reason="enough", cancelled=True)], SessionStatus.FAILED),
    ],
)
def test_the_status_follows_from_the_log(payloads: list[Payload], status: SessionStatus) -> None:
    assert SessionProgress().with_events(event(payload) for payload in payloads).status is status


def test_only_a_persons_turns_wait_for_a_person() -> None:
    progress = SessionProgress().with_events([event(ASKED, player=Player.REAL), event(ASKED, turn_id="t2")])

    assert list(progress.pending) == ["t2"]
    assert StatusSnapshot.from_progress(progress).pending_count == 1
    assert SessionProgress().with_event(event(ASKED, player=Player.REAL)).status is SessionStatus.RUNNING


def test_a_revived_turn_waits_behind_the_others() -> None:
    progress = SessionProgress().with_events([event(ASKED), event(ASKED, turn_id="t2"), event(LEFT), event(REVIVED)])

    assert list(progress.pending) == ["t2", "t1"]


def test_the_agent_is_the_app_that_joined_or_the_first_that_asked() -> None:
    joined = AgentJoined(app_name="shop", user_id="u", adk_session_id="a", state={})
    asked = event(ASKED, agent_name="waiter")

    assert SessionProgress().with_events([event(joined), asked]).agent_name == "shop"
    assert SessionProgress().with_events([asked, event(ASKED, agent_name="cook")]).agent_name == "waiter"


def test_other_events_do_not_change_the_progress() -> None:
    progress = SessionProgress().with_event(event(ASKED))

    assert progress.with_event(event(ToolStarted(call_id="c", tool_name="add", arguments={}))) is progress
