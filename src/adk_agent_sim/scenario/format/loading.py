"""Scenarios from files: one in a JSON file, many in a JSON Lines file or a directory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

from adk_agent_sim.errors import Problem, ScenarioUnreadable
from adk_agent_sim.scenario.format.importer import scenario_of
from adk_agent_sim.scenario.format.json_text import NotJson, parsed
from adk_agent_sim.scenario.format.reading import read
from adk_agent_sim.scenario.format.scenario import ScenarioImportedFromJson


def load_scenario(path: str | Path) -> ScenarioImportedFromJson:
    """The scenario in a file.

    Raises:
        ScenarioUnreadable: There is no scenario, or there are several; says where and why.
    """
    found = list(load_scenarios(path))
    if len(found) != 1:
        raise _unreadable(path, f"it holds {len(found)} scenarios; name a file with one")
    return found[0]


def load_scenarios(path: str | Path) -> Iterator[ScenarioImportedFromJson]:
    """The scenarios in a JSON file, a JSON Lines file, or a directory of both, in the order of their names."""
    for file in scenario_files(path):
        content = _content(file)
        if file.suffix != ".jsonl":
            yield scenario_of(read(content, str(file)))
            continue
        for number, line in enumerate(content.splitlines(), start=1):
            if line.strip():
                yield scenario_of(read(_row(line), f"{file}, line {number}"))


def scenario_files(path: str | Path) -> list[Path]:
    """The files that a path stands for."""
    root = Path(path)
    if not root.is_dir():
        return [root]
    files = sorted(each for each in root.rglob("*") if each.suffix in (".json", ".jsonl") and each.is_file())
    if not files:
        raise _unreadable(path, "the directory has no .json or .jsonl file")
    return files


def _content(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise _unreadable(file, error.strerror or str(error)) from error
    except ValueError as error:
        raise _unreadable(file, str(error)) from error


def _row(line: bytes) -> str | bytes:
    """A line's scenario: the line itself, or the text that a dataset's row keeps under `data`."""
    try:
        value = parsed(line)
    except NotJson:
        return line
    row = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
    kept = None if "metadata" in row else row.get("data")
    return kept if isinstance(kept, str) else line


def _unreadable(path: str | Path, why: str) -> ScenarioUnreadable:
    return ScenarioUnreadable(str(path), [Problem(path="", message=why)])
