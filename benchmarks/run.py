"""Measures what a wizard costs, against a scripted model that decides the same on a plain Runner; what a store does.

    make bench              all of it; the sessions of 1,000 turns take minutes, nearly all of them ADK's own
    python benchmarks/run.py turn grow      some of it
    python benchmarks/run.py --quick        all of it at the smallest size, which measures nothing

Peers are run in turns and the best of 7 rounds counts, so that a busy moment of the machine hurts nobody. Figures are
for `benchmarks/README.md`; nothing here passes or fails.
"""

from __future__ import annotations

import asyncio
import gc
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from google.adk.agents import LlmAgent
from google.adk.apps import App
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.genai import types

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import arguments
from durable import PRODUCERS, ours, raw
from scripted_model import ScriptedModel, call_response, text_response

from adk_agent_sim import Simulation, ToolErrorPlugin
from adk_agent_sim.golden.eval_set import EvalSetWriter
from adk_agent_sim.golden.golden_trace_builder import GoldenTraceBuilder
from adk_agent_sim.timeline.canonical_json import encode_json


@dataclass(frozen=True, kw_only=True)
class Size:
    """How much is measured, and how often."""

    rounds: int = 7
    messages: int = 20
    growth: tuple[int, ...] = (10, 100, 400)
    """Turns of a session."""
    exports: tuple[int, ...] = (10, 100, 1_000)
    events: tuple[tuple[int, int], ...] = ((1_000, 100), (100_000, 10))
    """Bytes of an event, and events of each producer."""


QUICK = Size(rounds=1, messages=1, growth=(2,), exports=(2,), events=((1_000, 1),))


def _tool(number: int) -> Callable[..., Any]:
    async def tool(a: int, b: int = 0, label: str | None = None) -> dict[str, int]:
        return {"sum": a + b}

    tool.__name__ = tool.__qualname__ = f"tool_{number}"
    tool.__doc__ = f"Add two numbers in way {number}."
    return tool


def build_app(decisions: Sequence[str], tools: int) -> App:
    """An app whose model makes the decisions, "call" and "say", again and again."""
    model = ForgetfulModel(script=[_DECISIONS[name] for name in decisions])
    agent = LlmAgent(name="bench", model=model, instruction="Add.", tools=[_tool(number) for number in range(tools)])
    return App(name="bench", root_agent=agent, plugins=[ToolErrorPlugin()])


class ForgetfulModel(ScriptedModel):
    """Does not keep the requests: with them, the memory of a plain Runner would grow with the square of the turns."""

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        async for response in super().generate_content_async(llm_request, stream):
            self.requests.clear()
            yield response


CALL = call_response(("tool_1", {"a": 2, "b": 3}))
SAY = text_response("five")
_DECISIONS = {"call": CALL, "say": SAY}


async def plain(messages: int, tools: int) -> float:
    """Seconds for `messages` user turns of two model turns each, by the agent's own model."""
    sessions = InMemorySessionService()
    runner = Runner(app=build_app(["call", "say"], tools), session_service=sessions)
    session = await sessions.create_session(app_name="bench", user_id="user")
    start = time.perf_counter()
    for number in range(messages):
        await ask_plain(runner, session.id, number)
    return time.perf_counter() - start


async def ask_plain(runner: Runner, session_id: str, number: int) -> None:
    """Send one user message, which takes two model turns."""
    message = types.Content(role="user", parts=[types.Part(text=f"question {number}")])
    async for _ in runner.run_async(user_id="user", session_id=session_id, new_message=message):
        pass


async def wizard(messages: int, tools: int) -> float:
    """The same, decided from outside."""
    return (await _play_session(messages, tools))[0]


async def _play_session(messages: int, tools: int) -> tuple[float, Simulation]:
    async with Simulation(build_app(["say"], tools)) as sim:
        start = time.perf_counter()
        for number in range(messages):
            await ask_wizard(sim, number)
        return time.perf_counter() - start, sim


async def ask_wizard(sim: Simulation, number: int) -> None:
    """Send one user message and decide its two model turns."""
    await sim.send(f"question {number}")
    for decision in (CALL, SAY):
        await sim.decide(sim.pending()[0].turn_id, decision)


def best(*peers: Callable[[], Awaitable[float]], rounds: int) -> list[float]:
    """The best time of each peer, run in turns."""
    times: list[list[float]] = [[] for _ in peers]
    for _ in range(rounds):
        for place, peer in enumerate(peers):
            gc.collect()
            times[place].append(asyncio.run(_run_peer(peer)))
    return [min(one) for one in times]


