"""A file system that is part of the scenario."""

from __future__ import annotations

from typing import Any

from adk_agent_sim.scenario.apps.app import App
from adk_agent_sim.scenario.apps.tool import APP, READ, WRITE, tool


class VirtualFileSystem(App):
    """A file system that is part of the scenario."""

    state_keys = ("files", "tmpdir")

    @tool(APP, operation=WRITE, type_checked=False)
    def open(self, path: str, mode: str = "rb") -> Any:
        """Open a file.

        Args:
            path: The path.
            mode: How to open it, as Python says it: `rb` to read bytes.
        """
        raise NotImplementedError

    @tool(APP, operation=READ, type_checked=False)
    def cat(self, path: str) -> bytes:
        """Read the content of a file.

        Args:
            path: The path.
        """
        raise NotImplementedError

    @tool(APP, operation=WRITE, type_checked=False)
    def mkdir(self, path: str, create_recursive: bool = True) -> None:
        """Make a folder.

        Args:
            path: The path.
            create_recursive: Make missing folders above it too.
        """
        raise NotImplementedError

    @tool(APP, operation=WRITE, type_checked=False)
    def mv(self, path1: str, path2: str) -> None:
        """Move or rename a file or folder.

        Args:
            path1: Where it is.
            path2: Where it goes.
        """
        raise NotImplementedError

    @tool(APP, operation=READ, type_checked=False)
    def ls(self, path: str = ".", detail: bool = False) -> list[Any]:
        """List what is in a folder.

        Args:
            path: The path.
            detail: Return more than the names.
        """
        raise NotImplementedError

    @tool(APP, operation=WRITE, type_checked=False)
    def rm(self, path: str, recursive: bool = False) -> None:
        """Remove a file, or a folder with all that is in it.

        Args:
            path: The path.
            recursive: Take all that is below a folder too.
        """
        raise NotImplementedError

    @tool(APP, operation=WRITE, type_checked=False)
    def rmdir(self, path: str) -> None:
        """Remove an empty folder.

        Args:
            path: The path.
        """
        raise NotImplementedError

    @tool(APP, operation=READ, type_checked=False)
    def exists(self, path: str) -> bool:
        """Tell whether there is such a file or folder.

        Args:
            path: The path.
        """
        raise NotImplementedError

    @tool(APP, operation=READ, type_checked=False)
    def info(self, path: str, **kwargs: Any) -> dict[str, Any]:
        """Tell size, kind and times of a file or folder.

        Args:
            path: The path.
            kwargs: Further options of the file system.
        """
        raise NotImplementedError

    @tool(APP, operation=READ, type_checked=False)
    def tree(self, path: str = ".") -> str:
        """Draw a folder with all that is below it.

        Args:
            path: The path.
        """
        raise NotImplementedError
