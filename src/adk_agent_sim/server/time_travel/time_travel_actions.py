"""Continues a session from another point of it, forks it, and says beforehand what that does."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import cast
from weakref import WeakValueDictionary

from adk_agent_sim.adk.runs.agent_run import AgentRun
from adk_agent_sim.adk.time_travel.callback_names import list_callbacks
from adk_agent_sim.adk.time_travel.fork_point import (
    build_plan,
    choose_fork_point,
    cut_before_message_at,
    select_events_before_undo,
)
from adk_agent_sim.adk.time_travel.fork_source import (
    WORLD_GONE,
    ForkSource,
    has_world,
    read_settled_source,
    read_source,
    read_source_of_run,
    select_events,
)
from adk_agent_sim.adk.time_travel.replay_watch import watch_replays
from adk_agent_sim.adk.time_travel.session_forking import (
    find_redone_events,
    find_undo_point,
    fork_session,
    rewind_session,
)
from adk_agent_sim.adk.worlds.world_run import WorldRun
from adk_agent_sim.errors import ForkRefused, InvalidTransition, NotFound
from adk_agent_sim.server.agents.playable_agent import PlayableAgent
from adk_agent_sim.server.remote.agent_restarts import RestartConnection
from adk_agent_sim.server.remote.remote_time_travel import RemoteTimeTravel
from adk_agent_sim.server.scenarios.api_models import TimeControlInput
from adk_agent_sim.server.scenarios.world_runs import WorldRuns
from adk_agent_sim.server.sessions.decision_api_models import Suggestion
from adk_agent_sim.server.sessions.decision_parsing import build_suggestion
from adk_agent_sim.server.sessions.session_api_models import SessionDetail
from adk_agent_sim.server.sessions.session_directory import SessionDirectory
from adk_agent_sim.server.sessions.session_runs import HUMAN, SessionRuns
from adk_agent_sim.server.time_travel.api_models import TimeTravelPlan, TimeTravelProgress, TimeTravelRequest
from adk_agent_sim.server.time_travel.time_travel_describer import TimeTravelDescriber
from adk_agent_sim.timeline.events import Event, Player, TurnDecided
from adk_agent_sim.timeline.read_model.session_summary import SessionSummary
from adk_agent_sim.timeline.read_model.timeline_row import RowKind, TimelineRow
from adk_agent_sim.timeline.session_state import find_agent_joined
from adk_agent_sim.timeline.timeline import Timeline
from adk_agent_sim.timeline.turn_prefix import TurnPrefix, cut_at_end, cut_before_turn

_AGENT_GONE = "The agent of this session is no longer on this server. Try again when it is back."


@dataclass(frozen=True, kw_only=True)
class _TimeTravelTarget:
    """A session, and the point that it continues from or is forked at."""

    agent: PlayableAgent | None
    """The agent, if it is on this server."""

    run: AgentRun | None
    """The session's run on this server; None if it is over."""

    process: RestartConnection | None
    """The process that can restart the session, if its agent is not on this server."""

    source: ForkSource
    prefix: TurnPrefix

    world_run: WorldRun | None = None
    """The run in a scenario's world, if the session is one."""


