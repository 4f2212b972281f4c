"""Gives a session that continues what was chosen in its simulated environment: the profile, the players of tools.

Without the players, tools would run in a fork that did not run before.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import cast, get_args

from google.adk.plugins import BasePlugin
from google.adk.sessions import Session

from adk_agent_sim.adk.environment.environment_plugin import EnvironmentSimulationPlugin
from adk_agent_sim.adk.runs.agent_paths import ROOT_PATH
from adk_agent_sim.adk.runs.agent_run import AgentRun
from adk_agent_sim.adk.time_travel.fork_source import ForkSource
from adk_agent_sim.environment.environment import Environment
from adk_agent_sim.environment.tool_choices import ToolPlayer
from adk_agent_sim.text.escaped_logging import get_logger
from adk_agent_sim.timeline.content_parts import as_mapping
from adk_agent_sim.timeline.events import EnvironmentDecided, Event, TurnDecided
from adk_agent_sim.timeline.submissions import EventBatch
from adk_agent_sim.timeline.timeline import Timeline
from adk_agent_sim.timeline.turn_prefix import TurnPrefix

_log = get_logger(__name__)


def read_tool_choices(events: Iterable[Event]) -> Mapping[str, str]:
    """Return the players that were chosen last in the events of a session, by tool."""
    players: dict[str, str] = {}
    for event in events:
        if isinstance(event.payload, EnvironmentDecided):
            players.update(as_mapping(as_mapping(event.payload.environment).get("tool_players")))
    return players


def find_tool_choices(source: ForkSource, prefix: TurnPrefix) -> Mapping[str, str]:
    """Return the players that were chosen when the turn of a fork was decided, also while it waited."""
    return read_tool_choices(_select_until_decision(source, prefix))


def restore_tool_choices(run: AgentRun, players: Mapping[str, str]) -> None:
    """Let the players play the tools of a run that was restored; its timeline has them already."""
    if players:
        _choose_tool_players(run.environment, players)
        run.environment.tool_choices.take_unrecorded()


async def record_missing_choices(run: AgentRun, timeline: Timeline, session_id: str, events: Iterable[Event]) -> None:
    """Record the choices of a run that continues from another point, as far as the events up to there lack them."""
    environment = run.run_environment.environment
    if environment is None:
        return  # nobody has chosen anything
    environment.tool_choices.compare_with_recorded(read_tool_choices(events))
    if environment.tool_choices.has_unrecorded and (switched := run.run_environment.build_switch_event()) is not None:
        await timeline.append(EventBatch(session_id, [switched], agent_path=ROOT_PATH))


def _choose_tool_players(environment: Environment, players: Mapping[str, str]) -> None:
    """Let the players play the tools, as far as the rules of the environment still allow it."""
    for tool, player in players.items():
        # A log may be of another release; and the rules may have been changed since.
        if player not in get_args(ToolPlayer):
            continue
        known = cast("ToolPlayer", player)
        if not environment.explain_refused_player(tool, known):
            environment.choose_tool_player(tool, known)


@dataclass(frozen=True, kw_only=True)
class RecordedProfile:
    """The active profile of a session."""

    name: str | None
    """The profile; None if none was active."""

    is_recorded: bool
    """Whether the events that a fork begins with say so too."""


def find_profile(source: ForkSource, prefix: TurnPrefix) -> RecordedProfile | None:
    """Return the profile that was active when the turn of a fork was decided; None if the timeline names none.

    A person may switch the profile while a turn waits. So that counts too, although it came after the fork's point.
    """
    names = list(_iter_profiles(_select_until_decision(source, prefix)))
    if not names:
        return None
    copied = list(_iter_profiles(prefix.events))
    return RecordedProfile(name=names[-1], is_recorded=copied[-1:] == names[-1:])


def _select_until_decision(source: ForkSource, prefix: TurnPrefix) -> Sequence[Event]:
    """Return the events until the turn of a fork was decided; all if it waits. Between two runs, until the point."""
    asked = prefix.asked
    if asked is None:
        return [event for event in source.events if event.seq <= prefix.to_seq]
    return list(
        takewhile(
            lambda event: event.turn_id != asked.turn_id or not isinstance(event.payload, TurnDecided), source.events
        )
    )


def _iter_profiles(events: Iterable[Event]) -> Iterable[str | None]:
    """Yield the profiles that became active in a session, in their order."""
    for event in events:
        if isinstance(event.payload, EnvironmentDecided):
            described = event.payload.environment
            if isinstance(described, dict) and "profile" in described:
                yield described["profile"]


def restore_profile(run: AgentRun, profile: str | None, *, is_recorded: bool) -> None:
    """Make a profile of the rules the active one in a run that was so in the session that it continues.

    Args:
        run: The run, which is open.
        profile: The profile. One that the rules no longer have is left out.
        is_recorded: Whether the timeline of the run's session says so; otherwise the next call does, or message.
    """
    environment = run.environment
    if profile is not None and profile not in environment.rulebook.spec.profiles:
        _log.warning("The rules no longer have the profile %r; the session continues with their own.", profile)
        return
    environment.switch_profile(profile)
    environment.has_unrecorded_switch &= not is_recorded


def copy_choices(source: AgentRun, target: AgentRun) -> None:
    """Choose in a run what is chosen in another run now: the profile, and the players of tools."""
    environment = source.run_environment.environment
    if environment is not None:  # otherwise nobody has chosen anything
        restore_profile(target, environment.profile, is_recorded=not environment.has_unrecorded_switch)
        restore_tool_choices(target, environment.tool_choices.players)


@dataclass(frozen=True, kw_only=True)
class EnvironmentChoices:
    """What was chosen in the environment of a session."""

    players: Mapping[str, str]
    """The players of tools, by tool."""

    profile: str | None
    """The active profile of the rules; None if there is none, or none is known."""

    is_recorded: bool
    """Whether the timeline has it."""

    def apply(self, plugins: Iterable[BasePlugin], session: Session | None) -> None:
        """Choose the same in an ADK session that takes the place of the first one, with these plugins."""
        for environment in _iter_environments(plugins, session) if session is not None else ():
            _choose_tool_players(environment, self.players)
            if self.profile is not None and self.profile in environment.rulebook.spec.profiles:
                environment.switch_profile(self.profile)
            if self.is_recorded:
                environment.tool_choices.take_unrecorded()
                environment.has_unrecorded_switch = False


def read_choices(events: Sequence[Event]) -> EnvironmentChoices:
    """Return what was chosen last in the events of a session."""
    profiles = list(_iter_profiles(events))
    return EnvironmentChoices(
        players=read_tool_choices(events), profile=profiles[-1] if profiles else None, is_recorded=True
    )


def find_current_choices(
    plugins: Iterable[BasePlugin], session: Session, events: Sequence[Event]
) -> EnvironmentChoices:
    """Return what is chosen now in an ADK session of this process; `events` are those that its timeline will have."""
    recorded = read_choices(events)
    for environment in _iter_environments(plugins, session):
        players = dict(environment.tool_choices.players)
        # Tools that are played as the rules say again are left out of the current ones.
        is_recorded = players == {tool: player for tool, player in recorded.players.items() if player != "rules"}
        return EnvironmentChoices(
            players=players,
            profile=environment.profile,
            is_recorded=is_recorded and environment.profile == (recorded.profile or environment.rulebook.profile),
        )
    return recorded


def _iter_environments(plugins: Iterable[BasePlugin], session: Session) -> Iterable[Environment]:
    for plugin in plugins:
        if isinstance(plugin, EnvironmentSimulationPlugin):
            yield plugin.get_environment(session)
