"""A file system in a folder of its own."""

from __future__ import annotations

from typing import Any

from adk_agent_sim.scenario.apps.app import App
from adk_agent_sim.scenario.apps.tool import APP, READ, WRITE, tool


class SandboxLocalFileSystem(App):
    """A file system in a folder of its own."""

    state_keys = ("files", "tmpdir")

    @tool(APP, operation=WRITE, type_checked=False)
    def open(
        self,
        path: str,
        mode: str = "rb",
        block_size: int | None = None,
        cache_options: dict[str, Any] | None = None,
        compression: str | None = None,
        **kwargs: Any,
    ) -> Any:
        """Open a file.

        Args:
            path: The path.
            mode: How to open it, as Python says it: `rb` to read bytes.
            block_size: How many bytes to read at once.
            cache_options: How to buffer what is read.
            compression: How the file is compressed.
            kwargs: Further options of the file system.
        """
        raise NotImplementedError

    @tool(APP, operation=READ, type_checked=False)
    def cat(self, path: str, recursive: bool = False, on_error: str = "raise", **kwargs: Any) -> str | bytes:
        """Read the content of a file.

        Args:
            path: The path.
            recursive: Take all that is below a folder too.
            on_error: What to do with a file that cannot be read: raise, omit or return.
            kwargs: Further options of the file system.
        """
        raise NotImplementedError

    @tool(APP, operation=WRITE, type_checked=False)
    def mkdir(self, path: str, create_parents: bool = True, **kwargs: Any) -> None:
        """Make a folder.

        Args:
            path: The path.
            create_parents: Make missing folders above it too.
            kwargs: Further options of the file system.
        """
        raise NotImplementedError

    @tool(APP, operation=WRITE, type_checked=False)
    def makedirs(self, path: str, exist_ok: bool = False) -> None:
        """Make a folder and every folder above it that is missing.

        Args:
            path: The path.
            exist_ok: It is no error if the folder is there.
        """
        raise NotImplementedError

    @tool(APP, operation=WRITE, type_checked=False)
    def mv(self, path1: str, path2: str, recursive: bool = False, maxdepth: int | None = None, **kwargs: Any) -> None:
        """Move or rename a file or folder.

        Args:
            path1: Where it is.
            path2: Where it goes.
            recursive: Take all that is below a folder too.
            maxdepth: How many levels to go down at most.
            kwargs: Further options of the file system.
        """
        raise NotImplementedError

    @tool(APP, operation=READ, type_checked=False)
    def ls(self, path: str = ".", detail: bool = False, **kwargs: Any) -> list[str | dict[str, Any]]:
        """List what is in a folder.

        Args:
            path: The path.
            detail: Return more than the names.
            kwargs: Further options of the file system.
        """
        raise NotImplementedError

    @tool(APP, operation=WRITE, type_checked=False)
    def rm(self, path: str, recursive: bool = False, maxdepth: int | None = None) -> None:
        """Remove a file, or a folder with all that is in it.

        Args:
            path: The path.
            recursive: Take all that is below a folder too.
            maxdepth: How many levels to go down at most.
        """
        raise NotImplementedError

    @tool(APP, operation=READ, type_checked=False)
    def exists(self, path: str, **kwargs: Any) -> bool:
        """Tell whether there is such a file or folder.

        Args:
            path: The path.
            kwargs: Further options of the file system.
        """
        raise NotImplementedError

    @tool(APP, operation=READ, type_checked=False)
    def display(self, path: str) -> bool:
        """Show a file to the user.

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

    @tool(APP, operation=READ, type_checked=False)
    def read_document(self, file_path: str, max_lines: int | None = 20) -> str:
        """Read the text of a document, such as a PDF or a spreadsheet.

        Args:
            file_path: The path of the document.
            max_lines: How many lines to return at most; all if null.
        """
        raise NotImplementedError


class Files(SandboxLocalFileSystem):
    """The same file system under the name Gaia2 gives it."""