class TimeTravelActions:
    """Changes the past of sessions whose agents are on this server, or in processes that can restart them."""

    def __init__(
        self,
        timeline: Timeline,
        runs: SessionRuns,
        directory: SessionDirectory,
        describer: TimeTravelDescriber,
        remote_time_travel: RemoteTimeTravel,
        worlds: WorldRuns,
    ) -> None:
        self._timeline = timeline
        self._runs = runs
        self._directory = directory
        self._describer = describer
        self._remote_time_travel = remote_time_travel
        self._worlds = worlds
        # Weak: a lock lives as long as a request holds it or waits for it.
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._waits: dict[str, str] = {}
        """What the replays of sessions wait for."""

    async def plan(self, session_id: str, request: TimeTravelRequest) -> TimeTravelPlan:
        """Return what a request would do: above all, which callbacks run again.

        Raises:
            ForkRefused: It is not possible; the message says why.
        """
        target = await self._prepare(session_id, request, waits=False)
        plan = build_plan(target.prefix, await self._list_callbacks(target))
        return TimeTravelPlan(
            agent_name=plan.agent_name,
            copied_runs=plan.copied_runs,
            replayed_turns=plan.replayed_turns,
            replayed_calls=plan.replayed_calls,
            callbacks=list(plan.callbacks),
        )

    async def _list_callbacks(self, target: _TimeTravelTarget) -> Sequence[str]:
        if target.world_run is not None:
            return ()  # the default agent has none
        if target.process is not None:
            return await target.process.plan(target.source.session_id, target.prefix)
        run = self._find_same_version(target) or _require_agent(target).create_run(self._timeline)
        return list_callbacks(run.app, target.prefix.replayed_events)

    async def get_progress(self, session_id: str) -> TimeTravelProgress:
        """Return what the replay of a session waits for.

        Raises:
            SessionNotFound: There is no such session.
        """
        await self._timeline.get_summary(session_id)
        return TimeTravelProgress(waits_for=self._waits.get(session_id, ""))

    async def perform(self, session_id: str, request: TimeTravelRequest) -> SessionDetail:
        """Undo, redo, go back or fork; a person decides from there on. Returns the session that continues.

        Raises:
            ForkRefused: It is not possible; the message says why.
            ReplayDiverged: The replay differs from the recording; `force` overrides it.
        """

        def note_wait(waits_for: str) -> None:
            self._waits[session_id] = waits_for

        # Held until the session has its new run: a second undo would otherwise start from the first one's run.
        async with self._locks.setdefault(session_id, asyncio.Lock()):
            try:
                target = await self._prepare(session_id, request, waits=True)
                if target.process is not None:
                    continued_id = await self._restart(target, target.process, request, note_wait)
                else:
                    with watch_replays(on_wait=note_wait):
                        if target.world_run is not None:
                            continued_id = await self._continue_in_world(target, target.world_run, request)
                        else:
                            continued_id = await self._continue_here(target, request)
            finally:
                self._waits.pop(session_id, None)
        return await self._directory.get_detail(continued_id)

    async def pass_time(self, session_id: str, time_control: TimeControlInput) -> None:
        """Let time pass in the world of a session that a person plays, while their turn waits.

        Raises:
            InvalidTransition: That is not possible now; the message says why.
        """
        run = self._runs.worlds.get(session_id)
        if run is None or not self._runs.is_played_by_person(session_id):
            raise InvalidTransition("Only a person who plays in a scenario's world can let its time pass.")
        # Not while an undo replays the session, which puts the world back at its end.
        async with self._locks.setdefault(session_id, asyncio.Lock()):
            await run.session.pass_time(time_control.seconds, until=time_control.until)

    async def _restart(
        self,
        target: _TimeTravelTarget,
        process: RestartConnection,
        request: TimeTravelRequest,
        on_wait: Callable[[str], object],
    ) -> str:
        """Let the agent's process continue a session, or fork it; returns the session that continues."""
        if request.action == "fork":
            return await self._remote_time_travel.fork(
                process,
                target.source,
                target.prefix,
                description=await self._name_fork(target.source.session_id),
                force=request.force,
                on_wait=on_wait,
            )
        await self._remote_time_travel.rewind(
            process,
            target.source,
            target.prefix,
            redone=request.action == "redo",
            force=request.force,
            on_wait=on_wait,
        )
        return target.source.session_id

    async def _continue_in_world(self, target: _TimeTravelTarget, run: WorldRun, request: TimeTravelRequest) -> str:
        """Continue a session in a scenario's world, or fork both; returns the session that continues."""
        source, prefix = target.source, target.prefix
        if request.action == "fork":
            description = await self._name_fork(source.session_id)
            return await self._worlds.fork(run, source, prefix, description=description)
        await self._worlds.rewind(run, source, prefix, redone=request.action == "redo")
        return source.session_id

    async def _continue_here(self, target: _TimeTravelTarget, request: TimeTravelRequest) -> str:
        """Continue a session whose agent is on this server, or fork it; returns the session that continues."""
        agent, run = _require_agent(target), target.run
        same = self._find_same_version(target)
        joined = find_agent_joined(target.source.events)
        user_id = joined.user_id if joined else None
        if request.action == "fork":
            continued = await fork_session(
                target.source,
                target.prefix,
                lambda: same.create_copy(Player.HUMAN) if same else agent.create_run(self._timeline, user_id=user_id),
                description=await self._name_fork(target.source.session_id),
                force=request.force,
            )
        else:
            assert run is not None  # noqa: S101 - `_prepare` refuses sessions without a run
            continued = await rewind_session(
                run,
                target.source,
                target.prefix,
                lambda: Player.HUMAN,
                redone=request.action == "redo",
                force=request.force,
            )
        continued_id = self._runs.add(agent, continued)
        self._runs.set_player(continued_id, HUMAN)
        return continued_id

    def _find_same_version(self, target: _TimeTravelTarget) -> AgentRun | None:
        """Return the session's run, unless the code of its agent has changed and the request is a fork."""
        if target.run is None or target.agent is None:
            return target.run
        revision = self._runs.find_revision(target.source.session_id)
        return target.run if revision == target.agent.revision else None

    async def get_decision(self, session_id: str, turn_id: str) -> Suggestion:
        """Return what was decided in a turn, to be edited.

        Raises:
            NotFound: The turn has no decision.
        """
        decided = await self._timeline.find_decision(session_id, turn_id)
        if decided is None or not isinstance(decided.payload, TurnDecided):
            raise NotFound("This turn has no decision.")
        return build_suggestion(decided.payload.response)

    async def _name_fork(self, session_id: str) -> str:
        name = (await self._timeline.get_summary(session_id)).name
        return name if name.startswith("Fork of ") else f"Fork of {name}"

    async def _prepare(self, session_id: str, request: TimeTravelRequest, *, waits: bool) -> _TimeTravelTarget:
        """Return the point of a request; if it `waits`, when the tools that were called before it have ended."""
        summary = await self._timeline.get_summary(session_id)
        is_fork = request.action == "fork"
        find_problem = self._describer.find_fork_problem if is_fork else self._describer.find_rewind_problem
        world_run = self._runs.worlds.get(session_id)
        if problem := find_problem(summary):
            raise await self._build_refusal(session_id, problem)
        agent = await self._find_agent(summary, is_fork=is_fork) if world_run is None else None
        if agent is None and (problem := find_problem(summary)):
            # It is none of the agents that had to be loaded to know.
            raise await self._build_refusal(session_id, problem)
        run = self._runs.find(session_id) if world_run is None else world_run.agent_run
        process = self._remote_time_travel.find_process(session_id) if agent is None and world_run is None else None
        log = await self._timeline.read_events(session_id)
        row = await self._read_row(session_id, request.row) if request.row is not None else None
        choose_point = _build_chooser(request, row)
        undone_events = _find_undone_events(log, request, row)
        if waits and undone_events is None and (run is not None or process is not None):
            if process is not None:
                settled = await self._remote_time_travel.read_settled_source(process, session_id, choose_point)
            else:
                settled = await read_settled_source(cast("AgentRun", run), choose_point)
            source, prefix = settled
            return _TimeTravelTarget(
                agent=agent, run=run, process=process, source=source, prefix=prefix, world_run=world_run
            )
        source = await (read_source_of_run(run) if run else read_source(self._timeline, session_id))
        if undone_events is not None:
            source = select_events(source, undone_events, run)
        prefix = choose_point(source.events)
        return _TimeTravelTarget(
            agent=agent, run=run, process=process, source=source, prefix=prefix, world_run=world_run
        )

    async def _build_refusal(self, session_id: str, problem: str) -> ForkRefused:
        is_lost = session_id not in self._runs.worlds and has_world(await self._timeline.read_events(session_id))
        return ForkRefused(WORLD_GONE if is_lost else problem)

    async def _find_agent(self, summary: SessionSummary, *, is_fork: bool) -> PlayableAgent | None:
        """Return the version of the agent that continues: for a fork, as its code is now."""
        return await self._runs.load_agent(summary) if is_fork else self._runs.find_agent(summary)

    async def _read_row(self, session_id: str, index: int) -> TimelineRow:
        rows = await self._timeline.read_rows(session_id, index, 1)
        if not rows:
            raise NotFound(f"There is no row {index}.")
        return rows[0]


