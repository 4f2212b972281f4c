"""Where a session stands, folded from its events."""

import pytest

from adk_agent_sim.timeline.events import (
    AgentJoined,
    Closed,
    Event,
    Outcome,
    Payload,
    Player,
    RunEnded,
    ToolStarted,
    TurnAsked,
    TurnDecided,
    TurnRevived,
    TurnWithdrawn,
    UserSpoke,
)
from adk_agent_sim.timeline.progress import Progress, Standing, Status

SPOKE = UserSpoke(content={})
ASKED = TurnAsked(invocation_id="i", contents=(), tools="", instruction="", config="")
DECIDED = TurnDecided(decision_id="d", response={})
DONE = RunEnded(invocation_id="i", outcome=Outcome.DONE)
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
        ([], Status.RUNNING),
        ([SPOKE, ASKED], Status.WAITING),
        ([SPOKE, ASKED, DECIDED], Status.RUNNING),
        ([SPOKE, ASKED, DECIDED, DONE], Status.DONE),
        ([SPOKE, ASKED, DECIDED, DONE, SPOKE], Status.RUNNING),
        ([SPOKE, ASKED, RunEnded(invocation_id="i", outcome=Outcome.FAILED)], Status.FAILED),
        ([SPOKE, ASKED, TurnWithdrawn()], Status.RUNNING),
        ([SPOKE, ASKED, LEFT], Status.ABANDONED),
        ([SPOKE, ASKED, LEFT, REVIVED], Status.WAITING),
        ([SPOKE, ASKED, LEFT, REVIVED, DECIDED, DONE], Status.DONE),
        ([SPOKE, ASKED, LEFT, DONE], Status.DONE),
        ([SPOKE, ASKED, Closed(reason="enough")], Status.DONE),
        ([SPOKE, ASKED, Closed(reason="enough", cancelled=True)], Status.FAILED),
    ],
)
def test_a_session_stands_where_its_log_has_led(payloads: list[Payload], status: Status) -> None:
    assert Progress().after_all(event(payload) for payload in payloads).status is status


def test_only_a_persons_turns_wait_for_a_person() -> None:
    progress = Progress().after_all([event(ASKED, player=Player.REAL), event(ASKED, turn_id="t2")])

    assert list(progress.asked) == ["t2"]
    assert Standing.of(progress).waiting == 1
    assert Progress().after(event(ASKED, player=Player.REAL)).status is Status.RUNNING


def test_a_revived_turn_waits_behind_the_others() -> None:
    progress = Progress().after_all([event(ASKED), event(ASKED, turn_id="t2"), event(LEFT), event(REVIVED)])

    assert list(progress.asked) == ["t2", "t1"]


def test_the_agent_is_the_app_that_joined_or_the_first_that_asked() -> None:
    joined = AgentJoined(app_name="shop", user_id="u", adk_session_id="a", state={})
    asked = event(ASKED, agent_name="waiter")

    assert Progress().after_all([event(joined), asked]).agent_name == "shop"
    assert Progress().after_all([asked, event(ASKED, agent_name="cook")]).agent_name == "waiter"


def test_what_says_nothing_about_it_changes_nothing() -> None:
    progress = Progress().after(event(ASKED))

    assert progress.after(event(ToolStarted(call_id="c", tool_name="add", arguments={}))) is progress
