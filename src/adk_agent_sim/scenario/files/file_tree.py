"""Tree of folders and files in memory. It never accesses a disk, so no path can lead out of the tree.

Scenario files contain only file names. The content of a file is requested on first access.
"""

from __future__ import annotations

import shutil
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from adk_agent_sim.scenario.app_base.app import JSON
from adk_agent_sim.scenario.app_base.entity import TEXT, Fields, ListOf, Shape, get_list

NO_PERMISSION, NOT_FOUND, EXISTS, NOT_A_FOLDER, IS_A_FOLDER, NAME_TOO_LONG, NOT_EMPTY = 1, 2, 17, 20, 21, 36, 39
_ERRORS_BY_CODE: dict[int, tuple[type[OSError], str]] = {
    NO_PERMISSION: (PermissionError, "Operation not permitted"),
    NOT_FOUND: (FileNotFoundError, "No such file or directory"),
    EXISTS: (FileExistsError, "File exists"),
    NOT_A_FOLDER: (NotADirectoryError, "Not a directory"),
    IS_A_FOLDER: (IsADirectoryError, "Is a directory"),
    NAME_TOO_LONG: (OSError, "File name too long"),
    NOT_EMPTY: (OSError, "Directory not empty"),
}
"""Linux error numbers and texts. Other platforms have other numbers, and a run must not depend on the host."""

_MAX_NAME_BYTES = 255

MAX_DEPTH = 200
"""The maximum depth of nested folders, so that every state can be serialized recursively."""

_NODE_FIELDS: dict[str, Shape] = {"name": TEXT, "type": TEXT}
NODE_SHAPE = Fields(_NODE_FIELDS, required=("name",))
"""A file or folder in a scenario file. The root needs no name."""
# A folder contains nodes of the same shape, so the field can be added only when the shape exists.
_NODE_FIELDS["children"] = ListOf(NODE_SHAPE)

PathParts = tuple[str, ...]
"""The position of a node: the names from the root down to it."""


@dataclass(kw_only=True, slots=True)
class File:
    """A file. `origin` is its path in the scenario's contents; empty if the content was written in the run."""

    content: bytes | None = None
    origin: str = ""
    created_at: float = 0.0
    definition: JSON = field(default_factory=lambda: {"name": "", "type": "file"})
    """The node as the scenario file describes it."""


@dataclass(kw_only=True, slots=True)
class Folder:
    """A folder with its children by name."""

    children: dict[str, File | Folder] = field(default_factory=dict[str, "File | Folder"])
    created_at: float = 0.0
    definition: JSON = field(default_factory=lambda: {"name": "", "type": "directory", "children": []})
    """The node as the scenario file describes it."""


