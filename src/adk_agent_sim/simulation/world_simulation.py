"""A run in a scenario's world as a `Simulation`: a person decides its turns, and the scenario is the user."""

from __future__ import annotations

import asyncio
from typing import Self

from adk_agent_sim.adk.steps.steps import Done, Step
from adk_agent_sim.adk.worlds.run_result import WorldRunResult
from adk_agent_sim.adk.worlds.world_run import WorldRun
from adk_agent_sim.simulation.simulation import Simulation
from adk_agent_sim.timeline.store import MemoryStore
from adk_agent_sim.use_cases.open_session import OpenSession


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
                self.agent_run = self.run.agent_run
                if waiting := [*self.list_tool_turns(), *self.pending()]:
                    return waiting[0]
            self._change_event.clear()
            await self._change_event.wait()
        self._task.result()  # raises what the run did not expect
        return Done(None)

    def open_session(self) -> OpenSession:
        """Return the session, for the use cases."""
        return OpenSession(self.timeline, self.session_id, self.agent_run, world_run=self.run)
