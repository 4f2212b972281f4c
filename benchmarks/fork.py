"""Measures what it takes to fork a session: in the middle of a long run, and between two runs.

    python benchmarks/fork.py             takes minutes, nearly all of them ADK's own, to play the long sessions
    python benchmarks/fork.py --quick     the smallest size, which measures nothing

A fork in a run replays the run, so its peer is a plain Runner whose scripted model makes the same decisions, with real
tools. A fork between two runs only copies; it should not matter how much. Counted is CPU time, the best of some rounds
that take turns. Nothing here passes or fails.
"""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial

import arguments
import run
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService

from adk_agent_sim import Simulation


@dataclass(frozen=True, kw_only=True)
class Size:
    """How much is measured, and how often."""

    run_turns: int = 200
    """Model turns of the run that is forked in its middle."""

    preceding: tuple[int, ...] = (10, 100, 1_000)
    """Model turns before the run at whose start a session is forked."""

    rounds: int = 7


_PRECEDING_RUN_TURNS = 10
"""Model turns of each of the runs that come before."""

_QUICK = Size(run_turns=4, preceding=(2, 4), rounds=1)


def _decide_in_order(turns: int) -> Callable[[LlmRequest], LlmResponse]:
    """Return a model's player that calls a tool in all turns but the last of each run."""
    made = 0

    def decide(request: LlmRequest) -> LlmResponse:
        nonlocal made
        made += 1
        return LlmResponse.model_validate(run.SAY if made % turns == 0 else run.CALL)

    return decide


async def _measure(work: Callable[[], Awaitable[object]]) -> float:
    gc.collect()
    gc.disable()
    start = time.process_time()
    try:
        await work()
        return time.process_time() - start
    finally:
        gc.enable()


async def _open_fork(sim: Simulation, turn: int | None, opened: list[Simulation]) -> None:
    opened.append(await sim.fork(turn))


async def measure_replay(size: Size) -> None:
    """Compare a fork in the middle of a run with a plain Runner that plays the same turns."""
    middle = size.run_turns // 2
    async with Simulation(run.build_app(["say"], 3), model=_decide_in_order(size.run_turns)) as sim:
        await sim.send("question")
        plain: list[float] = []
        forks: list[float] = []
        for _ in range(size.rounds):
            sessions = InMemorySessionService()
            runner = Runner(app=run.build_app(["call"] * (middle - 1) + ["say"], 3), session_service=sessions)
            session = await sessions.create_session(app_name="bench", user_id="user")
            plain.append(await _measure(partial(run.ask_plain, runner, session.id, 0)))
            opened: list[Simulation] = []
            forks.append(await _measure(partial(_open_fork, sim, middle, opened)))
            await opened[0].next()
            await opened[0].close()
    own, forked_in = min(plain), min(forks)
    print(f"\nA fork at turn {middle} of {size.run_turns} of one run, against a plain Runner that plays these turns")
    print(f"  plain {own * 1e3:8.1f} ms   fork {forked_in * 1e3:8.1f} ms   {forked_in / own:.2f}x", flush=True)


async def measure_copy(size: Size) -> None:
    """Measure a fork at the start of a run, by how many turns come before it."""
    print("\nA fork at the start of a run, by the number of model turns before it; then the run's first turn")
    first = 0.0
    for turns in size.preceding:
        # Long runs: for each one ADK copies the session, which takes most of the time that it takes to play a long one.
        run_turns = min(turns, _PRECEDING_RUN_TURNS)
        async with Simulation(run.build_app(["say"], 3), model=_decide_in_order(run_turns)) as sim:
            for number in range(turns // run_turns):
                await sim.send(f"question {number}")
            forks: list[float] = []
            starts: list[float] = []
            for _ in range(size.rounds):
                opened: list[Simulation] = []
                forks.append(await _measure(partial(_open_fork, sim, None, opened)))
                starts.append(await _measure(partial(opened[0].send, "another")))
                await opened[0].close()
        taken = min(forks)
        first = first or taken
        print(
            f"  {turns:>5} turns   fork {taken * 1e3:8.2f} ms   {taken / first:5.2f}x"
            f"   first turn {min(starts) * 1e3:8.2f} ms",
            flush=True,
        )


async def _main(size: Size) -> None:
    await measure_replay(size)
    await measure_copy(size)


if __name__ == "__main__":
    asyncio.run(_main(_QUICK if arguments.read(__doc__).quick else Size()))
