"""Continues a session from another point of it, forks it, and says beforehand what that does.

The mechanisms are in `adk/time_travel`. Here is decided which point is meant, what is refused, what a fork is called,
and who carries it out: a run in this process, the agent's own process, or a scenario's world. An
agent's own process replays the run, and this one writes the outcome.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias
from uuid import uuid4

from pydantic import Field

from adk_agent_sim.adk.loading.agent_tree import list_callbacks
from adk_agent_sim.adk.players.session_player import SessionPlayer
from adk_agent_sim.adk.runs.agent_run import AgentRun
from adk_agent_sim.adk.runs.replay_watch import watch_replays
from adk_agent_sim.adk.time_travel import session_forking
from adk_agent_sim.adk.time_travel.fork_source import (
    WORLD_GONE,
    ForkSource,
    choose_fork_point,
    cut_before_message_at,
    has_world,
    read_settled_source,
    read_source,
    read_source_of_run,
    select_events,
    select_events_before_undo,
)
from adk_agent_sim.adk.time_travel.session_forking import create_forked_session, link_forked_session, rewind_log
from adk_agent_sim.adk.worlds.world_run import WorldRun
from adk_agent_sim.adk.worlds.world_time_travel import fork_world_run, rewind_world_run
from adk_agent_sim.errors import ForkRefused, NotFound, ReplayDiverged
from adk_agent_sim.link.agent_restarts import RestartConnection
from adk_agent_sim.timeline.events import Event, Player, ToolFailed, ToolFinished, TurnDecided, UserSpoke
from adk_agent_sim.timeline.history import find_agent_joined
from adk_agent_sim.timeline.read_model.timeline_row import RowKind, TimelineRow
from adk_agent_sim.timeline.turn_prefix import TurnPrefix, cut_at_end, cut_before_turn, has_unfinished_decision
from adk_agent_sim.use_cases.open_session import CreateAgentRun, OpenSession
from adk_agent_sim.use_cases.record import OperationResult, Record

_STORED_FORK = (
    "or fork the stored session in a terminal: `adksim fork SESSION --turn N --agent DIR`, with `--message TEXT` "
    "for another message."
)
_NO_MESSAGE = (
    "The agent of this session runs in another process, and only that can send a message: before the one that you "
    f"chose, nothing more would happen. Go back to a decision of the model, {_STORED_FORK}"
)
_BETWEEN_RUNS = (
    "The agent of this session runs in another process, and only that can send a message: a fork between two runs "
    f"would wait for one forever. Fork at a decision of the model, {_STORED_FORK}"
)
_DISCONNECTED = "The agent's process has disconnected while a tool was running. Nothing was changed."

_ChoosePoint = Callable[[Sequence[Event]], TurnPrefix]
OnWait = Callable[[str], object]


async def _read_settled_source_of_process(
    session: OpenSession, process: RestartConnection, choose_point: _ChoosePoint
) -> tuple[ForkSource, TurnPrefix]:
    """Return a session, and a point in it, when the tools that were called before that point have ended."""
    timeline, session_id = session.timeline, session.session_id
    changed = asyncio.Event()
    stop_listening = await timeline.listen(session_id, lambda _: changed.set())
    # A process that disconnects appends no event; watchers are told of it.
    stop_watching = timeline.watch_sessions(lambda each: each == session_id and changed.set())
    try:
        while True:
            # Cleared before the read, so that an event which comes during it is not missed.
            changed.clear()
            source = await read_source(timeline, session_id)
            prefix = choose_point(source.events)
            if not has_unfinished_decision(source.events, prefix.to_seq):
                return source, prefix
            if session.process is not process:
                raise ForkRefused(_DISCONNECTED)
            await changed.wait()
    finally:
        stop_watching()
        stop_listening()


async def _continue_in_process(
    process: RestartConnection,
    source: ForkSource,
    prefix: TurnPrefix,
    fork_name: str | None,
    *,
    redone: bool,
    force: bool,
    on_wait: OnWait,
) -> str:
    """Let the process continue a session from a point of it, or fork it if there is a `fork_name`; returns its id.

    Raises:
        ForkRefused: The process cannot do it; nothing was changed.
        ReplayDiverged: The replay differs from the recording; nothing was changed.
    """
    if not prefix.interrupted and not redone:
        raise ForkRefused(_NO_MESSAGE if fork_name is None else _BETWEEN_RUNS)
    target_id = source.session_id if fork_name is None else str(uuid4())

    async def write(events: Sequence[Event], difference: str) -> None:
        if fork_name is None:
            await rewind_log(source, prefix, events, redone=redone)
        else:
            await create_forked_session(source, prefix, target_id, events, description=fork_name, difference=difference)

    async def restart(events: Sequence[Event], difference: str) -> str:
        return await process.restart(
            source.session_id,
            target_id,
            prefix,
            lambda: write(events, difference),
            on_wait=on_wait,
            is_lenient=bool(difference),
        )

    if difference := await restart(prefix.events, ""):
        if not force:
            raise ReplayDiverged(difference)
        await restart(prefix.completed, difference)
    if fork_name is not None:
        await link_forked_session(source, target_id)
    return target_id


TimeTravelAction: TypeAlias = Literal["undo", "redo", "go_back", "fork"]

CreatePlayer: TypeAlias = Callable[[], SessionPlayer]

_AGENT_GONE = "The agent of this session is no longer on this server. Try again when it is back."


class TimeTravelPlan(Record):
    """What a time travel would do."""

    turn_id: str = Field(description="The turn that is decided again; empty between two runs")
    agent_name: str = Field(description="The agent whose turn is decided again; empty between two runs")
    copied_runs: int = Field(description="How many runs are kept as they are; no part of them runs again")
    replayed_turns: int = Field(description="How many decisions are made again as recorded")
    replayed_calls: int = Field(description="How many tool calls get their recorded results")
    callbacks: list[str] = Field(description="What runs again: callbacks, plugins and workflow functions")


@dataclass(frozen=True, kw_only=True)
class TimeTravelPoint:
    """The point that a session continues from, or is forked at; by default where it is now."""

    row: int | None = None
    """The row whose turn is decided again, or whose user message is replaced."""

    turn: str | int | None = None
    """Instead of a row, the turn that is decided again: its number from 1, or its id."""

    replaces_message: bool = False
    """Whether a fork is before the user message that led there."""


_NOW = TimeTravelPoint()


_Target: TypeAlias = tuple[CreateAgentRun | None, ForkSource, TurnPrefix]
"""What creates runs of the agent, if it is here; the session; and the point that it continues from or is forked at."""


async def plan_time_travel(
    session: OpenSession, action: TimeTravelAction, point: TimeTravelPoint = _NOW
) -> TimeTravelPlan:
    """Return what a time travel would do, above all which callbacks run again; nothing is done.

    Raises:
        ForkRefused: It is not possible; the message says why.
    """
    create_run, _, prefix = await _prepare(session, action, point, waits=False)
    kinds = [type(event.payload) for event in prefix.interrupted]
    return TimeTravelPlan(
        turn_id=prefix.asked.turn_id if prefix.asked else "",
        agent_name=prefix.asked.agent_name if prefix.asked else "",
        copied_runs=sum(isinstance(event.payload, UserSpoke) for event in prefix.completed),
        replayed_turns=kinds.count(TurnDecided),
        replayed_calls=kinds.count(ToolFinished) + kinds.count(ToolFailed),
        callbacks=list(await _list_callbacks(session, create_run, prefix)) if prefix.interrupted else [],
    )


async def perform(
    session: OpenSession,
    action: TimeTravelAction,
    point: TimeTravelPoint = _NOW,
    *,
    create_player: CreatePlayer = lambda: Player.HUMAN,
    force: bool = False,
    on_wait: OnWait | None = None,
) -> OperationResult:
    """Undo, redo, go back or fork.

    Args:
        session: The session.
        action: What to do.
        point: Where; for `go_back` and `fork`.
        create_player: Returns who decides from there on, if the agent is in this process; by default a person.
        force: Continue although the replay differs from the recording.
        on_wait: Called with what the replay waits for.

    Returns:
        The session that continues; for `fork`, the new one.

    Raises:
        ForkRefused: It is not possible; the message says why.
        ReplayDiverged: The replay differs from the recording; `force` overrides it.
        TurnNotFound: There is no such turn.
        NotFound: There is no such row.
    """
    with watch_replays(on_wait=on_wait):
        run = session.run if session.world_run is None else None
        if run is not None and action == "fork":
            await run.record_profile_switch()  # so that the turn's profile is on the timeline
        if run is not None and not run.is_running and action == "fork" and point == _NOW:
            continued_id = await _fork_between_runs(session, run, create_player)
        else:
            target = await _prepare(session, action, point, waits=True)
            if session.world_run is not None:
                continued_id = await _continue_in_world(session, session.world_run, action, target)
            elif target[0] is None and session.process is not None:
                continued_id = await _continue_in_process(
                    session.process,
                    *target[1:],
                    await _name_fork(session) if action == "fork" else None,
                    redone=action == "redo",
                    force=force,
                    on_wait=on_wait or (lambda _: None),
                )
            else:
                continued_id = await _continue_here(session, action, target, create_player, force=force)
    return OperationResult(session_id=continued_id, revision=await session.timeline.get_last_seq(continued_id))


async def _fork_between_runs(session: OpenSession, run: AgentRun, create_player: CreatePlayer) -> str:
    """Fork a session as it is now, in which no run is going on; returns the id of the new one."""
    create_run = _require_agent(await _load_agent(session, is_fork=True))
    forked = await session_forking.fork_between_runs(
        run, lambda: create_run(create_player(), None), description=await _name_fork(session)
    )
    session.keep_run(forked)
    return forked.recorded_session.session_id


async def _continue_in_world(session: OpenSession, run: WorldRun, action: TimeTravelAction, target: _Target) -> str:
    """Continue a session in a scenario's world, or fork both; returns the session that continues."""
    _, source, prefix = target
    if action != "fork":
        await rewind_world_run(run, source, prefix, redone=action == "redo")
        return session.session_id
    forked = await fork_world_run(run, source, prefix, description=await _name_fork(session))
    session.keep_world_run(forked)
    assert forked.agent_run is not None  # noqa: S101 - forked
    return forked.agent_run.recorded_session.session_id