def _require_agent(target: _TimeTravelTarget) -> PlayableAgent:
    if target.agent is None:
        raise ForkRefused(_AGENT_GONE)  # its process has disconnected since the request was checked
    return target.agent


def _build_chooser(request: TimeTravelRequest, row: TimelineRow | None) -> Callable[[Sequence[Event]], TurnPrefix]:
    """Return what finds the point of a request in the events of its session."""
    if request.action == "undo":
        return find_undo_point
    if request.turn is not None and request.action != "redo":
        return lambda events: choose_fork_point(events, request.turn)
    if request.action == "redo" or (row is None and request.action == "fork"):
        return cut_at_end
    if row is None:
        raise ForkRefused("Choose the row or the turn to go back to.")
    if row.turn_id:
        return lambda events: cut_before_turn(events, row.turn_id)
    if row.kind is RowKind.USER:
        return lambda events: cut_before_message_at(events, row.seq)
    raise ForkRefused("This row is neither a user message nor what a model decided. Choose another one.")


def _find_undone_events(
    log: Sequence[Event], request: TimeTravelRequest, row: TimelineRow | None
) -> Sequence[Event] | None:
    """Return the events that counted at a point that was undone; None if the point still counts."""
    if request.action == "redo":
        return find_redone_events(log)
    return select_events_before_undo(log, row.seq) if row else None
