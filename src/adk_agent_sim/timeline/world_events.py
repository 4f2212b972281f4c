"""The events about a scenario's world: what happened in it, how its time passed, and how the run was judged.

Times are seconds since the world's start. A run can be judged again from these events: `WorldEventHappened` has every
completed event exactly as a trace of the scenario's format does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated

from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.event_shapes import (
    check_completed_event,
    check_count,
    check_seed,
    check_timestamp,
    check_verdict,
)

BY_PERSON = "by a person"
"""The reason of a `WorldTimeChanged` that a person caused, which can be undone like a decision."""


@dataclass(frozen=True, kw_only=True, slots=True)
class WorldStarted:
    """The world of a scenario was created for the session."""

    scenario_id: str
    """The scenario."""

    start_time: Annotated[float, check_timestamp]
    """The world's time at its start, in seconds since the Unix epoch."""

    seed: Annotated[int, check_seed]
    """What the world's random draws depend on."""

    source: str = ""
    """The file that the scenario was read from; empty if there is none."""

    digest: str = ""
    """The SHA-256 of that file in hexadecimal; empty if there is none."""

    options: Mapping[str, Json] = field(default_factory=dict[str, Json])
    """How the world was configured beyond its scenario: thinking time, noise, augmentations and the like."""


@dataclass(frozen=True, kw_only=True, slots=True)
class WorldEventHappened:
    """An event of the world was completed: an action of the agent, the user or the environment."""

    event: Annotated[Json, check_completed_event]
    """The completed event, as `World.export_completed_events` writes it."""

    elapsed_seconds: float
    """When it happened."""

    call_id: str = ""
    """The tool call that it comes from, as in `ToolStarted`; empty if it comes from none."""


@dataclass(frozen=True, kw_only=True, slots=True)
class NotificationDelivered:
    """A notification of the world reached the agent."""

    kind: str
    """What it is about, as the world names it, such as `ENVIRONMENT_NOTIFICATION`."""

    text: str
    """What the agent reads."""

    elapsed_seconds: float
    """When it was delivered."""


@dataclass(frozen=True, kw_only=True, slots=True)
class WorldTimeChanged:
    """The world's time advanced without a call of the agent taking that time."""

    from_seconds: float
    """The time before."""

    to_seconds: float
    """The time after."""

    reason: str
    """Why, such as `thinking`, `wait` or `jump`; `BY_PERSON` if the person who plays moved the clock."""


@dataclass(frozen=True, kw_only=True, slots=True)
class VerdictReached:
    """The run, or its turns so far, was judged, possibly after the session was closed.

    A verdict is about the session and no part of what happened in it: golden traces and comparisons leave it out.
    """

    turn: Annotated[int, check_count]
    """The number of turns that were judged; 0 if the whole run was."""

    passed: bool
    """Whether the run does what the scenario expects."""

    reason: str = ""
    """Why it failed, in one sentence; empty if it passed."""

    verdict: Annotated[Json, check_verdict] = None
    """The whole verdict as JSON; None if there is none, as when a limit ended the run."""

    judge: str = ""
    """Who answered the soft checks, such as `scripted` or the name of a model."""
