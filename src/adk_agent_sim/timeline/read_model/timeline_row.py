"""A row of the timeline: one fact that people care about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, ClassVar

from pydantic import Field

from adk_agent_sim.timeline.events import SCHEMA_OPTIONS


class RowKind(StrEnum):
    """The kind of fact that a row shows."""

    USER = "user"
    CALL = "call"
    COMMENTARY = "commentary"
    """Text that accompanies calls, or a thought."""
    ANSWER = "answer"
    ARTIFACT = "artifact"
    CONSENT = "consent"
    REQUEST = "request"
    """What ADK asks the user for: input, or a credential."""
    ERROR = "error"
    NOTE = "note"
    WORLD = "world"
    """What happened in a scenario's world, or the verdict on the run."""


class RowStatus(StrEnum):
    """The progress of a row; most are done when they appear."""

    CONFIRM = "confirm"
    """A call that is waiting for confirmation, or a request that is waiting for the user's answer."""
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"
    DENIED = "denied"
    """A call that the user denied."""


@dataclass(frozen=True, slots=True)
class RowSource:
    """An event that a row was made from, and the index of the part of its content, if it is one part."""

    seq: int
    part_index: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class TimelineRow:
    """One line of the timeline. Rows are never removed or reordered, so the index of a row is its identity."""

    __pydantic_config__: ClassVar[Mapping[str, bool]] = SCHEMA_OPTIONS

    index: int
    seq: int
    """The event that created the row."""

    updated_seq: int
    """The event that last changed the row."""

    kind: RowKind
    status: RowStatus
    timestamp: float
    """In seconds since the Unix epoch."""

    agent_name: str
    player: str
    """The player who produced the row; empty for rows that no player produced."""

    subject: str
    """The tool or file; empty for other rows."""

    summary: str
    """One line: the arguments, or the text."""

    result: str = ""
    """One line: the result."""

    duration_ms: float | None = None
    call_id: str = ""
    """The id of the call, by which it can be cancelled while it runs."""

    rule: str = ""
    """The rule of the simulated environment that answered instead of the tool."""

    responder: str = ""
    """Who responds as the tool, if that is a person rather than the tool or a rule; a `Player`."""

    is_unknown_tool: bool = False
    """Whether the agent has no tool of that name: whoever played its model made the name up."""

    force: bool = False
    """Whether a person sent the call although it does not match the request, such as one of a tool not offered."""

    branch: str = ""
    """ADK's branch of the agent; empty for agents that see the whole conversation."""

    parent_call_id: str = ""
    """The call of the tool that the agent runs in; empty outside tools."""

    turn_id: str = ""
    """The model turn that produced the row; empty for rows that no turn produced."""

    note: str = ""
    """What a person noted on the row; empty if nobody did."""

    world_seconds: float | None = None
    """When it happened in seconds since the world's start, if it happened in a scenario's world."""

    sources: Annotated[tuple[RowSource, ...], Field(exclude=True)] = ()
    """The events that the row was made from, oldest first; clients are not sent them."""
