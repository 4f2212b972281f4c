"""Measures what showing sessions costs, as their number and their length grow.

    python benchmarks/sessions.py             takes minutes, nearly all of them to fill the databases
    python benchmarks/sessions.py --quick     the smallest size, which measures nothing

Each server runs in a process of its own, on a database that another process has filled. Each figure is the median of
the larger size divided by that of the smaller one. Nothing here passes or fails.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any
from uuid import uuid4

import arguments
import httpx
from websockets.asyncio.client import connect

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from timeline_builders import build_request_blocks, text_decision, user_content

from adk_agent_sim.persistence.database_store import open_store
from adk_agent_sim.server.composition import (
    RunningServices,
    ServeSettings,
    exclude_modules_from_collections,
    run_services,
)
from adk_agent_sim.server.web import web_server
from adk_agent_sim.timeline.events import AgentEvent, AgentJoined, RunEnded, RunOutcome, UserSpoke
from adk_agent_sim.timeline.submissions import EventBatch, TurnDecision, TurnRequest
from adk_agent_sim.timeline.timeline import Timeline

_FULL = {"sessions": (100, 10_000), "turns": (10, 1_000), "events": (1_000, 100_000), "opened": (20, 200), "rounds": 15}
_QUICK = {"sessions": (2, 4), "turns": (1, 2), "events": (10, 20), "opened": (1, 2), "rounds": 1}
_CHUNK = 100
"""How many sessions are filled at the same time, and how many events are appended together."""

_JOINED = AgentJoined(app_name="shop", user_id="u", adk_session_id="a", state={})
_DONE = RunEnded(invocation_id="i", outcome=RunOutcome.DONE)


async def _fill_sessions(path: Path, count: int) -> None:
    """Fill a database with sessions of two turns; in one of fifty, the second one waits."""
    async with open_store(path, durability="normal") as store:
        timeline = Timeline(store)
        for start in range(0, count, _CHUNK):
            numbers = range(start, min(start + _CHUNK, count))
            await asyncio.gather(*(_play_session(timeline, 2, is_waiting=number % 50 == 0) for number in numbers))


async def _play_session(timeline: Timeline, turns: int, *, is_waiting: bool = False) -> str:
    session_id = (await timeline.create_session()).session_id
    contents = [user_content("What is the weather in Paris?")]
    await timeline.append(EventBatch(session_id, [_JOINED, UserSpoke(content=contents[0])]))
    for number in range(turns):
        turn_id = str(uuid4())
        request = build_request_blocks(contents)
        await timeline.ask(
            TurnRequest(session_id, turn_id=turn_id, invocation_id="i", agent_name="weather", request=request)
        )
        if is_waiting and number == turns - 1:
            return session_id
        decision = text_decision(f"It is {number} degrees.")
        await timeline.decide(TurnDecision(session_id, turn_id, decision))
        contents.append(decision["content"])
        await timeline.append(EventBatch(session_id, [_build_event(decision["content"])], agent_name="weather"))
    await timeline.append(EventBatch(session_id, [_DONE]))
    return session_id


def _build_event(content: Any) -> AgentEvent:
    return AgentEvent(invocation_id="i", event={"content": content}, final=True)


async def _fill_lengths(path: Path, turns: Sequence[int], events: Sequence[int]) -> list[str]:
    """Fill a database with one session for each number of turns and of events; returns their ids."""
    session_ids: list[str] = []
    async with open_store(path, durability="normal") as store:
        timeline = Timeline(store)
        session_ids += [await _play_session(timeline, count) for count in turns]
        for count in events:
            session_id = (await timeline.create_session()).session_id
            event = _build_event({"parts": [{"text": "It is 20 degrees."}], "role": "model"})
            for _ in range(0, count, _CHUNK):
                await timeline.append(EventBatch(session_id, [event] * min(_CHUNK, count), agent_name="weather"))
            session_ids.append(session_id)
    return session_ids


async def _serve(path: Path, rounds: int, session_ids: Sequence[str], opened: Sequence[int]) -> dict[str, Any]:
    """Serve a database and measure, in a process of its own."""
    assert web_server  # noqa: S101 - imported here, not on the first start, of which it would be the most
    start = time.perf_counter()
    async with run_services(ServeSettings(database=path, grpc_port=0, port=0)) as served:
        figures: dict[str, Any] = {"restart until ready": time.perf_counter() - start}
        exclude_modules_from_collections()
        web = served.web
        assert web  # noqa: S101 - the web server is on by default
        headers = {"Authorization": f"Bearer {web.token}"}
        base = f"http://127.0.0.1:{web.port}"
        async with httpx.AsyncClient(base_url=base, headers=headers, timeout=600) as client:
            await client.get("/api/server")
            for session_id in session_ids:
                figures[f"open {session_id}"] = await _time(lambda each=session_id: _open(client, each))
            figures["first message to a tab"] = await _median(rounds, lambda: _open_tab(served))
            figures["queue page"] = await _median(rounds, lambda: _get(client, "/api/queue"))
            figures["list page"] = await _median(rounds, lambda: _get(client, "/api/sessions"))
            if opened:
                figures["memory"] = await _measure_memory(client, opened)
    return figures


async def _measure_memory(client: httpx.AsyncClient, opened: Sequence[int]) -> list[int]:
    """Open sessions one after another; returns the memory after so many."""
    page = (await client.get("/api/sessions", params={"limit": max(opened)})).json()["sessions"]
    sizes: list[int] = []
    for number, session in enumerate(page, start=1):
        await _open(client, session["session_id"])
        if number in opened:
            sizes.append(_read_memory())
    return sizes


def _read_memory() -> int:
    """Returns the resident memory of this process in bytes."""
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1_024
    return 0


async def _open(client: httpx.AsyncClient, session_id: str) -> None:
    await _get(client, f"/api/sessions/{session_id}")
    await _get(client, f"/api/sessions/{session_id}/rows?count=200")


async def _open_tab(served: RunningServices) -> None:
    assert served.web  # noqa: S101 - the web server is on by default
    headers = {"Authorization": f"Bearer {served.web.token}"}
    async with connect(f"ws://127.0.0.1:{served.web.port}/api/live", additional_headers=headers) as socket:
        await socket.send('{"session_id": null}')
        await socket.recv()


async def _get(client: httpx.AsyncClient, path: str) -> None:
    (await client.get(path)).raise_for_status()


async def _median(rounds: int, action: Callable[[], Awaitable[None]]) -> float:
    return statistics.median([await _time(action) for _ in range(rounds)])


async def _time(action: Callable[[], Awaitable[None]]) -> float:
    start = time.perf_counter()
    await action()
    return time.perf_counter() - start


def _measure(path: Path, rounds: int, session_ids: Sequence[str] = (), opened: Sequence[int] = ()) -> dict[str, Any]:
    work = json.dumps({"path": str(path), "rounds": rounds, "session_ids": session_ids, "opened": opened})
    done = subprocess.run([sys.executable, __file__, work], capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def _print_row(label: str, small: float, large: float, sizes: Sequence[int], unit: str = "ms") -> None:
    scale = 1_000 if unit == "ms" else 1e-6
    print(f"{label:<34}{sizes[0]:>8,}{small * scale:>11.1f} {unit}{sizes[1]:>9,}{large * scale:>11.1f} {unit}"
          f"{large / small:>8.2f}x")  # fmt: skip


def main(plan: dict[str, Any]) -> None:
    """Fill the databases, measure, and print a table."""
    rounds: int = plan["rounds"]
    with tempfile.TemporaryDirectory() as folder:
        print("\nSessions: what showing them costs, as their number and their length grow")
        figures: list[dict[str, Any]] = []
        for count in plan["sessions"]:
            path = Path(folder) / f"{count}.db"
            asyncio.run(_fill_sessions(path, count))
            figures.append(_measure(path, rounds, opened=plan["opened"] if count == max(plan["sessions"]) else ()))
        for label in ("first message to a tab", "queue page", "list page", "restart until ready"):
            _print_row(label, figures[0][label], figures[1][label], plan["sessions"])
        less, more = figures[1]["memory"]
        _print_row("memory after opening sessions", less, more, plan["opened"], unit="MB")
        path = Path(folder) / "lengths.db"
        ids = asyncio.run(_fill_lengths(path, plan["turns"], plan["events"]))
        # Each session is opened right after a start, so each needs a server of its own.
        groups = [ids] if plan is _QUICK else [[session_id] for session_id in ids]
        runs = [_measure(path, 1, group) for group in groups for _ in range(rounds)]
        opened = [
            statistics.median(run[f"open {session_id}"] for run in runs if f"open {session_id}" in run)
            for session_id in ids
        ]
        _print_row("opening after a start, by turns", opened[0], opened[1], plan["turns"])
        _print_row("first rows, by events", opened[2], opened[3], plan["events"])


def _run_child(work: dict[str, Any]) -> None:
    figures = asyncio.run(_serve(Path(work["path"]), work["rounds"], work["session_ids"], work["opened"]))
    print(json.dumps(figures))


if __name__ == "__main__":
    if len(sys.argv) == 2 and sys.argv[1].startswith("{"):
        arguments.be_quiet()
        _run_child(json.loads(sys.argv[1]))
    else:
        main(_QUICK if arguments.read(__doc__).quick else _FULL)
