"""The profile of the rules that was active at a point of a session, as the timeline says, and its restoration."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from adk_agent_sim.adk.runs.agent_run import AgentRun
from adk_agent_sim.adk.time_travel.fork_source import ForkSource
from adk_agent_sim.text.escaped_logging import get_logger
from adk_agent_sim.timeline.events import EnvironmentDecided, Event, TurnDecided
from adk_agent_sim.timeline.turn_prefix import TurnPrefix

_log = get_logger(__name__)


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
    until_seq = find_decision_seq(source, prefix)
    names = list(iter_profiles(event for event in source.events if until_seq is None or event.seq < until_seq))
    if not names:
        return None
    copied = list(iter_profiles(prefix.events))
    return RecordedProfile(name=names[-1], is_recorded=copied[-1:] == names[-1:])


def find_decision_seq(source: ForkSource, prefix: TurnPrefix) -> int | None:
    """Return where the turn of a fork was decided; None if it waits. Between two runs, it is the point itself."""
    if prefix.asked is None:
        return prefix.to_seq + 1
    turn_id = prefix.asked.turn_id
    decided = (
        event.seq for event in source.events if event.turn_id == turn_id and isinstance(event.payload, TurnDecided)
    )
    return next(decided, None)


def iter_profiles(events: Iterable[Event]) -> Iterable[str | None]:
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


def copy_profile(source: AgentRun, target: AgentRun) -> None:
    """Make the profile active in a run that is active in another run now."""
    environment = source.run_environment.find()
    if environment is not None:
        restore_profile(target, environment.profile, is_recorded=not environment.has_unrecorded_switch)
