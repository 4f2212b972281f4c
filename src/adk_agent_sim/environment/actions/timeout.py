"""The action `timeout`: waits, then raises TimeoutError."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from adk_agent_sim.environment.actions.action import Action, RuleExecution
from adk_agent_sim.environment.actions.delay import Seconds


class Timeout(Action):
    """Waits, then raises TimeoutError. The real tool does not run."""

    key: ClassVar[str] = "timeout"
    seats: ClassVar[frozenset[str]] = frozenset({"tool", "model"})
    takes_time: ClassVar[bool] = True
    acts_inside_call: ClassVar[bool] = True
    is_terminal: ClassVar[bool] = True

    timeout: Seconds = Field(description="The seconds until the call times out")

    async def apply(self, execution: RuleExecution, result: object) -> object:
        """Wait, then raise TimeoutError."""
        await execution.sleep(self.timeout)
        raise TimeoutError(f"{execution.call.tool} did not answer within {self.timeout:g} s")

    def describe(self, execution: RuleExecution | None = None) -> str:
        """Return the key and the seconds."""
        return f"timeout after {self.timeout:g} s"
