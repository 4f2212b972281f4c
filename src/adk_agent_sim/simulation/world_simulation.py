"""A run in a scenario's world as a `Simulation`: a person decides its turns, and the scenario is the user."""

from __future__ import annotations

import asyncio
from typing import Any, Self

from adk_agent_sim.adk.steps.steps import Done, ModelTurn, Step
from adk_agent_sim.adk.time_travel.fork_point import ForkPlan
from adk_agent_sim.adk.time_travel.fork_source import read_settled_source, read_source_of_run, select_events
from adk_agent_sim.adk.time_travel.session_forking import find_redone_events, find_undo_point
from adk_agent_sim.adk.worlds.run_result import WorldRunResult
from adk_agent_sim.adk.worlds.world_run import WorldRun
from adk_agent_sim.adk.worlds.world_time_travel import rewind_world_run
from adk_agent_sim.errors import ForkRefused
from adk_agent_sim.simulation.simulation import Simulation
from adk_agent_sim.timeline.store import MemoryStore
from adk_agent_sim.timeline.turn_prefix import cut_at_end


class WorldSimulation(Simulation):
    """Plays a run until it is judged; the step after the last turn is `Done`."""

    def __init__(self, run: WorldRun, store: MemoryStore) -> None:
        """Prepare; nothing happens before `start`.

        Args:
            run: The run, whose player is a person.
            store: The store of its timeline.
        """
        # The run creates what `Simulation` would create.
        self.run = run
        self._store = run.store = store
        self._change_event = asyncio.Event()
        run.on_change = self._change_event.set
        self._task: asyncio.Task[WorldRunResult] | None = None

    @property
    def result(self) -> WorldRunResult | None:
        """The result; None before the end."""
        return self._task.result() if self._task is not None and self._task.done() else None

    async def start(self) -> Self:
        """Start the run; returns when its first turn waits, or when it is over."""
        self._task = asyncio.create_task(self.run.run())
        self._task.add_done_callback(lambda _: self._change_event.set())
        await self.next()
        return self

    async def close(self) -> None:
        """End the run."""
        if self._task is not None and not self._task.done():
            self._task.cancel()
            await asyncio.wait({self._task})

    async def next(self) -> Step:
        """Wait for the next step: a turn, a call of a tool that the person plays, or the end of the run."""
        assert self._task is not None  # noqa: S101 - started
        while not self._task.done():
            if self.run.agent_run is not None and self.run.agent_run.is_running:
                self._agent_run = self.run.agent_run
                if waiting := [*self.list_tool_turns(), *self.pending()]:
                    return waiting[0]
            self._change_event.clear()
            await self._change_event.wait()
        self._task.result()  # raises what the run did not expect
        return Done(None)

    async def undo(self, **_: Any) -> Step:
        """Undo the last decision, or the last time that was let pass, in the world too."""
        source, prefix = await read_settled_source(self._agent_run, find_undo_point)
        await rewind_world_run(self.run, source, prefix)
        return await self.next()

    async def redo(self, **_: Any) -> Step:
        """Redo what was undone last."""
        source = await read_source_of_run(self._agent_run)
        source = select_events(source, find_redone_events(self.log()), self._agent_run)
        await rewind_world_run(self.run, source, cut_at_end(source.events), redone=True)
        return await self.next()

    async def plan_fork(self, turn: ModelTurn | str | int | None = None) -> ForkPlan:
        """Refuse: a fork has a world of its own, which goes on beside this one.

        Raises:
            ForkRefused: Always.
        """
        raise ForkRefused("A session in a scenario's world is forked in the browser: run the scenario with --web.")
