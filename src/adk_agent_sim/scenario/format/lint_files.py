"""Reads the scenarios in files one after the other, and reports what cannot be read as a finding of the linter."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from adk_agent_sim.errors import InvalidScenario
from adk_agent_sim.errors.scenario_errors import ScenarioProblem
from adk_agent_sim.scenario.format.imported_scenario import ScenarioImportedFromJson
from adk_agent_sim.scenario.format.lint_finding import LocatedFinding
from adk_agent_sim.scenario.format.scenario_files import find_scenario_files, list_records
from adk_agent_sim.scenario.world.collection_pause import pause_garbage_collection

_FILE_ADVICE = "Name a .json or .jsonl file that can be read, or a folder with such files"
_JSON_ADVICE = 'Write one JSON object with the keys "version" and "metadata"; in a .jsonl file, one per line'
_FIELD_ADVICE = "Write what the format requires; `adksim scenario convert` writes files in it"


@dataclass(frozen=True, kw_only=True)
class ReadScenario:
    """A scenario of a file, or why it cannot be read."""

    name: str
    """The file, with the line if it has several scenarios."""

    scenario: ScenarioImportedFromJson | None = None

    findings: Sequence[LocatedFinding] = ()
    """Why it cannot be read; none if it can."""


def read_scenarios(paths: Iterable[Path]) -> Iterator[ReadScenario]:
    """Yield the scenarios of files and folders; one that cannot be read does not keep the others from being read."""
    for path in paths:
        try:
            files = find_scenario_files(path)
        except InvalidScenario as error:
            yield _report_unreadable(error, path)
            continue
        for file in files:
            yield from _read_file(file)


def count_scenarios(paths: Iterable[Path]) -> int:
    """Return how many scenarios files and folders seem to have; only for progress, so an unreadable file is one."""
    count = 0
    for path in paths:
        try:
            files = find_scenario_files(path)
        except InvalidScenario:
            files = [path]
        count += sum(map(_count_in_file, files))
    return count


def _count_in_file(file: Path) -> int:
    if file.suffix != ".jsonl":
        return 1
    try:
        with file.open("rb") as lines:
            return sum(bool(line.strip()) for line in lines)
    except (OSError, ValueError):
        return 1


def _read_file(file: Path) -> Iterator[ReadScenario]:
    try:
        records = list_records(file)
    except InvalidScenario as error:
        yield _report_unreadable(error, file)
        return
    for record in records:
        try:
            with pause_garbage_collection():
                scenario = record.read()
        except InvalidScenario as error:
            yield _report_unreadable(error, record.file, record.line)
        else:
            yield ReadScenario(name=record.name, scenario=scenario)


def _report_unreadable(error: InvalidScenario, file: Path, line: int | None = None) -> ReadScenario:
    findings: list[LocatedFinding] = []
    for problem in error.problems:
        place = problem if isinstance(problem, ScenarioProblem) else ScenarioProblem(path="", message="")
        advice = _FIELD_ADVICE if place.field else _JSON_ADVICE if place is problem else _FILE_ADVICE
        findings.append(
            LocatedFinding(
                file=str(file),
                line=place.line or line or 1,
                column=place.column,
                path=place.field or "the file",
                code="unreadable",
                severity="error",
                message=problem.message,
                advice=advice,
            )
        )
    return ReadScenario(name=str(file) if line is None else f"{file}, line {line}", findings=findings)
