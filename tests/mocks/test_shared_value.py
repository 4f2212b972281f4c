"""A value that is computed once for all that ask for it."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from adk_agent_sim.mocks.llm_mock import SharedValue


class _Computation:
    """Waits to be released, and counts how often it was begun."""

    def __init__(self) -> None:
        self.count = 0
        self.began = asyncio.Event()
        self.release = asyncio.Event()

    async def run(self) -> str:
        self.count += 1
        self.began.set()
        await self.release.wait()
        return f"value {self.count}"


async def test_all_that_ask_while_it_is_computed_get_the_same_value() -> None:
    shared, computation = SharedValue[str](is_final=bool), _Computation()
    asking = [asyncio.create_task(shared.get(computation.run)) for _ in range(5)]
    await computation.began.wait()
    computation.release.set()

    assert await asyncio.gather(*asking, shared.get(computation.run)) == ["value 1"] * 6
    assert shared.value == "value 1"


async def test_one_that_stops_waiting_does_not_stop_the_others_and_if_the_first_does_the_next_begins_again() -> None:
    shared, computation = SharedValue[str](is_final=bool), _Computation()
    first, second, third = [asyncio.create_task(shared.get(computation.run)) for _ in range(3)]
    await computation.began.wait()
    second.cancel()
    await asyncio.wait([second])
    assert not third.done()
    computation.began.clear()
    first.cancel()
    await computation.began.wait()
    computation.release.set()

    assert await third == "value 2"
    assert first.cancelled()


async def test_a_value_that_is_not_final_is_shared_and_computed_again_for_later_ones() -> None:
    shared, computation = SharedValue[str](is_final=lambda value: value == "value 2"), _Computation()
    asking = [asyncio.create_task(shared.get(computation.run)) for _ in range(3)]
    await computation.began.wait()
    computation.release.set()

    assert await asyncio.gather(*asking) == ["value 1"] * 3
    assert shared.value is None
    assert await shared.get(computation.run) == await shared.get(computation.run) == "value 2"


async def test_an_error_reaches_the_one_that_computes_and_the_next_begins_again() -> None:
    shared = SharedValue[str](is_final=bool)

    async def fail() -> str:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        await shared.get(fail)

    computation = _Computation()
    computation.release.set()
    assert await shared.get(computation.run) == "value 1"


def test_event_loops_of_several_threads_share_a_value() -> None:
    shared = SharedValue[int](is_final=bool)
    began, others_ready = threading.Event(), threading.Barrier(4)
    counts: list[int] = []

    async def compute() -> int:
        counts.append(1)
        began.set()
        await asyncio.to_thread(others_ready.wait)
        return 7

    def ask_first() -> int:
        return asyncio.run(shared.get(compute))  # type: ignore[arg-type]

    def ask_later() -> int:
        began.wait()
        others_ready.wait()
        return asyncio.run(shared.get(compute))  # type: ignore[arg-type]

    with ThreadPoolExecutor(4) as threads:
        asked = [threads.submit(ask_first), *(threads.submit(ask_later) for _ in range(3))]
        assert [each.result() for each in asked] == [7, 7, 7, 7]
    assert counts == [1]
