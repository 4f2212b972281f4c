"""The action `delay`: waits a fixed or random time before the next action."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Annotated, ClassVar, Self

from pydantic import ConfigDict, Field, model_validator

from adk_agent_sim.environment.actions.action import Action, RuleExecution
from adk_agent_sim.environment.json_values import StrictModel

MAX_SECONDS = 86_400
"""The longest delay: one day."""

Seconds = Annotated[float, Field(ge=0, le=MAX_SECONDS, allow_inf_nan=False)]


class LogNormal(StrictModel):
    """The latency distribution of typical services: mostly near the median, sometimes much longer."""

    median: Seconds = Field(description="Half of the delays are shorter")
    sigma: float = Field(gt=0, le=10, description="The width: with 0.5, one delay in twenty exceeds 2.3 medians")
    max: Seconds = Field(default=120.0, description="The longest delay")

    def sample_seconds(self, draw: float) -> float:
        """Return the seconds for a draw between 0 and 1."""
        # The inverse of the distribution is not defined at 0.
        if draw <= 0:
            return 0.0
        return min(self.median * math.exp(self.sigma * NormalDist().inv_cdf(draw)), self.max)


class Distribution(StrictModel):
    """A random delay."""

    model_config = ConfigDict(json_schema_extra={"minProperties": 1, "maxProperties": 1})

    uniform: list[Seconds] | None = Field(
        default=None, min_length=2, max_length=2, description="Evenly distributed from the first to the second"
    )
    lognormal: LogNormal | None = None

    @model_validator(mode="after")
    def _require_one_distribution(self) -> Self:
        if (self.uniform is None) == (self.lognormal is None):
            raise ValueError("give either uniform or lognormal")
        if self.uniform is not None and self.uniform[0] > self.uniform[1]:
            raise ValueError(f"uniform must be [low, high], but {self.uniform[0]} is greater than {self.uniform[1]}")
        return self


class Delay(Action):
    """Waits. Before `pass`, or as the only action, it delays the real tool."""

    key: ClassVar[str] = "delay"
    seats: ClassVar[frozenset[str]] = frozenset({"tool", "model"})
    takes_time: ClassVar[bool] = True

    delay: Seconds | Distribution = Field(description="Seconds, or a distribution")

    @property
    def is_random(self) -> bool:
        """Whether the delay is a distribution."""
        return isinstance(self.delay, Distribution)

    async def apply(self, execution: RuleExecution, result: object) -> object:
        """Return the same result after the delay."""
        await execution.sleep(self.draw_seconds(execution))
        return result

    def draw_seconds(self, execution: RuleExecution) -> float:
        """Return the delay of this call."""
        if not isinstance(self.delay, Distribution):
            return self.delay
        drawn = execution.draw("delay")
        if self.delay.uniform is not None:
            low, high = self.delay.uniform
            return low + (high - low) * drawn
        assert self.delay.lognormal is not None  # noqa: S101 - a distribution has one of the two
        return self.delay.lognormal.sample_seconds(drawn)

    def describe(self, execution: RuleExecution | None = None) -> str:
        """Return the key and the seconds."""
        if execution is None and isinstance(self.delay, Distribution):
            return "random delay"
        return f"delay {self.draw_seconds(execution) if execution else self.delay:.3g} s"
