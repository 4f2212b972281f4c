"""What a session keeps between runs works in several event loops: ADK's synchronous runner starts one per message."""

from __future__ import annotations

import asyncio
from typing import Any, cast

import pytest
from polling import wait_until

from adk_agent_sim.adk.runs.cross_loop import CrossLoopEvent, PerLoopLock


async def _wait_and_set(event: CrossLoopEvent) -> None:
    waiting = asyncio.ensure_future(event.wait())
    await asyncio.sleep(0)
    assert not waiting.done()
    await asyncio.to_thread(event.set)
    await waiting


def test_an_event_is_waited_for_in_one_loop_after_another() -> None:
    event = CrossLoopEvent()

    async def stop_waiting() -> None:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0):
                await event.wait()

    asyncio.run(stop_waiting())
    asyncio.run(_wait_and_set(event))
    assert event.is_set
    asyncio.run(event.wait())


async def test_an_event_wakes_tasks_of_several_loops_from_any_thread() -> None:
    event = CrossLoopEvent()
    waits = [asyncio.ensure_future(asyncio.to_thread(asyncio.run, event.wait())) for _ in range(3)]
    here = asyncio.ensure_future(event.wait())
    waiters = cast("Any", event)._waiters
    await wait_until(lambda: len(waiters) == 4)
    event.set()
    await asyncio.gather(here, *waits)
    assert not waiters


def test_an_event_forgets_the_tasks_of_loops_that_are_closed() -> None:
    event = CrossLoopEvent()
    loop = asyncio.new_event_loop()
    waiting = loop.create_task(event.wait())
    loop.run_until_complete(asyncio.sleep(0))
    loop.close()

    event.set()

    assert not waiting.done()
    # Python reports tasks that are collected unfinished; this one's loop cannot run any more.
    cast("Any", waiting)._log_destroy_pending = False


def test_a_lock_is_waited_for_in_one_loop_after_another() -> None:
    lock = PerLoopLock()
    order: list[str] = []

    async def hold(name: str) -> None:
        async with lock:
            order.append(f"{name} in")
            await asyncio.sleep(0)
            order.append(f"{name} out")

    async def contend() -> None:
        await asyncio.gather(hold("a"), hold("b"))

    asyncio.run(contend())
    asyncio.run(contend())
    assert order == ["a in", "a out", "b in", "b out"] * 2
