"""The timeline of a run of a bench: of one that is executed now from its journal, of one that has ended from its file.

The journal stays open: when the run has ended and its journal is removed, the last events can still be read. The file
is there if the bench was told to keep it; it also has the rows of runs that nobody has watched.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO
from uuid import uuid4
from weakref import finalize

from adk_agent_sim.bench.bench_result import RunKey
from adk_agent_sim.bench.run_journal import get_journal_path
from adk_agent_sim.errors import NotFound
from adk_agent_sim.server.scenarios.session_verdict import SessionVerdict, build_session_verdict
from adk_agent_sim.server.sessions import row_details
from adk_agent_sim.server.sessions.row_api_models import RowDetail
from adk_agent_sim.timeline import jsonl
from adk_agent_sim.timeline.blocks import Block
from adk_agent_sim.timeline.events import Event, Session
from adk_agent_sim.timeline.read_model.open_rows import OPEN_STATUSES, end_open_row
from adk_agent_sim.timeline.read_model.session_read_model import SessionReadModel, create_read_model
from adk_agent_sim.timeline.read_model.timeline_row import TimelineRow
from adk_agent_sim.timeline.world_events import VerdictReached

_TAIL = 200
"""How many rows a reader gets who has none; it asks for others when they are visible."""

_MAX_TIMELINES = 8
"""How many runs of a bench are kept in memory: those that were looked at last."""


class RunTimeline:
    """The rows of one attempt of a run."""

    def __init__(self, path: Path) -> None:
        """Open a journal or the file of a run that has ended; raise FileNotFoundError if there is none."""
        self._path = path
        self._file: BinaryIO | None = path.open("rb")
        self._identity = _identify(os.fstat(self._file.fileno()))
        finalize(self, self._file.close)  # when the server ends, or drops it
        self._torn = b""
        self._read_model: SessionReadModel | None = None
        self._events: list[Event] = []
        self._blocks: dict[str, bytes] = {}
        self._rows: list[TimelineRow] = []
        self.attempt = uuid4().hex
        """Identifies the attempt: rows of another one are other rows."""
        self.is_live = True
        """Whether the run goes on; if not, calls that were running are over."""
        self.problem = ""
        """Why the rest of the journal cannot be read; empty if it can."""

    @property
    def is_current(self) -> bool:
        """Whether the journal still is the file that was opened, rather than that of a later attempt."""
        if self._file is None:
            return False
        try:
            return os.path.samestat(os.fstat(self._file.fileno()), self._path.stat())
        except FileNotFoundError:
            return True  # it has ended

    def is_of_file(self, path: Path) -> bool:
        """Return whether the rows are those of a file as it is now."""
        return path == self._path and _identify(path.stat()) == self._identity

    @property
    def row_count(self) -> int:
        """The number of rows so far."""
        return len(self._rows)

    @property
    def last_seq(self) -> int:
        """The seq of the last event that was read."""
        return len(self._events)

    @property
    def turn_count(self) -> int:
        """The number of model turns so far."""
        return self._read_model.summary.turn_count if self._read_model else 0

    @property
    def call_count(self) -> int:
        """The number of tool calls so far."""
        return self._read_model.summary.call_count if self._read_model else 0

    def read_more(self) -> None:
        """Read what was written since the last time."""
        if self._file is None or self.problem:
            return
        # The last piece has no line break yet: the run may be writing it.
        *lines, self._torn = (self._torn + self._file.read()).split(b"\n")
        added: list[Event] = []
        try:
            for line in lines:
                self._add_record(jsonl.decode_line(line.decode()), added)
        except ValueError as error:
            self.problem = f"What is stored of the run cannot be read further: {error}."
        if added and self._read_model is not None:
            self._events += added
            self._read_model = self._read_model.with_events(added)
            for row in sorted(self._read_model.changed_rows, key=lambda each: each.index):
                # Replaces a row or appends the next one: rows are never removed, and are applied in order.
                self._rows[row.index : row.index + 1] = [row]

    def close(self) -> None:
        """Read the rest, and close the file; the rows stay."""
        self.read_more()
        self.is_live = False
        if self._file is not None:
            self._file.close()
            self._file = None

    def list_news(self, after_seq: int) -> list[TimelineRow]:
        """Return the rows that have changed after an event; for a reader who has none, the last ones."""
        rows = [row for row in self._rows if row.updated_seq > after_seq] if after_seq else self._rows[-_TAIL:]
        # Calls that were running are over without an event, so a reader who has their rows is sent them again.
        if not self.is_live:
            known = {row.index for row in rows}
            rows = [*rows, *(each for each in self._rows if each.status in OPEN_STATUSES and each.index not in known)]
        return [row if self.is_live else end_open_row(row) for row in rows]

    def list_rows(self, start: int, count: int) -> list[TimelineRow]:
        """Return up to `count` rows from index `start` on."""
        return [row if self.is_live else end_open_row(row) for row in self._rows[start : start + count]]

    async def get_row_detail(self, index: int, *, url: str, full: bool) -> RowDetail:
        """Return the values and files of a row; long values are cut unless `full`."""
        row, row_events = self._find_row_events(index)
        url = f"{url}/rows/{index}/media"
        return await row_details.build_row_detail(row, row_events, self._read_block, url=url, full=full)

    async def get_media_file(self, index: int, file_index: int) -> row_details.MediaContent:
        """Return an image or file of a row."""
        files = await row_details.load_media(self._find_row_events(index)[1], self._read_block)
        if not 0 <= file_index < len(files):
            raise NotFound(f"Row {index} has no file {file_index}.")
        return files[file_index]

    def get_verdict(self, index: int) -> SessionVerdict:
        """Return the verdict that a row shows; raise NotFound if it shows none."""
        row, row_events = self._find_row_events(index)
        reached = row_events[0][0].payload
        if not isinstance(reached, VerdictReached) or reached.verdict is None:
            raise NotFound(f"Row {index} shows no verdict.")
        return build_session_verdict(reached, self._events[: row.seq - 1], self._rows[:index])

    def _add_record(self, record: jsonl.TimelineRecord, added: list[Event]) -> None:
        match record:
            case Session() if self._read_model is None:
                self._read_model = create_read_model(record)
            case Block():
                self._blocks[record.block_id] = record.data
            case Event() if self._read_model is not None and record.seq == len(self._events) + len(added) + 1:
                added.append(record)
            case _:
                raise ValueError(f"a line is missing before event {len(self._events) + len(added) + 1}")

    def _find_row_events(self, index: int) -> tuple[TimelineRow, Sequence[row_details.RowEvent]]:
        if not 0 <= index < len(self._rows):
            raise NotFound(f"There is no row {index}; the run has {len(self._rows)} rows.")
        row = self._rows[index]
        return row, [(self._events[source.seq - 1], source.part_index) for source in row.sources]

    async def _read_block(self, block_id: str) -> bytes:
        if block_id not in self._blocks:
            raise NotFound("The file is not in the journal of the run.")
        return self._blocks[block_id]


class RunTimelines:
    """The runs of a bench that somebody looks at."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._timelines: OrderedDict[str, RunTimeline] = OrderedDict()

    def update(self, key: RunKey, *, is_running: bool, stored: Path | None = None) -> RunTimeline | None:
        """Read what is new of a run, and return its timeline.

        Args:
            key: The run.
            is_running: Whether it is executed now.
            stored: The file of a run that has ended.

        Returns:
            None if the run has written nothing, or has ended and nothing is stored.
        """
        timeline = self._timelines.get(key.run_id)
        if timeline is not None and not (is_running and timeline.is_current):
            timeline.close()
        if is_running and (timeline is None or not timeline.is_live):
            timeline = self._open(key) or timeline
        if not is_running and stored is not None:
            timeline = self._read_stored(key, stored) or timeline
        if timeline is not None:
            timeline.read_more()
            self._timelines.move_to_end(key.run_id)
        return timeline

    def find(self, run_id: str) -> RunTimeline:
        """Return the timeline of a run that was read before; raise NotFound if it was not, or long ago."""
        if run_id not in self._timelines:
            raise NotFound("The rows of the run are no longer here. Open its page.")
        return self._timelines[run_id]

    def _read_stored(self, key: RunKey, path: Path) -> RunTimeline | None:
        """Read the file of a run that has ended, unless it was read and no later attempt has replaced it."""
        known = self._timelines.get(key.run_id)
        try:
            if known is not None and known.is_of_file(path):
                return known
            timeline = RunTimeline(path)
        except OSError:
            return None
        timeline.close()
        return self._keep(key, timeline)

    def _open(self, key: RunKey) -> RunTimeline | None:
        try:
            return self._keep(key, RunTimeline(get_journal_path(self._folder, key)))
        except OSError:
            return None

    def _keep(self, key: RunKey, timeline: RunTimeline) -> RunTimeline:
        self._timelines[key.run_id] = timeline
        while len(self._timelines) > _MAX_TIMELINES:
            self._timelines.popitem(last=False)[1].close()
        return timeline


def _identify(status: os.stat_result) -> tuple[int, int, int]:
    return status.st_ino, status.st_mtime_ns, status.st_size
