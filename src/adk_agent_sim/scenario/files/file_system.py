"""Base class of the two file system apps: paths, operations on an in-memory tree, and attachments of other apps.

Patterns for paths are those of ARE's file library: `*`, `?` and `[abc]` within a name, `**` for any names. The time is
bounded whatever the pattern, because models write them.
"""

from __future__ import annotations

import os
import posixpath
import re
from base64 import b64decode, b64encode
from itertools import islice, product
from pathlib import PurePosixPath
from posixpath import normpath
from typing import Any

from adk_agent_sim.scenario.app_base.app import JSON, App
from adk_agent_sim.scenario.app_base.entity import TEXT, Fields
from adk_agent_sim.scenario.app_base.tool_call import call_nested_tool
from adk_agent_sim.scenario.files.file_tree import (
    EXISTS,
    MAX_DEPTH,
    NAME_TOO_LONG,
    NODE_SHAPE,
    File,
    FileTree,
    Folder,
    PathParts,
)
from adk_agent_sim.text.glob_match import GlobSet

_CHARACTER_CLASS = re.compile(r"\[([^\]\[!*?-][^\]\[*?-]*)\]")
_MAX_ALTERNATIVES = 256


def has_wildcards(parts: PathParts) -> bool:
    """Return whether a path is a pattern."""
    return any(set(name) & set("*?[") for name in parts)


def find_matches(tree: FileTree, pattern: PathParts) -> list[PathParts]:
    """Return the nodes that match a pattern, in order.

    Raises:
        ValueError: A name of the pattern contains `**` and something else.
    """
    if any("**" in name and name != "**" for name in pattern):
        raise ValueError("Invalid pattern: '**' can only be an entire path component")
    names = [None if name == "**" else GlobSet(_expand_classes(name)) for name in pattern]
    return sorted(parts for parts in tree.iter_subtree(()) if _is_match(parts, names))


def _is_match(parts: PathParts, pattern: list[GlobSet | None]) -> bool:
    # The places in the pattern that may come next; None stands for any number of names.
    places = _skip_any({0}, pattern)
    for name in parts:
        stay = {place for place in places if place < len(pattern) and pattern[place] is None}
        named = ((place, pattern[place]) for place in places - stay if place < len(pattern))
        move = {place + 1 for place, names in named if names is not None and names.matches(name)}
        places = _skip_any(stay | move, pattern)
    return len(pattern) in places


def _skip_any(places: set[int], pattern: list[GlobSet | None]) -> set[int]:
    reached = set(places)
    for place, names in enumerate(pattern):
        if place in reached and names is None:
            reached.add(place + 1)
    return reached


def _expand_classes(name: str) -> list[str]:
    """Return a name with each class of characters replaced by each of its characters."""
    pieces = _CHARACTER_CLASS.split(name)
    choices = [[piece] if place % 2 == 0 else list(piece) for place, piece in enumerate(pieces)]
    return ["".join(each) for each in islice(product(*choices), _MAX_ALTERNATIVES)]


_HOME_PATH = "home/userhome/"
_OPEN_MODES = {"r", "w", "a", "x"}
_NO_OPEN_MODE = "Must have exactly one of create/read/write/append mode and at most one plus"
_NUL = "embedded null byte"


class FileHandle(str):
    """What `open` returns. Agents only ever see the text of ARE's file object, so it is only a text."""

    __slots__ = ("_display_text",)
    _display_text: str

    def __new__(cls, value: str, display_text: str) -> FileHandle:
        """Create the text of an open file.

        Args:
            value: The value that is recorded and compared.
            display_text: The text that an agent sees.
        """
        handle = super().__new__(cls, value)
        handle._display_text = display_text
        return handle

    def __deepcopy__(self, memo: dict[int, Any]) -> FileHandle:
        """Return the handle itself, which cannot change."""
        return self

    def __str__(self) -> str:
        return self._display_text


class LocalFileOpener(FileHandle):
    """A file opened in binary mode. The log shows the name of the class."""

    __slots__ = ()


class TextIOWrapper(FileHandle):
    """A file opened in text mode. The log shows the name of the class."""

    __slots__ = ()


