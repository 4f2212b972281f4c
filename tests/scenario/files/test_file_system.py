"""The two file systems: no path leaves the root, and what the corpus does not cover behaves like a disk."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from counts import examples
from hypothesis import given
from hypothesis import strategies as st

from adk_agent_sim.scenario.app_base.app import AppContext, CallerRole
from adk_agent_sim.scenario.app_base.tool_call import call_tool
from adk_agent_sim.scenario.apps.sandbox_files import SandboxLocalFileSystem
from adk_agent_sim.scenario.apps.virtual_files import VirtualFileSystem
from adk_agent_sim.scenario.files.file_system import FileSystem

_BOTH = [SandboxLocalFileSystem, VirtualFileSystem]
_HOSTILE = [
    "..",
    "../x",
    "/..",
    "a/../../x",
    "/a/b/../../../etc/passwd",
    "./../x",
    "a/./../../b",
    "../" * 50 + "etc/passwd",
    "/../../../../../../tmp",
    "~/../../..",
    "//../x",
]


def _files(kind: type[FileSystem], *names: str, **given: Any) -> FileSystem:
    """A file system with some empty files, and folders where a name ends with a slash."""
    app = kind(
        "Files", AppContext(**given), {"files": {"name": "", "type": "directory", "children": []}, "tmpdir": "/root"}
    )
    for name in names:
        if name.endswith("/"):
            _call(app, "mkdir", path=name)
        else:
            app.write_bytes(name, b"")
    return app


def _call(app: FileSystem, function: str, **arguments: Any) -> Any:
    outcome = call_tool(app, function, arguments, caller=CallerRole.AGENT)
    if outcome.error is not None:
        raise outcome.error
    return outcome.value


def _all_paths(app: FileSystem, path: str = "/") -> set[str]:
    listed = _call(app, "ls", path=path, detail=True)
    below = (_all_paths(app, each["name"]) for each in listed if each["type"] == "directory")
    return {each["name"] for each in listed}.union(*below)


@pytest.mark.parametrize("kind", _BOTH)
@pytest.mark.parametrize("path", _HOSTILE)
def test_no_tool_follows_a_path_out_of_the_root(kind: type[FileSystem], path: str) -> None:
    app = _files(kind, "a/", "kept.txt")
    before = app.state()
    for tool in app.tools().values():
        for place in (each.name for each in tool.arguments if each.name in {"path", "path1", "path2", "file_path"}):
            arguments = {each.name: "/kept.txt" for each in tool.arguments if each.required} | {place: path}
            outcome = call_tool(app, tool.name, arguments, caller=CallerRole.AGENT)
            assert isinstance(outcome.error, PermissionError | FileNotFoundError), tool.name
            assert "outside sandbox" in str(outcome.error)
    assert app.state() == before


@examples(100)
@given(
    st.lists(st.sampled_from(["..", ".", "a", "b", "", "~", "/", "\\", "%2e%2e", "\0", "..\u2044"]), max_size=8).map(
        "/".join
    )
)
def test_whatever_a_path_says_it_lies_below_the_root_or_is_refused(path: str) -> None:
    app = _files(VirtualFileSystem, "a/b/")
    found = call_tool(app, "mkdir", {"path": path}, caller=CallerRole.AGENT)
    refusals = (OSError, ValueError) if "\0" in path else OSError
    assert found.error is None or isinstance(found.error, refusals)
    assert all(".." not in each.split("/") for each in _all_paths(app))


def test_no_tool_touches_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    secret = tmp_path / "secret.txt"
    secret.write_text("secret")
    app = SandboxLocalFileSystem("Files", AppContext(), {"tmpdir": str(tmp_path)})
    assert _call(app, "exists", path="secret.txt") is False
    assert _call(app, "exists", path=str(secret)) is False
    _call(app, "mkdir", path="/made")
    _call(app, "open", path="/made/f.txt", mode="w")
    app.write_bytes("/secret.txt", b"changed")
    _call(app, "rm", path="/secret.txt")
    assert os.listdir(tmp_path) == ["secret.txt"]
    assert secret.read_text() == "secret"


@pytest.mark.parametrize("kind", _BOTH)
def test_a_name_that_is_a_link_on_some_disk_is_a_plain_file_here(kind: type[FileSystem]) -> None:
    state = {
        "files": {"name": "", "type": "directory", "children": [{"name": "out", "type": "link", "target": "/etc"}]}
    }
    app = kind("Files", AppContext(), state)
    assert app.state() == state
    assert _call(app, "cat", path="/out") == b""
    assert _call(app, "tree", path="/out") == "out\n└── out\n"
    assert _call(app, "exists", path="/out/passwd") is False


@pytest.mark.parametrize("kind", _BOTH)
def test_folders_cannot_be_nested_until_nothing_can_read_them(kind: type[FileSystem]) -> None:
    app = _files(kind)
    with pytest.raises(OSError, match="File name too long"):
        _call(app, "mkdir", path="/a" * 201)
    with pytest.raises(OSError, match="File name too long"):
        _call(app, "mkdir", path="/" + "n" * 256)
    _call(app, "mkdir", path="/a" * 150)
    _call(app, "mkdir", path="/b" * 150)
    with pytest.raises(OSError, match="File name too long"):
        _call(app, "mv", path1="/b", path2="/a" * 100)
    assert len(_call(app, "tree").splitlines()) == 301


@pytest.mark.parametrize("kind", _BOTH)
def test_moving_is_what_a_disk_does(kind: type[FileSystem]) -> None:
    app = _files(kind, "a/b/", "a/f.txt", "g.txt", "full/", "full/g.txt")
    with pytest.raises(OSError, match="into itself") as refused:
        _call(app, "mv", path1="/a", path2="/a/b")
    assert type(refused.value).__name__ == "Error"
    with pytest.raises(OSError, match="already exists"):
        _call(app, "mv", path1="/g.txt", path2="/full")
    with pytest.raises(FileExistsError):
        _call(app, "mv", path1="/a", path2="/g.txt")
    with pytest.raises(FileNotFoundError):
        _call(app, "mv", path1="/g.txt", path2="/nowhere/g.txt")
    with pytest.raises(PermissionError):
        _call(app, "rm", path="/", recursive=True)
    app.write_bytes("/g.txt", b"new")
    _call(app, "mv", path1="/g.txt", path2="/full/g.txt")
    assert app.read_bytes("/full/g.txt") == b"new"
    assert _all_paths(app) == {"/a", "/a/b", "/a/f.txt", "/full", "/full/g.txt"}


def test_a_file_is_requested_once_and_keeps_its_content_when_it_moves() -> None:
    asked: list[str] = []

    def content(path: str) -> bytes:
        asked.append(path)
        return b"text"

    tree = {"name": "", "type": "directory", "children": [{"name": "f.txt", "type": "file"}]}
    app = VirtualFileSystem("Files", AppContext(read_file_content=content), {"files": tree})
    assert asked == []
    _call(app, "mv", path1="/f.txt", path2="/g.txt")
    assert _call(app, "cat", path="/g.txt") == b"text"
    assert _call(app, "info", path="/g.txt")["size"] == 4
    assert asked == ["f.txt"]


@pytest.mark.parametrize(
    ("mode", "kept"), [("r", b"old"), ("rb", b"old"), ("a", b"old"), ("w", b""), ("wb", b""), ("r+", b"old")]
)
def test_opening_a_file_does_to_it_what_the_mode_says(mode: str, kept: bytes) -> None:
    app = _files(VirtualFileSystem, "f.txt")
    app.write_bytes("/f.txt", b"old")
    _call(app, "open", path="/f.txt", mode=mode)
    assert app.read_bytes("/f.txt") == kept


def test_what_opening_returns_is_a_text() -> None:
    app = _files(SandboxLocalFileSystem, "f.txt")
    opened = _call(app, "open", path="/f.txt")
    assert opened == "<FILE_HANDLE>"
    assert str(opened) == "<fsspec.implementations.local.LocalFileOpener object>"
    with pytest.raises(FileExistsError):
        _call(app, "open", path="/f.txt", mode="x")
    with pytest.raises(IsADirectoryError):
        _call(app, "open", path="/", mode="w")


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<p>One</p><p>Two</p>", "One\n\nTwo\n\n"),
        ("<title>T</title><h2>A <i>b</i></h2>", "# T\n\n\n## A *b*\n\n"),
        ('<ul><li>a</li><li><a href="/x">b</a></li></ul>', "* a\n* [b](/x)\n\n\n"),
        ("<script>alert(1)</script><pre>  x\n y</pre>", "  x\n y\n\n"),
        ("<p>open <b>ended", "open **ended"),
        ("</p></b>", ""),
    ],
)
def test_a_web_page_is_read_as_markdown(html: str, text: str) -> None:
    app = _files(SandboxLocalFileSystem)
    app.write_bytes("/page.html", html.encode())
    assert _call(app, "read_document", file_path="/page.html") == text


def test_a_restored_file_system_knows_what_was_written_moved_and_read() -> None:
    tree = {
        "name": "",
        "type": "directory",
        "children": [{"name": "a.txt", "type": "file"}, {"name": "b.txt", "type": "file"}],
    }
    app = VirtualFileSystem("Files", AppContext(read_file_content=lambda path: path.encode()), {"files": tree})
    assert app.read_bytes("/a.txt") == b"a.txt"
    assert app.hidden_state()["files"] == {}
    _call(app, "mv", path1="/a.txt", path2="/moved.txt")
    app.write_bytes("/b.txt", b"written")
    app.write_bytes("/new.txt", b"")
    state, hidden = app.state(), app.hidden_state()
    _call(app, "rm", path="/moved.txt")
    app.write_bytes("/b.txt", b"lost")
    app.load(state)
    app.restore_hidden_state(hidden)
    found = {name: app.read_bytes(name) for name in ("/moved.txt", "/b.txt", "/new.txt")}
    assert found == {"/moved.txt": b"a.txt", "/b.txt": b"written", "/new.txt": b""}


def test_a_missing_file_is_named_as_by_fsspec_which_asks_for_the_value_false() -> None:
    app = _files(SandboxLocalFileSystem)
    with pytest.raises(FileNotFoundError, match=r"No such file or directory: '.*/nowhere'"):
        _call(app, "cat", path="/nowhere", recursive=False)
    with pytest.raises(FileNotFoundError, match=r"^\['.*/nowhere'\]$"):
        _call(app, "cat", path="/nowhere", recursive=None)
