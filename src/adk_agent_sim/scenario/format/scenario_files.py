"""Loading of scenarios from files: one in a JSON file, many in a JSON Lines file or a directory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

from adk_agent_sim.errors import InvalidScenario, Problem
from adk_agent_sim.scenario.format.imported_scenario import ScenarioImportedFromJson
from adk_agent_sim.scenario.format.importer import build_scenario
from adk_agent_sim.scenario.format.scenario_reader import read_scenario
from adk_agent_sim.timeline.strict_json import InvalidJson, parse_json


def load_scenario(path: str | Path) -> ScenarioImportedFromJson:
    """Return the scenario in a file.

    Raises:
        InvalidScenario: There is no scenario or more than one; the message says where and why.
    """
    scenarios = list(load_scenarios(path))
    if len(scenarios) != 1:
        raise _build_error(path, f"it contains {len(scenarios)} scenarios; give a file with exactly one")
    return scenarios[0]


def load_scenarios(path: str | Path) -> Iterator[ScenarioImportedFromJson]:
    """Yield the scenarios in a JSON file, a JSON Lines file, or a directory of both, by file name."""
    for file in find_scenario_files(path):
        content = _read_file(file)
        if file.suffix != ".jsonl":
            yield build_scenario(read_scenario(content, str(file)))
            continue
        for number, line in enumerate(content.splitlines(), start=1):
            if line.strip():
                yield build_scenario(read_scenario(_extract_row_scenario(line), f"{file}, line {number}"))


def find_scenario_files(path: str | Path) -> list[Path]:
    """Return the files that a path denotes."""
    root = Path(path)
    if not root.is_dir():
        return [root]
    files = sorted(each for each in root.rglob("*") if each.suffix in (".json", ".jsonl") and each.is_file())
    if not files:
        raise _build_error(path, "the directory has no .json or .jsonl file")
    return files


def _read_file(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise _build_error(file, error.strerror or str(error)) from error
    except ValueError as error:  # a path with a null character
        raise _build_error(file, str(error)) from error


def _extract_row_scenario(line: bytes) -> str | bytes:
    """Return the scenario of a line: the line itself, or the text under `data` of a dataset row."""
    try:
        value = parse_json(line)
    except InvalidJson:
        return line
    row = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
    data = None if "metadata" in row else row.get("data")
    return data if isinstance(data, str) else line


def _build_error(path: str | Path, reason: str) -> InvalidScenario:
    return InvalidScenario(str(path), [Problem(path="", message=reason)])
