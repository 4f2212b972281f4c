"""All plugins of a process send from one thread, which gives them one moment to finish when the process ends."""

from __future__ import annotations

import asyncio
import gc
import subprocess
import sys
import threading
import weakref
from collections.abc import AsyncIterator

import fork_server
import pytest
from polling import MAX_WAIT_SECONDS, wait_until
from processes import ENVIRONMENT
from timeline_builders import list_sessions, user_content

from adk_agent_sim.link.outbox import Outbox
from adk_agent_sim.server.grpc.grpc_server import GrpcServer, serve_grpc
from adk_agent_sim.timeline.events import UserSpoke
from adk_agent_sim.timeline.submissions import EventBatch
from adk_agent_sim.timeline.timeline import Timeline


@pytest.fixture
def timeline() -> Timeline:
    return Timeline()


@pytest.fixture
async def server(timeline: Timeline) -> AsyncIterator[GrpcServer]:
    async with serve_grpc(timeline, access=None) as server:
        yield server


async def send(outbox: Outbox) -> None:
    session_id = outbox.open_session("", lambda url: None)
    await outbox.append(EventBatch(session_id, [UserSpoke(content=user_content("hello"))]))
    assert await outbox.flush(MAX_WAIT_SECONDS)
    outbox.release_session(session_id)


async def test_many_outboxes_share_one_thread(timeline: Timeline, server: GrpcServer) -> None:
    outboxes = [Outbox(server.address) for _ in range(5)]
    await asyncio.gather(*map(send, outboxes))

    assert [thread.name for thread in threading.enumerate()].count("adksim-link") == 1
    assert len(await list_sessions(timeline)) == 5


async def test_the_connection_of_an_outbox_that_nobody_uses_any_more_is_closed(
    server: GrpcServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    outbox = Outbox(server.address)
    await send(outbox)
    link = outbox._get_link()  # pyright: ignore[reportPrivateUsage]
    collected = weakref.ref(outbox)
    closed = asyncio.Event()
    loop = asyncio.get_running_loop()
    close = link.close

    async def note_close() -> None:
        await close()
        loop.call_soon_threadsafe(closed.set)

    monkeypatch.setattr(link, "close", note_close)
    del outbox

    await wait_until(lambda: gc.collect() >= 0 and collected() is None)
    async with asyncio.timeout(MAX_WAIT_SECONDS):
        await closed.wait()


_ONE_MOMENT_FOR_ALL = """
import asyncio
from adk_agent_sim.link.outbox import join_background_loop

class Sender:
    async def finish(self, timeout):
        await both.wait()
        print("finished", flush=True)

both = asyncio.Barrier(2)
senders = [Sender(), Sender()]
for sender in senders:
    join_background_loop(sender)
"""


@pytest.mark.process
def test_when_the_process_ends_all_finish_at_the_same_time() -> None:
    done = fork_server.run(["-c", _ONE_MOMENT_FOR_ALL], environment=ENVIRONMENT)

    assert (done.returncode, done.stdout) == (0, "finished\n" * 2)


_CHILD_OF_A_FORK = """
import asyncio, os
from adk_agent_sim.link.outbox import join_background_loop

class Sender:
    async def finish(self, timeout):
        print("finished in", "child" if os.getpid() != parent else "parent", flush=True)

async def get_answer():
    return "sent"

parent = os.getpid()
first, second = Sender(), Sender()
join_background_loop(first)
child = os.fork()
if child == 0:
    loop = join_background_loop(second)
    print(asyncio.run_coroutine_threadsafe(get_answer(), loop).result(60), flush=True)
else:
    os.waitpid(child, 0)
"""


@pytest.mark.process
def test_a_forked_process_has_its_own_thread() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _CHILD_OF_A_FORK], capture_output=True, text=True, env=ENVIRONMENT, check=False
    )

    assert done.stdout.splitlines() == ["sent", "finished in child", "finished in parent"], done.stderr
