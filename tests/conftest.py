"""The stores that tests run on, and how property tests look for counterexamples.

By default property tests try the same values every time, so that a check of unchanged code cannot fail by chance; the
long run, `HYPOTHESIS_PROFILE=explore`, looks for new ones.
"""

import os
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import stores
from hypothesis import settings
from stores import AnyStore

from adk_agent_sim.persistence.database_store import DatabaseStore, open_store
from adk_agent_sim.timeline.store import MemoryStore

settings.register_profile("steady", derandomize=True, deadline=None)
settings.register_profile("explore", max_examples=1_000, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))


@pytest.fixture(scope="session")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Run a PostgreSQL server and return its URL."""
    with stores.run_postgres_server(tmp_path_factory.mktemp("postgres")) as url:
        yield url


@pytest.fixture
def sqlite_path(tmp_path: Path) -> Path:
    return tmp_path / "simulator.db"


@pytest.fixture(params=["sqlite", "postgres"])
def database(request: pytest.FixtureRequest) -> str:
    """Return the URL of an empty database."""
    if request.param == "sqlite":
        return str(request.getfixturevalue("sqlite_path"))
    return stores.create_empty_database(request.getfixturevalue("postgres"))


@pytest.fixture
async def database_store(database: str) -> AsyncIterator[DatabaseStore]:
    async with open_store(database) as store:
        yield store


@pytest.fixture(params=["memory", "sqlite", "postgres"])
async def store(request: pytest.FixtureRequest) -> AsyncIterator[AnyStore]:
    """Open each kind of store: a test that uses this fixture runs on all of them."""
    if request.param == "memory":
        yield MemoryStore()
        return
    address = (
        str(request.getfixturevalue("sqlite_path"))
        if request.param == "sqlite"
        else stores.create_empty_database(request.getfixturevalue("postgres"))
    )
    async with open_store(address) as opened:
        yield opened
