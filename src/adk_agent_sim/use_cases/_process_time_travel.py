"""Goes back in sessions of agents in other processes: these replay the run, and this server writes the outcome."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from uuid import uuid4

from adk_agent_sim.adk.time_travel.fork_records import create_forked_session, link_forked_session, rewind_log
from adk_agent_sim.adk.time_travel.fork_source import ForkSource, read_source
from adk_agent_sim.errors import ForkRefused, ReplayDiverged
from adk_agent_sim.link.agent_restarts import RestartConnection
from adk_agent_sim.timeline.events import Event
from adk_agent_sim.timeline.turn_prefix import TurnPrefix, has_unfinished_decision
from adk_agent_sim.use_cases.open_session import OpenSession

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

ChoosePoint = Callable[[Sequence[Event]], TurnPrefix]
OnWait = Callable[[str], object]


async def read_settled_source_of_process(
    session: OpenSession, process: RestartConnection, choose_point: ChoosePoint
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


async def continue_in_process(
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