class FileTree:
    """A tree of folders and files. Errors name the path below the tree's root name, as a real disk would."""

    def __init__(self, state: JSON | None, root_name: str, read_content: Callable[[str], bytes | None]) -> None:
        """Build the tree that a scenario describes.

        Args:
            state: The root folder as in scenario files.
            root_name: The path of the root in error texts.
            read_content: Returns the content of a scenario file by its path without leading slash.
        """
        self._root_name = root_name.rstrip("/")
        self._read_content = read_content
        self._loaded_state = state or {}
        self._root = Folder(children=_build_children(state or {}, ()))

    def to_state(self) -> JSON:
        """Return the root folder as in scenario files; an empty object if there is and was none."""
        default = {"name": "", "type": "directory"} if self._root.children else {}
        return _node_to_state(self._root, self._loaded_state or default)

    def list_modified_files(self) -> JSON:
        """Return the files that differ from the scenario by path, as needed to restore the tree."""
        modified: JSON = {}
        for parts, file in _iter_files(self._root, ()):
            path = "/".join(parts)
            # A file that still has its content and its place is read again from the scenario.
            if file.origin != path:
                content = None if file.origin else b64encode(file.content or b"").decode()
                modified[path] = {"content": content, "origin": file.origin, "made": file.created_at}
        return modified

    def restore_files(self, modified_files: JSON) -> None:
        """Restore what `list_modified_files` returned."""
        for path, entry in modified_files.items():
            file = self.get_file(tuple(path.split("/")))
            file.content = None if entry["content"] is None else b64decode(entry["content"])
            file.origin, file.created_at = entry["origin"], entry["made"]

    def find_node(self, parts: PathParts) -> File | Folder | None:
        """Return the node at a position, or None."""
        node: File | Folder = self._root
        for name in parts:
            if not isinstance(node, Folder) or name not in node.children:
                return None
            node = node.children[name]
        return node

    def iter_subtree(self, parts: PathParts) -> Iterator[PathParts]:
        """Yield a node and everything below it."""
        yield parts
        node = self.find_node(parts)
        for name in node.children if isinstance(node, Folder) else ():
            yield from self.iter_subtree((*parts, name))

    def get_node(self, parts: PathParts) -> File | Folder:
        """Return the node at a position.

        Raises:
            OSError: There is no such node, with the reason that a real disk would give.
        """
        node: File | Folder = self._root
        for name in parts:
            if not isinstance(node, Folder):
                raise self.build_error(NOT_A_FOLDER, parts)
            if is_too_long(name):
                raise self.build_error(NAME_TOO_LONG, parts)
            if name not in node.children:
                raise self.build_error(NOT_FOUND, parts)
            node = node.children[name]
        return node

    def get_folder(self, parts: PathParts) -> Folder:
        """Return the folder at a position.

        Raises:
            OSError: There is no such folder.
        """
        node = self.get_node(parts)
        if not isinstance(node, Folder):
            raise self.build_error(NOT_A_FOLDER, parts)
        return node

    def get_file(self, parts: PathParts) -> File:
        """Return the file at a position.

        Raises:
            OSError: There is no such file.
        """
        node = self.get_node(parts)
        if not isinstance(node, File):
            raise self.build_error(IS_A_FOLDER, parts)
        return node

    def read_file(self, parts: PathParts) -> bytes:
        """Return the content of a file."""
        file = self.get_file(parts)
        if file.content is None:
            file.content = self._read_content(file.origin) or b""
        return file.content

    def write_file(self, parts: PathParts, content: bytes, created_at: float) -> None:
        """Create a file or replace its content. The parent folder must exist."""
        node = self.find_node(parts)
        if isinstance(node, Folder):
            raise self.build_error(IS_A_FOLDER, parts)
        if isinstance(node, File):
            node.content, node.origin = content, ""
        else:
            self._put_node(parts, File(content=content, created_at=created_at))

    def create_folder(self, parts: PathParts, created_at: float, *, parents: bool) -> None:
        """Create a folder where no node exists."""
        if self.find_node(parts) is not None:
            raise self.build_error(EXISTS, parts)
        for depth in range(1, len(parts)) if parents else ():
            if self.find_node(parts[:depth]) is None:
                self._put_node(parts[:depth], Folder(created_at=created_at))
        self._put_node(parts, Folder(created_at=created_at))

    def remove(self, parts: PathParts, *, recursive: bool) -> None:
        """Remove a file, or a folder with everything in it."""
        if isinstance(self.get_node(parts), Folder) and not recursive:
            raise ValueError("Cannot delete directory, set recursive=True")
        self._remove_node(parts)

    def remove_folder(self, parts: PathParts) -> None:
        """Remove an empty folder."""
        if self.get_folder(parts).children:
            raise self.build_error(NOT_EMPTY, parts)
        self._remove_node(parts)

    def move(self, source: PathParts, target: PathParts) -> None:
        """Move a file or folder: into the target if that is a folder, otherwise to the target's name."""
        if not source:
            self._check_root_move(target)
            return
        moved = self.get_node(source)
        existing, named_target = self.find_node(target), target
        if existing is moved:
            return
        if isinstance(existing, Folder):
            target = (*target, *source[-1:])
            if self.find_node(target) is not None:
                raise shutil.Error(f"Destination path '{self.format_path(target)}' already exists")
        elif isinstance(existing, File) and isinstance(moved, Folder):
            raise self.build_error(EXISTS, target)
        # `shutil` names the target as it was given here, but the place inside of it in the error above.
        if isinstance(moved, Folder) and target[: len(source)] == source:
            raise shutil.Error(
                f"Cannot move a directory '{self.format_path(source)}' into itself '{self.format_path(named_target)}'."
            )
        if len(target) + _measure_height(moved) > MAX_DEPTH:
            raise self.build_error(NAME_TOO_LONG, target)
        if isinstance(moved, Folder) and self.find_node(target[:-1]) is None:
            # A real disk refuses, so that Python copies the folder, and creates the folders above it first.
            self.create_folder(target[:-1], moved.created_at, parents=True)
        parent = self._get_parent(target)
        if is_too_long(target[-1]):
            raise self.build_error(NAME_TOO_LONG, target)
        # What can fail comes before the removal, so that a refused move does not lose the node.
        self._remove_node(source)
        parent.children[target[-1]] = moved

    def _check_root_move(self, target: PathParts) -> None:
        """Allow moving the root only onto itself, which does nothing."""
        if target:
            raise shutil.Error(
                f"Cannot move a directory '{self.format_path(())}' into itself '{self.format_path(target)}'."
            )

    def format_path(self, parts: PathParts) -> str:
        """Return the path of a node below the tree's root name."""
        return "/".join((self._root_name, *parts))

    def _get_parent(self, parts: PathParts) -> Folder:
        """Return the parent folder of a node. Errors name the node itself, as a real disk would."""
        if not parts:
            raise self.build_error(NOT_FOUND, parts)
        try:
            parent = self.get_node(parts[:-1])
        except OSError as error:
            raise self.build_error(error.errno or NOT_FOUND, parts) from None
        if not isinstance(parent, Folder):
            raise self.build_error(NOT_A_FOLDER, parts)
        return parent

    def _put_node(self, parts: PathParts, node: File | Folder) -> None:
        parent = self._get_parent(parts)
        if is_too_long(parts[-1]):
            raise self.build_error(NAME_TOO_LONG, parts)
        parent.children[parts[-1]] = node

    def _remove_node(self, parts: PathParts) -> None:
        if not parts:
            raise self.build_error(NO_PERMISSION, parts)
        del self._get_parent(parts).children[parts[-1]]

    def build_error(self, code: int, parts: PathParts) -> OSError:
        """Return the exception that a real disk would raise for a path."""
        kind, reason = _ERRORS_BY_CODE[code]
        return kind(code, reason, self.format_path(parts))


