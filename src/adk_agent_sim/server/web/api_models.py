"""The base of the messages of the web API, and those that all endpoints share.

The browser's TypeScript types are generated from all messages. Those of agents, sessions, rows, decisions, exports and
the simulated environment are in modules of their own, as are those of scenarios.
"""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class ApiModel(BaseModel):
    """Base class of all messages; unknown fields are rejected."""

    model_config = ConfigDict(extra="forbid", json_schema_serialization_defaults_required=True)


class FieldProblem(ApiModel):
    """A place where a value is invalid, and what is expected there."""

    path: str = Field(description="The field, such as `items[0].quantity`; empty for the whole value")
    message: str
    call_index: int | None = Field(default=None, description="The index of the call, if there are several")


class ErrorBody(ApiModel):
    """The body of every 4xx and 5xx response."""

    error: str = Field(description="The class of the error, such as `TurnAlreadyDecided`")
    message: str = Field(description="What happened and what to do")
    problems: list[FieldProblem] = Field(default_factory=list[FieldProblem])
    can_override: bool = Field(default=False, description="Whether `force` or `again` in the request overrides it")
