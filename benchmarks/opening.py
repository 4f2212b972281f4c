"""How long a session takes to open in the browser: from the wish to follow it to the rows that fill the screen.

A tab is sent the last 200 rows, whatever the length of the session. Sessions of 10 and of 1,000 turns, in one database;
opened for the first time after a start of the server, and again.

    python benchmarks/opening.py [--quick]
"""

from __future__ import annotations

import asyncio
import json
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import arguments
from google.adk.agents import LlmAgent
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.genai import types
from websockets.asyncio.client import connect

from adk_agent_sim import AgentSimulator, SimulatedAgentConfig
from adk_agent_sim.adk.runs.agent_run import AgentRun
from adk_agent_sim.persistence.database_store import open_store
from adk_agent_sim.timeline.timeline import Timeline

SIZES = (10, 1_000)
ROUNDS = 7


def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


AGENT = LlmAgent(name="sums", model="gemini-2.5-flash", tools=[add])


def model(request: LlmRequest) -> LlmResponse:
    """Calls a tool after a user message, and answers after its result."""
    last = (request.contents[-1].parts or [types.Part()])[-1]
    answers = last.function_response is not None
    part = (
        types.Part(text="done")
        if answers
        else types.Part(function_call=types.FunctionCall(name="add", args={"a": 1, "b": 2}))
    )
    return LlmResponse(content=types.Content(role="model", parts=[part]))


async def play_session(database: Path, turns: int) -> str:
    """Play a session of so many model turns, and return its id."""
    async with open_store(database, durability="normal") as store:
        run = AgentRun(AGENT, Timeline(store), player=model)
        ended = asyncio.Event()
        run.on_change = lambda: None if run.is_running else ended.set()
        await run.open()
        for _ in range(turns // 2):
            await run.start(types.Content(role="user", parts=[types.Part(text="and now?")]))
            await ended.wait()
            ended.clear()
        return run.recorded_session.session_id


async def time_opening(url: str, token: str, session_id: str) -> float:
    """Return the seconds from the wish to the rows."""
    address = url.split("/?", maxsplit=1)[0].replace("http://", "ws://") + "/api/live"
    origin = url.split("/?", maxsplit=1)[0]
    headers = {"Authorization": f"Bearer {token}"}
    async with connect(address, additional_headers=headers, origin=origin, max_size=None) as socket:  # type: ignore[arg-type]
        began = time.perf_counter()
        await socket.send(json.dumps({"session_id": session_id, "after_seq": 0, "tail": 200}))
        while json.loads(await socket.recv())["type"] != "session":
            pass
        return time.perf_counter() - began


async def main(sizes: Sequence[int], rounds: int) -> None:
    """Play, then open."""
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder) / "bench.db"
        ids = {turns: await play_session(database, turns) for turns in sizes}
        config = SimulatedAgentConfig(name="sums", agent=AGENT, eval_set_path=Path(folder) / "sums.evalset.json")
        async with await AgentSimulator([config], database=database).start(port=0) as server:
            for turns in sizes:
                first = await time_opening(server.url, server.token, ids[turns])
                again = min([await time_opening(server.url, server.token, ids[turns]) for _ in range(rounds)])
                print(f"{turns:>6} turns: first {first * 1000:7.1f} ms, again {again * 1000:6.1f} ms")


if __name__ == "__main__":
    quick = arguments.read(__doc__).quick
    asyncio.run(main((2, 10) if quick else SIZES, 1 if quick else ROUNDS))
