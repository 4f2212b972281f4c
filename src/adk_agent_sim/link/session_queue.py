"""The unsent submissions of one session in an agent's process: sent in order, and kept while the server is away."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from adk_agent_sim.errors import ServerUnreachable, SimulatorError
from adk_agent_sim.link.channel import build_no_response_error
from adk_agent_sim.link.remote_link import RemoteLink
from adk_agent_sim.text.escaped_logging import get_logger

MAX_QUEUED = 10_000
"""How many submissions of a session are queued while the server is down; further ones are dropped and logged."""

_LATER_CONNECT_TIMEOUT = 0.5
"""The connect timeout of a session, in seconds, once it has failed: its agent is not delayed at each model call."""

_log = get_logger(__name__)


@dataclass(frozen=True)
class _OutboxJob:
    """A submission, and the future that is set when it is sent."""

    send: Callable[[RemoteLink], Awaitable[object]]
    sent: asyncio.Future[None]


class SessionQueue:
    """The unsent submissions of one session; creates the session on the server first. Used in the thread's loop."""

    def __init__(
        self,
        link: RemoteLink,
        session_id: str,
        description: str,
        on_open: Callable[[str], object],
        get_connect_timeout: Callable[[], float],
        *,
        is_open: bool = False,
    ) -> None:
        self._link = link
        self._session_id = session_id
        self._description = description
        self._on_open = on_open
        self._get_connect_timeout = get_connect_timeout
        self._has_failed = False
        self._awaited_until = 0.0
        """Until when the first submission that an agent waits for is tried; 0 if there was none."""
        self._is_open = is_open
        self._jobs: deque[_OutboxJob] = deque()
        self._task: asyncio.Task[None] | None = None
        self._dropped_count = 0

    def put(self, send: Callable[[RemoteLink], Awaitable[object]], *, is_awaited: bool = False) -> asyncio.Future[None]:
        """Enqueue a submission; returns a future that ends when it is sent or has failed."""
        loop = asyncio.get_running_loop()
        sent: asyncio.Future[None] = loop.create_future()
        if is_awaited and not self._awaited_until:
            self._awaited_until = loop.time() + self._get_connect_timeout()
        # Most callers ignore the future. Reading its exception keeps asyncio from logging it as never retrieved.
        sent.add_done_callback(lambda future: future.cancelled() or future.exception())
        if len(self._jobs) >= MAX_QUEUED:
            self._drop_job(sent)
            return sent
        self._jobs.append(_OutboxJob(send, sent))
        if self._task is None:
            self._task = asyncio.create_task(self._send_all(), name=f"adksim-outbox-{self._session_id}")
        return sent

    async def wait_until_empty(self) -> None:
        """Wait until the queue is empty."""
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
                await self._create_session()
                self._is_open = True
                self._on_open(await self._link.get_web_url(self._session_id))
            await job.send(self._link)
        except SimulatorError as error:
            _log.warning("Not sent to the simulator server: %s", error)
            return error
        return None

    async def _create_session(self) -> None:
        """Create the session on the server; raise ServerUnreachable if no server answers in time."""
        loop = asyncio.get_running_loop()
        full = self._get_connect_timeout()
        seconds = min(full, _LATER_CONNECT_TIMEOUT) if self._has_failed else full
        deadline = loop.time() + seconds
        while True:
            if loop.time() < self._awaited_until:
                # An agent may begin to wait long after its session was opened, as when its tools take time to load.
                seconds, deadline = full, self._awaited_until
            try:
                # A server that has answered before is there, and only restarts: it is waited for without a limit.
                async with asyncio.timeout_at(None if self._link.has_answered else deadline):
                    await self._link.create_session(self._description, self._session_id)
                    return
            except TimeoutError:
                # Otherwise the server has just answered, or an agent has begun to wait: both change the deadline.
                if not self._link.has_answered and loop.time() >= self._awaited_until:
                    self._has_failed = True
                    raise build_no_response_error(self._link.url, seconds) from None

    def _fail_all(self, error: ServerUnreachable) -> None:
        """Discard the queue, because there is no server. The next submission tries to connect again."""
        jobs, self._jobs = self._jobs, deque()
        for job in jobs:
            if not job.sent.done():
                job.sent.set_exception(error)

    def _drop_job(self, sent: asyncio.Future[None]) -> None:
        self._dropped_count += 1
        if self._dropped_count == 1:
            _log.error("The simulator server does not respond; events of session %s are lost.", self._session_id)
        sent.set_exception(ServerUnreachable(self._link.url, f"{MAX_QUEUED} submissions are already queued"))
