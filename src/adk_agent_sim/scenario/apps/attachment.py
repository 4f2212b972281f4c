"""Files on their way between the file system and mails or messages: Base64 in the state, bytes in a file."""

from __future__ import annotations

import posixpath
from base64 import b64decode, b64encode

from adk_agent_sim.scenario.apps.app import App
from adk_agent_sim.scenario.apps.calling import call_within
from adk_agent_sim.scenario.apps.file_system import FileSystem


class Attached(str):
    """A file that was attached in this run. To an agent it prints as bytes, unlike one that the scenario came with."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"b{super().__repr__()}"


def attach(app: App, path: str, missing: str) -> tuple[str, Attached]:
    """The name and the content of a file to attach.

    Args:
        app: The app that attaches it.
        path: Where it is.
        missing: What to say when there is no such file.

    Raises:
        ValueError: There is no such file.
    """
    files = _files(app)
    if not call_within(files, "exists", path=path):
        raise ValueError(missing)
    return posixpath.basename(path), Attached(b64encode(files.read_bytes(path)).decode())


def save(app: App, folder: str, name: str, content: str) -> str:
    """Save an attached file, and say where it is."""
    path = posixpath.join(folder, name)
    _files(app).write_bytes(path, b64decode(content))
    return path


def _files(app: App) -> FileSystem:
    for each in app.world.apps.values():
        if isinstance(each, FileSystem):
            return each
    raise ValueError("The world has no file system, so there are no files to attach or save.")
