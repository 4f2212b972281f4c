"""A row of the timeline: one fact that people care about. Also the rows of a session that can still change: what the
fold of rows remembers between two events, and how rows change. `session_rows` and `call_rows` know which events do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Annotated, Any, ClassVar, NamedTuple, Self

from pydantic import Field

from adk_agent_sim.timeline.events import SCHEMA_OPTIONS, Event
from adk_agent_sim.timeline.read_model.line_summary import summarize_text


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


OPEN_STATUSES = (RowStatus.RUNNING, RowStatus.CONFIRM)
"""The statuses of rows that wait for something."""

_KINDS_WITH_PLAYER = (RowKind.CALL, RowKind.COMMENTARY, RowKind.ANSWER)

_ENDED_WITH_PROCESS = "abandoned: the agent's process ended"


def end_open_row(row: TimelineRow) -> TimelineRow:
    """Return a row of a session whose process has ended; one that was killed wrote no event that ends its calls."""
    if row.status not in OPEN_STATUSES:
        return row
    return replace(row, status=RowStatus.CANCELLED, result=row.result or _ENDED_WITH_PROCESS)


class PendingConsent(NamedTuple):
    """A confirmation that waits for the user: the tool, and the row of its call, if there is one."""

    tool_name: str
    row_index: int | None


@dataclass(kw_only=True, slots=True)
class OpenRows:
    """What the fold needs to know for the next event: the rows that can still change, and nothing about the others."""

    row_count: int = 0
    rows: dict[int, TimelineRow] = field(default_factory=dict[int, TimelineRow])
    """The rows that can still change, by index."""

    call_rows: dict[str, int] = field(default_factory=dict[str, int])
    """The rows of calls whose result the model has not got yet, by call id."""

    pending_consents: dict[str, PendingConsent] = field(default_factory=dict[str, PendingConsent])
    """The confirmations that wait for the user, by the id of ADK's request."""

    denied_rows: set[int] = field(default_factory=set[int])
    players: dict[str, str] = field(default_factory=dict[str, str])
    """Who plays the model of each agent in its current turn."""

    turn_ids: dict[str, str] = field(default_factory=dict[str, str])
    """The turn that each agent has decided last."""

    overriding_agents: set[str] = field(default_factory=set[str])
    """The agents whose current turn was decided although the decision does not match the request."""

    answer_index: int | None = None
    """The row of the final answer since the last user message."""

    has_agent_events: bool = False
    """Whether the agent reports its events; if not, calls and answers are taken from the decisions."""

    changed: dict[int, TimelineRow] = field(default_factory=dict[int, TimelineRow], compare=False)
    """The rows that are new or have changed since `copy`."""

    noted_rows: dict[int, TimelineRow] = field(default_factory=dict[int, TimelineRow], compare=False)
    """The rows before the events that are applied, where notes may be about them."""

    def copy(self) -> Self:
        """Return a copy without the changed rows; applying events to it leaves this one as it is."""
        return replace(
            self,
            rows=dict(self.rows),
            call_rows=dict(self.call_rows),
            pending_consents=dict(self.pending_consents),
            denied_rows=set(self.denied_rows),
            players=dict(self.players),
            turn_ids=dict(self.turn_ids),
            overriding_agents=set(self.overriding_agents),
            changed={},
            noted_rows={},
        )

    def add_row(
        self,
        event: Event,
        kind: RowKind,
        subject: str,
        summary: str,
        *,
        part_index: int | None = None,
        status: RowStatus = RowStatus.DONE,
        call_id: str = "",
        world_seconds: float | None = None,
    ) -> int:
        """Add a row for an event, or for a part of its content, and return the row's index."""
        index = self.row_count
        row = TimelineRow(
            index=index,
            seq=event.seq,
            updated_seq=event.seq,
            kind=kind,
            status=status,
            timestamp=event.timestamp,
            agent_name="" if kind is RowKind.USER else event.agent_name,
            player=self.players.get(event.agent_name, "") if kind in _KINDS_WITH_PLAYER else "",
            subject=summarize_text(subject),
            summary=summarize_text(summary),
            call_id=call_id,
            force=kind is RowKind.CALL and event.agent_name in self.overriding_agents,
            branch=event.agent_path.branch if event.agent_path else "",
            parent_call_id=event.agent_path.parent_call_id if event.agent_path else "",
            turn_id=self.turn_ids.get(event.agent_name, "") if kind in _KINDS_WITH_PLAYER else "",
            world_seconds=world_seconds,
            sources=(RowSource(event.seq, part_index),),
        )
        self.row_count += 1
        self.rows[index] = self.changed[index] = row
        return index

    def update_row(self, event: Event, index: int, *, part_index: int | None = None, **fields: Any) -> None:
        """Change fields of a row because of an event, or of a part of its content."""
        row = self.rows[index]
        # An answer that becomes a `commentary` changes because of a later text, which is not one of its own sources.
        if fields.get("kind") is None:
            fields["sources"] = (*row.sources, RowSource(event.seq, part_index))
        self.rows[index] = self.changed[index] = replace(row, updated_seq=event.seq, **fields)

    def add_source(self, index: int, source: RowSource) -> None:
        """Add an event to those that a row was made from."""
        row = self.rows[index]
        self.rows[index] = self.changed[index] = replace(row, sources=(*row.sources, source))

    def set_note(self, event: Event, index: int, about_seq: int, text: str) -> None:
        """Put a note on a row, in place of the one that it has; one about a row that does not exist is ignored."""
        row = self.rows.get(index) or self.changed.get(index) or self.noted_rows.get(index)
        # A file that was edited can have a note about any row.
        if row is None or row.seq != about_seq:
            return
        self.changed[index] = replace(row, updated_seq=event.seq, note=text)
        if index in self.rows:
            self.rows[index] = self.changed[index]

    def close_open_rows(self, event: Event, status: RowStatus) -> None:
        """Give a status to all rows that wait for something: nothing more will happen to them."""
        for index, row in list(self.rows.items()):
            if row.status in OPEN_STATUSES:
                self.update_row(event, index, status=status)
        self.forget_finished_calls()

    def forget_finished_calls(self) -> None:
        """Drop the calls that have ended: a later call with the same id gets a row of its own."""
        self.call_rows = {
            call_id: index for call_id, index in self.call_rows.items() if self.rows[index].status in OPEN_STATUSES
        }

    def forget_final_rows(self) -> None:
        """Drop the rows that no later event can change."""
        if len(self.rows) <= len(self.call_rows):
            return  # all of them are of calls whose results are to come, of which an agent may have made many at once
        # The last row is needed too: an error that ends the run is merged with one that ADK has emitted just before.
        needed = {*self.call_rows.values(), self.answer_index, self.row_count - 1}
        for index, row in list(self.rows.items()):
            if index not in needed and row.status not in OPEN_STATUSES:
                del self.rows[index]

    def is_last_row_an_error(self) -> bool:
        """Return whether the newest row is an error."""
        return self.row_count > 0 and self.rows[self.row_count - 1].kind is RowKind.ERROR
