"""Goes back in sessions of agents in other processes: these replay the run, and this server writes the outcome."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from uuid import uuid4

from adk_agent_sim.adk.time_travel.fork_records import create_forked_session, link_forked_session, rewind_log
from adk_agent_sim.adk.time_travel.fork_source import ForkSource, read_source
from adk_agent_sim.errors import ForkRefused, ReplayDiverged
from adk_agent_sim.server.remote.agent_restarts import AgentRestarts, RestartConnection
from adk_agent_sim.timeline.events import Event
from adk_agent_sim.timeline.timeline import Timeline
from adk_agent_sim.timeline.turn_prefix import TurnPrefix
from adk_agent_sim.timeline.unfinished_decisions import has_unfinished_decision

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


class RemoteTimeTravel:
    """Lets agents' processes restart their sessions."""

    def __init__(self, timeline: Timeline, restarts: AgentRestarts) -> None:
        self._timeline = timeline
        self._restarts = restarts

    def find_process(self, session_id: str) -> RestartConnection | None:
        """Return the process that can restart a session; None if there is none."""
        return self._restarts.find(session_id)

    async def read_settled_source(
        self, process: RestartConnection, session_id: str, choose_point: ChoosePoint
    ) -> tuple[ForkSource, TurnPrefix]:
        """Return a session, and a point in it, when the tools that were called before that point have ended."""
        changed = asyncio.Event()
        stop_listening = await self._timeline.listen(session_id, lambda _: changed.set())
        # A process that disconnects appends no event; watchers are told of it.
        stop_watching = self._timeline.watch_sessions(lambda each: each == session_id and changed.set())
        try:
            while True:
                # Cleared before the read, so that an event which comes during it is not missed.
                changed.clear()
                source = await read_source(self._timeline, session_id)
                prefix = choose_point(source.events)
                if not has_unfinished_decision(source.events, prefix.to_seq):
                    return source, prefix
                if self._restarts.find(session_id) is not process:
                    raise ForkRefused(_DISCONNECTED)
                await changed.wait()
        finally:
            stop_watching()
            stop_listening()

    async def fork(
        self,
        process: RestartConnection,
        source: ForkSource,
        prefix: TurnPrefix,
        *,
        description: str,
        force: bool,
        on_wait: Callable[[str], object],
    ) -> str:
        """Fork a session at a turn; returns the id of the new one.

        Raises:
            ForkRefused: The process cannot do it; nothing was changed.
            ReplayDiverged: The replay differs from the recording; nothing was changed.
        """
        if not prefix.interrupted:
            raise ForkRefused(_BETWEEN_RUNS)
        session_id = str(uuid4())

        async def restart(difference: str, events: Sequence[Event], *, is_lenient: bool) -> str:
            return await process.restart(
                source.session_id,
                session_id,
                prefix,
                lambda: create_forked_session(
                    source, prefix, session_id, events, description=description, difference=difference
                ),
                on_wait=on_wait,
                is_lenient=is_lenient,
            )

        difference = await restart("", prefix.events, is_lenient=False)
        if difference:
            if not force:
                raise ReplayDiverged(difference)
            await restart(difference, prefix.completed, is_lenient=True)
        await link_forked_session(source, session_id)
        return session_id

    async def rewind(
        self,
        process: RestartConnection,
        source: ForkSource,
        prefix: TurnPrefix,
        *,
        redone: bool,
        force: bool,
        on_wait: Callable[[str], object],
    ) -> None:
        """Continue a session from another point of it.

        Raises:
            ForkRefused: The process cannot do it; nothing was changed.
            ReplayDiverged: The replay differs from the recording; nothing was changed.
        """
        if not prefix.interrupted and not redone:
            raise ForkRefused(_NO_MESSAGE)

        def write(events: Sequence[Event]) -> Callable[[], Awaitable[None]]:
            return lambda: rewind_log(source, prefix, events, redone=redone)

        session_id = source.session_id
        difference = await process.restart(session_id, session_id, prefix, write(prefix.events), on_wait=on_wait)
        if difference:
            if not force:
                raise ReplayDiverged(difference)
            await process.restart(
                session_id, session_id, prefix, write(prefix.completed), on_wait=on_wait, is_lenient=True
            )
