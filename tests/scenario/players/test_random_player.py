"""A random player makes only calls that the argument check accepts, and the same ones for the same seed."""

from __future__ import annotations

from functools import cache
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from judge_corpus import load_corpus_scenario, read_file
from scenario_corpus import load_sandbox
from world_builders import build_world, build_world_event

from adk_agent_sim.scenario import World
from adk_agent_sim.scenario.app_base.app import APP, Tool
from adk_agent_sim.scenario.app_base.time_and_random import WorldRandom
from adk_agent_sim.scenario.app_base.tool_call import (
    build_parameters_schema,
    build_type_schema,
    check_arguments,
    matches_type,
)
from adk_agent_sim.scenario.apps.registry import find_app_class, list_app_class_names
from adk_agent_sim.scenario.players.play_world import PlayLimits, play_world
from adk_agent_sim.scenario.players.random_player import KnownValues, RandomArguments, RandomPlayer
from adk_agent_sim.scenario.players.world_player import PlayerAction, PlayerView, ToolUse

_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=40),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=10), inner, max_size=3),
    max_leaves=10,
)


@cache
def _list_tools() -> list[Tool]:
    classes = [each for name in list_app_class_names() if (each := find_app_class(name)) is not None]
    return [tool for each in classes for tool in each.tools().values() if APP in tool.kinds]


@cache
def _load_corpus_values() -> KnownValues:
    known = KnownValues()
    known.add_state([each.app_state for each in read_file(load_sandbox()).apps])
    return known


@given(seed=st.integers(), state=st.dictionaries(st.sampled_from(["email_id", "name", "limit", "content"]), _JSON))
@settings(max_examples=15, deadline=None)
def test_every_argument_that_it_generates_is_accepted(seed: int, state: dict[str, Any]) -> None:
    known = KnownValues()
    known.add_state(state)
    for values in (known, _load_corpus_values()):
        arguments = RandomArguments(WorldRandom(seed, "test"), values, now=1_728_975_600.0)
        for tool in _list_tools():
            generated = arguments.generate(build_parameters_schema(tool))
            check_arguments(tool, generated)
            # Also where the tool itself does not check types.
            wrong = {name: each for name, each in generated.items() if not matches_type(each, tool.annotations[name])}
            assert wrong == {}, tool.name


@given(seed=st.integers())
@settings(max_examples=20, deadline=None)
def test_values_fit_any_type(seed: int) -> None:
    arguments = RandomArguments(WorldRandom(seed, "test"), KnownValues())
    for annotation in ("float", "list[list[int]]", "dict[str, float] | None", "list[dict[str, Any]]", "bool", "Any"):
        schema = {"properties": {"x": build_type_schema(annotation)}, "required": ["x"]}
        value = arguments.generate(schema)["x"]
        assert matches_type(value, annotation), (annotation, value)


class _RefusalCounter:
    """Passes everything on, and keeps the calls that were refused before they were made."""

    def __init__(self, player: RandomPlayer) -> None:
        self._player = player
        self.calls: list[ToolUse] = []
        self.refused: list[str] = []

    def choose_action(self, view: PlayerView) -> PlayerAction:
        self.refused += [each.text for each in view.results if each.is_error and "argument" in each.text.lower()]
        action = self._player.choose_action(view)
        if isinstance(action, ToolUse):
            self.calls.append(action)
        return action


def _play(seed: int) -> _RefusalCounter:
    scenario = load_corpus_scenario("scenario_synth_s04_shopping")
    player = _RefusalCounter(RandomPlayer(scenario, seed=seed, max_turns=2))
    play_world(World(scenario), player, limits=PlayLimits(max_steps=200))
    return player


def test_the_same_seed_gives_the_same_calls_and_none_is_refused() -> None:
    first, again, other = _play(1), _play(1), _play(2)

    assert first.calls == again.calls != other.calls
    assert len(first.calls) >= 20
    assert len({each.name for each in first.calls}) >= 10
    refused = [each for each in (*first.refused, *other.refused) if each.startswith("TypeError")]
    assert refused == []


def test_it_uses_ids_of_the_world_and_of_results() -> None:
    known = KnownValues()
    known.add_state({"emails": [{"email_id": "abc", "read": True, "size": 3, "text": "x" * 1_000}]})
    known.add_text("created 0123456789abcdef0123456789abcdef for a@example.org")

    assert known.find("email_id", str) == ["abc"]
    assert known.find("id", str) == ["0123456789abcdef0123456789abcdef"]
    assert known.find("email", str) == ["a@example.org"]
    assert known.find("size", int) == [3]
    assert known.find("read", int) == known.find("text", str) == []

    arguments = RandomArguments(WorldRandom(0, "test"), known)
    texts = {arguments.generate_text("thread_id") for _ in range(20)}
    assert "0123456789abcdef0123456789abcdef" in texts


def test_it_finishes_in_a_world_without_tools_to_choose_from() -> None:
    world = build_world(build_world_event("u", "USER", delay=0))
    player = RandomPlayer(world.scenario)
    tools = {name: each for name, each in world.tools().items() if each.app == "SystemApp"}
    actions = [player.choose_action(PlayerView(now=0.0, tools={})) for _ in range(20)]

    assert tools
    assert type(actions[-1]).__name__ == "PlayFinished"