class FileSystem(App):
    """Base of the apps that hold files. All paths start at the root, with or without a leading slash."""

    state_shape = Fields({"files": Fields(NODE_SHAPE.fields), "tmpdir": TEXT})

    def load(self, state: JSON) -> None:
        """Load the file tree. Contents are read on first access."""
        super().load(state)
        self._tree = FileTree(state.get("files"), str(state.get("tmpdir") or ""), self.context.read_file_content)

    def restore_hidden_state(self, hidden_state: JSON) -> None:
        """Restore the contents of modified files."""
        super().restore_hidden_state(hidden_state)
        self._tree.restore_files(hidden_state["files"])

    def read_bytes(self, path: str) -> bytes:
        """Return the content of a file, without logging a call."""
        return self._tree.read_file(self._resolve_path(path))

    def write_bytes(self, path: str, content: bytes) -> None:
        """Write the content of a file, without logging a call."""
        self._tree.write_file(self._resolve_path(path), content, self.context.now())

    def _mutable_state(self) -> JSON:
        return {"files": self._tree.to_state()}

    def _extra_hidden_state(self) -> JSON:
        return {"files": self._tree.list_modified_files()}

    def _resolve_path(self, path: str) -> PathParts:
        """Return the names from the root to the node that a path denotes.

        Raises:
            PermissionError: The path leaves the root.
            OSError: The path is too deep.
            ValueError: The path contains a NUL character.
        """
        parts = self._normalize_path(path)
        if "\0" in path:
            raise ValueError(_NUL)
        if len(parts) > MAX_DEPTH:
            raise self._tree.build_error(NAME_TOO_LONG, parts)
        return parts

    def _resolve_paths(self, source: str, target: str) -> tuple[PathParts, PathParts]:
        """Return what two paths denote; that one of them leaves the root is noticed first, as in ARE."""
        for path in (source, target):
            self._normalize_path(path)
        return self._resolve_path(source), self._resolve_path(target)

    def _normalize_path(self, path: str) -> PathParts:
        """Return the names of a path, which no disk may accept.

        Raises:
            PermissionError: The path leaves the root.
        """
        if path.startswith("~"):
            path = _HOME_PATH + path[1:].removeprefix("/")
        absolute = normpath("/" + path.lstrip("/"))
        # normpath() drops a ".." at the root, so leaving the root must be detected on the unnormalized path.
        depth = 0
        for name in PurePosixPath(path.lstrip("/")).parts:
            depth += -1 if name == ".." else 1
            if depth < 0:
                raise PermissionError(f"Operation not allowed outside sandbox: {absolute}")
        return tuple(name for name in absolute.split("/") if name)

    def _exists(self, path: str) -> bool:
        """Return whether there is such a file or folder; a path that no disk would take denotes none."""
        try:
            return self._tree.find_node(self._resolve_path(path)) is not None
        # PermissionError is an OSError, too, but leaving the root is an error and not an absent file.
        except PermissionError:
            raise
        except (OSError, ValueError):
            return False

    def _open_file(self, path: str, mode: str) -> FileHandle:
        """Do what opening in this mode does to the file: check that it exists, create it, or empty it."""
        # Only for its error: ARE refuses a path that leaves the root before it looks at the mode.
        self._normalize_path(path)
        # fsspec, which ARE uses, always opens in binary mode; its errors name that mode.
        binary = mode if "b" in mode else mode.replace("t", "") + "b"
        kind = binary.replace("b", "", 1).replace("+", "", 1)
        if kind not in _OPEN_MODES:
            problem = _explain_invalid_mode(binary)
            raise ValueError(_NUL if problem == _NO_OPEN_MODE and "\0" in path else problem)
        parts = self._resolve_path(path)  # Python checks the letters of the mode, then the path
        exists = self._tree.find_node(parts) is not None
        if kind == "r" or (kind == "a" and exists):
            self._tree.get_file(parts)
        elif kind == "x" and exists:
            raise self._tree.build_error(EXISTS, parts)
        else:
            self._tree.write_file(parts, b"", self.context.now())
        if "b" in mode:
            return LocalFileOpener("<FILE_HANDLE>", "<fsspec.implementations.local.LocalFileOpener object>")
        text = f"<_io.TextIOWrapper name={self._tree.format_path(parts)!r} encoding='UTF-8'>"
        return TextIOWrapper(text, text)

    def _read_file_or_files(self, path: str, *, recursive: bool, ignore_errors: bool) -> bytes:
        """Return the content of a file. A path can also denote several files, which is an error in the end, as in ARE.

        Raises:
            OSError: One of the files cannot be read.
            TypeError: The path denotes several files.
        """
        parts = self._resolve_path(path)
        found = self._expand_path(parts, recursive=recursive)
        if found == [parts]:
            return self._tree.read_file(parts)
        for each in found:
            try:
                self._tree.read_file(each)
            except OSError:
                if not ignore_errors:
                    raise
        raise TypeError(f"Unexpected return type from cat: {dict}")

    def _expand_path(self, parts: PathParts, *, recursive: bool) -> list[PathParts]:
        """Return what a path with wildcards denotes, or itself, and with `recursive` all that is below, in order."""
        is_pattern = has_wildcards(parts)
        found = find_matches(self._tree, parts) if is_pattern else [parts]
        # fsspec asks whether it is the value False: with None or 0, which are also not recursive, the path must exist.
        if recursive is not False and not is_pattern and self._tree.find_node(parts) is None:
            found = []
        if recursive:
            found = sorted({below for each in found for below in self._tree.iter_subtree(each)})
        if not found:
            searched = [] if is_pattern and recursive else [self._tree.format_path(parts)]
            raise FileNotFoundError(searched)
        return found

    def _create_folder(self, path: str, *, parents: bool) -> None:
        parts = self._resolve_path(path)
        if self._tree.find_node(parts) is not None:
            raise FileExistsError(self._tree.format_path(parts))
        self._tree.create_folder(parts, self.context.now(), parents=parents)

    def _list_folder(self, path: str, *, detail: bool) -> list[Any]:
        parts = self._resolve_path(path)
        node = self._tree.get_node(parts)
        paths = [(*parts, name) for name in node.children] if isinstance(node, Folder) else [parts]
        return [self._build_info(each) if detail else _format_path(each) for each in paths]

    def _build_info(self, parts: PathParts) -> JSON:
        node = self._tree.get_node(parts)
        is_file = isinstance(node, File)
        return {
            "name": _format_path(parts),
            "size": len(self._tree.read_file(parts)) if is_file else 0,
            "type": "file" if is_file else "directory",
            "created": node.created_at,
            "islink": False,
            "mode": 0o100644 if is_file else 0o40755,
            "uid": 0,
            "gid": 0,
            "mtime": node.created_at,
            "ino": 0,
            "nlink": 1,
        }

    def _draw_tree(self, path: str) -> str:
        parts = self._resolve_path(os.fspath(path))
        head = path.rpartition("/")[2] or "/"
        node = self._tree.get_node(parts)
        # A file is drawn as if it were in a folder of its own name.
        folder = node if isinstance(node, Folder) else Folder(children={parts[-1]: node})
        return "\n".join([head, *_draw_branches(folder, "")]) + "\n"


