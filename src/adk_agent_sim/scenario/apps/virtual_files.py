"""ARE's virtual file system: the in-memory file system with a smaller set of tools."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from adk_agent_sim.scenario.app_base.app import APP, READ, WRITE, tool
from adk_agent_sim.scenario.files.file_system import FileSystem


class VirtualFileSystem(FileSystem):
    """A file system that is part of the scenario."""

    state_keys = ("files", "tmpdir")
    empty_state: ClassVar[Mapping[str, Any] | None] = {
        "files": {"name": "", "type": "directory", "children": []},
        "tmpdir": "",
    }

    @tool(APP, operation=WRITE, type_checked=False)
    def open(self, path: str, mode: str = "rb") -> Any:
        """Open a file.

        This makes the file with mode `w`, and checks that it is there with mode `r`; use cat to read it.

        Args:
            path: The path.
            mode: How to open it, as Python says it: `rb` to read bytes.
        """
        return self._open_file(path, mode)

    @tool(APP, operation=READ, type_checked=False)
    def cat(self, path: str) -> bytes:
        """Read the content of a file.

        Returns the bytes as they are.

        Args:
            path: The path.
        """
        return self._read_file_or_files(path, recursive=False, ignore_errors=False)

    @tool(APP, operation=WRITE, type_checked=False)
    def mkdir(self, path: str, create_recursive: bool = True) -> None:
        """Make a folder.

        Args:
            path: The path.
            create_recursive: Make missing folders above it too.
        """
        self._create_folder(path, parents=create_recursive)

    @tool(APP, operation=WRITE, type_checked=False)
    def mv(self, path1: str, path2: str) -> None:
        """Move or rename a file or folder.

        If the target is a folder, it goes into that folder.

        Args:
            path1: Where it is.
            path2: Where it goes.
        """
        self._tree.move(*self._resolve_paths(path1, path2))

    @tool(APP, operation=READ, type_checked=False)
    def ls(self, path: str = ".", detail: bool = False) -> list[Any]:
        """List what is in a folder.

        Returns the full paths, or with detail one object each with name, size and type.

        Args:
            path: The path.
            detail: Return more than the names.
        """
        return self._list_folder(path, detail=detail)

    @tool(APP, operation=WRITE, type_checked=False)
    def rm(self, path: str, recursive: bool = False) -> None:
        """Remove a file, or a folder with all that is in it.

        A folder is removed only with recursive.

        Args:
            path: The path.
            recursive: Take all that is below a folder too.
        """
        self._tree.remove(self._resolve_path(path), recursive=recursive)

    @tool(APP, operation=WRITE, type_checked=False)
    def rmdir(self, path: str) -> None:
        """Remove an empty folder.

        Args:
            path: The path.
        """
        self._tree.remove_folder(self._resolve_path(path))

    @tool(APP, operation=READ, type_checked=False)
    def exists(self, path: str) -> bool:
        """Tell whether there is such a file or folder.

        Args:
            path: The path.
        """
        return self._exists(path)

    @tool(APP, operation=READ, type_checked=False)
    def info(self, path: str, **kwargs: Any) -> dict[str, Any]:
        """Tell size, kind and times of a file or folder.

        Args:
            path: The path.
            kwargs: Further options of the file system.
        """
        return self._build_info(self._resolve_path(path))

    @tool(APP, operation=READ, type_checked=False)
    def tree(self, path: str = ".") -> str:
        """Draw a folder with all that is below it.

        Args:
            path: The path.
        """
        return self._draw_tree(path)
