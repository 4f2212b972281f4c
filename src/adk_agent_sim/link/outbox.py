"""A link for agents that nobody has to wait for: what is told goes out in order from a thread of its own.

    agent's loop --post--> [ queue of its session ] --> RemoteLink (the thread's loop) --> server
                 <----------------- decision, cancel ------------------------+

So a run never waits for a server that is slow or gone, may change its event loop, and may block it. Only who asks for a
decision waits for it.
"""

from __future__ import annotations

import asyncio
import atexit
import logging
import threading
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeVar
from uuid import uuid4

from adk_agent_sim.errors import ServerUnreachable, SimulatorError
from adk_agent_sim.link.channel import parse_target
from adk_agent_sim.link.remote_link import RemoteLink
from adk_agent_sim.timeline.blocks import Block
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.events import Event, Payload, Player
from adk_agent_sim.timeline.model_request import RequestBlocks

T = TypeVar("T")

MAX_QUEUED = 10_000
"""How many facts of a session are kept for a server that does not take them; further ones are dropped, loudly."""

EXIT_TIMEOUT = 3.0
"""Seconds that the end of the process waits for what is not sent yet."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class _OutboxJob:
    """Something to send, and who is told when it is sent."""

    send: Callable[[RemoteLink], Awaitable[object]]
    sent: asyncio.Future[None]


class _SessionQueue:
    """What one session has still to send; it opens the session first. Lives in the thread's loop."""

    def __init__(self, link: RemoteLink, session_id: str, description: str, on_open: Callable[[str], object]) -> None:
        self._link = link
        self._session_id = session_id
        self._description = description
        self._on_open = on_open
        self._is_open = False
        self._jobs: deque[_OutboxJob] = deque()
        self._task: asyncio.Task[None] | None = None
        self._dropped_count = 0

    def put(self, send: Callable[[RemoteLink], Awaitable[object]]) -> asyncio.Future[None]:
        """Send something behind all else."""
        sent: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        sent.add_done_callback(lambda ended: ended.cancelled() or ended.exception())
        if len(self._jobs) >= MAX_QUEUED:
            self._drop_job(sent)
            return sent
        self._jobs.append(_OutboxJob(send, sent))
        if self._task is None:
            self._task = asyncio.create_task(self._send_all(), name=f"adksim-outbox-{self._session_id}")
        return sent

    async def wait_until_empty(self) -> None:
        """Wait until everything is sent."""
        while self._task is not None:
            await asyncio.wait({self._task})

    async def _send_all(self) -> None:
        try:
            while self._jobs:
                job = self._jobs[0]
                error = await self._try_send(job)
                if not job.sent.done():
                    if error is None:
                        job.sent.set_result(None)
                    else:
                        job.sent.set_exception(error)
                self._jobs.popleft()
                if isinstance(error, ServerUnreachable):
                    self._fail_all(error)
        finally:
            self._task = None

    async def _try_send(self, job: _OutboxJob) -> SimulatorError | None:
        try:
            if not self._is_open:
                await self._link.create_session(self._description, self._session_id)
                self._is_open = True
                self._on_open(await self._link.get_web_url(self._session_id))
            await job.send(self._link)
        except SimulatorError as error:
            _log.warning("Not told to the simulator server: %s", error)
            return error
        return None

    def _fail_all(self, error: ServerUnreachable) -> None:
        """Nobody is there: what waits is not sent. The next that is put tries anew."""
        jobs, self._jobs = self._jobs, deque()
        for job in jobs:
            if not job.sent.done():
                job.sent.set_exception(error)

    def _drop_job(self, sent: asyncio.Future[None]) -> None:
        self._dropped_count += 1
        if self._dropped_count == 1:
            _log.error("The simulator server takes nothing; facts of session %s are lost.", self._session_id)
        sent.set_exception(ServerUnreachable("the simulator server", "too much waits to be sent"))