def _format_path(parts: PathParts) -> str:
    return "/" + "/".join(parts)


def _draw_branches(folder: Folder, indent: str) -> list[str]:
    lines: list[str] = []
    names = sorted(folder.children)
    for name in names:
        lines.append(f"{indent}{'└' if name == names[-1] else '├'}── {name}")
        child = folder.children[name]
        if isinstance(child, Folder):
            lines += _draw_branches(child, indent + "    ")
    return lines


def _explain_invalid_mode(mode: str) -> str:
    """Return Python's error text for an invalid file mode."""
    if "\0" in mode:
        return "embedded null character"
    if set(mode) - set("axrwbt+") or len(set(mode)) < len(mode):
        return f"invalid mode: '{mode}'"
    if "t" in mode:
        return "can't have text and binary mode at once"
    if set(mode) & _OPEN_MODES:
        return "must have exactly one of create/read/write/append mode"
    return _NO_OPEN_MODE


class AttachedFile(str):
    """Base64 content of a file attached in this run. Agents see it as bytes, unlike attachments of the scenario."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"b{super().__repr__()}"


def read_attachment(app: App, path: str, missing_message: str) -> tuple[str, AttachedFile]:
    """Return the name and the Base64 content of a file to attach.

    Args:
        app: The app that attaches it.
        path: The path of the file.
        missing_message: The error text if there is no such file.

    Raises:
        ValueError: There is no such file.
        TypeError: The path is a list or an object, which an event can pass on from another one.
    """
    if isinstance(path, list | dict):  # agents see Python's error in ARE, too
        raise TypeError(f"stat: path should be string, bytes, os.PathLike or integer, not {type(path).__name__}")
    files = _find_file_system(app)
    if not call_nested_tool(files, "exists", path=path):
        raise ValueError(missing_message)
    return posixpath.basename(path), AttachedFile(b64encode(files.read_bytes(path)).decode())


def save_attachment(app: App, folder: str, name: str, content: str) -> str:
    """Save an attached file in a folder and return its path."""
    path = posixpath.join(folder, name)
    _find_file_system(app).write_bytes(path, b64decode(content))
    return path


def _find_file_system(app: App) -> FileSystem:
    for each in app.context.apps.values():
        if isinstance(each, FileSystem):
            return each
    raise ValueError("The world has no file system, so there are no files to attach or save.")
