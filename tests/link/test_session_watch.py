"""Which turns are submitted again after a reconnect."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncGenerator, Callable
from typing import Any, cast

import pytest
from polling import wait_until

from adk_agent_sim.errors import TurnAbandoned
from adk_agent_sim.generated.adksim import v1
from adk_agent_sim.link.session_watch import SessionWatch
from adk_agent_sim.timeline.events import Event, ToolAnswered, ToolAsked, ToolWithdrawn, TurnWithdrawn
from adk_agent_sim.timeline.submissions import ToolRequest

WITHDRAWN = Event(
    event_id="e", session_id="s", seq=1, timestamp=1.0, payload=TurnWithdrawn(abandoned=True), turn_id="t"
)


class Server:
    """The server side of a watch: reports a connection for None in `signals`, and sends the events in it."""

    def __init__(self) -> None:
        self.signals: asyncio.Queue[Event | None] = asyncio.Queue()
        self.resubmitted: list[str] = []

    async def follow(
        self, session_id: str, after_seq: int, *, with_requests: bool, on_connected: Callable[[], object]
    ) -> AsyncGenerator[Event]:
        while True:
            event = await self.signals.get()
            if event is None:
                on_connected()
            else:
                yield event

    async def resubmit(self, submission: v1.SubmitRequestRequest) -> None:
        self.resubmitted.append(submission.turn_id)

    async def ask_tool(self, request: ToolRequest) -> None:
        self.resubmitted.append(request.asked.request_id)


@pytest.fixture
def server() -> Server:
    return Server()


@pytest.fixture
def watch(server: Server) -> SessionWatch:
    return SessionWatch("s", server.follow, server.resubmit, server.ask_tool)


async def test_a_turn_is_resubmitted_only_once_the_server_has_its_blocks(server: Server, watch: SessionWatch) -> None:
    watch.expect_turn("t")
    waiting = asyncio.create_task(watch.wait_for_decision("t"))
    server.signals.put_nowait(None)
    await wait_until(server.signals.empty)
    await asyncio.wait({waiting}, timeout=0.01)
    assert server.resubmitted == []

    watch.record_submission(v1.SubmitRequestRequest(turn_id="t"), 1)
    server.signals.put_nowait(None)
    await wait_until(lambda: server.resubmitted == ["t"])
    waiting.cancel()
    await watch.stop()


async def test_a_turn_that_the_server_abandoned_is_resubmitted(server: Server, watch: SessionWatch) -> None:
    watch.expect_turn("t")
    watch.record_submission(v1.SubmitRequestRequest(turn_id="t"), 1)
    waiting = asyncio.create_task(watch.wait_for_decision("t"))
    server.signals.put_nowait(WITHDRAWN)
    await wait_until(lambda: server.resubmitted == ["t"])
    waiting.cancel()
    await watch.stop()


async def test_a_turn_that_was_withdrawn_here_is_not_resubmitted(server: Server, watch: SessionWatch) -> None:
    watch.expect_turn("t")
    watch.record_submission(v1.SubmitRequestRequest(turn_id="t"), 1)
    waiting = asyncio.create_task(watch.wait_for_decision("t"))
    watch.stop_resubmitting("t")
    server.signals.put_nowait(None)
    server.signals.put_nowait(WITHDRAWN)
    with pytest.raises(TurnAbandoned):
        await waiting
    assert server.resubmitted == []
    await watch.stop()


async def test_a_turn_given_up_just_after_the_connection_came_back_is_not_asked_again(
    server: Server, watch: SessionWatch
) -> None:
    watch.expect_turn("t")
    watch.record_submission(v1.SubmitRequestRequest(turn_id="t"), 1)
    waiting = asyncio.create_task(watch.wait_for_decision("t"))
    cast("Any", watch)._resubmit_waiting_turns()
    watch.stop_resubmitting("t")
    await watch.wait_for_resubmissions()
    assert server.resubmitted == []
    waiting.cancel()
    await watch.stop()


async def test_a_turn_that_fails_before_its_agent_waits_leaves_no_unread_error(
    server: Server, watch: SessionWatch
) -> None:
    reports: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _loop, report: reports.append(report))
    watch.expect_turn("t")
    watch.stop_resubmitting("t")
    events: list[Event] = []
    watch.listen(events.append)
    server.signals.put_nowait(WITHDRAWN)
    await wait_until(lambda: bool(events))
    watch.discard_turn("t")  # the agent was cancelled
    gc.collect()  # asyncio reports an unread error when it frees the future
    await watch.stop()

    assert reports == []


async def test_a_tool_call_that_the_server_gave_up_is_asked_again_and_gets_its_response(
    server: Server, watch: SessionWatch
) -> None:
    asked = ToolAsked(request_id="r", call_id="c", tool_name="add", arguments={})
    watch.expect_tool_response(ToolRequest("s", asked, agent_name="a"))
    waiting = asyncio.create_task(watch.wait_for_decision("r"))
    withdrawn = ToolWithdrawn(request_id="r", call_id="c")
    server.signals.put_nowait(Event(event_id="e", session_id="s", seq=1, timestamp=1.0, payload=withdrawn))
    await wait_until(lambda: server.resubmitted == ["r"])
    answered = ToolAnswered(request_id="r", call_id="c", decision_id="d", result=4)
    server.signals.put_nowait(Event(event_id="f", session_id="s", seq=2, timestamp=1.0, payload=answered))

    assert (await waiting).payload == answered
    await watch.stop()