def is_too_long(name: str) -> bool:
    """Return whether a disk would refuse a name for its length."""
    return len(name.encode("utf-8", "replace")) > _MAX_NAME_BYTES


def _measure_height(node: File | Folder) -> int:
    return 1 + max(map(_measure_height, node.children.values()), default=0) if isinstance(node, Folder) else 0


def _build_children(folder: JSON, parts: PathParts) -> dict[str, File | Folder]:
    children: list[JSON] = get_list(folder, "children")
    return {each["name"]: _build_node(each, (*parts, each["name"])) for each in children}


def _build_node(node: JSON, parts: PathParts) -> File | Folder:
    if node.get("type", "directory") == "directory":
        return Folder(children=_build_children(node, parts), definition=node)
    return File(origin="/".join(parts), definition=node)


def _node_to_state(node: File | Folder, loaded_state: JSON) -> JSON:
    if isinstance(node, File):
        return loaded_state
    children = [_node_to_state(child, child.definition | {"name": name}) for name, child in node.children.items()]
    return loaded_state | {"children": children} if children or loaded_state.get("children") else loaded_state


def _iter_files(folder: Folder, parts: PathParts) -> Iterator[tuple[PathParts, File]]:
    for name, child in folder.children.items():
        if isinstance(child, File):
            yield (*parts, name), child
        else:
            yield from _iter_files(child, (*parts, name))
