"""The message of the web API about an error, which all endpoints share."""

from __future__ import annotations

from pydantic import Field

from adk_agent_sim.use_cases.record import FieldProblem, Record


class ErrorBody(Record):
    """The body of every 4xx and 5xx response."""

    error: str = Field(description="The class of the error, such as `TurnAlreadyDecided`")
    message: str = Field(description="What happened and what to do")
    problems: list[FieldProblem] = Field(default_factory=list[FieldProblem])
    can_override: bool = Field(default=False, description="Whether `force` or `again` in the request overrides it")
