"""An error that is an answer: the model reads it, and nothing was raised."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from adk_agent_sim.environment.actions.action import Action, RuleExecution
from adk_agent_sim.environment.strict_model import StrictModel


class ErrorResponse(StrictModel):
    """An error as HTTP services state it."""

    code: int = Field(description="Reaches the model as `error_code`")
    message: str = Field(description="Reaches the model as `error_message`")


class Error(Action):
    """Answers with an error code and a message."""

    key: ClassVar[str] = "error"
    gives_result: ClassVar[bool] = True

    error: ErrorResponse

    async def apply(self, execution: RuleExecution, result: object) -> object:
        """The error as a result."""
        return {"error_code": self.error.code, "error_message": self.error.message}

    def describe(self, execution: RuleExecution | None = None) -> str:
        """With its code."""
        return f"error {self.error.code}"
