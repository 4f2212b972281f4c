"""The action `raise`: raises an exception of a registered type. A name in a file never imports code."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, ClassVar, TypeAlias

from pydantic import BeforeValidator, Field

from adk_agent_sim.environment.actions.action import Action, RuleExecution
from adk_agent_sim.environment.json_values import StrictModel
from adk_agent_sim.timeline.canonical_json import Json

ExceptionFactories: TypeAlias = Mapping[str, Callable[[str], Exception]]
"""Functions that create an exception from a message, by the names that rules may use."""

BUILT_IN_EXCEPTIONS: ExceptionFactories = {
    kind.__name__: kind
    for kind in (
        ArithmeticError,
        BrokenPipeError,
        ConnectionAbortedError,
        ConnectionError,
        ConnectionRefusedError,
        ConnectionResetError,
        FileNotFoundError,
        IndexError,
        InterruptedError,
        KeyError,
        LookupError,
        MemoryError,
        NotImplementedError,
        OSError,
        PermissionError,
        RuntimeError,
        TimeoutError,
        TypeError,
        ValueError,
        ZeroDivisionError,
    )
}
"""The exceptions that are always registered."""


class ExceptionToRaise(StrictModel):
    """An exception to raise."""

    type: str = Field(description="A built-in exception such as ConnectionError or TimeoutError, or a registered name")
    message: str = Field(
        default="injected by a rule", description="The exception's message, which may refer to the call"
    )


def _wrap_type_name(value: object) -> object:
    return {"type": value} if isinstance(value, str) else value


class Raise(Action):
    """Raises inside the tool call, as the tool itself would, so that error callbacks and retry plugins see it."""

    key: ClassVar[str] = "raise"
    seats: ClassVar[frozenset[str]] = frozenset({"tool", "model"})
    acts_inside_call: ClassVar[bool] = True
    is_terminal: ClassVar[bool] = True

    error: Annotated[
        ExceptionToRaise, BeforeValidator(_wrap_type_name, json_schema_input_type=ExceptionToRaise | str)
    ] = Field(validation_alias="raise", serialization_alias="raise")

    @property
    def template(self) -> Json:
        """The message."""
        return self.error.message

    async def apply(self, execution: RuleExecution, result: object) -> object:
        """Raise the exception."""
        message = execution.render_text(self.error.message) if self.has_references else self.error.message
        raise execution.build_exception(self.error.type, message)

    def describe(self, execution: RuleExecution | None = None) -> str:
        """Return the key and the exception's type."""
        return f"raise {self.error.type}"
