"""One server at a time uses a database; what only reads is not refused."""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import Generator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import psycopg
import pytest
from google.adk.agents import LlmAgent
from polling import pause, wait_until
from processes import ENVIRONMENT, invoke_adksim
from stores import create_empty_database

from adk_agent_sim import AgentSimulator, SimulatedAgentConfig
from adk_agent_sim.errors import StoreFailed, StoreNotOpened
from adk_agent_sim.persistence.database_lock import lock_database
from adk_agent_sim.persistence.database_store import open_store
from adk_agent_sim.server.composition import ServeSettings, run_services
from adk_agent_sim.timeline.events import Session

_REFUSAL = r"Cannot open the database .*: another server uses it\. Use that server"

_HOLD_LOCK = """
import asyncio, sys
from adk_agent_sim.persistence.database_lock import lock_database
async def main():
    async with lock_database(sys.argv[1]):
        print("locked", flush=True)
        await asyncio.Event().wait()
asyncio.run(main())
"""

_HOLDERS = """
SELECT pid, classid::int4, objid::int4 FROM pg_locks
WHERE locktype = 'advisory' AND granted AND objsubid = 2 AND objid::int4 = hashtext(%s)
"""

_QUEUED = "SELECT 1 FROM pg_stat_activity WHERE %s = ANY(pg_blocking_pids(pid))"


def _create_simulator(database: str) -> AgentSimulator:
    agent = LlmAgent(name="math", model="no-such-model")
    return AgentSimulator([SimulatedAgentConfig(name="math", agent=agent, eval_set_path="unused")], database=database)


async def _is_locked(database: str) -> bool:
    try:
        async with lock_database(database):
            return False
    except StoreNotOpened:
        return True


class _Postgres:
    """The lock of one schema, as an administrator sees it."""

    def __init__(self, connection: psycopg.Connection[Any], url: str) -> None:
        self._connection = connection
        self._schema = url.rpartition("%3D")[2]

    def find_holder(self) -> tuple[int, int, int] | None:
        """Return the process that holds the lock, and the two halves of its key."""
        return self._connection.execute(_HOLDERS, [self._schema]).fetchone()

    def get_holder(self) -> tuple[int, int, int]:
        holder = self.find_holder()
        assert holder, "nobody holds the lock"
        return holder

    def end_connection(self, pid: int) -> None:
        self._connection.execute("SELECT pg_terminate_backend(%s, 10000)", [pid])


@pytest.fixture
def postgres_url(postgres: str) -> str:
    return create_empty_database(postgres)


@pytest.fixture
def administrator(postgres: str, postgres_url: str) -> Generator[_Postgres]:
    with psycopg.connect(postgres, autocommit=True) as connection:
        yield _Postgres(connection, postgres_url)


@contextmanager
def _take_lock_next(postgres: str, holder: tuple[int, int, int]) -> Generator[None]:
    """Queue for a lock, as a server that starts at the very moment in which it becomes free."""
    pid, *key = holder
    with closing(psycopg.connect(postgres, autocommit=True)) as queued, psycopg.connect(postgres) as other:
        queued.pgconn.send_query(f"SELECT pg_advisory_lock({key[0]}, {key[1]})".encode())
        while not other.execute(_QUEUED, [pid]).fetchone():
            pass
        yield


async def test_a_second_server_is_refused_until_the_first_has_stopped(database: str) -> None:
    settings = ServeSettings(database=database, grpc_port=0, web=False)
    async with run_services(settings):
        with pytest.raises(StoreNotOpened, match=_REFUSAL):
            async with run_services(settings):
                pass
    async with run_services(settings):
        assert await _is_locked(database)


async def test_a_simulator_takes_the_same_lock(database: str) -> None:
    async with await _create_simulator(database).start(port=0):
        with pytest.raises(StoreNotOpened, match=_REFUSAL):
            async with run_services(ServeSettings(database=database, grpc_port=0, web=False)):
                pass
        with pytest.raises(StoreNotOpened, match=_REFUSAL):
            await _create_simulator(database).start(port=0)
    assert not await _is_locked(database)


async def test_a_simulator_that_does_not_start_releases_the_lock(tmp_path: Path) -> None:
    database = tmp_path / "notes.db"
    await asyncio.to_thread(database.write_text, "# Notes\n" * 1_000)
    with pytest.raises(StoreFailed, match="not a database"):
        await _create_simulator(str(database)).start(port=0)

    assert not await _is_locked(str(database))


async def test_commands_that_read_are_not_refused(database: str) -> None:
    async with open_store(database) as store:
        await store.create_session(Session(session_id="s", created_at=1.0, description="sums"))
    async with lock_database(database):
        listed = await asyncio.to_thread(invoke_adksim, "sessions", "--db", database)
        exported = await asyncio.to_thread(invoke_adksim, "export", "s", "--db", database, "--format", "markdown")

    assert "sums" in listed.stdout
    assert not exported.exit_code, exported.stderr


