"""Keeps a model cassette in its file: read by content, written atomically, shared by threads and processes."""

from __future__ import annotations

import os
from pathlib import Path

from adk_agent_sim.errors import ImportRefused
from adk_agent_sim.golden.cassette import Cassette, CassetteSession
from adk_agent_sim.golden.cassette_format import parse_cassette, render_cassette
from adk_agent_sim.timeline.atomic_files import atomic_write_text, prepare_path
from adk_agent_sim.timeline.folder_lock import lock_folder


def read_cassette(path: Path) -> Cassette:
    """Read a cassette; raise ImportRefused if the file is none, or cannot be read."""
    try:
        return parse_cassette(path.read_bytes())
    except (OSError, ValueError) as error:
        raise ImportRefused(str(path), "a model cassette", str(error).rstrip(".")) from error


class CassetteFile:
    """A file that sessions are written to."""

    def __init__(self, path: Path) -> None:
        """Use a file, which need not exist.

        Raises:
            ImportRefused: There is something else at the path, which would be lost.
        """
        self.path = path
        self._known: Cassette | None = None
        self._stamp: tuple[int, ...] | None = None
        """What the file looked like when it had the known content."""
        if path.suffix == ".jsonl":
            raise ImportRefused(str(path), "a model cassette", "a cassette is one JSON document; name it *.json")
        if path.exists():
            read_cassette(path)

    def put_session(self, session: CassetteSession, earlier: CassetteSession | None = None) -> None:
        """Write a session, and leave all others as they are now, whoever wrote them.

        Args:
            session: The session; it replaces one with the same conversation.
            earlier: What was written or read of the same session before.
        """
        target = prepare_path(self.path)
        with lock_folder(target.parent):
            cassette = self._read_current(target).put_session(session, earlier)
            atomic_write_text(target, render_cassette(cassette), keep_mode=True)
            self._known, self._stamp = cassette, _take_stamp(target)

    def _read_current(self, target: Path) -> Cassette:
        stamp = _take_stamp(target)
        if stamp is None:
            return Cassette()
        # Parsing the file for each turn would take quadratic time; the stamp shows if somebody has replaced it.
        if self._known is None or stamp != self._stamp:
            return read_cassette(target)
        return self._known


def _take_stamp(path: Path) -> tuple[int, ...] | None:
    """Return what changes with every write, which replaces the file; None if there is no file."""
    try:
        status = os.stat(path)
    except FileNotFoundError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns
