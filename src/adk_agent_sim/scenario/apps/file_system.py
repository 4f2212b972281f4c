"""What both file systems are: paths as agents write them, over a tree that holds everything in memory."""

from __future__ import annotations

import os
from pathlib import PurePosixPath
from posixpath import normpath
from typing import Any

from adk_agent_sim.scenario.apps.app import JSON, App
from adk_agent_sim.scenario.apps.file_tree import DEEPEST, EXISTS, NAME_TOO_LONG, File, FileTree, Folder, Parts

_LONGEST_NAME = 255
_HOME = "/home/userhome"
_MODES = {"r", "w", "a", "x"}


class OpenFile(str):
    """What `open` returns: that a file was opened. Agents see a text, so a text is all there is."""

    __slots__ = ("_shown",)

    def __new__(cls, value: str, shown: str) -> OpenFile:
        """Stand for an open file.

        Args:
            value: The value, as recorded and compared.
            shown: The text that an agent sees.
        """
        made = super().__new__(cls, value)
        made._shown = shown
        return made

    def __str__(self) -> str:
        return self._shown


class FileSystem(App):
    """The base of the apps that hold files. Paths start at the root, with a slash or without."""

    def load(self, state: JSON) -> None:
        """Take over the names of the files; contents are asked for when somebody looks."""
        super().load(state)
        self._tree = FileTree(state.get("files"), str(state.get("tmpdir") or ""), self.world.content)

    def recall(self, hidden: JSON) -> None:
        """Know the contents again."""
        super().recall(hidden)
        self._tree.recall(hidden["files"])

    def read_bytes(self, path: str) -> bytes:
        """What is in a file; nobody is told that it was read."""
        return self._tree.read(self._at(path))

    def write_bytes(self, path: str, content: bytes) -> None:
        """Put content into a file; nobody is told that it was written."""
        self._tree.write(self._at(path), content, self.world.now())

    def _held(self) -> JSON:
        return {"files": self._tree.state()}

    def _unstated(self) -> JSON:
        return {"files": self._tree.strangers()}

    def _at(self, path: str) -> Parts:
        """The place that a path means.

        Raises:
            PermissionError: The path leaves the root.
        """
        if path.startswith("~"):
            path = _HOME + path[1:]
        absolute = normpath("/" + path.lstrip("/"))
        depth = 0
        for name in PurePosixPath(path.lstrip("/")).parts:
            depth += -1 if name == ".." else 1
            if depth < 0:
                raise PermissionError(f"Operation not allowed outside sandbox: {absolute}")
        parts = tuple(name for name in absolute.split("/") if name)
        if len(parts) > DEEPEST or any(len(name.encode("utf-8", "replace")) > _LONGEST_NAME for name in parts):
            raise self._tree.error(NAME_TOO_LONG, parts)
        return parts

    def _open(self, path: str, mode: str) -> OpenFile:
        """Do what opening does: look for the file, make it, or empty it."""
        parts = self._at(path)
        binary = mode if "b" in mode else mode.replace("t", "") + "b"
        kind = binary.replace("b", "", 1).replace("+", "", 1)
        if kind not in _MODES:
            raise ValueError(_wrong_with(binary))
        there = self._tree.find(parts) is not None
        if kind == "r" or (kind == "a" and there):
            self._tree.file(parts)
        elif kind == "x" and there:
            raise self._tree.error(EXISTS, parts)
        else:
            self._tree.write(parts, b"", self.world.now())
        if "b" in mode:
            return OpenFile("<FILE_HANDLE>", "<fsspec.implementations.local.LocalFileOpener object>")
        text = f"<_io.TextIOWrapper name={self._tree.named(parts)!r} encoding='UTF-8'>"
        return OpenFile(text, text)

    def _make_folder(self, path: str, *, parents: bool) -> None:
        parts = self._at(path)
        if self._tree.find(parts) is not None:
            raise FileExistsError(self._tree.named(parts))
        self._tree.make_folder(parts, self.world.now(), parents=parents)

    def _list(self, path: str, *, detail: bool) -> list[Any]:
        parts = self._at(path)
        node = self._tree.node(parts)
        places = [(*parts, name) for name in node.children] if isinstance(node, Folder) else [parts]
        return [self._info(each) if detail else _shown(each) for each in places]

    def _info(self, parts: Parts) -> JSON:
        node = self._tree.node(parts)
        is_file = isinstance(node, File)
        return {
            "name": _shown(parts),
            "size": len(self._tree.read(parts)) if is_file else 0,
            "type": "file" if is_file else "directory",
            "created": node.made,
            "islink": False,
            "mode": 0o100644 if is_file else 0o40755,
            "uid": 0,
            "gid": 0,
            "mtime": node.made,
            "ino": 0,
            "nlink": 1,
        }

    def _drawn(self, path: str) -> str:
        parts = self._at(os.fspath(path))
        head = path.rpartition("/")[2] or "/"
        return "\n".join([head, *_branches(self._tree.folder(parts), "")]) + "\n"


def _shown(parts: Parts) -> str:
    return "/" + "/".join(parts)


def _branches(folder: Folder, indent: str) -> list[str]:
    lines: list[str] = []
    names = sorted(folder.children)
    for name in names:
        lines.append(f"{indent}{'└' if name == names[-1] else '├'}── {name}")
        child = folder.children[name]
        if isinstance(child, Folder):
            lines += _branches(child, indent + "    ")
    return lines


def _wrong_with(mode: str) -> str:
    """Why Python does not open a file in that mode."""
    if set(mode) - set("axrwbt+") or len(set(mode)) < len(mode):
        return f"invalid mode: {mode!r}"
    if "t" in mode:
        return "can't have text and binary mode at once"
    if set(mode) & _MODES:
        return "must have exactly one of create/read/write/append mode"
    return "Must have exactly one of create/read/write/append mode and at most one plus"
