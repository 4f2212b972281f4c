"""What has become of a scenario's events, read from the timeline of a run."""

from __future__ import annotations

import pytest
from scripted_model import call_response, text_response
from world_builders import build_reply_event, build_world_event, build_world_scenario
from world_runs import MAIL, SEND_A, create_run, create_scripted_agent
from world_timelines import SCENARIO, RecordedWorldRun, build_timeline

from adk_agent_sim.scenario import Judge
from adk_agent_sim.scenario.verdict.run_progress import EventState, RunProgress, read_run_progress
from adk_agent_sim.timeline.events import Rewound
from adk_agent_sim.timeline.world_events import VerdictReached, WorldEventHappened


@pytest.fixture(scope="module")
def recorded() -> RecordedWorldRun:
    return RecordedWorldRun(Judge(SCENARIO), second="c@example.org")


def _list_states(progress: RunProgress) -> dict[str, EventState]:
    return {name: each.state for name, each in progress.events.items()}


def test_events_become_due_and_happen_as_the_run_goes_on(recorded: RecordedWorldRun) -> None:
    events = build_timeline(recorded.payloads)
    happened = [each.seq for each in events if isinstance(each.payload, WorldEventHappened)]
    asked = read_run_progress(SCENARIO, events[: happened[0]])
    assert _list_states(asked) == {
        "u": "happened",
        "mail": "due",
        **dict.fromkeys(("a", "m", "v", "b", "n"), "later"),
    }
    assert asked.events["mail"].seconds == 5

    mailed = read_run_progress(SCENARIO, events[: happened[1]])
    # An expected action counts as done when it is due, so its successor is due too.
    assert [mailed.events[name].state for name in ("mail", "a", "m", "v")] == ["happened", "due", "due", "later"]
    assert (mailed.events["a"].seconds, mailed.events["m"].seconds) == (6, 7)

    sent = read_run_progress(SCENARIO, events[: happened[2]])
    assert [(each.expected_id, each.progress.state) for each in sent.actions] == [("", "happened")]
    assert sent.events["a"].state == "due"

    answered = read_run_progress(SCENARIO, events[: happened[3]])
    # The message was sent at second 6, so the check at second 7 notices it.
    assert (answered.events["v"].state, answered.events["v"].seconds) == ("due", 9)
    visited = read_run_progress(SCENARIO, events[: happened[4]])
    assert (visited.events["v"].state, visited.events["v"].seconds) == ("happened", 9)


def test_a_judged_turn_says_which_actions_were_expected_and_a_verdict_what_was_wrong(
    recorded: RecordedWorldRun,
) -> None:
    events = build_timeline(recorded.payloads)
    judged = next(each.seq for each in events if isinstance(each.payload, VerdictReached))
    turn = read_run_progress(SCENARIO, events[:judged])
    assert {name: turn.events[name].state for name in ("a", "m")} == {"a": "happened", "m": "happened"}
    assert [each.expected_id for each in turn.actions] == ["a", "m"]
    assert all(each.action_id.startswith("AGENT-") for each in turn.actions)

    over = read_run_progress(SCENARIO, build_timeline([*recorded.payloads, recorded.build_verdict()]))
    assert over.is_over
    assert over.events["b"].state == "failed"
    assert "c@example.org" in over.events["b"].note
    assert [each.expected_id for each in over.actions][:3] == ["a", "m", ""]


def test_what_was_undone_has_not_happened(recorded: RecordedWorldRun) -> None:
    events = build_timeline(recorded.payloads)
    first = next(each.seq for each in events if isinstance(each.payload, WorldEventHappened))
    undone = build_timeline([*recorded.payloads, Rewound(from_seq=len(events), to_seq=first, kept_seqs=())])
    assert read_run_progress(SCENARIO, undone) == read_run_progress(SCENARIO, events[:first])
    assert read_run_progress(SCENARIO, undone, is_over=True).events["v"].state == "missed"


async def test_an_event_of_the_environment_that_fails_says_why() -> None:
    # The reply needs the id of the mail before the turn of it has ended.
    scenario = build_world_scenario(
        build_world_event("ask", "USER", delay=0, call="AgentUserInterface__send_message_to_agent", content="Mail"),
        build_world_event("one", "AGENT", ("ask",), MAIL, recipients=["a@example.org"], subject="one"),
        build_world_event(
            "reply",
            "ENV",
            ("one",),
            "Emails__reply_to_email_from_user",
            sender="a@example.org",
            email_id="{{one}}",
            content="Yes",
        ),
        build_reply_event("told", "reply", delay=5),
    )
    agent = create_scripted_agent(*[call_response(SEND_A)] * 2, text_response("Done."))
    run = create_run(agent, scenario)
    await run.run()
    assert run.agent_run is not None
    events = await run.timeline.read_events(run.agent_run.recorded_session.session_id)
    reply = read_run_progress(scenario, events).events["reply"]
    assert (reply.state, reply.seconds) == ("failed", 2)
    assert reply.note
