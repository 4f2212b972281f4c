"""The format's augmentation options are read from files, checked, written to traces, and make a world noisy."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from world_builders import build_reply_event, build_world_event, build_world_scenario, list_happened

from adk_agent_sim.errors import InvalidAugmentation
from adk_agent_sim.scenario import World
from adk_agent_sim.scenario.format.augmentation_options import AugmentationOptions
from adk_agent_sim.scenario.format.models import ExportedTrace
from adk_agent_sim.scenario.world.noise import Noise


def _build_trace(runner_config: dict[str, Any] | None = None, **definition: Any) -> ExportedTrace:
    events = [build_world_event("u", "USER", delay=0), build_reply_event("r", "u")]
    trace = build_world_scenario(*events, **definition).trace
    return trace.model_copy(update={"metadata": trace.metadata.model_copy(update={"runner_config": runner_config})})


def test_without_options_nothing_is_augmented() -> None:
    trace = _build_trace()
    options = AugmentationOptions.from_trace(trace)

    assert options == AugmentationOptions()
    assert Noise.from_options(options) == Noise()
    assert options.apply_to_trace(trace).metadata.runner_config is None


def test_missing_values_are_those_of_are() -> None:
    options = AugmentationOptions.from_runner_config({"tool_augmentation_config": {}, "env_events_config": {}})

    assert options == AugmentationOptions(
        tool_failure_probability=0.1,
        rename_tools=True,
        reword_tools=True,
        env_events_per_minute=10,
        env_events_seed=0,
    )


@given(
    options=st.builds(
        AugmentationOptions,
        tool_failure_probability=st.floats(0, 1),
        rename_tools=st.booleans(),
        reword_tools=st.booleans(),
        env_events_per_minute=st.integers(1, 1_000),
        env_events_seed=st.integers(0, 1_000),
    )
)
def test_what_is_written_is_read_again(options: AugmentationOptions) -> None:
    written = options.apply_to_trace(_TRACE)

    assert AugmentationOptions.from_trace(written) == options
    definition = written.metadata.definition
    assert definition.has_tool_augmentation is options.has_tool_augmentation
    assert definition.has_env_events_augmentation is True


_TRACE = _build_trace({"model": "kept"}, seed=7)


def test_other_settings_and_the_seed_that_was_used_are_written() -> None:
    config = AugmentationOptions(env_events_per_minute=3).apply_to_trace(_TRACE).metadata.runner_config

    assert config is not None
    assert config["model"] == "kept"
    assert config["tool_augmentation_config"] is None
    assert config["env_events_config"] == {"num_env_events_per_minute": 3, "env_events_seed": 7}


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"a2a_app_prop": 0.5}, r"option a2a_app_prop cannot be used: agent-to-agent augmentation"),
        ({"a2a_app_prop": "x"}, r"a2a_app_prop cannot be used: 'x' is not a number"),
        ({"tool_augmentation_config": 5}, r"tool_augmentation_config cannot be used: 5 is not an object"),
        ({"tool_augmentation_config": {"tool_failure_probability": 2}}, "2 is not a number from 0 to 1"),
        ({"tool_augmentation_config": {"tool_failure_probability": float("nan")}}, "nan is not a number"),
        ({"tool_augmentation_config": {"apply_tool_name_augmentation": 1}}, "1 is neither true nor false"),
        ({"env_events_config": {"num_env_events_per_minute": -1}}, "num_env_events_per_minute .*: -1 is negative"),
        ({"env_events_config": {"num_env_events_per_minute": 1.5}}, "1.5 is not a whole number"),
    ],
)
def test_invalid_and_unsupported_options_are_refused_by_name(config: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidAugmentation, match=message):
        AugmentationOptions.from_trace(_build_trace(config))


def test_a_scenario_that_was_made_for_agents_as_apps_is_refused() -> None:
    with pytest.raises(InvalidAugmentation, match="has_a2a_augmentation cannot be used: agent-to-agent"):
        AugmentationOptions.from_trace(_build_trace(has_a2a_augmentation=True))


def test_the_options_make_a_world_noisy() -> None:
    options = AugmentationOptions(tool_failure_probability=1, env_events_per_minute=20, env_events_seed=3)
    scenario = build_world_scenario(build_world_event("u", "USER", delay=0), build_reply_event("r", "u"))

    def play(seed: int) -> list[tuple[float, str]]:
        world = World(scenario, seed=seed, noise=Noise.from_options(options))
        world.advance(120)
        assert world.try_call("SystemApp", "get_current_time").error is not None
        return list_happened(world)

    # The seed of the options decides, not that of the world.
    assert len(play(1)) > 10
    assert play(1) == play(2)
