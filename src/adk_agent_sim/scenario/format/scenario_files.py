"""Loading of scenarios from files: one in a JSON file, many in a JSON Lines file or a folder."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from adk_agent_sim.errors import InvalidScenario, Problem
from adk_agent_sim.scenario.format.imported_scenario import RowOrigin, ScenarioImportedFromJson, read_scenario
from adk_agent_sim.timeline.strict_json import InvalidJson, decode_text, parse_json


@dataclass(frozen=True, kw_only=True)
class ScenarioRecord:
    """The place of one scenario in the files, which is not read yet: a file, or a line of a JSON Lines file."""

    file: Path

    content: bytes

    line: int | None = None
    """The line of a JSON Lines file, from 1; None if the file is the scenario."""

    @property
    def name(self) -> str:
        """The name of the place in messages."""
        return str(self.file) if self.line is None else f"{self.file}, line {self.line}"

    def read(self) -> ScenarioImportedFromJson:
        """Return the scenario.

        Raises:
            InvalidScenario: It is not a scenario; the message says where and why.
        """
        if self.line is None:
            return read_scenario(self.content, self.name)
        data = _extract_row_scenario(self.content)
        row = None if data is None else decode_text(self.content)
        origin = RowOrigin(file=str(self.file), line=self.line, row=row)
        return read_scenario(self.content if data is None else data, self.name, origin=origin)


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
    """Yield the scenarios in a JSON file, a JSON Lines file, or a folder of both, by file name."""
    for file in find_scenario_files(path):
        for record in list_records(file):
            yield record.read()


def list_records(file: Path) -> list[ScenarioRecord]:
    """Return the places of the scenarios in one file, without reading them.

    Raises:
        InvalidScenario: The file cannot be read.
    """
    content = _read_file(file)
    if file.suffix != ".jsonl":
        return [ScenarioRecord(file=file, content=content)]
    return [
        ScenarioRecord(file=file, content=line, line=number)
        # Bytes are split at line breaks only; a str would also be split at other characters of JSON texts.
        for number, line in enumerate(content.splitlines(), start=1)
        if line.strip()
    ]


def find_scenario_files(path: str | Path) -> list[Path]:
    """Return the files that a path denotes."""
    root = Path(path)
    if not root.is_dir():
        return [root]
    files = sorted(each for each in root.rglob("*") if each.suffix in (".json", ".jsonl") and _is_file(each))
    if not files:
        raise _build_error(path, "the folder has no .json or .jsonl file")
    return files


def _is_file(path: Path) -> bool:
    """Return whether a path is a file, or a link to one that does not exist, which must not be skipped in silence."""
    return path.is_file() or (path.is_symlink() and not path.exists())


def _read_file(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise _build_error(file, error.strerror or str(error)) from error
    except ValueError as error:  # a path with a null character
        raise _build_error(file, str(error)) from error


def _extract_row_scenario(line: bytes) -> str | None:
    """Return the text under `data` if the line is a row of a dataset; None if it is the scenario itself."""
    # Nearly every line is a scenario, and parsing it twice would take half the time of reading it.
    if b'"data"' not in line:
        return None
    try:
        value = parse_json(line)
    # Reading the line as a scenario reports the same error, with its position.
    except InvalidJson:
        return None
    row = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
    # A scenario may have an unknown key `data` of its own, but a row of a dataset has no metadata.
    data = None if "metadata" in row else row.get("data")
    return data if isinstance(data, str) else None


def _build_error(path: str | Path, reason: str) -> InvalidScenario:
    return InvalidScenario(str(path), [Problem(path="", message=reason)])
