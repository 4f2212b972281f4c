"""The journal of a run that is executed now: its events in a file, so that other processes can watch it.

    DIR/running/3f9a0c4e51d2b786.jsonl    written by the worker, a line per event as in a timeline's file; removed by
                                          the process that runs the bench when the run's result is saved

The worker's event loop only collects events. A thread writes them a few times per second: what an agent does is seen
also while it blocks the loop, and a run that ends sooner has no journal, and costs next to nothing. A journal that a
crash leaves behind is removed when the bench is resumed. Of the blocks it has those of artifacts only: rows need no
others, and requests would make it much longer. If it cannot be written, the run goes on without.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from adk_agent_sim.bench.bench_result import RUN_ID_LENGTH, RunKey
from adk_agent_sim.timeline import jsonl
from adk_agent_sim.timeline.blocks import Block
from adk_agent_sim.timeline.events import ArtifactSaved, Event, Session
from adk_agent_sim.timeline.private_files import create_private_file
from adk_agent_sim.timeline.read_model.session_read_model import SessionReadModel
from adk_agent_sim.timeline.store import MemoryStore

_FOLDER_NAME = "running"
_EVERY_SECONDS = 0.25
"""How often events are written."""


def get_journal_path(folder: Path, key: RunKey) -> Path:
    """Return where the journal of a run is, in the folder of its bench."""
    return folder / _FOLDER_NAME / f"{key.run_id}.jsonl"


def remove_journal(folder: Path, key: RunKey) -> None:
    """Remove the journal of a run; one that somebody keeps open, on Windows, is removed when the bench has ended."""
    with suppress(OSError):
        get_journal_path(folder, key).unlink()


def remove_journals(folder: Path) -> None:
    """Remove all journals of a bench, and their folder, unless somebody has put other files there."""
    for path in (folder / _FOLDER_NAME).glob(f"{'[0-9a-f]' * RUN_ID_LENGTH}.jsonl"):
        with suppress(OSError):
            path.unlink()
    with suppress(OSError):
        (folder / _FOLDER_NAME).rmdir()


class JournalWriter:
    """Writes the records of a session to a file, in a thread of its own."""

    def __init__(self, path: Path) -> None:
        """Prepare a writer; the thread starts with the first record, and the file when it is written."""
        self._path = path
        self._lock = threading.Lock()
        self._waiting: list[jsonl.TimelineRecord] = []
        self._closed = threading.Event()
        self._thread: threading.Thread | None = None

    def add(self, records: Iterable[jsonl.TimelineRecord]) -> None:
        """Let records be written soon."""
        with self._lock:
            self._waiting.extend(records)
        if self._thread is None:
            self._thread = threading.Thread(target=self._write_often, daemon=True, name="adksim-journal")
            self._thread.start()

    def close(self) -> None:
        """Write what is waiting, if the file has begun; the file stays."""
        self._closed.set()
        if self._thread is not None:
            self._thread.join()

    def _write_often(self) -> None:
        with suppress(OSError):
            if self._closed.wait(_EVERY_SECONDS):
                return
            with self._create_file() as file:
                self._write_waiting(file)
                while not self._closed.wait(_EVERY_SECONDS):
                    self._write_waiting(file)
                self._write_waiting(file)

    def _create_file(self) -> BinaryIO:
        self._path.parent.mkdir(mode=0o700, exist_ok=True)
        # Another file than that of an attempt before: whoever reads it sees that this one has begun.
        self._path.unlink(missing_ok=True)
        return os.fdopen(create_private_file(self._path), "wb")

    def _write_waiting(self, file: BinaryIO) -> None:
        # Only swapped under the lock: the event loop of the agent must not wait for the disk.
        with self._lock:
            records, self._waiting = self._waiting, []
        if records:
            file.write("".join(f"{jsonl.encode_line(each)}\n" for each in records).encode())
            file.flush()


class JournaledStore(MemoryStore):
    """A store in memory whose first session has a journal."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._journal = JournalWriter(path)
        self._session_id = ""
        self._written_blocks: set[str] = set()

    def close_journal(self) -> None:
        """Write no further events; the journal stays."""
        self._journal.close()

    async def create_session(self, session: Session) -> None:
        """Add an empty session."""
        await super().create_session(session)
        if not self._session_id:
            self._session_id = session.session_id
            self._journal.add([session])

    async def append(
        self, events: Sequence[Event], blocks: Iterable[Block], read_model: SessionReadModel
    ) -> Sequence[Event]:
        """Append events of one session, their blocks and the read model after them."""
        blocks = list(blocks)
        appended = await super().append(events, blocks, read_model)
        if events[0].session_id == self._session_id:
            self._journal.add([*self._select_blocks(events, blocks), *events])
        return appended

    def _select_blocks(self, events: Iterable[Event], blocks: Iterable[Block]) -> Iterator[Block]:
        saved = {event.payload.block for event in events if isinstance(event.payload, ArtifactSaved)}
        for block in blocks:
            if block.block_id in saved - self._written_blocks:
                self._written_blocks.add(block.block_id)
                yield block
