"""The folder of a bench: its plan, and the results that are there, one line for each finished run.

    DIR/plan.json          what determines the plan
    DIR/results.jsonl      appended and synced to disk with each finished run; in the plan's order when all are there
    DIR/runs/00001.html    the files of each run

Only the process that runs the bench writes the plan and the results; it holds the lock of the folder meanwhile. The
last line may be incomplete if the process was killed, and is then removed. Of several lines for a run, the last one
counts.
"""

from __future__ import annotations

import json
import os
from collections.abc import Generator, Iterable, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from adk_agent_sim.bench.bench_plan import BenchPlan, PlannedRun
from adk_agent_sim.bench.bench_result import BenchResult, RunKey
from adk_agent_sim.bench.bench_task import PLAN_NAME, RUNS_NAME
from adk_agent_sim.errors import BenchFolderRefused
from adk_agent_sim.timeline.atomic_files import atomic_write_text, lock_folder
from adk_agent_sim.timeline.private_files import PRIVATE_MODE
from adk_agent_sim.timeline.strict_json import InvalidJson, parse_json_object

RESULTS_NAME = "results.jsonl"
LOG_NAME = "workers.log"
"""Where the workers print what agents print."""

_REPEATED_OUTCOMES = ("error", "timeout")
"""The runs that a resumed bench executes again."""


class ResultsFile:
    """The results of a bench, in memory and in its folder."""

    def __init__(self, folder: Path, plan: BenchPlan, results: Mapping[RunKey, BenchResult]) -> None:
        self._path = folder / RESULTS_NAME
        self._plan = plan
        self._results = dict(results)

    @property
    def results(self) -> Mapping[RunKey, BenchResult]:
        """The result of each run that has one."""
        return self._results

    def list_remaining(self) -> list[PlannedRun]:
        """Return the runs without a result, and those that ended with an error or were stopped, in order."""
        return [run for run in self._plan.runs if not self._is_done(run.key)]

    def append(self, results: Iterable[BenchResult]) -> None:
        """Add results; they are on the disk when this returns."""
        added = list(results)
        if not added:
            return
        text = "".join(each.model_dump_json() + "\n" for each in added)
        descriptor = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, PRIVATE_MODE)
        with os.fdopen(descriptor, "ab") as file:
            file.write(text.encode())
            file.flush()
            os.fsync(file.fileno())
        self._results.update((each.key, each) for each in added)

    def sort(self) -> None:
        """Write the lines in the order of the plan, each run once, so that the file does not depend on chance."""
        found = [self._results[run.key] for run in self._plan.runs if run.key in self._results]
        atomic_write_text(self._path, "".join(each.model_dump_json() + "\n" for each in found))

    def _is_done(self, key: RunKey) -> bool:
        result = self._results.get(key)
        return result is not None and result.outcome not in _REPEATED_OUTCOMES


@contextmanager
def open_results(folder: Path, plan: BenchPlan, *, resume: bool = False) -> Generator[ResultsFile]:
    """Open the folder of a bench, and hold it until the context ends.

    Args:
        folder: The folder, which is created if there is none.
        plan: What is run.
        resume: Whether results of the same plan are used; otherwise the folder must have none.

    Raises:
        BenchFolderRefused: It has the results of another plan, or of this one without `resume`; or is in use.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        try:
            stack.enter_context(lock_folder(folder, waits=False))
        except BlockingIOError:
            raise BenchFolderRefused(
                str(folder), "another process runs a bench there", "Wait until it has ended, or choose another folder."
            ) from None
        yield _start(folder, plan, resume=resume)


def _start(folder: Path, plan: BenchPlan, *, resume: bool) -> ResultsFile:
    plan_file, results_file = folder / PLAN_NAME, folder / RESULTS_NAME
    if not plan_file.exists():
        if results_file.exists():
            raise BenchFolderRefused(
                str(folder), f"it has {RESULTS_NAME} without {PLAN_NAME}", "Choose another folder."
            )
        (folder / RUNS_NAME).mkdir(exist_ok=True)
        document = {"plan_id": plan.plan_id, "run_count": len(plan), **plan.description}
        atomic_write_text(plan_file, json.dumps(document, indent=2) + "\n")
        return ResultsFile(folder, plan, {})
    if difference := _find_difference(plan_file, plan):
        raise BenchFolderRefused(
            str(folder), f"it has another plan, which differs in {difference}", "Choose another folder with --out."
        )
    results = {each.key: each for each in _repair_results(results_file)}
    if not resume:
        raise BenchFolderRefused(
            str(folder),
            f"it has {len(results)} of the {len(plan)} results of this plan",
            "Continue with --resume, or choose another folder with --out.",
        )
    (folder / RUNS_NAME).mkdir(exist_ok=True)
    return ResultsFile(folder, plan, results)


def read_results(path: Path) -> list[BenchResult]:
    """Return the lines of a results file; one that is incomplete at the end is left out.

    Raises:
        BenchFolderRefused: Another line cannot be read.
    """
    return [result for result, _ in _parse_lines(path)]


def _repair_results(path: Path) -> list[BenchResult]:
    """Return the lines of a results file, and remove one that is incomplete at the end, so that others can follow."""
    if not path.exists():
        return []
    parsed = _parse_lines(path)
    end = parsed[-1][1] if parsed else 0
    if path.stat().st_size > end:
        with path.open("r+b") as file:
            file.truncate(end)
            os.fsync(file.fileno())
    return [result for result, _ in parsed]


def _parse_lines(path: Path) -> list[tuple[BenchResult, int]]:
    """Return the results, each with the place where its line ends."""
    found: list[tuple[BenchResult, int]] = []
    # Bytes are split at line breaks only; a str would also be split at other characters of JSON texts.
    lines = path.read_bytes().splitlines(keepends=True)
    end = 0
    for number, line in enumerate(lines, start=1):
        end += len(line)
        try:
            if not line.endswith(b"\n"):
                raise ValueError("the line is incomplete")
            found.append((BenchResult.model_validate_json(line), end))
        except (ValidationError, ValueError) as error:
            if number == len(lines):
                break
            raise BenchFolderRefused(
                str(path.parent), f"line {number} of {path.name} is damaged", "Remove the line and use --resume."
            ) from error
    return found


def _find_difference(plan_file: Path, plan: BenchPlan) -> str:
    """Return what of a stored plan differs from a plan; empty if nothing does."""
    try:
        stored: dict[str, Any] = parse_json_object(plan_file.read_text(encoding="utf-8"))
    except (OSError, InvalidJson, ValueError) as error:
        raise BenchFolderRefused(
            str(plan_file.parent), f"{PLAN_NAME} cannot be read: {error}", "Choose another folder."
        ) from error
    if stored.get("plan_id") == plan.plan_id:
        return ""
    names = [
        "the files that runs leave (--timeline, which --db implies, and the like)" if name == "files" else name
        for name, value in plan.description.items()
        if stored.get(name) != value
    ]
    # Equal values in another order give other runs, because the plan follows the order of its axes.
    ordered = [
        f"the order of {name}"
        for name in ("agents", "rules")
        if _list_keys(stored, name) != _list_keys(plan.description, name)
    ]
    return " and ".join(names or ordered) or "its version"


def _list_keys(description: Mapping[str, Any], name: str) -> list[str]:
    return list(description.get(name) or {})