async def _continue_here(
    session: OpenSession, action: TimeTravelAction, target: _Target, create_player: CreatePlayer, *, force: bool
) -> str:
    """Continue a session whose agent is in this process, or fork it; returns the session that continues."""
    create_run, source, prefix = _require_agent(target[0]), target[1], target[2]
    if action == "fork":
        joined = find_agent_joined(source.events)
        user_id = joined.user_id if joined else None
        continued = await session_forking.fork_session(
            source,
            prefix,
            lambda: create_run(create_player(), user_id),
            description=await _name_fork(session),
            force=force,
        )
    else:
        continued = await session_forking.rewind_session(
            session.require_run(action), source, prefix, create_player, redone=action == "redo", force=force
        )
    session.keep_run(continued)
    return continued.recorded_session.session_id


async def _prepare(session: OpenSession, action: TimeTravelAction, point: TimeTravelPoint, *, waits: bool) -> _Target:
    """Return the target; if it `waits`, when the tools that were called before the point have ended."""
    world_run = session.world_run
    create_run = await _load_agent(session, is_fork=action == "fork")
    run = session.run if world_run is None else world_run.agent_run
    process = session.process if create_run is None and world_run is None else None
    row = await _read_row(session, point.row) if point.row is not None else None
    choose_point = _build_chooser(action, point, row)
    undone_events = await _find_undone_events(session, action, row)
    if undone_events is None and waits and process is not None:
        source, prefix = await _read_settled_source_of_process(session, process, choose_point)
    elif undone_events is None and waits and run is not None:
        source, prefix = await read_settled_source(run, choose_point)
    else:
        source = await (read_source_of_run(run) if run else read_source(session.timeline, session.session_id))
        if undone_events is not None:
            source = select_events(source, undone_events, run)
        prefix = choose_point(source.events)
    return create_run, source, prefix


