"""Links to servers that restart, and to servers that do not exist."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, cast
from uuid import uuid4

import grpc
import pytest
from polling import MAX_WAIT_SECONDS, wait_until
from timeline_builders import ask_turn, build_request_blocks, text_decision, user_content

from adk_agent_sim.errors import InvalidField, ServerUnreachable, SessionNotFound
from adk_agent_sim.link.channel import parse_target
from adk_agent_sim.link.outbox import Outbox
from adk_agent_sim.link.remote_link import RemoteLink
from adk_agent_sim.server.grpc.grpc_server import serve_grpc
from adk_agent_sim.timeline.events import Event, TurnAsked, TurnDecided, TurnRevived, TurnWithdrawn, UserSpoke
from adk_agent_sim.timeline.store import MemoryStore
from adk_agent_sim.timeline.submissions import EventBatch, TurnDecision, TurnRequest
from adk_agent_sim.timeline.timeline import Timeline


class Server:
    """A server that can be restarted on the same store and port."""

    def __init__(self) -> None:
        self.store = MemoryStore()
        self.timeline = Timeline(self.store)
        self.port = 0
        self._stack = AsyncExitStack()

    async def start(self, *, abandon_after: float = 60.0) -> str:
        self.timeline = Timeline(self.store)
        served = serve_grpc(self.timeline, access=None, port=self.port, abandon_after=abandon_after)
        self.port = (await self._stack.enter_async_context(served)).port
        return f"127.0.0.1:{self.port}"

    async def stop(self) -> None:
        await self._stack.aclose()


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    server = Server()
    yield server
    await server.stop()


async def ask(link: RemoteLink | Outbox, session_id: str, agent_name: str = "a") -> str:
    turn_id = str(uuid4())
    request = build_request_blocks([user_content("hi")])
    await link.ask(TurnRequest(session_id, turn_id=turn_id, invocation_id="i", agent_name=agent_name, request=request))
    return turn_id


async def ask_and_wait(link: RemoteLink, session_id: str) -> tuple[str, asyncio.Task[Event]]:
    """Ask, and return the turn and the wait for its decision, which has begun."""
    turn_id = await ask(link, session_id)
    waiting = asyncio.create_task(link.wait_for_decision(session_id, turn_id))
    await asyncio.wait({waiting}, timeout=0.05)
    return turn_id, waiting


async def test_a_wait_survives_a_restart_and_gets_what_was_decided_after_it(server: Server) -> None:
    async with RemoteLink(await server.start()) as link:
        session_id = (await link.create_session()).session_id
        turn_id, waiting = await ask_and_wait(link, session_id)
        await server.stop()
        await asyncio.wait({waiting}, timeout=0.05)
        await server.start()
        await server.timeline.decide(TurnDecision(session_id, turn_id, text_decision("hello")))

        assert (await waiting).payload == (await server.timeline.read_events(session_id))[-1].payload


async def test_a_decision_made_while_the_connection_was_lost_is_received(server: Server) -> None:
    async with RemoteLink(await server.start()) as link:
        session_id = (await link.create_session()).session_id
        turn_id, waiting = await ask_and_wait(link, session_id)
        await server.stop()
        await Timeline(server.store).decide(TurnDecision(session_id, turn_id, text_decision("meanwhile")))
        await server.start()

        decided = await waiting
        assert isinstance(decided.payload, TurnDecided)
        assert decided.payload.response == text_decision("meanwhile")


async def test_calls_wait_for_a_restarting_server_and_append_nothing_twice(server: Server) -> None:
    async with RemoteLink(await server.start()) as link:
        session_id = (await link.create_session()).session_id
        await server.stop()
        appending = asyncio.create_task(link.append(EventBatch(session_id, [UserSpoke(content=user_content("hi"))])))
        asking = asyncio.create_task(ask(link, session_id))
        await asyncio.wait({appending, asking}, timeout=0.05)
        assert not appending.done()
        await server.start()
        await appending
        await asking

        assert {type(event.payload) for event in await server.timeline.read_events(session_id)} == {
            UserSpoke,
            TurnAsked,
        }


async def test_a_follower_misses_nothing_and_sees_nothing_twice(server: Server) -> None:
    async with RemoteLink(await server.start()) as link:
        session_id = (await link.create_session()).session_id
        seen: list[Event] = []

        async def follow() -> None:
            seen.extend([event async for event in link.follow(session_id)])

        following = asyncio.create_task(follow())
        for number in range(6):
            await server.timeline.append(EventBatch(session_id, [UserSpoke(content=user_content(str(number)))]))
            if number % 2:
                await server.stop()
                await server.start()
        await server.timeline.close_session(session_id, "done")
        await following

        assert seen == await server.timeline.read_events(session_id)


async def test_a_turn_abandoned_while_the_agent_was_disconnected_is_pending_again(server: Server) -> None:
    async with RemoteLink(await server.start()) as link:
        session_id = (await link.create_session()).session_id
        turn_id, waiting = await ask_and_wait(link, session_id)
        await server.stop()
        await Timeline(server.store).withdraw(session_id, turn_id, abandoned=True)
        await server.start()
        await wait_until(lambda: bool(server.timeline.peek_pending_turns(session_id)))
        await server.timeline.decide(TurnDecision(session_id, turn_id, text_decision("hello")))
        await waiting

    kinds = [type(event.payload) for event in await server.timeline.read_events(session_id)]
    assert kinds == [TurnAsked, TurnWithdrawn, TurnRevived, TurnDecided]


async def test_a_session_that_the_server_has_lost_ends_the_wait(server: Server) -> None:
    async with RemoteLink(await server.start()) as link:
        session_id = (await link.create_session()).session_id
        _, waiting = await ask_and_wait(link, session_id)
        await server.timeline.delete_session(session_id)

        with pytest.raises(SessionNotFound):
            await waiting


async def test_a_wait_starts_over_if_the_server_has_lost_events(
    server: Server, caplog: pytest.LogCaptureFixture
) -> None:
    async with RemoteLink(await server.start()) as link:
        session_id = (await link.create_session()).session_id
        for number in range(5):
            await link.append(EventBatch(session_id, [UserSpoke(content=user_content(str(number)))]))
        turn_id, waiting = await ask_and_wait(link, session_id)
        await server.stop()
        # A backup of the database from when the session had only its turn.
        server.store = MemoryStore()
        restored = Timeline(server.store)
        await restored.create_session(session_id=session_id)
        await ask_turn(restored, session_id, turn_id)
        await server.start()
        await wait_until(lambda: "Subscribe again from 0" in caplog.text)
        await server.timeline.decide(TurnDecision(session_id, turn_id, text_decision("hello")))

        async with asyncio.timeout(MAX_WAIT_SECONDS):
            assert (await waiting).seq == 2


async def test_an_unreachable_server_is_named() -> None:
    async with RemoteLink("http://127.0.0.1:1", connect_timeout=0.2) as link:
        with pytest.raises(ServerUnreachable, match=r"127\.0\.0\.1:1: no response within 0\.2 s.*`adksim serve`"):
            await link.create_session()


async def test_appending_without_a_server_neither_waits_nor_fails(
    caplog: pytest.LogCaptureFixture,
) -> None:
    outbox = Outbox("127.0.0.1:1", connect_timeout=0.2)
    session_id = outbox.open_session("", lambda url: None)
    for number in range(100):
        await outbox.append(EventBatch(session_id, [UserSpoke(content=user_content(str(number)))]))
    with caplog.at_level(logging.WARNING):
        assert await outbox.flush(MAX_WAIT_SECONDS)
    messages = [record.message for record in caplog.records if "127.0.0.1:1" in record.message]
    assert messages[0].startswith("Not sent to the simulator server")


async def test_waiting_for_a_decision_without_a_server_fails() -> None:
    outbox = Outbox("127.0.0.1:1", connect_timeout=0.2)
    session_id = outbox.open_session("", lambda url: None)
    turn_id = await ask(outbox, session_id)

    with pytest.raises(ServerUnreachable, match=r"127\.0\.0\.1:1"):
        await outbox.wait_for_decision(session_id, turn_id)


async def test_a_session_is_created_once_the_server_is_available(server: Server) -> None:
    address = await server.start()
    await server.stop()
    outbox = Outbox(address, connect_timeout=0.2)
    opened: list[str] = []
    session_id = outbox.open_session("late", opened.append)
    assert await outbox.flush(MAX_WAIT_SECONDS)
    await server.start()
    async with asyncio.timeout(MAX_WAIT_SECONDS):
        while not opened:  # on a busy machine, connecting may take longer than the connect timeout
            await outbox.append(EventBatch(session_id, [UserSpoke(content=user_content("now"))]))
            assert await outbox.flush(MAX_WAIT_SECONDS)

    assert opened == [""]
    (spoke,) = await server.timeline.read_events(session_id)
    assert spoke.payload == UserSpoke(content=user_content("now"))


async def ask_first_turn(outbox: Outbox, session_id: str) -> tuple[str, asyncio.Task[Event]]:
    """Ask, and return the turn and the wait for its decision."""
    turn_id = await ask(outbox, session_id)
    return turn_id, asyncio.create_task(outbox.wait_for_decision(session_id, turn_id))


async def decide_on_late_server(server: Server, session_id: str, turn_id: str, waiting: asyncio.Task[Event]) -> None:
    """Start the server when the wait has lasted longer than the connect timeout after a failure."""
    await asyncio.wait({waiting}, timeout=0.8)
    assert not waiting.done(), waiting.exception()
    await server.start()
    await wait_until(lambda: bool(server.timeline.peek_pending_turns(session_id)))
    await server.timeline.decide(TurnDecision(session_id, turn_id, text_decision("hello")))
    await waiting


@pytest.mark.parametrize("has_failed_before", [False, True])
async def test_the_first_model_call_of_each_session_waits_for_a_server_that_starts(
    server: Server, has_failed_before: bool
) -> None:
    address = await server.start()
    await server.stop()
    outbox = Outbox(address, connect_timeout=0.2)
    if has_failed_before:
        _, waiting = await ask_first_turn(outbox, outbox.open_session("", lambda url: None))
        with pytest.raises(ServerUnreachable, match=r"no response within 0\.2 seconds"):
            await waiting
    outbox.connect_timeout = MAX_WAIT_SECONDS
    session_id = outbox.open_session("", lambda url: None)

    await decide_on_late_server(server, session_id, *await ask_first_turn(outbox, session_id))


async def test_the_first_model_call_waits_even_if_its_session_could_not_be_created_before(server: Server) -> None:
    address = await server.start()
    await server.stop()
    outbox = Outbox(address, connect_timeout=0.2)
    session_id = outbox.open_session("", lambda url: None)
    assert await outbox.flush(MAX_WAIT_SECONDS)
    outbox.connect_timeout = MAX_WAIT_SECONDS

    await decide_on_late_server(server, session_id, *await ask_first_turn(outbox, session_id))


async def test_later_model_calls_without_a_server_are_not_delayed_for_long() -> None:
    outbox = Outbox("127.0.0.1:1", connect_timeout=0.2)
    session_id = outbox.open_session("", lambda url: None)
    _, waiting = await ask_first_turn(outbox, session_id)
    with pytest.raises(ServerUnreachable):
        await waiting
    outbox.connect_timeout = MAX_WAIT_SECONDS

    _, waiting = await ask_first_turn(outbox, session_id)
    with pytest.raises(ServerUnreachable, match=r"no response within 0\.5 seconds"):
        await waiting


async def test_something_that_is_no_simulator_server_is_not_waited_for_forever() -> None:
    """A proxy without a server behind it answers every call with UNAVAILABLE."""
    async with stop_at_exit(grpc.aio.server(interceptors=[_NoServerBehind()])) as proxy:
        port = proxy.add_insecure_port("127.0.0.1:0")
        await proxy.start()
        async with RemoteLink(f"127.0.0.1:{port}", connect_timeout=0.2) as link:
            with pytest.raises(ServerUnreachable, match=r"no response within 0\.2 seconds"):
                await link.create_session()


class _NoServerBehind(grpc.aio.ServerInterceptor):
    async def intercept_service(self, continuation: object, handler_call_details: object) -> Any:
        async def refuse(request: object, context: Any) -> None:
            await context.abort(grpc.StatusCode.UNAVAILABLE, "no healthy upstream")

        return cast("Any", grpc).unary_unary_rpc_method_handler(refuse)


@asynccontextmanager
async def stop_at_exit(proxy: grpc.aio.Server) -> AsyncGenerator[grpc.aio.Server]:
    try:
        yield proxy
    finally:
        await proxy.stop(None)


async def test_a_turn_that_the_server_refuses_ends_the_wait(server: Server) -> None:
    outbox = Outbox(await server.start())
    session_id = outbox.open_session("", lambda url: None)
    turn_id = await ask(outbox, session_id, agent_name="a" * 101)

    with pytest.raises(InvalidField, match="agent_name must have at most 100"):
        await outbox.wait_for_decision(session_id, turn_id)


def test_an_outbox_serves_one_loop_after_the_other() -> None:
    """A script that calls `asyncio.run` for each message uses several loops, and so does ADK's `Runner.run`."""
    server = Server()

    async def main() -> None:
        outbox = Outbox(await server.start())
        session_id = outbox.open_session("", lambda url: None)

        def append(text: str) -> None:
            asyncio.run(outbox.append(EventBatch(session_id, [UserSpoke(content=user_content(text))])))

        for text in ("one", "two"):
            await asyncio.to_thread(append, text)
        assert await outbox.flush(MAX_WAIT_SECONDS)
        await server.stop()
        payloads = [event.payload for event in await server.timeline.read_events(session_id)]
        assert payloads == [UserSpoke(content=user_content("one")), UserSpoke(content=user_content("two"))]

    asyncio.run(main())


@pytest.mark.parametrize(
    ("url", "target", "secure"),
    [
        ("localhost:50051", "localhost:50051", False),
        ("localhost", "localhost:50051", False),
        ("http://sim.example:7", "sim.example:7", False),
        ("grpc://[::1]:7", "[::1]:7", False),
        ("https://sim.example", "sim.example:50051", True),
    ],
)
def test_an_address_may_leave_out_scheme_and_port(url: str, target: str, secure: bool) -> None:
    parsed = parse_target(url)

    assert (parsed.address, parsed.is_secure) == (target, secure)


@pytest.mark.parametrize("url", ["", "ftp://x", "localhost:port", "http://", "[::1", "http://[::1"])
def test_an_invalid_address_is_rejected_at_once(url: str) -> None:
    with pytest.raises(ServerUnreachable, match="address is invalid"):
        Outbox(url)
