"""Time that passes before what comes next: the same for each call, or drawn."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Annotated, ClassVar, Self

from pydantic import Field, model_validator

from adk_agent_sim.environment.actions.action import Action, RuleExecution
from adk_agent_sim.environment.strict_model import StrictModel

MAX_SECONDS = 86_400
"""Seconds; more is a mistake."""

Seconds = Annotated[float, Field(ge=0, le=MAX_SECONDS, allow_inf_nan=False)]


class LogNormal(StrictModel):
    """As real services answer: mostly near the median, now and then much later."""

    median: Seconds = Field(description="Half of the calls take less")
    sigma: float = Field(gt=0, le=10, description="How wide: at 0.5, one call in twenty takes over 2.3 medians")
    max: Seconds = Field(default=120.0, description="No call takes longer")

    def sample_seconds(self, draw: float) -> float:
        """The seconds for a draw between 0 and 1."""
        if draw <= 0:
            return 0.0
        return min(self.median * math.exp(self.sigma * NormalDist().inv_cdf(draw)), self.max)


class Distribution(StrictModel):
    """Seconds that differ from call to call."""

    uniform: list[Seconds] | None = Field(
        default=None, min_length=2, max_length=2, description="Anything from the first to the second"
    )
    lognormal: LogNormal | None = None

    @model_validator(mode="after")
    def _require_one_distribution(self) -> Self:
        if (self.uniform is None) == (self.lognormal is None):
            raise ValueError("give either uniform or lognormal")
        if self.uniform is not None and self.uniform[0] > self.uniform[1]:
            raise ValueError(f"uniform goes from the smaller to the larger, not from {self.uniform[0]}")
        return self


class Delay(Action):
    """Waits. Before `pass` or at the end of a chain it makes the real tool slow."""

    key: ClassVar[str] = "delay"

    delay: Seconds | Distribution = Field(description="Seconds, or how they are drawn")

    async def apply(self, execution: RuleExecution, result: object) -> object:
        """The same result, later."""
        await execution.sleep(self.draw_seconds(execution))
        return result

    def draw_seconds(self, execution: RuleExecution) -> float:
        """How long this call waits."""
        if not isinstance(self.delay, Distribution):
            return self.delay
        drawn = execution.draw("delay")
        if self.delay.uniform is not None:
            low, high = self.delay.uniform
            return low + (high - low) * drawn
        assert self.delay.lognormal is not None  # noqa: S101 - a distribution has one of the two
        return self.delay.lognormal.sample_seconds(drawn)

    def describe(self, execution: RuleExecution | None = None) -> str:
        """With its seconds."""
        if execution is None and isinstance(self.delay, Distribution):
            return "delay, drawn"
        return f"delay {self.draw_seconds(execution) if execution else self.delay:.3g} s"
