"""The records that several use cases share; the base of all is in the timeline's package."""

from __future__ import annotations

from pydantic import Field

from adk_agent_sim.timeline.record import Record


class FieldProblem(Record):
    """A place where a value is invalid, and what is expected there."""

    path: str = Field(description="The field, such as `items[0].quantity`; empty for the whole value")
    message: str
    call_index: int | None = Field(default=None, description="The index of the call, if there are several")


class OperationResult(Record):
    """What an operation on a session has done; the rest of the session's state reaches clients as live updates."""

    session_id: str
    revision: int = Field(description="The seq of the session's last event after the operation")
