"""Time that passes before what comes next: the same for each call, or drawn."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Annotated, ClassVar, Self

from pydantic import Field, model_validator

from adk_agent_sim.environment.actions.action import Acting, Action
from adk_agent_sim.environment.spec import Spec

LONGEST = 86_400
"""Seconds; more is a mistake."""

Seconds = Annotated[float, Field(ge=0, le=LONGEST, allow_inf_nan=False)]


class LogNormal(Spec):
    """As real services answer: mostly near the median, now and then much later."""

    median: Seconds = Field(description="Half of the calls take less")
    sigma: float = Field(gt=0, le=10, description="How wide: at 0.5, one call in twenty takes over 2.3 medians")
    max: Seconds = Field(default=120.0, description="No call takes longer")

    def drawn(self, chance: float) -> float:
        """The seconds for a draw between 0 and 1."""
        if chance <= 0:
            return 0.0
        return min(self.median * math.exp(self.sigma * NormalDist().inv_cdf(chance)), self.max)


class Distribution(Spec):
    """Seconds that differ from call to call."""

    uniform: list[Seconds] | None = Field(
        default=None, min_length=2, max_length=2, description="Anything from the first to the second"
    )
    lognormal: LogNormal | None = None

    @model_validator(mode="after")
    def _one(self) -> Self:
        if (self.uniform is None) == (self.lognormal is None):
            raise ValueError("give either uniform or lognormal")
        if self.uniform is not None and self.uniform[0] > self.uniform[1]:
            raise ValueError(f"uniform goes from the smaller to the larger, not from {self.uniform[0]}")
        return self


class Delay(Action):
    """Waits. Before `pass` or at the end of a chain it makes the real tool slow."""

    key: ClassVar[str] = "delay"

    delay: Seconds | Distribution = Field(description="Seconds, or how they are drawn")

    async def apply(self, acting: Acting, result: object) -> object:
        """The same result, later."""
        await acting.wait(self.seconds(acting))
        return result

    def seconds(self, acting: Acting) -> float:
        """How long this call waits."""
        if not isinstance(self.delay, Distribution):
            return self.delay
        drawn = acting.chance("delay")
        if self.delay.uniform is not None:
            low, high = self.delay.uniform
            return low + (high - low) * drawn
        assert self.delay.lognormal is not None  # noqa: S101 - a distribution has one of the two
        return self.delay.lognormal.drawn(drawn)

    def described(self, acting: Acting | None = None) -> str:
        """With its seconds."""
        if acting is None and isinstance(self.delay, Distribution):
            return "delay, drawn"
        return f"delay {self.seconds(acting) if acting else self.delay:.3g} s"
