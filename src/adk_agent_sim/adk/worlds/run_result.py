"""The result of a run in a scenario's world, and why it ended.

Data only: it can be sent from another process, and written as JSON.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from pydantic import Field, computed_field

from adk_agent_sim.timeline.record import FrozenRecord
from adk_agent_sim.timeline.verdict import Verdict


class RunEnd(StrEnum):
    """Why a run ended. A limit is no error: what was done until then is judged."""

    COMPLETED = "completed"
    """The agent has ended as many turns as the scenario expects."""

    TURN_REJECTED = "turn_rejected"
    """The judge rejected a turn, so later turns did not begin."""

    NOTHING_LEFT = "nothing_left"
    """The agent has stopped, and nothing more happens in the world."""

    MAX_STEPS = "max_steps"
    """The agent has made the most model calls that a run may have."""

    MAX_DURATION = "max_duration"
    """The simulated time is over."""

    MAX_WALL_TIME = "max_wall_time"
    """The real time is over."""

    EXCEPTION = "exception"
    """The agent's run raised an exception."""


class WorldRunMetadata(FrozenRecord):
    """Who ran how, as the format's metadata has it."""

    agent_id: str

    model_id: str

    run_number: int

    seed: int

    player: str
    """Who played the model, such as `real` or `oracle`."""

    thinking: str
    """How much simulated time passed while the model thought."""

    exception_type: str | None = None

    exception_message: str | None = None

    augmentations: Mapping[str, Any] = Field(default_factory=dict[str, Any])
    """How the run was disturbed, as the format's `runner_config` has it; empty if it was not."""

    @computed_field
    @property
    def has_exception(self) -> bool:
        """Whether the agent's run raised an exception."""
        return self.exception_type is not None


class WorldRunResult(FrozenRecord):
    """The outcome of a run."""

    scenario_id: str

    ended: RunEnd
    """Why the run ended."""

    verdict: Verdict | None
    """The judge's verdict; None if the run cannot be judged."""

    metadata: WorldRunMetadata

    problem: str = ""
    """Why there is no verdict."""

    step_count: int = 0
    """The number of model calls."""

    call_count: int = 0
    """The number of calls of the world's tools."""

    rule_answer_count: int = 0
    """The number of tool calls that environment rules answered, so that they did not reach the world."""

    message_count: int = 0
    """The number of messages to the user."""

    prompt_tokens: int = 0

    output_tokens: int = 0

    simulated_seconds: float = 0.0

    wall_seconds: float = 0.0

    limit: str = ""
    """The limit that ended the run, in words; empty if none did."""

    export_problems: tuple[str, ...] = ()
    """Why files that were asked for could not be written."""

    @computed_field
    @property
    def passed(self) -> bool | None:
        """Whether the agent passed; None if the run cannot be judged."""
        if self.metadata.has_exception:
            return False
        return None if self.verdict is None else self.verdict.passed

    @computed_field
    @property
    def reason(self) -> str:
        """Why the agent did not pass, in sentences; empty if it passed."""
        if self.passed:
            return ""
        if self.metadata.has_exception:
            return f"The agent's run failed: {self.metadata.exception_type}: {self.metadata.exception_message}"
        judged = self.problem if self.verdict is None else self.verdict.reason
        return f"{self.limit} {judged}".strip()
