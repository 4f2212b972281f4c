"""Another user prepares, or reads, the files that hold tokens and keys."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from adk_agent_sim.errors import InsecureFile, TokenRejected
from adk_agent_sim.link.channel import TokenSource, load_credentials
from adk_agent_sim.link.server_entry import ServerEntry, find_entry, list_entries
from adk_agent_sim.server.access.server_keys import load_or_create_server_id
from adk_agent_sim.timeline.private_files import read_private_file, write_private_file

pytestmark = pytest.mark.skipif(os.name != "posix", reason="file modes and links are those of POSIX")

_ANOTHER_USER = 65_534


@pytest.fixture(autouse=True)
def data_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return tmp_path / "data"


def _build_entry(token: str, addresses: Sequence[str] = ()) -> ServerEntry:
    return ServerEntry(token=token, grpc_port=7, grpc_addresses=list(addresses))


def _link(path: Path) -> None:
    path.rename(path.with_name("elsewhere"))
    path.symlink_to(path.with_name("elsewhere"))


def _expose(path: Path) -> None:
    path.chmod(0o644)


def _give_away(path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give files to other users")
    os.chown(path, _ANOTHER_USER, _ANOTHER_USER)


_CHANGES = [(_link, "symbolic link"), (_expose, "mode 0644"), (_give_away, "another user")]


@pytest.mark.parametrize(("change", "reason"), _CHANGES)
def test_a_key_file_is_rejected(tmp_path: Path, change: Callable[[Path], None], reason: str) -> None:
    server_id = load_or_create_server_id(tmp_path / "s.db")
    assert load_or_create_server_id(tmp_path / "s.db") == server_id
    change(tmp_path / "s.db.key")

    with pytest.raises(InsecureFile, match=reason):
        load_or_create_server_id(tmp_path / "s.db")


@pytest.mark.parametrize(("change", "reason"), _CHANGES)
def test_a_server_entry_is_rejected(change: Callable[[Path], None], reason: str) -> None:
    entry = _build_entry("adksim_x", ["127.0.0.1:7"])
    entry.write()
    assert find_entry(7) == entry
    change(entry.path)

    with pytest.raises(InsecureFile, match=reason):
        TokenSource("", "127.0.0.1", 7).get_token()


def test_files_are_private_from_the_beginning(tmp_path: Path) -> None:
    old = os.umask(0)
    try:
        write_private_file(tmp_path / "secret", "x")
        _build_entry("adksim_x").write()
        load_or_create_server_id(tmp_path / "s.db")
    finally:
        os.umask(old)

    (entry,) = list_entries()
    for path in (tmp_path / "secret", tmp_path / "s.db.key", entry.path):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    for folder in (entry.path.parent, entry.path.parent.parent):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_entries_are_listed_by_their_ports() -> None:
    for port in (10_000, 8_080, 50_051):
        ServerEntry(token="adksim_x", grpc_port=port, grpc_addresses=[]).write()  # noqa: S106

    assert [entry.grpc_port for entry in list_entries()] == [8_080, 10_000, 50_051]


def test_a_file_is_replaced_without_following_a_link(tmp_path: Path) -> None:
    (tmp_path / "victim").write_text("precious")
    (tmp_path / "secret").symlink_to(tmp_path / "victim")
    write_private_file(tmp_path / "secret", "x")

    assert (tmp_path / "victim").read_text() == "precious"
    assert read_private_file(tmp_path / "secret") == "x"


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "secret", 0o600)

    with pytest.raises(InsecureFile, match="regular file"):
        read_private_file(tmp_path / "secret")


def test_a_folder_that_others_can_write_to_is_not_used(data_home: Path) -> None:
    (data_home / "adksim" / "servers").mkdir(parents=True)
    (data_home / "adksim" / "servers").chmod(0o777)

    with pytest.raises(InsecureFile, match="change the folder"):
        _build_entry("adksim_x").write()


def test_the_token_of_an_older_release_is_removed_from_the_key_file(tmp_path: Path) -> None:
    path = tmp_path / "s.db.key"
    write_private_file(path, json.dumps({"token": "old", "server_id": "abc"}))

    assert load_or_create_server_id(tmp_path / "s.db") == "abc"
    assert json.loads(path.read_text()) == {"server_id": "abc"}


@pytest.mark.parametrize(
    ("addresses", "host", "is_sent"),
    [
        (["127.0.0.1:7"], "localhost", True),
        (["127.0.0.1:7"], "127.0.0.1", True),
        (["127.0.0.1:7"], "::1", True),
        (["127.0.0.1:7"], "evil.example", False),
        (["127.0.0.1:7"], "127.0.0.1.evil.example", False),
        (["0.0.0.0:7", "build-box:7"], "localhost", True),
        (["0.0.0.0:7", "build-box:7"], "BUILD-box", True),
        (["0.0.0.0:7", "build-box:7"], "other-box", False),
        (["192.0.2.1:7"], "192.0.2.1", True),
        (["192.0.2.1:7"], "localhost", False),
        ([], "localhost", False),
    ],
)
def test_the_token_of_a_local_server_is_sent_to_no_other(addresses: list[str], host: str, is_sent: bool) -> None:
    _build_entry("adksim_x", addresses).write()

    assert TokenSource("", host, 7).get_token() == ("adksim_x" if is_sent else "")
    assert TokenSource("", host, 8).get_token() == ""


def test_an_entry_is_removed_only_by_its_own_server() -> None:
    old, new = _build_entry("adksim_old"), _build_entry("adksim_new")
    old.write()
    new.write()
    old.remove()
    assert find_entry(7) is not None
    new.remove()
    assert find_entry(7) is None


def test_an_entry_does_not_show_its_token_when_it_is_printed() -> None:
    assert "adksim_x" not in repr(_build_entry("adksim_x"))


@pytest.mark.parametrize("token", ["adksim_ö", "adksim_a\nb", "\x00"])
def test_a_token_that_grpc_would_show_in_an_error_is_rejected_before(token: str) -> None:
    with pytest.raises(TokenRejected):
        load_credentials("localhost", token)

    padded = " adksim_a\n"
    assert load_credentials("localhost", padded).token == padded.strip()
