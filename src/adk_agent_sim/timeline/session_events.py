"""The events about a session itself, rather than what happens in it: joined, rewound, forked, closed, noted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.identifier_checks import check_app_name


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentJoined:
    """An agent's ADK session was connected to the timeline; always the first event of a run."""

    app_name: Annotated[str, check_app_name]
    """The ADK app."""

    user_id: str
    """The ADK user."""

    adk_session_id: str
    """The id of the ADK session, which differs from the timeline's session id."""

    state: Mapping[str, Json]
    """The session state before the first message."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Rewound:
    """Decisions were undone or redone: the session continues from an earlier event.

    What no longer counts stays on the timeline; `remove_undone_events` leaves it out.
    """

    to_seq: int
    """The last event that counts again, of the log as it was then."""

    kept_seqs: Sequence[int]
    """The later events that still count: outcomes of calls that were running at `to_seq`."""

    from_seq: int
    """The last event of what no longer counts."""

    turn_id: str = ""
    """The turn that is decided again; empty if the run had ended there."""

    redone: bool = False
    """Whether undone decisions count again."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Forked:
    """The session began as a copy: the events before this one are those of another session."""

    source_session_id: str
    """The session that was forked."""

    source_seq: int
    """The last event of the source that was copied."""

    turn_id: str = ""
    """The turn that is decided again; empty if the fork is between two runs."""

    difference: str = ""
    """What happened differently when the run was replayed, and was accepted; empty if nothing did."""


SERVER_STOPPED = "the server stopped"
"""Why a session was closed between two runs."""

SERVER_STOPPED_IN_RUN = "the server stopped while the agent was running"
"""Why a session was closed that can be forked in the middle of its last run."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Closed:
    """The session was closed: it takes no more events except notes and verdicts, and all waits in it ended."""

    reason: str
    """The reason, for people."""

    cancelled: bool = False
    """Whether it was cancelled rather than completed."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Noted:
    """A person wrote a note on a row of the timeline, possibly after the session was closed.

    Notes are about the session and no part of what happened in it: golden traces and comparisons leave them out.
    """

    row_index: int
    """The row, counted from 0."""

    about_seq: int
    """The event that created the row."""

    text: str
    """The note; it replaces an earlier one of the row, and an empty one removes it."""
