"""Compares verdicts with the labels of people: agreement, Cohen's kappa with its interval, and the disagreements."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast

from adk_agent_sim.errors import InvalidLabels
from adk_agent_sim.timeline.strict_json import InvalidJson, parse_json

_LABELS: Final[Mapping[str, bool]] = {
    **dict.fromkeys(("pass", "passed", "true", "1", "yes", "success", "valid"), True),
    **dict.fromkeys(("fail", "failed", "false", "0", "no", "failure", "invalid"), False),
}
_NORMAL_97_5 = 1.959963984540054
"""The quantile of the normal distribution for an interval of 95 %."""


@dataclass(frozen=True, kw_only=True)
class StoredVerdict:
    """A verdict in a file of `adksim scenario judge --json`."""

    run: str
    """The trace that was judged."""

    passed: bool

    reason: str


@dataclass(frozen=True, kw_only=True)
class Disagreement:
    """A run that people and the judge see differently."""

    run: str

    label: bool

    verdict: bool

    reason: str
    """Why the judge failed it; empty if it passed."""


@dataclass(frozen=True, kw_only=True)
class Agreement:
    """How well verdicts agree with labels."""

    compared: int

    both_passed: int

    both_failed: int

    disagreements: tuple[Disagreement, ...]

    kappa: float | None
    """Cohen's kappa; None if it is undefined because both always say the same."""

    interval: tuple[float, float] | None
    """The 95 % interval of kappa; None if it is undefined."""

    without_label: tuple[str, ...]
    """Runs that nobody labelled."""

    without_verdict: tuple[str, ...]
    """Labels of runs that were not judged."""

    @property
    def share(self) -> float:
        """The share of runs on which both agree."""
        return (self.both_passed + self.both_failed) / self.compared


def compare_with_labels(verdicts: Sequence[StoredVerdict], labels: Mapping[str, bool]) -> Agreement:
    """Compare verdicts with labels. A label names its run by the path of its trace, its file name, or its stem.

    Raises:
        InvalidLabels: No run has a label, or a label fits several runs.
    """
    found = {each.run: name for each in verdicts if (name := _find_label(each.run, labels)) is not None}
    _require_unique(found)
    labelled = [(each, labels[found[each.run]]) for each in verdicts if each.run in found]
    if not labelled:
        raise InvalidLabels("the labels", "none of them names a run; the first column is the trace, as it was judged")
    yes = sum(each.passed and label for each, label in labelled)
    no = sum(not each.passed and not label for each, label in labelled)
    kappa, interval = compute_kappa(yes, no, *_count_disagreements(labelled))
    return Agreement(
        compared=len(labelled),
        both_passed=yes,
        both_failed=no,
        disagreements=tuple(
            Disagreement(run=each.run, label=label, verdict=each.passed, reason=each.reason)
            for each, label in labelled
            if each.passed != label
        ),
        kappa=kappa,
        interval=interval,
        without_label=tuple(each.run for each in verdicts if each.run not in found),
        without_verdict=tuple(name for name in labels if name not in found.values()),
    )


def compute_kappa(
    both_passed: int, both_failed: int, only_verdict: int, only_label: int
) -> tuple[float | None, tuple[float, float] | None]:
    """Return Cohen's kappa of a 2x2 table and its 95 % interval, both None if they are undefined.

    The standard error is the one of Fleiss, Cohen and Everitt (1969), which also holds if kappa is not zero.
    """
    total = both_passed + both_failed + only_verdict + only_label
    cells = [[both_passed / total, only_verdict / total], [only_label / total, both_failed / total]]
    rows = [sum(row) for row in cells]
    columns = [cells[0][each] + cells[1][each] for each in (0, 1)]
    observed = cells[0][0] + cells[1][1]
    expected = sum(rows[each] * columns[each] for each in (0, 1))
    if math.isclose(expected, 1.0):
        return None, None
    kappa = (observed - expected) / (1 - expected)
    diagonal = sum(cells[each][each] * (1 - (rows[each] + columns[each]) * (1 - kappa)) ** 2 for each in (0, 1))
    others = (1 - kappa) ** 2 * sum(
        cells[one][other] * (columns[one] + rows[other]) ** 2 for one, other in ((0, 1), (1, 0))
    )
    variance = diagonal + others - (kappa - expected * (1 - kappa)) ** 2
    # Rounding can make the variance slightly negative if both agree perfectly.
    error = math.sqrt(max(0.0, variance) / total) / (1 - expected)
    return kappa, (max(-1.0, kappa - _NORMAL_97_5 * error), min(1.0, kappa + _NORMAL_97_5 * error))


def read_verdicts(path: str | Path) -> list[StoredVerdict]:
    """Return the verdicts in a file of `adksim scenario judge --json`, or in all such files of a folder.

    Raises:
        InvalidLabels: A file has no verdicts.
    """
    root = Path(path)
    files = sorted(root.glob("*.json")) if root.is_dir() else [root]
    return [each for file in files for each in _read_verdict_file(file)]


def read_labels(path: str | Path) -> dict[str, bool]:
    """Return the labels of people by run: the columns `run` and `label` of a CSV file.

    Raises:
        InvalidLabels: The file lacks a column, or a label is neither pass nor fail.
    """
    try:
        # Spreadsheets write a byte order mark, which would become part of the first column's name.
        with Path(path).open(encoding="utf-8-sig", newline="") as file:
            rows = list(csv.DictReader(file))
    except (OSError, ValueError, csv.Error) as error:
        raise InvalidLabels(str(path), str(error)) from error
    labels: dict[str, bool] = {}
    for number, row in enumerate(rows, start=2):
        run, label = (row.get("run") or "").strip(), (row.get("label") or "").strip().lower()
        if not run or label not in _LABELS:
            reason = f"line {number}: needs the columns `run` and `label`, with the label pass or fail"
            raise InvalidLabels(str(path), reason)
        if labels.get(run, _LABELS[label]) != _LABELS[label]:
            raise InvalidLabels(str(path), f"line {number}: {run[:120]!r} has two different labels")
        labels[run] = _LABELS[label]
    return labels


def _read_verdict_file(file: Path) -> Iterator[StoredVerdict]:
    try:
        value: Any = parse_json(file.read_bytes())
    except (OSError, InvalidJson) as error:
        raise InvalidLabels(str(file), str(error)) from error
    rows = cast("list[Any]", value) if isinstance(value, list) else [value]
    for each in rows:
        row = cast("dict[str, Any]", each) if isinstance(each, dict) else {}
        if not isinstance(row.get("trace"), str) or "passed" not in row:
            raise InvalidLabels(str(file), "it has no verdicts; write them with `adksim scenario judge --json`")
        if isinstance(row["passed"], bool):  # null: it could not be judged
            yield StoredVerdict(run=row["trace"], passed=row["passed"], reason=str(row.get("reason", "")))


def _find_label(run: str, labels: Mapping[str, bool]) -> str | None:
    path = Path(run)
    return next((name for name in (run, path.name, path.stem) if name in labels), None)


def _require_unique(found: Mapping[str, str]) -> None:
    runs: dict[str, str] = {}
    for run, name in found.items():
        if name in runs:
            raise InvalidLabels("the labels", f"{name[:120]!r} fits several runs, such as {runs[name]} and {run}")
        runs[name] = run


def _count_disagreements(labelled: Iterable[tuple[StoredVerdict, bool]]) -> tuple[int, int]:
    pairs = [(each.passed, label) for each, label in labelled]
    return pairs.count((True, False)), pairs.count((False, True))
