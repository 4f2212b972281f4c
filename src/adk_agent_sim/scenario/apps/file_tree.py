"""Folders and files in memory. There is no way from here to a disk, and so none out of the tree.

A scenario knows the names of its files only. What is in them is asked for when somebody first looks.
"""

from __future__ import annotations

import shutil
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from adk_agent_sim.scenario.apps.record import many

JSON = dict[str, Any]
NO_PERMISSION, MISSING, EXISTS, NO_FOLDER, IS_FOLDER, NAME_TOO_LONG, NOT_EMPTY = 1, 2, 17, 20, 21, 36, 39
_ERRORS: dict[int, tuple[type[OSError], str]] = {
    NO_PERMISSION: (PermissionError, "Operation not permitted"),
    MISSING: (FileNotFoundError, "No such file or directory"),
    EXISTS: (FileExistsError, "File exists"),
    NO_FOLDER: (NotADirectoryError, "Not a directory"),
    IS_FOLDER: (IsADirectoryError, "Is a directory"),
    NAME_TOO_LONG: (OSError, "File name too long"),
    NOT_EMPTY: (OSError, "Directory not empty"),
}
"""What Linux says; other systems have other numbers, and a run must not depend on the host."""

DEEPEST = 200
"""How many folders may lie in each other."""

Parts = tuple[str, ...]
"""A place in the tree: the names on the way down from the root."""


@dataclass(kw_only=True, slots=True)
class File:
    """A file; `origin` is the path under which the scenario has its content, empty if it was written in the run."""

    content: bytes | None = None
    origin: str = ""
    made: float = 0.0
    extra: JSON = field(default_factory=lambda: {"name": "", "type": "file"})
    """What the scenario says of it."""


@dataclass(kw_only=True, slots=True)
class Folder:
    """A folder with what is in it, by name."""

    children: dict[str, File | Folder] = field(default_factory=dict[str, "File | Folder"])
    made: float = 0.0
    extra: JSON = field(default_factory=lambda: {"name": "", "type": "directory", "children": []})
    """What the scenario says of it."""


