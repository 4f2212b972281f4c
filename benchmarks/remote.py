"""How long after a person's decision an agent in another process goes on.

    person --SubmitDecision--> server: check, commit, publish --Subscribe--> agent resumes

against the least that could do it: one bare grpcio call that echoes the same bytes, and one durable commit of them with
sqlite3 alone. Servers run in processes of their own.

    python benchmarks/remote.py [--quick]
"""

from __future__ import annotations

import asyncio
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast
from uuid import uuid4

import grpc

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import arguments
from timeline_builders import build_request_blocks, user_content

from adk_agent_sim.link.outbox import Outbox
from adk_agent_sim.link.remote_link import RemoteLink
from adk_agent_sim.timeline.canonical_json import encode_json
from adk_agent_sim.timeline.submissions import TurnDecision, TurnRequest

TURNS = 200
_ECHO = "--serve-echo"
_SERVE = "from adk_agent_sim.cli.main import main; main()"
_DECISION = {"content": {"role": "model", "parts": [{"text": "x" * 1_000}]}}
_BYTES = encode_json(_DECISION)


@contextmanager
def run_process(*command: str) -> Generator[str]:
    """Run a Python process; yields where it says that agents connect to."""
    with subprocess.Popen([sys.executable, *command], stdout=subprocess.PIPE, text=True) as process:
        try:
            lines = (line for line in process.stdout or () if line.startswith("Agents connect to "))
            yield next(lines).split()[3]
        finally:
            process.kill()


def remote(folder: Path, turns: int) -> list[float]:
    """Seconds from each decision to the agent that goes on."""
    stated = ("serve", "--db", str(folder / "bench.db"), "--port", "0", "--grpc-port", "0")
    with run_process("-c", _SERVE, *stated) as url:
        return asyncio.run(_time_decisions(url, turns))


async def _time_decisions(url: str, turns: int) -> list[float]:
    agent = Outbox(url)
    session_id = agent.open_session("bench", lambda web_url: None)
    await agent.listen(session_id, lambda event: None)  # as the plugin does during a run
    seconds: list[float] = []
    async with RemoteLink(url) as person:
        for _ in range(turns):
            turn_id = str(uuid4())
            request = build_request_blocks([user_content("hi")])
            await agent.ask(
                TurnRequest(session_id, turn_id=turn_id, invocation_id="i", agent_name="a", request=request)
            )
            waiting = asyncio.create_task(agent.wait_for_decision(session_id, turn_id))
            await agent.flush(10)
            start = time.perf_counter()
            deciding = asyncio.create_task(person.decide(TurnDecision(session_id, turn_id, _DECISION)))
            await waiting
            seconds.append(time.perf_counter() - start)
            await deciding
    return seconds


def echo(turns: int) -> list[float]:
    """Seconds of each bare call that echoes the same bytes."""
    with run_process(__file__, _ECHO) as url:
        return asyncio.run(_time_echoes(url, turns))


async def _time_echoes(url: str, turns: int) -> list[float]:
    async with grpc.aio.insecure_channel(url) as channel:
        call = cast("Any", channel).unary_unary("/bench.Echo/Echo")
        return [await _time_call(call) for _ in range(turns)]


async def _time_call(call: Any) -> float:
    start = time.perf_counter()
    await call(_BYTES)
    return time.perf_counter() - start


def commit(folder: Path, turns: int) -> list[float]:
    """Seconds of each durable commit of the same bytes."""
    connection = sqlite3.connect(folder / "least.db", isolation_level=None)
    for statement in ("PRAGMA journal_mode=WAL", "PRAGMA synchronous=FULL", "CREATE TABLE t (data BLOB)"):
        connection.execute(statement)
    seconds: list[float] = []
    for _ in range(turns):
        start = time.perf_counter()
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("INSERT INTO t VALUES (?)", (_BYTES,))
        connection.execute("COMMIT")
        seconds.append(time.perf_counter() - start)
    connection.close()
    return seconds


async def _serve_echo() -> None:
    async def answer(request: bytes, _context: object) -> bytes:
        return request

    server = grpc.aio.server()
    # pyrefly: ignore[bad-argument-type] - the stub takes any function: `(*args: Any, **kwargs: Any)`
    echo: grpc.RpcMethodHandler[bytes, bytes] = grpc.unary_unary_rpc_method_handler(answer)
    handler = grpc.method_handlers_generic_handler("bench.Echo", {"Echo": echo})
    server.add_generic_rpc_handlers((handler,))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    print(f"Agents connect to 127.0.0.1:{port}", flush=True)
    await server.wait_for_termination()


def main(turns: int, rounds: int) -> None:
    """Measure, the peers in turns."""
    ours: list[float] = []
    called: list[float] = []
    committed: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        for number in range(rounds):
            place = Path(folder) / str(number)
            place.mkdir()
            ours += remote(place, turns // rounds)
            called += echo(turns // rounds)
            committed += commit(place, turns // rounds)
    own, one_call, one_commit = (statistics.median(seconds) * 1e3 for seconds in (ours, called, committed))
    print("Remote: from a decision to the agent that goes on, p50, against a bare echo and a durable commit")
    least = one_call + one_commit
    print(f"  ours {own:.2f} ms   echo {one_call:.2f} ms + commit {one_commit:.2f} ms   {own / least:.2f}x")


if __name__ == "__main__":
    if sys.argv[1:] == [_ECHO]:
        asyncio.run(_serve_echo())
    else:
        quick = arguments.read(__doc__).quick
        main(1 if quick else TURNS, 1 if quick else 3)
