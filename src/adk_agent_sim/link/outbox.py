"""The link of an agent's process: submissions are queued, and a background thread sends them in order.

    agent's loop --enqueue--> [ queue per session ] --> RemoteLink (the thread's loop) --> server
                 <----------------- decision, cancel ------------------------+

A run therefore never waits for a server that is slow or down, and may block or replace its event loop. Only
`wait_for_decision` and `wait_for_tool_response` wait for the server.

gRPC wakes every event loop that has a channel for each message of any of them, so a thread per plugin would make all of
them slower with each plugin.
"""

from __future__ import annotations

import asyncio
import atexit
import os
import threading
import weakref
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from concurrent.futures import Future
from contextlib import suppress
from typing import Any, NoReturn, Protocol, TypeVar
from uuid import uuid4
from weakref import WeakSet

from adk_agent_sim.errors import ServerUnreachable
from adk_agent_sim.generated.adksim import v1
from adk_agent_sim.link.channel import Credentials, load_credentials, parse_target
from adk_agent_sim.link.remote_link import RemoteLink
from adk_agent_sim.link.session_queue import SessionQueue
from adk_agent_sim.timeline.events import Event, Player
from adk_agent_sim.timeline.submissions import EventBatch, ToolRequest, TurnDecision, TurnRequest

EXIT_TIMEOUT = 3.0
"""How many seconds the process waits at exit for queued submissions, in all."""


class Sender(Protocol):
    """What sends in the loop, and is given time to finish when the process ends."""

    async def finish(self, timeout: float) -> None:  # noqa: ASYNC109 - the connection is closed after it
        """Wait until everything is sent, at most `timeout` seconds, then close the connection."""
        ...


_lock = threading.Lock()
_running: tuple[int, asyncio.AbstractEventLoop] | None = None
"""The process that runs the loop, and the loop: threads do not survive a fork."""

# Weak, so that an outbox nobody uses any more can be collected, which closes its connection.
_senders: WeakSet[Sender] = WeakSet()


def join_background_loop(sender: Sender) -> asyncio.AbstractEventLoop:
    """Return the loop, whose thread starts on first use; the sender's `finish` is called when the process ends."""
    global _running  # noqa: PLW0603 - one per process
    with _lock:
        if _running is None or _running[0] != os.getpid():
            # After a fork these are the parent's senders: their loop runs in a thread that the child does not have.
            _senders.clear()
            _running = os.getpid(), asyncio.new_event_loop()
            # A daemon: Python waits for other threads before it calls atexit functions, and this one never ends.
            threading.Thread(target=_run_forever, args=(_running[1],), name="adksim-link", daemon=True).start()
        _senders.add(sender)
        return _running[1]