async def test_a_link_to_the_file_is_the_same_database(tmp_path: Path) -> None:
    (tmp_path / "link.db").symlink_to(tmp_path / "s.db")
    async with lock_database(tmp_path / "s.db"):
        assert await _is_locked(str(tmp_path / "link.db"))
        assert await _is_locked(f"sqlite:///file:{tmp_path / 's.db'}?mode=rw&uri=true")
        assert not await _is_locked(str(tmp_path / "other.db"))


async def test_two_schemas_of_one_database_are_two_databases(postgres: str) -> None:
    first, second = create_empty_database(postgres), create_empty_database(postgres)
    async with lock_database(first), lock_database(second):
        assert await _is_locked(first)
        assert await _is_locked(second)


@pytest.mark.process
async def test_a_server_that_is_killed_leaves_no_lock(database: str) -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", _HOLD_LOCK, database, stdout=asyncio.subprocess.PIPE, env=ENVIRONMENT
    )
    assert process.stdout
    assert await process.stdout.readline() == b"locked\n"
    assert await _is_locked(database)
    process.kill()
    await process.wait()

    while await _is_locked(database):  # PostgreSQL ends the session of a process when it notices the end of it
        pass


async def test_a_lock_whose_connection_was_closed_is_taken_again(postgres_url: str, administrator: _Postgres) -> None:
    async with lock_database(postgres_url) as lock:
        pid, *_ = administrator.get_holder()
        administrator.end_connection(pid)
        await wait_until(lambda: administrator.find_holder() is not None)

        assert administrator.get_holder()[0] != pid
        assert lock.loss is None
        assert await _is_locked(postgres_url)
    assert administrator.find_holder() is None


class _Network:
    """The connections to a PostgreSQL server, which can be cut without that it notices."""

    def __init__(self, upstream: str) -> None:
        self._upstream = upstream
        self._clients: list[asyncio.StreamWriter] = []
        self._servers: list[asyncio.StreamWriter] = []
        self._tasks: set[asyncio.Task[None]] = set()

    async def connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        answers, requests = await asyncio.open_unix_connection(self._upstream)
        self._clients.append(writer)
        self._servers.append(requests)
        self._tasks |= {asyncio.create_task(_forward(*way)) for way in ((reader, requests), (answers, writer))}

    def cut(self) -> None:
        for client in self._clients:
            client.transport.abort()

    async def close(self) -> None:
        for writer in (*self._clients, *self._servers):
            writer.transport.abort()
        for task in self._tasks:
            task.cancel()
        await asyncio.wait(self._tasks)
        await pause()  # the transports are closed in the next iteration of the loop


async def _forward(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Forward until the end, which is not forwarded."""
    with suppress(OSError):
        while data := await reader.read(65_536):
            writer.write(data)
    await asyncio.Event().wait()


async def test_a_session_that_outlives_its_connection_does_not_keep_the_lock(
    postgres: str, postgres_url: str, administrator: _Postgres, tmp_path: Path
) -> None:
    folder = postgres.rpartition("host=")[2]
    network = _Network(f"{folder}/.s.PGSQL.5432")
    server = await asyncio.start_unix_server(network.connect, tmp_path / ".s.PGSQL.5432")
    try:
        async with server, lock_database(postgres_url.replace(folder, str(tmp_path))) as lock:
            pid, *_ = await asyncio.to_thread(administrator.get_holder)
            network.cut()
            await wait_until(lambda: (administrator.find_holder() or (pid,))[0] != pid)

            assert lock.loss is None
    finally:
        await network.close()


async def test_a_server_whose_lock_another_one_has_taken_stops_with_the_error(
    postgres: str, postgres_url: str, administrator: _Postgres, caplog: pytest.LogCaptureFixture
) -> None:
    async def serve_until_lost() -> None:
        stop = asyncio.Event()
        async with run_services(ServeSettings(database=postgres_url, grpc_port=0, web=False)) as served:
            served.lock.call_when_lost(stop.set)
            holder = administrator.get_holder()
            with _take_lock_next(postgres, holder):
                administrator.end_connection(holder[0])
                await stop.wait()

    with caplog.at_level(logging.ERROR), pytest.raises(StoreNotOpened, match=_REFUSAL):
        await serve_until_lost()
    assert [record.message for record in caplog.records if record.message.startswith("This server stops: ")]


async def test_a_simulator_whose_lock_another_one_has_taken_stops(
    postgres: str, postgres_url: str, administrator: _Postgres
) -> None:
    server = await _create_simulator(postgres_url).start(port=0)
    holder = administrator.get_holder()
    with _take_lock_next(postgres, holder):
        administrator.end_connection(holder[0])
        await server.wait_until_stopped()
        with pytest.raises(StoreNotOpened, match=_REFUSAL):
            await server.stop()
