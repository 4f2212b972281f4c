"""The format's options that disturb a run: failing tools, other names and descriptions of tools, unrelated events.

```
metadata.runner_config --from_trace--> AugmentationOptions --apply_to_trace--> metadata of the trace
                            command line, Python --^    |
                                                        +--> Noise.from_options --> World
```
Agents that play the apps (agent-to-agent augmentation) are part of the format but not supported.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from adk_agent_sim.errors import InvalidAugmentation
from adk_agent_sim.scenario.format.models import ExportedTrace

_A2A_OPTION = "a2a_app_prop"


@dataclass(frozen=True, kw_only=True)
class AugmentationOptions:
    """How a run is disturbed; not at all by default."""

    tool_failure_probability: float = 0.0
    """The probability, from 0 to 1, that a valid call of the agent fails."""

    rename_tools: bool = False
    """Whether tools are offered under other names; `apply_tool_name_augmentation` in files."""

    reword_tools: bool = False
    """Whether tools are offered with other descriptions; `apply_tool_description_augmentation` in files."""

    env_events_per_minute: int = 0
    """The average number of unrelated events per minute; `num_env_events_per_minute` in files."""

    env_events_seed: int | None = None
    """The seed of the unrelated events; None for that of the world."""

    def __post_init__(self) -> None:
        """Check the values.

        Raises:
            InvalidAugmentation: A value is out of range; the error names the option.
        """
        if not 0 <= self.tool_failure_probability <= 1:
            raise InvalidAugmentation(
                "tool_failure_probability", f"{self.tool_failure_probability} is not a number from 0 to 1"
            )
        if self.env_events_per_minute < 0:
            raise InvalidAugmentation("num_env_events_per_minute", f"{self.env_events_per_minute} is negative")

    @property
    def has_tool_augmentation(self) -> bool:
        """Whether tools fail, or are offered under other names or descriptions."""
        return self.tool_failure_probability > 0 or self.rename_tools or self.reword_tools

    @property
    def has_env_events_augmentation(self) -> bool:
        """Whether there are unrelated events."""
        return self.env_events_per_minute > 0

    @classmethod
    def from_trace(cls, trace: ExportedTrace) -> AugmentationOptions:
        """Return the options with which a scenario or trace is to be run.

        Raises:
            InvalidAugmentation: An option is invalid, or agents are to play the apps.
        """
        if trace.metadata.definition.has_a2a_augmentation:
            raise _build_a2a_error("has_a2a_augmentation")
        return cls.from_runner_config(trace.metadata.runner_config or {})

    @classmethod
    def from_runner_config(cls, config: Mapping[str, Any]) -> AugmentationOptions:
        """Return the options in `runner_config` of the format. Missing values are ARE's defaults.

        Raises:
            InvalidAugmentation: An option is invalid, or agents are to play the apps.
        """
        if _read_number(config, _A2A_OPTION, 0) > 0:
            raise _build_a2a_error(_A2A_OPTION)
        tools, events = _read_object(config, "tool_augmentation_config"), _read_object(config, "env_events_config")
        options: dict[str, Any] = {}
        if tools is not None:
            options |= {
                "tool_failure_probability": _read_number(tools, "tool_failure_probability", 0.1),
                "rename_tools": _read_flag(tools, "apply_tool_name_augmentation"),
                "reword_tools": _read_flag(tools, "apply_tool_description_augmentation"),
            }
        if events is not None:
            options |= {
                "env_events_per_minute": _read_integer(events, "num_env_events_per_minute", 10),
                "env_events_seed": _read_integer(events, "env_events_seed", 0),
            }
        return cls(**options)

    def to_runner_config(self, world_seed: int = 0) -> dict[str, Any]:
        """Return the options as `runner_config` of the format has them; null for what is not augmented.

        Args:
            world_seed: The seed of the unrelated events if the options have none.
        """
        tools = {
            "tool_failure_probability": self.tool_failure_probability,
            "apply_tool_name_augmentation": self.rename_tools,
            "apply_tool_description_augmentation": self.reword_tools,
        }
        events = {
            "num_env_events_per_minute": self.env_events_per_minute,
            "env_events_seed": world_seed if self.env_events_seed is None else self.env_events_seed,
        }
        return {
            _A2A_OPTION: 0.0,
            "tool_augmentation_config": tools if self.has_tool_augmentation else None,
            "env_events_config": events if self.has_env_events_augmentation else None,
        }

    def apply_to_trace(self, trace: ExportedTrace) -> ExportedTrace:
        """Return a trace that says that it was run with these options; its other settings are kept."""
        metadata = trace.metadata
        config = metadata.runner_config
        if config is not None or self.has_tool_augmentation or self.has_env_events_augmentation:
            config = {**(config or {}), **self.to_runner_config(metadata.definition.seed or 0)}
        definition = metadata.definition.model_copy(
            update={
                "has_a2a_augmentation": False,
                "has_tool_augmentation": self.has_tool_augmentation,
                "has_env_events_augmentation": self.has_env_events_augmentation,
            }
        )
        changed = metadata.model_copy(update={"definition": definition, "runner_config": config})
        return trace.model_copy(update={"metadata": changed})


def _build_a2a_error(option: str) -> InvalidAugmentation:
    return InvalidAugmentation(
        option,
        "agent-to-agent augmentation, in which agents play the apps, is not supported. Set a2a_app_prop to 0 and "
        "has_a2a_augmentation to false, or run the scenario with ARE",
    )


def _read_object(config: Mapping[str, Any], name: str) -> Mapping[str, Any] | None:
    value = config.get(name)
    if value is not None and not isinstance(value, Mapping):
        raise InvalidAugmentation(name, f"{value!r:.80} is not an object")
    return cast("Mapping[str, Any] | None", value)


def _read_number(config: Mapping[str, Any], name: str, default: float) -> float:
    value = config.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise InvalidAugmentation(name, f"{value!r:.80} is not a number")
    return value


def _read_integer(config: Mapping[str, Any], name: str, default: int) -> int:
    value = _read_number(config, name, default)
    if value != int(value):
        raise InvalidAugmentation(name, f"{value!r:.80} is not a whole number")
    return int(value)


def _read_flag(config: Mapping[str, Any], name: str) -> bool:
    value = config.get(name, True)
    if not isinstance(value, bool):
        raise InvalidAugmentation(name, f"{value!r:.80} is neither true nor false")
    return value
