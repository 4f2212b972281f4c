"""Gives a session that is restarted in its process what was chosen in its simulated environment: players, a profile."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from google.adk.plugins import BasePlugin
from google.adk.sessions import Session

from adk_agent_sim.adk.environment.environment_plugin import EnvironmentSimulationPlugin
from adk_agent_sim.adk.time_travel.recorded_profile import iter_profiles
from adk_agent_sim.adk.time_travel.tool_choice_restore import choose_tool_players, read_tool_choices
from adk_agent_sim.environment.environment import Environment
from adk_agent_sim.timeline.events import Event


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
            choose_tool_players(environment, self.players)
            if self.profile is not None and self.profile in environment.rulebook.spec.profiles:
                environment.switch_profile(self.profile)
            if self.is_recorded:
                environment.tool_choices.take_unrecorded()
                environment.has_unrecorded_switch = False


def read_choices(events: Sequence[Event]) -> EnvironmentChoices:
    """Return what was chosen last in the events of a session."""
    profiles = list(iter_profiles(events))
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
