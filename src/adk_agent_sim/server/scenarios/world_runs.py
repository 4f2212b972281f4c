"""Runs in scenarios' worlds that a person plays in the browser: the model of the default agent is the person's seat."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path
from uuid import uuid4

from adk_agent_sim.adk.worlds.run_options import WorldRunOptions
from adk_agent_sim.adk.worlds.run_plan import WorldRunPlan
from adk_agent_sim.adk.worlds.run_result import WorldRunResult
from adk_agent_sim.adk.worlds.world_run import WorldRun
from adk_agent_sim.errors import InvalidTransition
from adk_agent_sim.scenario.format.imported_scenario import ScenarioImportedFromJson
from adk_agent_sim.server.sessions.session_runs import SessionRuns
from adk_agent_sim.text.escaped_logging import get_logger
from adk_agent_sim.timeline.timeline import Timeline
from adk_agent_sim.use_cases.worlds import prepare_world_run

_MAX_KEPT_WORLDS = 20
"""How many worlds are kept, so that their state can be seen after the verdict, and their runs forked."""

_log = get_logger(__name__)


class WorldRuns:
    """Starts and ends the runs; what happens in them is on the timeline, with the verdict at the end."""

    def __init__(self, timeline: Timeline, runs: SessionRuns) -> None:
        self._timeline = timeline
        self._runs = runs
        self._tasks: set[asyncio.Task[WorldRunResult]] = set()

    async def start(self, scenario: ScenarioImportedFromJson, *, source: str) -> str:
        """Let a person play a scenario; returns the id of the session, in which the user has spoken.

        Args:
            scenario: The scenario.
            source: Its file.

        Raises:
            NotJudgeable: The scenario expects nothing, or its oracle fails.
        """
        # ADK's ids follow from the run's number: two runs of one scenario must not have the same.
        options = WorldRunOptions(run_number=uuid4().int >> 97)
        plan = WorldRunPlan(scenario=source, player="human", options=options)
        run = await asyncio.to_thread(partial(prepare_world_run, plan, scenario, timeline=self._timeline))
        return (await self.begin(run))[0]

    async def begin(self, run: WorldRun) -> tuple[str, asyncio.Task[WorldRunResult]]:
        """Start a run on this timeline; returns the id of its session, which has begun, and the task that plays it.

        Raises:
            InvalidTransition: The run ended before it had a session.
        """
        started = asyncio.Event()
        unwatch = self._timeline.watch_sessions(lambda _: started.set())
        task = asyncio.create_task(run.run(), name=f"world of {run.scenario.scenario_id}")
        self._tasks.add(task)
        try:
            while (session_id := self._find_session(run, task)) is None and not task.done():
                waiting = asyncio.ensure_future(started.wait())
                await asyncio.wait({task, waiting}, return_when=asyncio.FIRST_COMPLETED)
                waiting.cancel()
                started.clear()
        finally:
            unwatch()
        if session_id is None:
            if task.done():
                task.result()
            raise InvalidTransition(f"The world of {run.scenario.scenario_id!r} ended before it began.")
        self._add(session_id, run, task)
        return session_id, task

    def add_fork(self, run: WorldRun) -> None:
        """Let a person go on in the fork of a run, which has a world of its own."""
        assert run.agent_run is not None  # noqa: S101 - forked
        task = asyncio.create_task(run.run(), name=f"world of {run.scenario.scenario_id}")
        self._tasks.add(task)
        self._add(run.agent_run.recorded_session.session_id, run, task)

    def _add(self, session_id: str, run: WorldRun, task: asyncio.Task[WorldRunResult]) -> None:
        self._runs.world_ids.add(session_id)
        self._runs.worlds[session_id] = run
        # Worlds that are still played are never dropped, even if there are more than the limit.
        while len(self._runs.worlds) > _MAX_KEPT_WORLDS and (ended := self._find_ended_session()):
            del self._runs.worlds[ended]
        task.add_done_callback(partial(self._forget, session_id))

    def is_played_by_person(self, scenario_id: str, file: Path) -> bool:
        """Whether a person is playing this scenario of a file now."""
        return any(
            run.scenario.scenario_id == scenario_id and Path(run.source) == file
            for session_id, run in self._runs.worlds.items()
            if self._runs.is_played_by_person(session_id)
        )

    async def close(self) -> None:
        """End all runs."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _find_session(self, run: WorldRun, task: asyncio.Task[WorldRunResult]) -> str | None:
        """Return the session of a run once the user has spoken in it, or once the run is over."""
        is_over = task.done() and not task.cancelled() and task.exception() is None
        if run.agent_run is None or not (run.agent_run.is_running or is_over):
            return None
        return run.agent_run.recorded_session.session_id

    def _find_ended_session(self) -> str:
        """Return the oldest session that has ended and whose world is kept; empty if there is none."""
        return next((each for each in self._runs.worlds if each not in self._runs.world_ids), "")

    def _forget(self, session_id: str, task: asyncio.Task[WorldRunResult]) -> None:
        self._tasks.discard(task)
        self._runs.world_ids.discard(session_id)
        if not task.cancelled() and task.exception() is not None:
            _log.error("The run in the world of session %s failed.", session_id, exc_info=task.exception())
