"""Processes that die while they write, and processes that write at the same time."""

import asyncio
import os
import random
import sqlite3
import threading
from pathlib import Path
from uuid import uuid4

import fork_server
import pytest
from counts import soak_seed
from fork_server import OpenProcess
from timeline_builders import ask_turn, call_decision, text_decision

from adk_agent_sim.errors import TurnAlreadyDecided
from adk_agent_sim.persistence.database_store import open_store
from adk_agent_sim.timeline.clock import WallClock
from adk_agent_sim.timeline.events import ArtifactSaved, Event, Session
from adk_agent_sim.timeline.submissions import TurnDecision
from adk_agent_sim.timeline.timeline import Timeline

_SCRIPT = Path(__file__).with_name("writing_process.py")
_ENDLESS = 10**9


def _start_writer(address: str | Path, session_id: str, producers: int, events_each: int) -> OpenProcess:
    command = [str(_SCRIPT), str(address), session_id, str(producers), str(events_each)]
    return fork_server.open_process(command, environment=os.environ)


async def _new_session(address: str | Path) -> str:
    session = Session(session_id=str(uuid4()), created_at=1.0)
    async with open_store(address) as store:
        await store.create_session(session)
    return session.session_id


def _read_acknowledged(lines: list[str]) -> dict[int, str]:
    """Return the acknowledged events; a killed process may leave an incomplete line."""
    return {int(seq): event_id for seq, event_id in (line.split() for line in lines if line.endswith("\n"))}


async def _kill_while_writing(path: Path, chance: random.Random) -> None:
    session_id = await _new_session(path)
    with _start_writer(path, session_id, producers=8, events_each=_ENDLESS) as process:
        assert process.stdout
        lines = [process.stdout.readline() for _ in range(chance.randrange(1, 400))]
        process.kill()
        lines += process.stdout.readlines()
    acknowledged = _read_acknowledged(lines)

    async with open_store(path) as store:
        log = await store.read_events(session_id)
        blocks = [event.payload.block for event in log if isinstance(event.payload, ArtifactSaved)]
        assert len(await store.read_blocks(session_id, blocks)) == len(log), "an event came without its block"
    assert acknowledged.items() <= {event.seq: event.event_id for event in log}.items()
    assert [event.seq for event in log] == list(range(1, len(log) + 1))
    assert len({event.event_id for event in log}) == len(log)
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    connection.close()


@pytest.mark.process
@pytest.mark.parametrize("seed", range(5))
async def test_a_process_that_is_killed_while_it_writes_loses_nothing_acknowledged(
    sqlite_path: Path, seed: int
) -> None:
    await _kill_while_writing(sqlite_path, random.Random(seed))  # noqa: S311 - a test must be reproducible


@pytest.mark.process
@pytest.mark.long
async def test_a_file_survives_a_hundred_killed_writers(sqlite_path: Path) -> None:
    chance = random.Random("a hundred")  # noqa: S311 - a test must be reproducible
    for _ in range(100):
        await _kill_while_writing(sqlite_path, chance)


@pytest.mark.process
@pytest.mark.soak
async def test_a_file_survives_killed_writers_whenever_they_are_killed(sqlite_path: Path) -> None:
    chance = random.Random(soak_seed())  # noqa: S311 - a round repeats itself
    for _ in range(100):
        await _kill_while_writing(sqlite_path, chance)


@pytest.mark.process
async def test_processes_that_write_at_the_same_time_number_without_gaps(database: str) -> None:
    session_id = await _new_session(database)
    processes = [_start_writer(database, session_id, producers=4, events_each=25) for _ in range(3)]
    acknowledged = [_read_acknowledged(process.communicate()[0].splitlines(keepends=True)) for process in processes]

    async with open_store(database) as store:
        log = await store.read_events(session_id)
    assert [process.returncode for process in processes] == [0, 0, 0]
    assert {event.seq: event.event_id for event in log} == acknowledged[0] | acknowledged[1] | acknowledged[2]
    assert [event.seq for event in log] == list(range(1, 301))


async def test_a_new_database_that_is_opened_many_times_at_once_is_created_once(database: str) -> None:
    async def create_session() -> None:
        async with open_store(database) as store:
            await store.create_session(Session(session_id=str(uuid4()), created_at=1.0))

    await asyncio.gather(*(asyncio.to_thread(asyncio.run, create_session()) for _ in range(8)))

    async with open_store(database) as store:
        assert len(await store.list_summaries()) == 8


@pytest.mark.req("003/queue-1")
async def test_pending_turns_survive_a_restart(database: str) -> None:
    async with open_store(database) as store:
        timeline = Timeline(store)
        session_id = (await timeline.create_session()).session_id
        for turn in ("t1", "t2", "t3"):
            await ask_turn(timeline, session_id, turn)
        await timeline.decide(TurnDecision(session_id, "t1", text_decision("one")))

    async with open_store(database) as store:
        timeline = Timeline(store)
        waiting = await timeline.get_pending_turns(session_id)
        assert [event.turn_id for event in waiting] == ["t2", "t3"]
        assert "add" in (await timeline.read_request(waiting[0])).declarations
        await timeline.decide(TurnDecision(session_id, "t2", call_decision("add", a=1, b=2)))
        assert [event.seq for event in await timeline.read_events(session_id)] == [1, 2, 3, 4, 5]


@pytest.mark.req("003/rule-1")
async def test_of_two_timelines_that_decide_a_turn_the_first_wins(database: str) -> None:
    async with open_store(database) as one, open_store(database) as other:
        mine = Timeline(one)
        session_id = (await mine.create_session()).session_id
        await ask_turn(mine, session_id, "t1")
        theirs = Timeline(other)
        assert [event.turn_id for event in await theirs.get_pending_turns(session_id)] == ["t1"]
        first = await mine.decide(TurnDecision(session_id, "t1", text_decision("first")))

        with pytest.raises(TurnAlreadyDecided, match=first.event_id):
            await theirs.decide(TurnDecision(session_id, "t1", text_decision("second")))
        assert await other.read_events(session_id) == await one.read_events(session_id)


class _OvertakenClock(WallClock):
    """Lets another writer append an event before each of the first commits."""

    def __init__(self, address: str, session_id: str, count: int) -> None:
        self.remaining = count
        self._address = address
        self._session_id = session_id
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever)
        self._thread.start()

    def now(self) -> float:
        if self.remaining:
            self.remaining -= 1
            asyncio.run_coroutine_threadsafe(self._append(), self._loop).result()
        return super().now()

    def stop(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _append(self) -> None:
        async with open_store(self._address) as store:
            await Timeline(store).append_drafts(self._session_id, [_draft(self._session_id)])


def _draft(session_id: str) -> Event:
    saved = ArtifactSaved(filename="f", version=0, mime_type="m", block="")
    return Event(event_id=str(uuid4()), session_id=session_id, seq=0, timestamp=1.0, payload=saved)


async def test_a_writer_whom_others_overtake_again_and_again_writes_in_the_end(sqlite_path: Path) -> None:
    session_id = await _new_session(sqlite_path)
    clock = _OvertakenClock(str(sqlite_path), session_id, 120)
    try:
        async with open_store(sqlite_path) as store:
            (event,) = await Timeline(store, clock).append_drafts(session_id, [_draft(session_id)])
    finally:
        clock.stop()

    assert (clock.remaining, event.seq) == (0, 121)
