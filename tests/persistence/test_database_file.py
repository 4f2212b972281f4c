"""A database file that is deleted, moved or replaced while it is open."""

from __future__ import annotations

import asyncio
import logging
import os
import re
import shutil
import sqlite3
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from uuid import uuid4

import grpc
import httpx
import pytest
from api_client import NO_TLS
from grpc_client import build_stub
from sqlalchemy import Connection
from stores import append_drafts, listen_to_engines
from timeline_builders import user_content

from adk_agent_sim.errors import StoreFailed
from adk_agent_sim.generated.adksim import v1
from adk_agent_sim.link.remote_link import RemoteLink
from adk_agent_sim.persistence.database_store import DatabaseStore, open_store
from adk_agent_sim.server.composition import ServeSettings, run_services
from adk_agent_sim.timeline.events import Event, Session, UserSpoke
from adk_agent_sim.timeline.read_model.session_read_model import create_read_model
from adk_agent_sim.timeline.store import number_events

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="Windows keeps others from deleting and moving an open file"
)

_SESSION = Session(session_id="s", created_at=1.0)


def _draft() -> Event:
    spoke = UserSpoke(content=user_content("hi"))
    return Event(event_id=str(uuid4()), session_id="s", seq=0, timestamp=1.0, payload=spoke)


def _delete(path: Path) -> None:
    path.unlink()


def _move_away(path: Path) -> None:
    path.rename(path.with_name("moved.db"))


def _replace(path: Path) -> None:
    path.with_name("new.db").write_bytes(b"")
    path.with_name("new.db").rename(path)


def _delete_folder(path: Path) -> None:
    shutil.rmtree(path.parent)


def _replace_folder(path: Path) -> None:
    shutil.rmtree(path.parent)
    path.parent.write_bytes(b"")


def _make_unreachable(path: Path) -> None:
    """Let the operating system refuse to look at the file; as root, permissions do not do that."""
    path.unlink()
    path.symlink_to(path)


def _delete_log(path: Path) -> None:
    Path(f"{path}-wal").unlink()


def _replace_log(path: Path) -> None:
    _delete_log(path)
    Path(f"{path}-wal").write_bytes(b"")


_DELETED = r"the file was deleted or moved while the database was in use\. Move it back, or restart the server\."
_REPLACED = r"the file was replaced by another file while the database was in use\. Move the original file back"
_LOSSES = [
    (_delete, _DELETED),
    (_move_away, _DELETED),
    (_replace, _REPLACED),
    (_delete_folder, _DELETED),
    (_replace_folder, _DELETED),
    (_make_unreachable, r"the file can no longer be accessed \(Too many levels of .*\)\. Make it accessible again"),
    (_delete_log, r"its log, the file ending in -wal, was deleted or moved while the database was in use"),
    (_replace_log, r"its log, the file ending in -wal, was replaced by another file while the database was in use"),
]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "folder").mkdir()
    return tmp_path / "folder" / "simulator.db"


def _get_errors(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.message for record in caplog.records if record.levelno == logging.ERROR]


async def _fill(store: DatabaseStore) -> None:
    await store.create_session(_SESSION)
    await append_drafts(store, [_draft()])


async def _append(store: DatabaseStore, seq: int = 2) -> Sequence[Event]:
    """Append an event without reading anything first."""
    (event,) = number_events([_draft()], seq - 1)
    return await store.append([event], (), create_read_model(_SESSION).with_events([event]))


