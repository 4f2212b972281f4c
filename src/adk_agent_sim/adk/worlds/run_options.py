"""The options of a run in a scenario's world, with its thinking time. Values only: they can be sent to another process.

Values only, so that a run can be sent to another process.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from adk_agent_sim.errors import InvalidRunOption
from adk_agent_sim.scenario.format.augmentation_options import AugmentationOptions
from adk_agent_sim.timeline.seeded_random import draw_uniform

ThinkingKind: TypeAlias = Literal["fixed", "measured", "random", "zero"]

_DURATION = re.compile(r"(?P<number>[0-9]{1,6}(?:\.[0-9]{1,6})?)(?P<unit>ms|s|m|h)?")
_UNIT_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3_600.0, None: 1.0}

RANDOM_RANGE = (0.5, 8.0)
"""The seconds between which `random` draws; most models answer in such a time."""

_FORMS = "fixed:1s (any duration, such as fixed:500ms), measured, random or zero"


@dataclass(frozen=True, kw_only=True)
class ThinkingTime:
    """The simulated duration of model calls. All but `measured` are the same in every run with the same seed."""

    kind: ThinkingKind = "fixed"

    seconds: float = 1.0
    """The duration of each call, if it is fixed."""

    def compute(self, measured: float, seed: int, run_number: int, call_number: int) -> float:
        """Return the seconds that a model call takes in the world.

        Args:
            measured: How long it really took.
            seed: The seed of the run.
            run_number: The number of the run.
            call_number: The number of the call in the run.
        """
        match self.kind:
            case "fixed":
                return self.seconds
            case "measured":
                return max(0.0, measured)
            case "random":
                low, high = RANDOM_RANGE
                # Whole milliseconds: sums of such times do not depend on the order of rounding.
                return round(low + (high - low) * draw_uniform(seed, "thinking", run_number, call_number), 3)
            case "zero":
                return 0.0

    def __str__(self) -> str:
        return f"fixed:{self.seconds:g}s" if self.kind == "fixed" else self.kind


def parse_thinking_time(text: str) -> ThinkingTime:
    """Parse how `--thinking` is written.

    Raises:
        InvalidRunOption: The text is none of the forms.
    """
    kind, colon, argument = text.partition(":")
    if kind == "fixed":
        return ThinkingTime(kind="fixed", seconds=parse_duration(argument) if colon else 1.0)
    if colon or kind not in ("measured", "random", "zero"):
        raise InvalidRunOption("the thinking time", text, f"write {_FORMS}")
    return ThinkingTime(kind=kind)


def parse_duration(text: str) -> float:
    """Return the seconds of a duration such as `500ms`, `1.5s`, `10m` or `90`.

    Raises:
        InvalidRunOption: The text is no duration.
    """
    found = _DURATION.fullmatch(text.strip())
    if found is None:
        raise InvalidRunOption("the duration", text, "write a number with ms, s, m or h, such as 500ms, 1.5s or 10m")
    return float(found["number"]) * _UNIT_SECONDS[found["unit"]]


DEFAULT_MAX_STEPS = 200
"""The most model calls of a run, as in ARE."""

DEFAULT_DURATION = 1800.0
"""The simulated seconds of a scenario that does not say how long it lasts."""


@dataclass(frozen=True, kw_only=True)
class WorldRunOptions:
    """How an agent is run in a world."""

    seed: int | None = None
    """The seed of ids and random numbers; by default the scenario's."""

    run_number: int = 1
    """The number of the run among the runs of the same scenario; random draws differ from run to run."""

    thinking: ThinkingTime = field(default_factory=ThinkingTime)
    """How much simulated time passes while the model thinks."""

    notifications: str = "MEDIUM"
    """The agent's notification level: LOW, MEDIUM or HIGH."""

    augmentation: AugmentationOptions | None = None
    """Failing calls, renamed tools and unrelated events; by default what the scenario says."""

    stop_on_rejection: bool = True
    """Whether the run ends when the judge rejects a turn; otherwise later turns begin all the same."""

    max_steps: int = DEFAULT_MAX_STEPS
    """The most model calls."""

    max_duration: float | None = None
    """The most simulated seconds; by default the scenario's duration, or else half an hour."""

    max_wall_time: float | None = None
    """The most real seconds; by default no limit."""

    fs_content: str | None = None
    """A folder with the contents of the scenario's files."""

    agents: frozenset[str] = frozenset()
    """The agents that get the world's tools; empty for all."""
