"""ARE's sandbox file system: the in-memory file system with options of fsspec that have no effect."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from adk_agent_sim.scenario.app_base.app import APP, READ, WRITE, tool
from adk_agent_sim.scenario.files.document import extract_document_text, truncate_lines
from adk_agent_sim.scenario.files.file_system import FileSystem
from adk_agent_sim.scenario.files.file_tree import Folder

_COMPRESSIONS = frozenset({"infer", "zip", "bz2", "gzip", "lzma", "xz"})
"""The compressions that ARE's file library knows. They have no effect here."""


class SandboxLocalFileSystem(FileSystem):
    """A file system in a folder of its own."""

    state_keys = ("files", "tmpdir")
    empty_state: ClassVar[Mapping[str, Any] | None] = {
        "files": {"name": "", "type": "directory", "children": []},
        "tmpdir": "",
    }

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

        This makes the file with mode `w`, and checks that it is there with mode `r`; use cat or read_document
        to read it.

        Args:
            path: The path.
            mode: How to open it, as Python says it: `rb` to read bytes.
            block_size: How many bytes to read at once.
            cache_options: How to buffer what is read.
            compression: How the file is compressed.
            kwargs: Further options of the file system.
        """
        handle = self._open_file(path, mode)
        # After opening, as in fsspec: the file exists then, although the call fails.
        if compression is not None and compression not in _COMPRESSIONS:
            raise ValueError(f"Compression type {compression} not supported")
        return handle

    @tool(APP, operation=READ, type_checked=False)
    def cat(self, path: str, recursive: bool = False, on_error: str = "raise", **kwargs: Any) -> str | bytes:
        """Read the content of a file.

        Returns the bytes as they are; read_document is better for documents.

        Args:
            path: The path.
            recursive: Take all that is below a folder too.
            on_error: What to do with a file that cannot be read: raise, omit or return.
            kwargs: Further options of the file system.
        """
        return self._read_file_or_files(path, recursive=recursive, ignore_errors=on_error != "raise")

    @tool(APP, operation=WRITE, type_checked=False)
    def mkdir(self, path: str, create_parents: bool = True, **kwargs: Any) -> None:
        """Make a folder.

        Args:
            path: The path.
            create_parents: Make missing folders above it too.
            kwargs: Further options of the file system.
        """
        # fsspec passes further options to `os.mkdir` only if it does not create the folders above.
        if kwargs and not create_parents and not self._exists(path):
            raise TypeError(f"{next(iter(kwargs))!r} is an invalid keyword argument for mkdir()")
        self._create_folder(path, parents=create_parents)

    @tool(APP, operation=WRITE, type_checked=False)
    def makedirs(self, path: str, exist_ok: bool = False) -> None:
        """Make a folder and every folder above it that is missing.

        Args:
            path: The path.
            exist_ok: It is no error if the folder is there.
        """
        parts = self._resolve_path(path)
        if not (exist_ok and isinstance(self._tree.find_node(parts), Folder)):
            self._tree.create_folder(parts, self.context.now(), parents=True)

    @tool(APP, operation=WRITE, type_checked=False)
    def mv(self, path1: str, path2: str, recursive: bool = False, maxdepth: int | None = None, **kwargs: Any) -> None:
        """Move or rename a file or folder.

        If the target is a folder, it goes into that folder.

        Args:
            path1: Where it is.
            path2: Where it goes.
            recursive: Take all that is below a folder too.
            maxdepth: How many levels to go down at most.
            kwargs: Further options of the file system.
        """
        self._tree.move(*self._resolve_paths(path1, path2))

    @tool(APP, operation=READ, type_checked=False)
    def ls(self, path: str = ".", detail: bool = False, **kwargs: Any) -> list[str | dict[str, Any]]:
        """List what is in a folder.

        Returns the full paths, or with detail one object each with name, size and type.

        Args:
            path: The path.
            detail: Return more than the names.
            kwargs: Further options of the file system.
        """
        return self._list_folder(path, detail=detail)

    @tool(APP, operation=WRITE, type_checked=False)
    def rm(self, path: str, recursive: bool = False, maxdepth: int | None = None) -> None:
        """Remove a file, or a folder with all that is in it.

        A folder is removed only with recursive.

        Args:
            path: The path.
            recursive: Take all that is below a folder too.
            maxdepth: How many levels to go down at most.
        """
        self._tree.remove(self._resolve_path(path), recursive=recursive)

    @tool(APP, operation=READ, type_checked=False)
    def exists(self, path: str, **kwargs: Any) -> bool:
        """Tell whether there is such a file or folder.

        Args:
            path: The path.
            kwargs: Further options of the file system.
        """
        return self._exists(path)

    @tool(APP, operation=READ, type_checked=False)
    def display(self, path: str) -> bool:
        """Show a file to the user.

        Returns whether there is such a file.

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

    @tool(APP, operation=READ, type_checked=False)
    def read_document(self, file_path: str, max_lines: int | None = 20) -> str:
        """Read the text of a document.

        Reads text files of any kind, and web pages as Markdown; pictures and other binary files are refused.

        Args:
            file_path: The path of the document.
            max_lines: How many lines to return at most; all if null.
        """
        try:
            text = extract_document_text(file_path, self.read_bytes(file_path))
        # PermissionError is an OSError, too, but a path that leaves the root is reported as such.
        except PermissionError:
            raise
        except (OSError, ValueError) as error:
            message = f"File not found or could not be read: {file_path}. Error: {error}"
            raise FileNotFoundError(message) from error
        return truncate_lines(text, max_lines)


class Files(SandboxLocalFileSystem):
    """The same file system under the name Gaia2 gives it."""
