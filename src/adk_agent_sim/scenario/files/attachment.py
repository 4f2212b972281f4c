"""Attachments of emails and messages: read from and saved to the world's file system; Base64 in app states."""

from __future__ import annotations

import posixpath
from base64 import b64decode, b64encode

from adk_agent_sim.scenario.app_base.app import App
from adk_agent_sim.scenario.app_base.tool_call import call_nested_tool
from adk_agent_sim.scenario.files.file_system import FileSystem


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