@pytest.mark.parametrize(("lose", "reason"), _LOSSES)
async def test_reads_and_writes_are_rejected_and_the_loss_is_logged_once(
    path: Path, lose: Callable[[Path], None], reason: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with open_store(path) as store:
        await _fill(store)
        lose(path)
        for _ in range(2):
            with pytest.raises(StoreFailed, match=rf"Cannot read from .*simulator\.db: {reason}"):
                await store.read_events("s")
            with pytest.raises(StoreFailed, match=rf"Cannot write to .*simulator\.db: {reason}"):
                await _append(store)

    (message,) = _get_errors(caplog)
    assert message.startswith("Requests are rejected until this is fixed: Cannot read from")


async def test_a_write_during_which_the_file_disappears_is_not_confirmed(path: Path) -> None:
    def move_away(_: Connection) -> None:
        _move_away(path)

    async with open_store(path) as store:
        await store.create_session(_SESSION)
        with (
            listen_to_engines("commit", move_away),
            pytest.raises(StoreFailed, match=rf"Cannot write to .*: {_DELETED}"),
        ):
            await _append(store, seq=1)


async def test_a_file_that_is_moved_back_is_used_again(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async with open_store(path) as store:
        await _fill(store)
        _move_away(path)
        with pytest.raises(StoreFailed):
            await _append(store)
        path.with_name("moved.db").rename(path)

        assert (await _append(store))[0].seq == 2
        assert len(await store.read_events("s")) == 2
        _move_away(path)
        with pytest.raises(StoreFailed):
            await store.read_events("s")
    assert len(_get_errors(caplog)) == 2
    assert f"The file of the database {path} is back." in caplog.messages


@pytest.mark.parametrize("writes", [True, False])
async def test_a_moved_file_is_complete_and_leaves_no_log_to_its_successor(path: Path, writes: bool) -> None:
    async with open_store(path) as store:
        await _fill(store)
        _move_away(path)
        with pytest.raises(StoreFailed):
            await (_append(store) if writes else store.read_events("s"))

    assert path.name not in os.listdir(path.parent), "no new file is created"
    async with open_store(path.with_name("moved.db")) as store:
        assert len(await store.read_events("s")) == 1
    async with open_store(path) as store:
        assert not await store.list_summaries()
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    connection.close()


async def test_what_was_confirmed_before_the_log_was_deleted_is_kept(path: Path) -> None:
    async with open_store(path) as store:
        await _fill(store)
        _delete_log(path)
        with pytest.raises(StoreFailed, match="-wal"):
            await _append(store)
        saved = path.with_name("as_after_a_crash.db")
        shutil.copy(path, saved)
    for one in (saved, path):
        async with open_store(one) as store:
            assert len(await store.read_events("s")) == 1


async def test_a_link_that_leads_to_another_file_now(path: Path) -> None:
    async with open_store(path.with_name("other.db")) as store:
        await _fill(store)
    link = path.with_name("link.db")
    link.symlink_to(path)
    async with open_store(link) as store:
        await _fill(store)
        link.unlink()
        link.symlink_to(path.with_name("other.db"))
        with pytest.raises(StoreFailed, match=_REPLACED):
            await _append(store)


async def test_another_process_that_opens_and_closes_the_file_is_no_loss(path: Path) -> None:
    async with open_store(path) as store:
        await _fill(store)
        for _ in range(2):
            async with open_store(path) as other:
                assert len(await other.read_events("s")) == 1
        os.utime(path)
        assert (await _append(store))[0].seq == 2


async def test_a_server_answers_with_the_sentence(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    settings = ServeSettings(database=path, grpc_port=0, port=0)
    async with run_services(settings) as served:
        assert served.web
        session_id = (await served.timeline.create_session("kept")).session_id
        _move_away(path)
        headers = {"Authorization": f"Bearer {served.web.token}"}
        url = f"http://127.0.0.1:{served.web.port}"
        async with httpx.AsyncClient(verify=NO_TLS, base_url=url, headers=headers) as browser:
            listed = await browser.get("/api/sessions")
            renamed = await browser.patch(f"/api/sessions/{session_id}", json={"name": "sums"})
        for answer in (listed, renamed):
            assert answer.status_code == 503
            assert re.search(_DELETED, answer.text)
        async with grpc.aio.insecure_channel(served.grpc.address) as channel:
            metadata = (("authorization", f"Bearer {served.token}"),)
            for call in (
                build_stub(channel).CreateSession(v1.CreateSessionRequest(), metadata=metadata),
                build_stub(channel).ListSessions(v1.ListSessionsRequest(), metadata=metadata),
            ):
                with pytest.raises(grpc.aio.AioRpcError, match=_DELETED) as refused:
                    await call
                assert refused.value.code() is grpc.StatusCode.UNAVAILABLE
        assert len(_get_errors(caplog)) == 1

        path.with_name("moved.db").rename(path)
        assert [summary.session.description for summary in await served.timeline.list_summaries()] == ["kept"]


async def test_an_agent_waits_until_the_file_is_back(path: Path) -> None:
    settings = ServeSettings(database=path, grpc_port=0, web=False)
    async with run_services(settings) as served, RemoteLink(served.grpc.address, connect_timeout=0.2) as agent:
        _move_away(path)
        creating = asyncio.create_task(agent.create_session("kept"))
        await asyncio.wait({creating}, timeout=0.5)
        assert not creating.done()
        path.with_name("moved.db").rename(path)
        created = await creating

        assert [summary.session for summary in await served.timeline.list_summaries()] == [created]
