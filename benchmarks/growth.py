"""Measures a wizard's model turn in sessions of 10 and of 1,000 turns, against a plain Runner's.

    python benchmarks/growth.py             takes minutes, nearly all of them ADK's own
    python benchmarks/growth.py --quick     the smallest size, which measures nothing

Each side runs in a process of its own, so that neither pays for the other's memory, and they take turns, one user
message each, so that a busy moment of the machine hurts both. Counted is CPU time, with Python's garbage collector and
without it. Nothing here passes or fails.
"""

from __future__ import annotations

import asyncio
import gc
import statistics
import subprocess
import sys
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import IO, cast

import arguments
import run
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService

from adk_agent_sim import Simulation

_FULL = ((10, 30), (100, 30), (1_000, 30))
_QUICK = ((2, 1), (4, 1))
"""Turns of the session, and user messages of two turns each that are measured then."""

_SIDES = ("plain", "wizard")


class Side:
    """One side in a process of its own."""

    def __init__(self, name: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, __file__, name], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def send_message(self, *, collect: bool) -> float:
        """Let the user send one message; returns the CPU seconds until it is answered."""
        print("collect" if collect else "", file=self._process.stdin, flush=True)
        return float(cast("IO[str]", self._process.stdout).readline())

    def close(self) -> None:
        """End the process."""
        self._process.communicate()


def measure(marks: tuple[tuple[int, int], ...]) -> None:
    """Grow a session on each side and print what a turn costs at each mark."""
    print("\nGrowth: CPU time of a model turn as the session grows; without the collector, and the ratio with it")
    sides = [Side(name) for name in _SIDES]
    messages = 0
    for turns, samples in marks:
        # Growing is not measured, and is faster without the collector.
        for _ in range(messages, turns // 2):
            _send_messages(sides, messages, collect=False)
            messages += 1
        times: dict[bool, list[list[float]]] = {}
        for collect in (False, True):
            times[collect] = [_send_messages(sides, number, collect=collect) for number in range(samples)]
            messages += samples
        own, played = (statistics.median(column) / 2 * 1e3 for column in zip(*times[False], strict=True))
        sums = [sum(column) for column in zip(*times[True], strict=True)]
        print(
            f"  {turns:>5} turns   plain {own:7.2f} ms   wizard {played:7.2f} ms   ours {played - own:5.2f} ms"
            f"   {statistics.median(each[1] / each[0] for each in times[False]):.2f}x"
            f"   with the collector {sums[1] / sums[0]:.2f}x",
            flush=True,
        )
    for side in sides:
        side.close()


def _send_messages(sides: list[Side], number: int, *, collect: bool) -> list[float]:
    order = (0, 1) if number % 2 else (1, 0)
    taken = {place: sides[place].send_message(collect=collect) for place in order}
    return [taken[0], taken[1]]


@asynccontextmanager
async def _open_plain() -> AsyncGenerator[Callable[[int], Awaitable[None]]]:
    sessions = InMemorySessionService()
    runner = Runner(app=run.build_app(["call", "say"], 3), session_service=sessions)
    session = await sessions.create_session(app_name="bench", user_id="user")
    yield lambda number: run.ask_plain(runner, session.id, number)


@asynccontextmanager
async def _open_wizard() -> AsyncGenerator[Callable[[int], Awaitable[None]]]:
    async with Simulation(run.build_app(["say"], 3)) as sim:
        yield lambda number: run.ask_wizard(sim, number)


async def _serve(name: str) -> None:
    """Send a message for each line of the standard input, and answer with the CPU seconds that it took."""
    async with _open_plain() if name == "plain" else _open_wizard() as send:
        gc.disable()
        for number, line in enumerate(sys.stdin):
            if line.strip() and not gc.isenabled():
                gc.collect()
                gc.enable()
            elif not line.strip():
                gc.disable()
                if number % 25 == 0:
                    gc.collect()
            start = time.process_time()
            await send(number)
            print(time.process_time() - start, flush=True)


if __name__ == "__main__":
    if len(sys.argv) == 2 and sys.argv[1] in _SIDES:
        arguments.be_quiet()
        asyncio.run(_serve(sys.argv[1]))
    else:
        measure(_QUICK if arguments.read(__doc__).quick else _FULL)
