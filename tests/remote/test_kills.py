"""Servers killed and connections cut at random points of a session of 40 turns: it ends as an undisturbed one."""

from __future__ import annotations

import asyncio
import os
import random
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from counts import soak_seed
from polling import pause
from processes import ServerProcess, read_lines, start_python
from proxy import run_proxy
from scripted_model import call_response, text_response

from adk_agent_sim.link.remote_link import RemoteLink
from adk_agent_sim.link.server_entry import find_entry
from adk_agent_sim.persistence.database_store import open_store
from adk_agent_sim.timeline.events import (
    AgentEvent,
    AgentJoined,
    Event,
    RunEnded,
    ToolFinished,
    ToolStarted,
    TurnAsked,
    TurnDecided,
    UserSpoke,
)
from adk_agent_sim.timeline.submissions import TurnDecision

pytestmark = pytest.mark.process

AGENT = Path(__file__).with_name("agent_process.py")
TESTS = str(Path(__file__).parent.parent)
TURNS = 40

Disturb = Callable[[], Awaitable[None]]


def _list_expected_types() -> list[type]:
    """Return the types of the events of a session that nobody disturbed."""
    calling = [TurnAsked, TurnDecided, AgentEvent, ToolStarted, ToolFinished, AgentEvent]
    return [AgentJoined, UserSpoke, *calling * (TURNS - 1), TurnAsked, TurnDecided, AgentEvent, RunEnded]


def _decision(turn: int) -> dict[str, Any]:
    return call_response(("add", {"a": turn, "b": turn})) if turn < TURNS - 1 else text_response("all summed up")


async def _session(link: RemoteLink, known: set[str]) -> str:
    while not (new := [one.session_id for one in await link.list_sessions() if one.session_id not in known]):
        await pause()
    known.add(new[0])
    return new[0]


async def _play(url: str, known: set[str], seen: list[Event]) -> None:
    """A person who answers turn after turn, with the same decision however often it is asked for."""
    async with RemoteLink(url) as link:
        session_id = await _session(link, known)
        turn = 0
        async for event in link.follow(session_id):
            seen.append(event)
            if isinstance(event.payload, TurnAsked):
                await link.decide(TurnDecision(session_id, event.turn_id, _decision(turn), decision_id=event.turn_id))
                turn += 1
            if isinstance(event.payload, RunEnded):
                return


async def _play_disturbed(
    server: ServerProcess,
    agent_url: str,
    disturb: Disturb,
    *,
    times: int,
    chance: random.Random,
    known: set[str],
) -> list[Event]:
    """Play a whole session, disturbed at random points of it, and return what the person saw."""
    points = sorted(chance.sample(range(1, len(_list_expected_types()) - 2), times))
    environment = {
        "ADK_SIM_SERVER_URL": agent_url,
        "PYTHONPATH": os.pathsep.join([TESTS, *filter(None, [os.environ.get("PYTHONPATH")])]),
    }
    if agent_url != server.url:  # the agent cannot know whose address it is
        entry = find_entry(server.port)
        assert entry is not None
        environment["ADK_SIM_TOKEN"] = entry.token
    agent = await start_python(AGENT, "sums", **environment)
    seen: list[Event] = []
    async with asyncio.timeout(600):
        playing = asyncio.create_task(_play(server.url, known, seen))
        for point in points:
            while len(seen) < point and not playing.done():
                await pause()
            await asyncio.wait({playing}, timeout=chance.random() * 0.02)
            await disturb()
        await playing
        assert await read_lines(agent) == ["all summed up"]
        assert await agent.wait() == 0
    return seen


async def _check(database: Path, seen: Sequence[Event]) -> None:
    """Nothing lost, nothing twice, everything as decided, and all that the follower saw is the log."""
    async with open_store(database) as store:
        log = await store.read_events(seen[0].session_id)
    assert seen == log
    assert [type(event.payload) for event in log] == _list_expected_types()
    assert [event.seq for event in log] == list(range(1, len(log) + 1))
    assert len({event.event_id for event in log}) == len(log)
    responses = [event.payload.response for event in log if isinstance(event.payload, TurnDecided)]
    assert responses == [_decision(turn) for turn in range(TURNS)]
    results = [event.payload.result for event in log if isinstance(event.payload, ToolFinished)]
    assert results == [2 * turn for turn in range(TURNS - 1)]


async def _with_killed_servers(path: Path, *, sessions: int, kills: int, seed: str) -> None:
    chance = random.Random(seed)  # noqa: S311 - a test repeats itself
    server = ServerProcess(path)
    await server.start()
    known: set[str] = set()

    async def kill() -> None:
        await server.kill()
        await server.start()

    found = [
        await _play_disturbed(server, server.url, kill, times=kills, chance=chance, known=known)
        for _ in range(sessions)
    ]
    await server.stop()
    for seen in found:
        await _check(path, seen)


async def _with_cut_connections(path: Path, *, sessions: int, cuts: int, seed: str) -> None:
    chance = random.Random(seed)  # noqa: S311 - a test repeats itself
    server = ServerProcess(path)
    await server.start()
    known: set[str] = set()
    found: list[list[Event]] = []
    async with run_proxy(server.port) as proxy:

        async def cut() -> None:
            proxy.cut()

        for _ in range(sessions):
            agent_url = f"127.0.0.1:{proxy.port}"
            found.append(await _play_disturbed(server, agent_url, cut, times=cuts, chance=chance, known=known))
    await server.stop()
    for seen in found:
        await _check(path, seen)


async def test_a_session_ends_as_undisturbed_although_its_server_is_killed_again_and_again(tmp_path: Path) -> None:
    await _with_killed_servers(tmp_path / "s.db", sessions=1, kills=5, seed="five")


async def test_a_session_ends_as_undisturbed_although_its_connection_is_cut_again_and_again(tmp_path: Path) -> None:
    await _with_cut_connections(tmp_path / "s.db", sessions=1, cuts=5, seed="five")


@pytest.mark.long
async def test_two_hundred_kills_of_the_server_lose_nothing(tmp_path: Path) -> None:
    await _with_killed_servers(tmp_path / "s.db", sessions=20, kills=10, seed="two hundred")


@pytest.mark.long
async def test_two_hundred_cuts_of_the_connection_lose_nothing(tmp_path: Path) -> None:
    await _with_cut_connections(tmp_path / "s.db", sessions=20, cuts=10, seed="two hundred")


@pytest.mark.soak
async def test_kills_of_the_server_lose_nothing_whenever_they_come(tmp_path: Path) -> None:
    await _with_killed_servers(tmp_path / "s.db", sessions=5, kills=10, seed=soak_seed())


@pytest.mark.soak
async def test_cuts_of_the_connection_lose_nothing_whenever_they_come(tmp_path: Path) -> None:
    await _with_cut_connections(tmp_path / "s.db", sessions=5, cuts=10, seed=soak_seed())