class Outbox:
    """A link of an agent's process. May be used from any event loop, and from several."""

    def __init__(self, url: str, *, connect_timeout: float = 5.0) -> None:
        parse_target(url)  # what is no address is said at once
        self.url = url
        self._connect_timeout = connect_timeout
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._link: RemoteLink | None = None
        self._queues: dict[str, _SessionQueue] = {}
        self._pending_asks: dict[str, asyncio.Future[None]] = {}

    def open_session(self, description: str, on_open: Callable[[str], object]) -> str:
        """Begin a session without waiting for the server; `on_open` gets its page's address once it is there."""
        session_id = str(uuid4())
        self._call_in_thread(lambda: self._create_queue(session_id, description, on_open))
        return session_id

    def _create_queue(self, session_id: str, description: str, on_open: Callable[[str], object]) -> None:
        link = self._link
        assert link is not None  # noqa: S101 - made before the thread's loop runs anything else
        queue = self._queues[session_id] = _SessionQueue(link, session_id, description, on_open)
        queue.put(_send_nothing)

    async def append(
        self,
        session_id: str,
        *payloads: Payload,
        turn_id: str = "",
        agent_name: str = "",
        player: Player | None = None,
        blocks: Iterable[Block] = (),
    ) -> None:
        """Tell facts; they are sent when this returns or later."""
        kept = list(blocks)
        self._enqueue(
            session_id,
            lambda link: link.append(
                session_id, *payloads, turn_id=turn_id, agent_name=agent_name, player=player, blocks=kept
            ),
        )

    async def ask(
        self,
        session_id: str,
        *,
        turn_id: str,
        invocation_id: str,
        agent_name: str,
        request: RequestBlocks,
        player: Player = Player.HUMAN,
    ) -> None:
        """Put a model call up for decision."""

        def put() -> None:
            sent = self._queues[session_id].put(
                lambda link: link.ask(
                    session_id,
                    turn_id=turn_id,
                    invocation_id=invocation_id,
                    agent_name=agent_name,
                    request=request,
                    player=player,
                )
            )
            if player is Player.HUMAN:
                self._pending_asks[turn_id] = sent

        self._call_in_thread(put)

    async def decide(
        self,
        session_id: str,
        turn_id: str,
        response: Json,
        *,
        decision_id: str | None = None,
        player: Player = Player.HUMAN,
        anyway: bool = False,
        duration_ms: float | None = None,
    ) -> None:
        """Tell what a player of this process decided."""
        made = decision_id or str(uuid4())
        self._enqueue(
            session_id,
            lambda link: link.decide(
                session_id,
                turn_id,
                response,
                decision_id=made,
                player=player,
                anyway=anyway,
                duration_ms=duration_ms,
            ),
        )

    async def withdraw(self, session_id: str, turn_id: str) -> None:
        """Wait for a turn no longer."""
        self._enqueue(session_id, lambda link: link.withdraw(session_id, turn_id))

    async def wait_for_decision(self, session_id: str, turn_id: str) -> Event:
        """Wait until a turn is decided, or until it is clear that no server will take it."""
        return await self._run_in_thread(self._wait_for_decision(session_id, turn_id))

    async def _wait_for_decision(self, session_id: str, turn_id: str) -> Event:
        link = self._link
        assert link is not None  # noqa: S101 - the thread runs
        if asked := self._pending_asks.get(turn_id):
            try:
                await asyncio.shield(asked)
            finally:
                self._pending_asks.pop(turn_id, None)
        return await link.wait_for_decision(session_id, turn_id)

    async def listen(self, session_id: str, listener: Callable[[Event], None]) -> Callable[[], None]:
        """Call `listener`, in this event loop, with the events of a session from now on."""
        loop = asyncio.get_running_loop()
        stops: list[Callable[[], None]] = []

        def forward(event: Event) -> None:
            with suppress(RuntimeError):  # the loop is closed: nobody listens any longer
                loop.call_soon_threadsafe(listener, event)

        async def start_listening(link: RemoteLink) -> None:
            stops.append(await link.listen(session_id, forward))

        async def stop_listening(link: RemoteLink) -> None:
            for stop in stops:
                stop()

        self._enqueue(session_id, start_listening)
        return lambda: self._enqueue(session_id, stop_listening)

    async def flush(self, timeout: float) -> bool:  # noqa: ASYNC109 - it is the wait of another thread
        """Wait until everything is sent, at most `timeout` seconds; whether it is."""
        with suppress(TimeoutError):
            async with asyncio.timeout(timeout):
                await self._run_in_thread(self._wait_until_empty())
            return True
        return False

    async def _wait_until_empty(self) -> None:
        for queue in list(self._queues.values()):
            await queue.wait_until_empty()

    def release_session(self, session_id: str) -> None:
        """Nothing more is told of a session: what is kept of it goes once it is sent."""

        async def release(link: RemoteLink) -> None:
            self._queues.pop(session_id, None)
            await link.release_session(session_id)

        self._enqueue(session_id, release)

    def _enqueue(self, session_id: str, send: Callable[[RemoteLink], Awaitable[object]]) -> None:
        self._call_in_thread(lambda: self._queues[session_id].put(send))

    def _call_in_thread(self, action: Callable[[], object]) -> None:
        self._ensure_loop().call_soon_threadsafe(action)

    async def _run_in_thread(self, work: Coroutine[Any, Any, T]) -> T:
        future: Future[T] = asyncio.run_coroutine_threadsafe(work, self._ensure_loop())
        return await asyncio.wrap_future(future)

    def _ensure_loop(self) -> asyncio.AbstractEventLoop:
        """The loop of the thread, which is started when it is first needed."""
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                threading.Thread(target=self._run_loop, args=(self._loop,), name="adksim-link", daemon=True).start()
                atexit.register(self._flush_at_exit)
            return self._loop

    def _run_loop(self, loop: asyncio.AbstractEventLoop) -> None:
        asyncio.set_event_loop(loop)
        self._link = RemoteLink(self.url, connect_timeout=self._connect_timeout)
        loop.run_forever()

    def _flush_at_exit(self) -> None:
        """Give what is not sent yet a little time: a script may end as soon as its agent has answered."""
        for work in (self._wait_until_empty(), self._close_link()):
            assert self._loop is not None  # noqa: S101 - the thread runs
            with suppress(TimeoutError):
                asyncio.run_coroutine_threadsafe(work, self._loop).result(EXIT_TIMEOUT)

    async def _close_link(self) -> None:
        if self._link is not None:
            await self._link.close()


async def _send_nothing(link: RemoteLink) -> None:
    """What opens a session and sends nothing."""
