"""An error that is an answer: the model reads it, and nothing was raised."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from adk_agent_sim.environment.actions.action import Acting, Action
from adk_agent_sim.environment.spec import Spec


class ErrorAnswer(Spec):
    """An error as HTTP services state it."""

    code: int = Field(description="Reaches the model as `error_code`")
    message: str = Field(description="Reaches the model as `error_message`")


class Error(Action):
    """Answers with an error code and a message."""

    key: ClassVar[str] = "error"
    answers: ClassVar[bool] = True

    error: ErrorAnswer

    async def apply(self, acting: Acting, result: object) -> object:
        """The error as a result."""
        return {"error_code": self.error.code, "error_message": self.error.message}

    def described(self, acting: Acting | None = None) -> str:
        """With its code."""
        return f"error {self.error.code}"