async def _run_peer(peer: Callable[[], Awaitable[float]]) -> float:
    return await peer()


def turn(size: Size) -> None:
    """What a turn costs."""
    count = size.messages
    print(
        "\nTurn: a wizard's model turn against a scripted model's on a plain Runner"
        f" ({count} user messages, {2 * count} turns)"
    )
    for tools in (3, 100):
        own, played = best(
            lambda tools=tools: plain(count, tools), lambda tools=tools: wizard(count, tools), rounds=size.rounds
        )
        each = [f"{seconds / (2 * count) * 1e3:6.3f} ms" for seconds in (own, played)]
        print(f"  {tools:>3} tools   plain {each[0]}   wizard {each[1]}   {played / own:.2f}x")


def grow(size: Size) -> None:
    """What a turn costs in a long session."""
    print(flush=True)
    quick = ["--quick"] if size is QUICK else []
    subprocess.run([sys.executable, Path(__file__).with_name("growth.py"), *quick], check=True)


def measure_storage(size: Size) -> None:
    """Measure what a turn stores in a long session."""
    print("\nStored: bytes of a model turn as the session grows")
    for turns in size.growth:
        _, sim = asyncio.run(_play_session(turns // 2, 3))
        print(f"  {turns:>5} turns   {_count_stored_bytes(sim) / turns:6.0f} bytes a turn")


def _count_stored_bytes(sim: Simulation) -> int:
    """Count the bytes of a session's events and blocks, as JSON would write them."""
    blocks = sim._store.count_stored_bytes(sim.session_id)  # pyright: ignore[reportPrivateUsage]
    return blocks + sum(len(encode_json(asdict(event))) for event in sim.log())


def export(size: Size) -> None:
    """What exporting costs."""
    print("\nExport: build the case and write the file")
    for turns in size.exports:
        _, sim = asyncio.run(_play_session(turns // 2, 3))
        seconds = min(_time_export(sim) for _ in range(size.rounds))
        print(f"  {turns:>5} turns   {seconds * 1e3:8.2f} ms   {seconds / turns * 1e6:6.0f} us a turn")


def _time_export(sim: Simulation) -> float:
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        session = sim.session(Path(folder) / "x.evalset.json")
        case = GoldenTraceBuilder(session).build()
        EvalSetWriter(session.agent_config.resolve_eval_set_path(), session.agent_name).write_eval_case(case)
        return time.perf_counter() - start


def imports(size: Size) -> None:
    """What opening the package costs."""

    def seconds(statement: str) -> float:
        code = f"import time; s = time.perf_counter(); {statement}; print(time.perf_counter() - s)"
        return float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout)

    ours: list[float] = []
    adk: list[float] = []
    for _ in range(size.rounds):
        ours.append(seconds("import adk_agent_sim"))
        adk.append(seconds("from google.adk.agents import LlmAgent"))
    print("\nImport: import adk_agent_sim against importing ADK's LlmAgent")
    print(f"  ours {min(ours) * 1e3:.2f} ms   ADK {min(adk) * 1e3:.0f} ms   {min(ours) / min(adk):.2%}")


def store(size: Size) -> None:
    """What it costs to make an event durable."""
    print(f"\nStore: durable events a second, {PRODUCERS} producers, against sqlite3 alone with group commit")
    for bulk, each in size.events:
        own, least = best(
            lambda bulk=bulk, each=each: ours(bulk, each),
            lambda bulk=bulk, each=each: raw(bulk, each),
            rounds=size.rounds,
        )
        rates = [f"{PRODUCERS * each / seconds:8,.0f}/s" for seconds in (least, own)]
        print(f"  {bulk // 1_000:>3} KB   sqlite3 {rates[0]}   ours {rates[1]}   {least / own:.2f}x")


def remote(size: Size) -> None:
    """What it costs that person and agent are in other processes."""
    print(flush=True)
    quick = ["--quick"] if size is QUICK else []
    subprocess.run([sys.executable, Path(__file__).with_name("remote.py"), *quick], check=True)


_BENCHMARKS = {
    "turn": turn,
    "grow": grow,
    "stored": measure_storage,
    "export": export,
    "import": imports,
    "store": store,
    "remote": remote,
}

if __name__ == "__main__":
    stated = arguments.read(__doc__, list(_BENCHMARKS))
    for name in stated.benchmarks or _BENCHMARKS:
        _BENCHMARKS[name](QUICK if stated.quick else Size())
