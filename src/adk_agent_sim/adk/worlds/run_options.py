"""The options of a run in a scenario's world. Values only, so that a run can be sent to another process."""

from __future__ import annotations

from dataclasses import dataclass, field

from adk_agent_sim.adk.worlds.thinking_time import ThinkingTime
from adk_agent_sim.scenario.format.augmentation_options import AugmentationOptions

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
