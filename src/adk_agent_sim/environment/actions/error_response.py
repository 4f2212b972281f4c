"""The action `error`: responds with an error that the model sees; nothing is raised."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from adk_agent_sim.environment.actions.action import Action, RuleExecution
from adk_agent_sim.environment.json_values import StrictModel
from adk_agent_sim.timeline.canonical_json import Json


class ErrorResponse(StrictModel):
    """An error in the style of HTTP services."""

    code: int = Field(description="The model receives it as `error_code`")
    message: str = Field(description="The model receives it as `error_message`; it may refer to the call")


class Error(Action):
    """Responds with an error code and a message."""

    key: ClassVar[str] = "error"
    gives_result: ClassVar[bool] = True
    replaces_result: ClassVar[bool] = True
    only_makes_result: ClassVar[bool] = True

    error: ErrorResponse

    @property
    def template(self) -> Json:
        """The message."""
        return self.error.message

    async def apply(self, execution: RuleExecution, result: object) -> object:
        """Return the error as a result."""
        message = self.error.message
        return {
            "error_code": self.error.code,
            "error_message": execution.render_text(message) if self.has_references else message,
        }

    def describe(self, execution: RuleExecution | None = None) -> str:
        """Return the key and the code."""
        return f"error {self.error.code}"