def _run_forever(loop: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    loop.run_forever()


@atexit.register
def _finish_all() -> None:
    """Wait briefly for queued submissions: a script may end as soon as its agent has answered."""
    if _running is None or _running[0] != os.getpid():
        return
    with suppress(TimeoutError):
        # Twice: closing the connections takes time, too.
        asyncio.run_coroutine_threadsafe(_finish_together(list(_senders)), _running[1]).result(2 * EXIT_TIMEOUT)


async def _finish_together(senders: Sequence[Sender]) -> None:
    # With the exceptions as results: one sender that fails must not cut the time of the others short.
    await asyncio.gather(*(sender.finish(EXIT_TIMEOUT) for sender in senders), return_exceptions=True)


T = TypeVar("T")


class Outbox:
    """A link that can be used from any event loop, and from several."""

    def __init__(self, url: str, *, connect_timeout: float = 5.0, credentials: Credentials | None = None) -> None:
        parse_target(url)  # rejects an invalid address here rather than in the background thread
        self.url = url
        self._credentials = credentials or load_credentials(url)
        self.connect_timeout = connect_timeout
        """How many seconds a session's first wait lasts if no server has ever answered; for waits that begin later."""
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._link: RemoteLink | None = None
        self._queues: dict[str, SessionQueue] = {}
        self._pending_asks: dict[str, asyncio.Future[None]] = {}

    def open_session(self, description: str, on_open: Callable[[str], object]) -> str:
        """Start a session without waiting for the server and return its id.

        Args:
            description: A description for people.
            on_open: Called with the URL of the session's page once the server has the session.
        """
        session_id = str(uuid4())
        self._call_in_thread(lambda: self._create_queue(session_id, description, on_open))
        return session_id

    def _create_queue(self, session_id: str, description: str, on_open: Callable[[str], object]) -> None:
        queue = self._queues[session_id] = SessionQueue(
            self._get_link(), session_id, description, on_open, lambda: self.connect_timeout
        )
        queue.put(_send_nothing)

    def adopt_session(self, session_id: str) -> None:
        """Use a session that the server creates itself, such as a fork."""

        def adopt() -> None:
            if session_id not in self._queues:
                self._queues[session_id] = SessionQueue(
                    self._get_link(), session_id, "", _ignore_url, lambda: self.connect_timeout, is_open=True
                )

        self._call_in_thread(adopt)

    def serve_restarts(self, on_order: Callable[[v1.RestartOrder], object], on_lost: Callable[[], object]) -> None:
        """Set who carries out orders to restart sessions; both functions are called in the thread."""

        def serve() -> None:
            restarts = self._get_link().restarts
            restarts.on_order, restarts.on_lost = on_order, on_lost

        self._call_in_thread(serve)

    def offer_restart(self, session_id: str) -> None:
        """Offer to restart a session, once the server has it."""

        async def offer(link: RemoteLink) -> None:
            link.restarts.offer(session_id)

        self._enqueue(session_id, offer)

    def report_restart(self, report: v1.RestartReport) -> None:
        """Report about an order to restart a session."""
        self._call_in_thread(lambda: self._get_link().restarts.send_report(report))

    async def read_events(self, session_id: str, until_seq: int) -> Sequence[Event]:
        """Return the events of a session up to `until_seq`."""
        return await self._run_in_thread(self._get_link().read_events(session_id, until_seq))

    async def read_block(self, session_id: str, block_id: str) -> bytes:
        """Return the data of one block, such as the bytes of an artifact."""
        return (await self._run_in_thread(self._get_link().read_blocks(session_id, [block_id])))[block_id]

    async def flush_session(self, session_id: str) -> None:
        """Wait until everything of a session is sent."""
        if queue := self._queues.get(session_id):
            await self._run_in_thread(queue.wait_until_empty())

    def _get_link(self) -> RemoteLink:
        """Return the link of the thread, for calls that are made in the thread."""
        assert self._link is not None  # noqa: S101 - the thread's loop creates it before anything else
        return self._link

    async def append(self, batch: EventBatch) -> None:
        """Enqueue events; they may be sent after this returns."""
        self._enqueue(batch.session_id, lambda link: link.append(batch))

    async def ask(self, turn: TurnRequest) -> None:
        """Enqueue a model call that a player must decide."""

        def put() -> None:
            is_awaited = turn.player is Player.HUMAN
            sent = self._queues[turn.session_id].put(lambda link: link.ask(turn), is_awaited=is_awaited)
            if is_awaited:
                self._pending_asks[turn.turn_id] = sent

        self._call_in_thread(put)

    async def ask_tool(self, request: ToolRequest) -> None:
        """Enqueue a tool call whose response a person must give."""

        def put() -> None:
            sent = self._queues[request.session_id].put(lambda link: link.ask_tool(request), is_awaited=True)
            self._pending_asks[request.asked.request_id] = sent

        self._call_in_thread(put)

    async def decide(self, decision: TurnDecision) -> None:
        """Enqueue the decision of a player in this process."""
        self._enqueue(decision.session_id, lambda link: link.decide(decision))

    async def withdraw(self, session_id: str, turn_id: str) -> None:
        """Enqueue the withdrawal of a turn."""
        self._enqueue(session_id, lambda link: link.withdraw(session_id, turn_id))

    async def wait_for_decision(self, session_id: str, turn_id: str) -> Event:
        """Wait for the decision of a turn; raise an error if the turn cannot be sent to the server."""
        return await self._run_in_thread(
            self._wait_for_answer(turn_id, lambda link: link.wait_for_decision(session_id, turn_id))
        )

    async def wait_for_tool_response(self, session_id: str, request_id: str) -> Event:
        """Wait for the response to a tool call; raise an error if the call cannot be sent to the server."""
        return await self._run_in_thread(
            self._wait_for_answer(request_id, lambda link: link.wait_for_tool_response(session_id, request_id))
        )

    async def _wait_for_answer(self, request_id: str, wait: Callable[[RemoteLink], Awaitable[Event]]) -> Event:
        """Wait until a request is sent, then for its answer."""
        if sent := self._pending_asks.get(request_id):
            try:
                # Shielded: a caller that stops waiting must not cancel the submission.
                await asyncio.shield(sent)
            finally:
                self._pending_asks.pop(request_id, None)
        return await wait(self._get_link())

    async def listen(self, session_id: str, listener: Callable[[Event], None]) -> Callable[[], None]:
        """Call `listener` in this event loop with every new event of a session; returns a function to unsubscribe."""
        loop = asyncio.get_running_loop()
        stops: list[Callable[[], None]] = []

        def forward(event: Event) -> None:
            with suppress(RuntimeError):  # the listener's loop is closed
                loop.call_soon_threadsafe(listener, event)

        async def start_listening(link: RemoteLink) -> None:
            stops.append(await link.listen(session_id, forward))

        async def stop_listening(link: RemoteLink) -> None:
            for stop in stops:
                stop()

        self._enqueue(session_id, start_listening)
        return lambda: self._enqueue(session_id, stop_listening)

    async def flush(self, timeout: float) -> bool:  # noqa: ASYNC109 - waits for another thread
        """Wait until everything is sent, at most `timeout` seconds; returns whether it was."""
        with suppress(TimeoutError):
            async with asyncio.timeout(timeout):
                await self._run_in_thread(self._wait_until_empty())
            return True
        return False

    async def _wait_until_empty(self) -> None:
        for queue in list(self._queues.values()):
            await queue.wait_until_empty()

    def release_session(self, session_id: str) -> None:
        """Free a session's queue and stream once its submissions are sent."""

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
        """Return the thread's event loop; creates the link in it on first use."""
        with self._lock:
            if self._loop is None:
                self._loop = join_background_loop(self)
                # The loop runs this before anything else of this outbox.
                self._loop.call_soon_threadsafe(self._create_link)
            return self._loop

    def _create_link(self) -> None:
        # Without a limit: a session's queue has its own.
        self._link = link = RemoteLink(self.url, connect_timeout=None, credentials=self._credentials)
        # Plugins are not told when they are used no more, so their connection ends with them.
        finalizer = weakref.finalize(self, _close_link, asyncio.get_running_loop(), link)
        finalizer.atexit = False  # pyrefly: ignore[missing-attribute] - the stubs do have it

    async def finish(self, timeout: float) -> None:  # noqa: ASYNC109 - the connection is closed after it
        """Wait until everything is sent, at most `timeout` seconds, then close the connection."""
        with suppress(TimeoutError):
            async with asyncio.timeout(timeout):
                await self._wait_until_empty()
        if self._link is not None:
            await self._link.close()


def _close_link(loop: asyncio.AbstractEventLoop, link: RemoteLink) -> None:
    """Close a connection from any thread, without waiting for it."""
    asyncio.run_coroutine_threadsafe(link.close(), loop)


def _ignore_url(url: str) -> None:
    """Do nothing; for sessions whose address was printed before."""


async def _send_nothing(link: RemoteLink) -> None:
    """Return an empty submission, whose only effect is that the queue creates the session."""


class DiscardingOutbox:
    """Accepts what an outbox accepts, and sends it nowhere."""

    url = ""

    def open_session(self, description: str, on_open: Callable[[str], object]) -> str:
        """Return an id; nothing is opened, so `on_open` is not called."""
        return str(uuid4())

    async def append(self, batch: EventBatch) -> None:
        """Discard events."""

    async def ask(self, turn: TurnRequest) -> None:
        """Discard a model call."""

    async def decide(self, decision: TurnDecision) -> None:
        """Discard a decision."""

    async def wait_for_decision(self, session_id: str, turn_id: str) -> NoReturn:
        """Raise ServerUnreachable: without a server there is nobody who could decide."""
        raise ServerUnreachable("", "no server was named")

    async def withdraw(self, session_id: str, turn_id: str) -> None:
        """Discard a withdrawal."""

    async def ask_tool(self, request: ToolRequest) -> None:
        """Discard a request for the response of a tool."""

    async def wait_for_tool_response(self, session_id: str, request_id: str) -> NoReturn:
        """Raise ServerUnreachable: without a server there is nobody who could respond as the tool."""
        raise ServerUnreachable("", "no server was named")

    async def listen(self, session_id: str, listener: Callable[[Event], None]) -> Callable[[], None]:
        """Return a function without effect: there are no events to listen to."""
        return lambda: None

    async def flush(self, timeout: float) -> bool:  # noqa: ASYNC109 - as that of an outbox
        """Return True: there is nothing to send."""
        return True

    def release_session(self, session_id: str) -> None:
        """Do nothing."""
