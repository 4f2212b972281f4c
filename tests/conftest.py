"""The stores that tests run on, what a test needs of the machine, and how property tests look for counterexamples.

By default property tests try the same few values every time, so that a check of unchanged code is quick and cannot fail
by chance; `HYPOTHESIS_PROFILE=explore` looks for new ones, and for many.
"""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import tempfile
from collections.abc import AsyncIterator, Generator, Iterator
from pathlib import Path
from typing import Any

import fork_server
import pytest
import stores
from agent_folders import forget_imports
from counts import load_profile, soak_is_over
from hypothesis import is_hypothesis_test
from sqlalchemy import Engine, create_engine
from stores import AnyStore

from adk_agent_sim.persistence.database_engine import parse_database_url
from adk_agent_sim.persistence.database_store import DatabaseStore, open_store
from adk_agent_sim.timeline.store import MemoryStore

# ADK and the tests are a million objects, which the garbage collector would go through again and again.
gc.set_threshold(50_000, 20, 50)
# Servers leave entries for programs of the same user in the data directory; those of tests must not be among them.
_data_home = tempfile.TemporaryDirectory(prefix="adksim-tests-")
os.environ["XDG_DATA_HOME"] = _data_home.name
os.environ.pop("ADK_SIM_TOKEN", None)
load_profile()
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # As a job in the background of a script: what the tests start must hear a Ctrl-C all the same.
    signal.signal(signal.SIGINT, signal.default_int_handler)

_POSTGRES = pytest.param("postgres", marks=pytest.mark.process)


def _note_process(*arguments: Any, **options: Any) -> None:
    fork_server.started.append(str(options.get("args", arguments[1:]))[:200])
    _start_process(*arguments, **options)


# An audit hook would be called for every file that is opened and every module that is imported.
_start_process: Any = subprocess.Popen.__init__
subprocess.Popen.__init__ = _note_process  # pyrefly: ignore[method-assign]


def pytest_configure(config: pytest.Config) -> None:
    """Start one server of processes for all workers."""
    if not hasattr(config, "workerinput"):
        fork_server.share_with_children()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_setupnodes(specs: list[Any]) -> None:
    """Fork the workers from one process that has imported the libraries, instead of importing them in each."""
    for spec in specs:
        spec.python = fork_server.find_worker_python()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what can be seen: tests of the browser and of PostgreSQL, property tests."""
    web = Path(__file__).parent / "web"
    for item in items:
        if web in item.path.parents:
            item.add_marker(pytest.mark.browser)
        if isinstance(item, pytest.Function) and "postgres" in item.fixturenames:
            item.add_marker(pytest.mark.process)
        if is_hypothesis_test(getattr(item, "obj", None)):
            item.add_marker(pytest.mark.property)


def pytest_collection_finish() -> None:
    """Keep the garbage collector away from what lives until the end."""
    gc.freeze()


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish() -> None:
    """Collect garbage once: pytest does it five times at the end, which would take each worker seconds."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None]:
    """End a soak in time, and find processes that fixtures start."""
    if soak_is_over():
        pytest.skip("the hours of the soak are over")
    yield from _only_marked(item)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None]:
    """Find processes that the test itself starts."""
    yield from _only_marked(item)


def _only_marked(item: pytest.Item) -> Generator[None]:
    """Fail a test that starts a process and does not say so: `make check` would be slower by it."""
    before = len(fork_server.started)
    yield
    if len(fork_server.started) > before and not {"browser", "process"} & {mark.name for mark in item.iter_markers()}:
        pytest.fail(f"It starts a process, so it must be marked `process`: {fork_server.started[before]}")


@pytest.fixture(autouse=True)
def clean_imports() -> Generator[None]:
    """Keep agents that a test loads out of the next test: many have the same names."""
    with forget_imports():
        yield


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """Run a PostgreSQL server for this worker and return its URL."""
    with stores.run_postgres_server() as url:
        yield url


@pytest.fixture
def sqlite_path(tmp_path: Path) -> Path:
    return tmp_path / "simulator.db"


@pytest.fixture(params=["sqlite", _POSTGRES])
def database(request: pytest.FixtureRequest) -> str:
    """Return the URL of an empty database."""
    if request.param == "sqlite":
        return str(request.getfixturevalue("sqlite_path"))
    return stores.create_empty_database(request.getfixturevalue("postgres"))


@pytest.fixture
def engine(database: str) -> Generator[Engine]:
    """Reach the tables of the database directly."""
    engine = create_engine(parse_database_url(database))
    yield engine
    engine.dispose()


@pytest.fixture
async def database_store(database: str) -> AsyncIterator[DatabaseStore]:
    async with open_store(database) as store:
        yield store


@pytest.fixture(params=["memory", "sqlite", _POSTGRES])
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
