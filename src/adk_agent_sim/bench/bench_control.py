"""What another process, such as a server, may see and ask of a running bench: pause, continue, run again.

    DIR/running.json       which runs are executed now, and since when; there while a process runs the bench
    DIR/running/*.jsonl    what has happened in each of them (run_journal.py)
    DIR/paused             while it is there, no further run starts
    DIR/requests/*.json    the keys of runs to execute again; each file is removed when its run is queued

Files, so that the process that runs a bench needs no server, and a server can be started before or after it.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from uuid import uuid4

from pydantic import BaseModel, ValidationError

from adk_agent_sim.bench.bench_plan import BenchPlan, PlannedRun
from adk_agent_sim.bench.bench_result import ActiveRun, RunKey
from adk_agent_sim.bench.run_journal import remove_journals
from adk_agent_sim.timeline.clock import Clock, WallClock
from adk_agent_sim.timeline.folder_lock import lock_folder
from adk_agent_sim.timeline.record import Record

_RUNNING_NAME = "running.json"
_PAUSED_NAME = "paused"
_REQUESTS_NAME = "requests"


class _RunningFile(BaseModel):
    runs: tuple[ActiveRun, ...]


class BenchActivity(Record):
    """What a bench is doing."""

    is_running: bool
    """Whether a process runs the bench."""

    is_paused: bool
    """Whether it starts no further runs."""

    running: tuple[ActiveRun, ...]
    """The runs that are executed now."""

    requested: tuple[ActiveRun, ...]
    """The runs that were asked for again, and are not queued yet."""

    def find_running(self, key: RunKey) -> ActiveRun | None:
        """Return a run if it is executed now."""
        return next((each for each in self.running if each.run_id == key.run_id), None)


class BenchControl:
    """The side of the process that runs the bench."""

    def __init__(self, folder: Path, plan: BenchPlan, clock: Clock | None = None) -> None:
        """Start; whoever starts a bench wants it to run, so it is not paused any more."""
        self._folder = folder
        self._runs = {run.key: run for run in plan.runs}
        self._clock = clock or WallClock()
        self._started_at: dict[RunKey, float] = {}
        remove_journals(folder)  # those of a process that was killed
        (folder / _PAUSED_NAME).unlink(missing_ok=True)
        self.note_running(())

    @property
    def is_paused(self) -> bool:
        """Whether no further run may start."""
        return (self._folder / _PAUSED_NAME).exists()

    def take_requests(self) -> list[PlannedRun]:
        """Return the runs of the plan to execute again, once each."""
        found: dict[int, PlannedRun] = {}
        for path, asked in _list_requests(self._folder):
            # Also if its run is unknown, so that it is not looked at again and again.
            path.unlink(missing_ok=True)
            run = self._runs.get(asked.key) if asked else None
            if run is not None:
                found[run.index] = run
        return [found[index] for index in sorted(found)]

    def note_running(self, runs: Iterable[PlannedRun]) -> None:
        """Tell which runs are executed now."""
        now = self._clock.now()
        # A run that is still going on keeps the time at which it was started.
        self._started_at = {run.key: self._started_at.get(run.key, now) for run in runs}
        active = (ActiveRun(**vars(key), started_at=started) for key, started in self._started_at.items())
        value = _RunningFile(runs=tuple(active))
        _replace(self._folder / _RUNNING_NAME, value.model_dump_json())

    def close(self) -> None:
        """Tell that the bench has ended."""
        (self._folder / _RUNNING_NAME).unlink(missing_ok=True)
        remove_journals(self._folder)


def read_activity(folder: Path) -> BenchActivity:
    """Return what the bench of a folder is doing."""
    running = _read_running(folder)
    return BenchActivity(
        is_running=running is not None,
        is_paused=running is not None and (folder / _PAUSED_NAME).exists(),
        running=running or (),
        requested=tuple(run for _, run in _list_requests(folder) if run),
    )


def pause_bench(folder: Path, *, paused: bool) -> None:
    """Let a running bench start no further runs, or let it continue; runs that have started end normally."""
    if paused:
        (folder / _PAUSED_NAME).touch(mode=0o600)
    else:
        (folder / _PAUSED_NAME).unlink(missing_ok=True)


def request_run(folder: Path, key: RunKey) -> None:
    """Ask for a run to be executed again: by the process that runs the bench, or else when it is resumed."""
    requests = folder / _REQUESTS_NAME
    requests.mkdir(mode=0o700, exist_ok=True)
    if key.run_id not in (each.run_id for _, each in _list_requests(folder) if each):
        _replace(requests / f"{uuid4().hex}.json", key.model_dump_json())


def _read_running(folder: Path) -> tuple[ActiveRun, ...] | None:
    """Return the runs that are executed; None if nobody runs the bench."""
    try:
        text = (folder / _RUNNING_NAME).read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    try:
        # A process that runs the bench holds the lock, so getting it means that nobody does.
        with lock_folder(folder, waits=False):
            return None  # the process was killed, and has left its file
    except BlockingIOError:
        pass
    try:
        return _RunningFile.model_validate_json(text).runs
    except ValidationError:
        return ()


def _list_requests(folder: Path) -> list[tuple[Path, ActiveRun | None]]:
    """Return the files of requests with their keys; None for one that is damaged."""
    found: list[tuple[Path, ActiveRun | None]] = []
    for path in sorted((folder / _REQUESTS_NAME).glob("*.json")):
        try:
            found.append((path, ActiveRun.model_validate_json(path.read_bytes())))
        except FileNotFoundError:
            continue  # it was taken in the meantime
        except ValueError:
            found.append((path, None))
    return found


def _replace(path: Path, text: str) -> None:
    """Replace a file at once; it need not survive a crash of the machine, so nothing waits for the disk."""
    temporary = path.with_name(f".{path.name}.{uuid4().hex}.tmp")
    temporary.write_text(text, encoding="utf-8")
    temporary.replace(path)
