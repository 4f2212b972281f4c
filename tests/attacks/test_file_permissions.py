"""Databases and exports can be read by their owner only, wherever they are, with any umask."""

import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from adk_agent_sim import Simulation
from adk_agent_sim.adk.demo.math_agent.agent import app as math_app
from adk_agent_sim.persistence.database_lock import lock_database
from adk_agent_sim.persistence.database_store import open_store
from adk_agent_sim.timeline.atomic_files import atomic_write_text
from adk_agent_sim.timeline.timeline import Timeline

pytestmark = pytest.mark.skipif(os.name != "posix", reason="Windows uses the rules of the folder")


@pytest.fixture(autouse=True)
def open_umask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


def _get_mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def _list_modes(folder: Path) -> dict[str, int]:
    return {each.name: _get_mode(each) for each in folder.rglob("*") if each.is_file()}


def _open_exports(folder: Path) -> None:
    for each in folder.rglob("*"):
        if each.is_file() and each.suffix != ".lock":  # a lock is empty
            each.chmod(0o644)


async def test_a_database_and_the_files_beside_it_are_private(tmp_path: Path) -> None:
    path = tmp_path / "sessions.db"
    async with lock_database(path), open_store(path) as store:
        await Timeline(store).create_session("x")
        modes = _list_modes(tmp_path)

    assert {"sessions.db", "sessions.db-wal", "sessions.db-shm", "sessions.db.lock"} <= set(modes)
    assert set(modes.values()) == {0o600}


async def test_an_existing_database_is_made_private(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "sessions.db"
    sqlite3.connect(path).close()
    path.touch()
    path.chmod(0o644)

    async with open_store(path):
        pass

    assert _get_mode(path) == 0o600
    assert "only its owner can" in caplog.text


async def test_a_database_that_is_a_link_is_private_where_it_is(tmp_path: Path) -> None:
    (tmp_path / "link.db").symlink_to(tmp_path / "real.db")
    async with open_store(tmp_path / "link.db"):
        pass

    assert _get_mode(tmp_path / "real.db") == 0o600


async def test_every_export_is_private(tmp_path: Path) -> None:
    async with Simulation(math_app) as sim:
        turn = await sim.send("What is 1+2?")
        await turn.respond("3")
        (tmp_path / "tests").mkdir()
        for replaces in (False, True):  # the second time into existing files
            sim.export(tmp_path / "cases.evalset.json", again=True)
            sim.export_adk_test(tmp_path / "tests" / "case.json", force=True, replace=replaces)
            await sim.export_jsonl(tmp_path / "session.jsonl")
            atomic_write_text(tmp_path / "report.md", sim.report())
            modes = _list_modes(tmp_path)
            assert len(modes) >= 4
            assert set(modes.values()) == {0o600}, modes
            _open_exports(tmp_path)
