"""Gives a fork the players of tools that a person has chosen: otherwise tools would run in it that did not before."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import cast, get_args

from adk_agent_sim.adk.runs.agent_paths import ROOT_PATH
from adk_agent_sim.adk.runs.agent_run import AgentRun
from adk_agent_sim.adk.time_travel.fork_source import ForkSource
from adk_agent_sim.adk.time_travel.recorded_profile import find_decision_seq
from adk_agent_sim.environment.environment import Environment
from adk_agent_sim.environment.tool_choices import ToolPlayer
from adk_agent_sim.timeline.content_parts import as_mapping
from adk_agent_sim.timeline.events import EnvironmentDecided, Event
from adk_agent_sim.timeline.submissions import EventBatch
from adk_agent_sim.timeline.timeline import Timeline
from adk_agent_sim.timeline.turn_prefix import TurnPrefix


def read_tool_choices(events: Iterable[Event]) -> Mapping[str, str]:
    """Return the players that were chosen last in the events of a session, by tool."""
    players: dict[str, str] = {}
    for event in events:
        if isinstance(event.payload, EnvironmentDecided):
            players.update(as_mapping(as_mapping(event.payload.environment).get("tool_players")))
    return players


def find_tool_choices(source: ForkSource, prefix: TurnPrefix) -> Mapping[str, str]:
    """Return the players that were chosen when the turn of a fork was decided, also while it waited."""
    until_seq = find_decision_seq(source, prefix)
    return read_tool_choices(event for event in source.events if until_seq is None or event.seq < until_seq)


def restore_tool_choices(run: AgentRun, players: Mapping[str, str]) -> None:
    """Let the players play the tools of a run that was restored; its timeline has them already."""
    if players:
        choose_tool_players(run.environment, players)
        run.environment.tool_choices.take_unrecorded()


async def record_missing_choices(run: AgentRun, timeline: Timeline, session_id: str, events: Iterable[Event]) -> None:
    """Record the choices of a run that continues from another point, as far as the events up to there lack them."""
    environment = run.run_environment.find()
    if environment is None:
        return  # nobody has chosen anything
    environment.tool_choices.compare_with_recorded(read_tool_choices(events))
    if environment.tool_choices.has_unrecorded and (switched := run.run_environment.build_switch_event()) is not None:
        await timeline.append(EventBatch(session_id, [switched], agent_path=ROOT_PATH))


def choose_tool_players(environment: Environment, players: Mapping[str, str]) -> None:
    """Let the players play the tools, as far as the rules of the environment still allow it."""
    for tool, player in players.items():
        # A log may be of another release; and the rules may have been changed since.
        if player not in get_args(ToolPlayer):
            continue
        known = cast("ToolPlayer", player)
        if not environment.explain_refused_player(tool, known):
            environment.choose_tool_player(tool, known)