class FileTree:
    """A tree of folders and files; every error names the path with the tree's root in front, as a disk would."""

    def __init__(self, state: JSON | None, root: str, content: Callable[[str], bytes | None]) -> None:
        """Grow the tree that a scenario describes.

        Args:
            state: The root folder, as scenario files have it.
            root: What the root is called in errors.
            content: What is in a file of the scenario, by its path without the leading slash.
        """
        self._root_name = root.rstrip("/")
        self._content = content
        self._stated = state or {}
        self._root = Folder(children=_children(state or {}, ()))

    def state(self) -> JSON:
        """The root folder as scenario files have it; nothing if there is and was none."""
        unstated = {"name": "", "type": "directory"} if self._root.children else {}
        return _described(self._root, self._stated or unstated)

    def strangers(self) -> JSON:
        """The files that are not as the scenario has them, by path: what is needed to put the tree back."""
        found: JSON = {}
        for parts, file in _files(self._root, ()):
            path = "/".join(parts)
            if file.origin != path:
                content = None if file.origin else b64encode(file.content or b"").decode()
                found[path] = {"content": content, "origin": file.origin, "made": file.made}
        return found

    def recall(self, strangers: JSON) -> None:
        """Know again what `strangers` told."""
        for path, told in strangers.items():
            file = self.file(tuple(path.split("/")))
            file.content = None if told["content"] is None else b64decode(told["content"])
            file.origin, file.made = told["origin"], told["made"]

    def find(self, parts: Parts) -> File | Folder | None:
        """What is at a place, if anything is."""
        here: File | Folder = self._root
        for name in parts:
            if not isinstance(here, Folder) or name not in here.children:
                return None
            here = here.children[name]
        return here

    def node(self, parts: Parts) -> File | Folder:
        """What is at a place.

        Raises:
            FileNotFoundError: Nothing is.
        """
        found = self.find(parts)
        if found is None:
            raise self.error(MISSING, parts)
        return found

    def folder(self, parts: Parts) -> Folder:
        """The folder at a place.

        Raises:
            OSError: There is none.
        """
        found = self.node(parts)
        if not isinstance(found, Folder):
            raise self.error(NO_FOLDER, parts)
        return found

    def file(self, parts: Parts) -> File:
        """The file at a place.

        Raises:
            OSError: There is none.
        """
        found = self.node(parts)
        if not isinstance(found, File):
            raise self.error(IS_FOLDER, parts)
        return found

    def read(self, parts: Parts) -> bytes:
        """What is in a file."""
        file = self.file(parts)
        if file.content is None:
            file.content = self._content(file.origin) or b""
        return file.content

    def write(self, parts: Parts, content: bytes, made: float) -> None:
        """Make a file, or put other content into it. Its folder must be there."""
        there = self.find(parts)
        if isinstance(there, Folder):
            raise self.error(IS_FOLDER, parts)
        if isinstance(there, File):
            there.content, there.origin = content, ""
        else:
            self._parent(parts).children[parts[-1]] = File(content=content, made=made)

    def make_folder(self, parts: Parts, made: float, *, parents: bool) -> None:
        """Make a folder where nothing is."""
        if self.find(parts) is not None:
            raise self.error(EXISTS, parts)
        for depth in range(1, len(parts)) if parents else ():
            if self.find(parts[:depth]) is None:
                self._parent(parts[:depth]).children[parts[depth - 1]] = Folder(made=made)
        self._parent(parts).children[parts[-1]] = Folder(made=made)

    def remove(self, parts: Parts, *, recursive: bool) -> None:
        """Remove a file, or a folder with all that is in it."""
        if isinstance(self.node(parts), Folder) and not recursive:
            raise ValueError("Cannot delete directory, set recursive=True")
        self._take(parts)

    def remove_folder(self, parts: Parts) -> None:
        """Remove an empty folder."""
        if self.folder(parts).children:
            raise self.error(NOT_EMPTY, parts)
        self._take(parts)

    def move(self, source: Parts, target: Parts) -> None:
        """Move a file or folder: into the target if that is a folder, onto its name otherwise."""
        if not source:
            self._move_root(target)
            return
        moved = self.node(source)
        there = self.find(target)
        if isinstance(there, Folder) and there is not moved:
            target = (*target, *source[-1:])
            if self.find(target) is not None:
                raise shutil.Error(f"Destination path '{self.named(target)}' already exists")
        elif isinstance(there, File) and isinstance(moved, Folder):
            raise self.error(EXISTS, target)
        if isinstance(moved, Folder) and target[: len(source)] == source and target != source:
            raise shutil.Error(f"Cannot move a directory '{self.named(source)}' into itself '{self.named(target)}'.")
        if len(target) + _height(moved) > DEEPEST:
            raise self.error(NAME_TOO_LONG, target)
        parent = self._parent(target)
        self._take(source)
        parent.children[target[-1]] = moved

    def _move_root(self, target: Parts) -> None:
        """The root stays where it is."""
        if target:
            raise shutil.Error(f"Cannot move a directory '{self.named(())}' into itself '{self.named(target)}'.")

    def named(self, parts: Parts) -> str:
        """The path of a place with the tree's root in front."""
        return "/".join((self._root_name, *parts))

    def _parent(self, parts: Parts) -> Folder:
        """The folder that a place is in; errors name the place itself, as a disk would."""
        found = self.find(parts[:-1])
        if not parts or found is None:
            raise self.error(MISSING, parts)
        if not isinstance(found, Folder):
            raise self.error(NO_FOLDER, parts)
        return found

    def _take(self, parts: Parts) -> None:
        if not parts:
            raise self.error(NO_PERMISSION, parts)
        del self._parent(parts).children[parts[-1]]

    def error(self, code: int, parts: Parts) -> OSError:
        """What a disk would raise at a place."""
        kind, reason = _ERRORS[code]
        return kind(f"[Errno {code}] {reason}: {self.named(parts)!r}")


def _height(node: File | Folder) -> int:
    return 1 + max(map(_height, node.children.values()), default=0) if isinstance(node, Folder) else 0


def _children(folder: JSON, parts: Parts) -> dict[str, File | Folder]:
    listed: list[JSON] = many(folder, "children")
    return {each["name"]: _grown(each, (*parts, each["name"])) for each in listed}


def _grown(node: JSON, parts: Parts) -> File | Folder:
    if node.get("type", "directory") == "directory":
        return Folder(children=_children(node, parts), extra=node)
    return File(origin="/".join(parts), extra=node)


def _described(node: File | Folder, stated: JSON) -> JSON:
    if isinstance(node, File):
        return stated
    children = [_described(child, child.extra | {"name": name}) for name, child in node.children.items()]
    return stated | {"children": children} if children or stated.get("children") else stated


def _files(folder: Folder, parts: Parts) -> Iterator[tuple[Parts, File]]:
    for name, child in folder.children.items():
        if isinstance(child, File):
            yield (*parts, name), child
        else:
            yield from _files(child, (*parts, name))
