"""The base of all records: one class for Python, the JSON of commands, the web API and the browser's types.

The browser's TypeScript types are generated from the records that the web API answers with.
"""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class Record(BaseModel):
    """Base class of all records; unknown fields are rejected."""

    model_config = ConfigDict(extra="forbid", json_schema_serialization_defaults_required=True)


class FieldProblem(Record):
    """A place where a value is invalid, and what is expected there."""

    path: str = Field(description="The field, such as `items[0].quantity`; empty for the whole value")
    message: str
    call_index: int | None = Field(default=None, description="The index of the call, if there are several")


class OperationResult(Record):
    """What an operation on a session has done; the rest of the session's state reaches clients as live updates."""

    session_id: str
    revision: int = Field(description="The seq of the session's last event after the operation")