async def _load_agent(session: OpenSession, *, is_fork: bool) -> CreateAgentRun | None:
    """Return what creates runs of the agent; raise ForkRefused if the session cannot go on from another point."""
    await _check_possible(session, is_fork=is_fork)
    create_run = await session.load_agent(is_fork=is_fork) if session.world_run is None else None
    if create_run is None:
        # It is none of the agents that had to be loaded to know.
        await _check_possible(session, is_fork=is_fork)
    return create_run


async def _check_possible(session: OpenSession, *, is_fork: bool) -> None:
    if problem := await session.find_time_travel_problem(is_fork=is_fork):
        is_lost = session.world_run is None and has_world(await session.timeline.read_events(session.session_id))
        raise ForkRefused(WORLD_GONE if is_lost else problem)


async def _list_callbacks(session: OpenSession, create_run: CreateAgentRun | None, prefix: TurnPrefix) -> Sequence[str]:
    if session.world_run is not None:
        return ()  # the default agent has none
    if create_run is None and session.process is not None:
        return await session.process.plan(session.session_id, prefix)
    run = _require_agent(create_run)(Player.HUMAN, None)
    return list_callbacks(run.root_agent, run.app.plugins, prefix.replayed_events)


async def _name_fork(session: OpenSession) -> str:
    name = (await session.timeline.get_summary(session.session_id)).name
    return name if name.startswith("Fork of ") else f"Fork of {name}"


async def _read_row(session: OpenSession, index: int) -> TimelineRow:
    rows = await session.timeline.read_rows(session.session_id, index, 1)
    if not rows:
        raise NotFound(f"There is no row {index}.")
    return rows[0]


def _require_agent(create_run: CreateAgentRun | None) -> CreateAgentRun:
    if create_run is None:
        raise ForkRefused(_AGENT_GONE)  # its process has disconnected since the request was checked
    return create_run


def _build_chooser(
    action: TimeTravelAction, point: TimeTravelPoint, row: TimelineRow | None
) -> Callable[[Sequence[Event]], TurnPrefix]:
    """Return what finds the point in the events of its session."""
    if action == "undo":
        return session_forking.find_undo_point
    if action == "redo":
        return cut_at_end
    if point.turn is not None or (row is None and action == "fork"):
        return lambda events: choose_fork_point(events, point.turn, replaces_message=point.replaces_message)
    if row is None:
        raise ForkRefused("Choose the row or the turn to go back to.")
    if row.turn_id:
        return lambda events: cut_before_turn(events, row.turn_id)
    if row.kind is RowKind.USER:
        return lambda events: cut_before_message_at(events, row.seq)
    raise ForkRefused("This row is neither a user message nor what a model decided. Choose another one.")


async def _find_undone_events(
    session: OpenSession, action: TimeTravelAction, row: TimelineRow | None
) -> Sequence[Event] | None:
    """Return the events that counted at a point that was undone; None if the point still counts."""
    if action != "redo" and row is None:
        return None
    log = await session.timeline.read_events(session.session_id)
    return session_forking.find_redone_events(log) if row is None else select_events_before_undo(log, row.seq)
