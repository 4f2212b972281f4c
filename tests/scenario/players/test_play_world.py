"""A player acts in a world until it has finished, the world has stopped, or a limit is reached."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from world_builders import build_reply_event, build_world, build_world_event, build_world_scenario, list_happened

from adk_agent_sim.errors import UnknownTool
from adk_agent_sim.scenario import Judge, World
from adk_agent_sim.scenario.players.play_world import (
    PlayEnd,
    PlayLimits,
    create_judged_world,
    judge_world,
    play_world,
)
from adk_agent_sim.scenario.players.world_player import (
    IdlePlayer,
    MessageToUser,
    NotificationWait,
    OraclePlayer,
    PlayerAction,
    PlayerView,
    PlayFinished,
    ToolUse,
    build_tool_call,
)
from adk_agent_sim.scenario.world.noise import Noise

USER = build_world_event("u", "USER", delay=0)
ENV = build_world_event("e", "ENV", ("u",), delay=50)


class _ListedActions:
    """Does what is listed, and keeps what it saw."""

    def __init__(self, *actions: PlayerAction) -> None:
        self._actions: Iterator[PlayerAction] = iter(actions)
        self.views: list[PlayerView] = []

    def choose_action(self, view: PlayerView) -> PlayerAction:
        self.views.append(view)
        return next(self._actions, PlayFinished())


def test_a_player_sees_notifications_and_results_and_acts() -> None:
    world = build_world(USER, ENV)
    mails = ToolUse(name="Emails__list_emails", arguments={"folder_name": "INBOX"})
    player = _ListedActions(mails, NotificationWait(seconds=100), ToolUse(name="nothing"), MessageToUser(text="Hi."))

    run = play_world(world, player)

    assert (run.ended, run.step_count, world.elapsed) == (PlayEnd.FINISHED, 4, 50)
    first, after_call, after_wait, after_unknown, after_message = player.views
    assert [each.kind for each in first.notifications] == ["USER_MESSAGE"]
    assert "Emails__send_email" in first.tools
    assert (after_call.results[0].name, after_call.results[0].is_error) == ("Emails__list_emails", False)
    assert len(after_wait.notifications) == 1
    assert after_unknown.results[0].is_error
    assert after_message.results[0].name == "AgentUserInterface__send_message_to_user"
    assert [name for _, name in list_happened(world)][-1] == "send_message_to_user"
    assert len(run.trace.completed_events) == 5


@pytest.mark.parametrize(
    ("limits", "ended"),
    [
        (PlayLimits(max_steps=3), PlayEnd.STEP_LIMIT),
        (PlayLimits(max_seconds=30), PlayEnd.TIME_LIMIT),
        (PlayLimits(), PlayEnd.STOPPED),
    ],
)
def test_a_run_ends_at_its_limits(limits: PlayLimits, ended: PlayEnd) -> None:
    waits = [NotificationWait(seconds=20)] * 100
    assert play_world(build_world(USER), _ListedActions(*waits), limits=limits).ended is ended


def test_a_run_can_be_interrupted() -> None:
    answers = iter([False, True])
    run = play_world(
        build_world(USER),
        _ListedActions(*[NotificationWait(seconds=1)] * 9),
        is_interrupted=lambda: next(answers),
    )

    assert (run.ended, run.step_count) == (PlayEnd.INTERRUPTED, 1)


def test_messages_and_waits_are_calls_under_the_names_that_are_offered() -> None:
    tools = build_world(USER, noise=Noise(rename_tools=True)).tools()
    message = build_tool_call(MessageToUser(text="Hi."), tools)

    assert message is not None
    assert tools[message.name].tool.name == "send_message_to_user"
    assert build_tool_call(PlayFinished(), tools) is None
    with pytest.raises(UnknownTool, match="is not offered the tool 'SystemApp__wait_for_notification'"):
        build_tool_call(NotificationWait(seconds=1), {})


def test_doing_nothing_lets_everything_happen_that_needs_no_agent() -> None:
    world = build_world(
        USER, ENV, build_reply_event("r", "e"), build_world_event("late", "ENV", ("r",)), definition={"duration": None}
    )
    run = play_world(world, IdlePlayer())

    assert run.ended is PlayEnd.FINISHED
    assert [name for _, name in list_happened(world) if name != "wait_for_notification"] == ["u", "e"]


def test_a_rejected_turn_ends_the_run() -> None:
    judge = Judge(
        build_world_scenario(USER, build_world_event("a", after=("u",)), build_reply_event("r", "a"),
                             build_world_event("u2", "USER", ("r",)), build_reply_event("r2", "u2"))
    )  # fmt: skip
    world = create_judged_world(judge)
    run = play_world(world, _ListedActions(MessageToUser(text="Done."), NotificationWait(seconds=60)))

    assert run.ended is PlayEnd.STOPPED
    assert "u2" not in {each.event_id for each in world.event_log()}
    verdict = judge_world(judge, world)
    assert verdict is not None
    assert not verdict.passed


def test_nothing_that_happened_cannot_be_judged() -> None:
    judge = Judge(build_world_scenario(build_world_event("a", delay=5)))
    world = create_judged_world(judge)
    assert judge_world(judge, world) is None


def test_the_oracle_fills_in_what_earlier_calls_and_events_returned() -> None:
    judge = Judge(
        build_world_scenario(
            USER,
            build_world_event("mail", after=("u",), delay=3),
            build_reply_event("r", "mail"),
            build_world_event(
                "answer", "ENV", ("r",), "Emails__reply_to_email_from_user",
                delay=2.5, sender="a@example.org", email_id="{{mail}}", content="Yes",
            ),
            build_world_event(
                "read", "AGENT", ("answer",), "Emails__reply_to_email", delay=20, email_id="{{answer}}", content="Bye"
            ),
            build_reply_event("r2", "read"),
        )
    )  # fmt: skip
    world = create_judged_world(judge)
    player = OraclePlayer(world)
    run = play_world(world, player)

    verdict = judge_world(judge, world)
    assert verdict is not None
    assert verdict.passed, verdict
    assert (run.ended, player.problems, world.failed_events) == (PlayEnd.FINISHED, [], [])


def test_the_oracle_says_what_it_could_not_do() -> None:
    scenario = build_world_scenario(
        USER,
        build_world_event("bad", "AGENT", ("u",), "Emails__delete_email", email_id="none"),
        build_world_event("typed", "AGENT", ("u",), "Emails__list_emails", folder_name=5),
        build_world_event("open", "AGENT", ("u",), "Emails__reply_to_email", email_id="{{gone}}", content="x"),
        build_world_event("lost", "AGENT", ("u",), "Nowhere__do"),
        build_world_event("never", "AGENT", ("missing",)),
    )
    world = World(scenario)
    player = OraclePlayer(world)
    run = play_world(world, player)

    assert run.ended is PlayEnd.FINISHED
    problems = {each.split("'")[1]: each for each in player.problems}
    assert set(problems) == {"bad", "typed", "open", "lost"}
    assert "the call failed" in problems["bad"]
    assert "the call was refused" in problems["typed"]
    assert "cannot be resolved" in problems["open"]
    assert "is not offered the tool 'Nowhere__do'" in problems["lost"]
