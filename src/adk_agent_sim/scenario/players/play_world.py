"""The run of a player in a world, without ADK: one loop, with limits, and the verdict on what the player did."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from adk_agent_sim.scenario.format.models import ExportedTrace
from adk_agent_sim.scenario.players.world_player import PlayerView, ToolResult, WorldPlayer, build_tool_call
from adk_agent_sim.scenario.verdict.judge import Judge
from adk_agent_sim.scenario.verdict.oracle_plan import assume_conditions
from adk_agent_sim.scenario.world.world import World
from adk_agent_sim.timeline.verdict import Verdict


class PlayEnd(StrEnum):
    """Why a run ended."""

    FINISHED = "finished"
    """The player had nothing more to do."""
    STOPPED = "stopped"
    """The world stopped: a turn was rejected, or the scenario's duration was over."""
    STEP_LIMIT = "step limit"
    TIME_LIMIT = "time limit"
    """The limit of simulated time."""
    INTERRUPTED = "interrupted"
    """The caller ended it, for example because it took too long."""


@dataclass(frozen=True, kw_only=True)
class PlayLimits:
    """When a run ends at the latest."""

    max_steps: int = 1_000
    """Actions of the player."""

    max_seconds: float | None = None
    """Simulated time; None for the scenario's own duration."""


@dataclass(frozen=True, kw_only=True)
class PlayedRun:
    """A run of a player in a world."""

    world: World
    """The world after the run."""

    ended: PlayEnd

    step_count: int

    @property
    def trace(self) -> ExportedTrace:
        """The scenario with what happened, as `JsonScenarioExporter` writes it."""
        return self.world.export_trace()


def play_world(
    world: World,
    player: WorldPlayer,
    *,
    limits: PlayLimits | None = None,
    is_interrupted: Callable[[], bool] | None = None,
) -> PlayedRun:
    """Let a player act in a world until it has finished, the world has stopped, or a limit is reached.

    The player's actions take no simulated time, except its waits.

    Args:
        world: The world; before its first tick, or in the middle of a run.
        player: Plays the agent.
        limits: When the run ends at the latest.
        is_interrupted: Called before each action; the run ends when it returns True.
    """
    limits = limits or PlayLimits()
    world.tick()
    results: tuple[ToolResult, ...] = ()
    steps = 0
    while (ended := _find_end(world, limits, steps, is_interrupted)) is None:
        view = PlayerView(
            now=world.now, tools=world.tools(), notifications=tuple(world.take_notifications()), results=results
        )
        use = build_tool_call(player.choose_action(view), view.tools)
        if use is None:
            ended = PlayEnd.FINISHED
            break
        results = (call_offered_tool(world, use.name, use.arguments),)
        steps += 1
    return PlayedRun(world=world, ended=ended, step_count=steps)


def call_offered_tool(world: World, name: str, arguments: Mapping[str, Any]) -> ToolResult:
    """Call a tool under the name by which it is offered, and return what an agent sees."""
    offered = world.tools().get(name)
    if offered is None:
        return ToolResult(name=name, text=f"There is no tool {name[:80]!r}.", is_error=True)
    outcome = world.try_call(offered.app, offered.tool.name, arguments)
    if outcome.error is not None:
        return ToolResult(name=name, text=f"{type(outcome.error).__name__}: {outcome.error}", is_error=True)
    return ToolResult(name=name, text=outcome.text or "")


def create_judged_world(judge: Judge, **options: Any) -> World:
    """Return a new world of the judge's scenario in which each turn is judged when the player ends it.

    Args:
        judge: Decides whether the next turn begins.
        options: Further arguments of `World`.
    """
    # Conditions of the author are Python that a file does not have; they hold at once, as in the judge's oracle run.
    watches = {**assume_conditions(judge.scenario), **options.pop("watches", {})}
    return World(judge.scenario, turn_condition=judge.watch_turns(), watches=watches, **options)


def judge_world(judge: Judge, world: World) -> Verdict | None:
    """Return the verdict on a run; None if nothing happened in it, which cannot pass."""
    return judge.judge(world) if world.event_log() else None


def _find_end(
    world: World, limits: PlayLimits, steps: int, is_interrupted: Callable[[], bool] | None
) -> PlayEnd | None:
    if world.status == "STOPPED":
        return PlayEnd.STOPPED
    if steps >= limits.max_steps:
        return PlayEnd.STEP_LIMIT
    if limits.max_seconds is not None and world.elapsed >= limits.max_seconds:
        return PlayEnd.TIME_LIMIT
    return PlayEnd.INTERRUPTED if is_interrupted is not None and is_interrupted() else None
