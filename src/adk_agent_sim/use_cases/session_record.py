"""A session as people see it, and lists of them: what `adksim sessions`, the web API and Python are answered with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from adk_agent_sim.timeline.read_model.pending_requests import PendingRequest
from adk_agent_sim.timeline.read_model.session_summary import ExportEntry, SessionStatus
from adk_agent_sim.use_cases.record import Record

ColumnFormat: TypeAlias = Literal["text", "status", "age", "size"]


@dataclass(frozen=True, slots=True)
class ListColumn:
    """A field that lists of sessions show: `adksim sessions` prints these columns in the order of the fields.

    A browser is sent a session again when one of these fields has changed; ages grow on their own.
    """

    title: str = ""
    """What is printed before the value; empty if the value speaks for itself."""

    format: ColumnFormat = "text"
    placeholder: str = ""
    """What is printed for an empty text."""


class SessionRecord(Record):
    """What lists show of a session. Fields that have the name of one of its summary are filled in from there."""

    session_id: Annotated[str, ListColumn()]
    status: Annotated[SessionStatus, ListColumn(format="status")]
    agent_label: Annotated[str, ListColumn(placeholder="-")] = Field(
        description="What lists call the agent: its display name, or its name if it has none"
    )
    created_at: Annotated[float, ListColumn("created", "age")] = Field(
        description="In seconds since 1970, as all times"
    )
    last_event_at: Annotated[float, ListColumn("last event", "age")]
    stored_bytes: Annotated[int | None, ListColumn(format="size")] = Field(
        default=None, description="The size of what is stored of it; None where nobody asked for it"
    )
    name: Annotated[str, ListColumn()]
    description: str = Field(default="", description="What whoever created the session said about it")
    has_world: bool = Field(default=False, description="Whether the world that the session runs in can be seen here")
    agent_key: str = Field(default="", description="The key of the agent; empty if it is not one of this server's")
    agent_revision: int | None = Field(
        default=None, description="The revision of the agent's code that the session runs with; None if it is over"
    )
    agent_name: str
    agent_names: list[str] = Field(default_factory=list[str], description="The agents that called their models")
    closing_reason: str = Field(default="", description="Why the session is over; empty if it is not")
    failure: Annotated[str, ListColumn()] = Field(
        default="", description="Why the last run failed, or why the session cannot be read"
    )
    last_seq: int = Field(default=0, description="The seq of the last event that is included here")
    row_count: int = Field(default=0, description="The number of rows")
    turn_count: int = Field(default=0, description="The number of model turns")
    call_count: int = Field(default=0, description="The number of tool calls that ran")
    pending: list[PendingRequest] = Field(
        default_factory=list[PendingRequest], description="What is waiting for a person, the next one first"
    )
    running_since: float | None = Field(default=None, description="When the oldest running tool started, else the run")
    exports: list[ExportEntry] = Field(default_factory=list[ExportEntry])

    @classmethod
    def list_columns(cls) -> list[tuple[str, ListColumn]]:
        """Return the names of the fields that lists show, with their columns."""
        return [
            (name, column)
            for name, field in cls.model_fields.items()
            for column in field.metadata
            if isinstance(column, ListColumn)
        ]


class SessionPage(Record):
    """A page of the list of sessions, newest first."""

    sessions: list[SessionRecord]
    next_cursor: str | None = Field(description="The cursor of the next page; None on the last one")


class QueueItem(Record):
    """A request that is waiting for a person, in any session."""

    session_id: str
    session_name: str
    agent_label: str = Field(description="What lists call the agent that asks")
    request: PendingRequest


class QueuePage(Record):
    """A page of the queue, oldest first."""

    items: list[QueueItem]
    next_cursor: str | None = Field(description="The cursor of the next page; None on the last one")
    total: int = Field(description="How many requests are waiting, on all pages")
