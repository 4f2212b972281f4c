"""Scenarios in files: loads one from a JSON file, many from a JSON Lines file or a folder, and annotates them.

`JsonScenarioImporter` reads them from JSON text, optionally without some of their apps. An annotation is a reviewer's
decision and comment; nothing else in the file changes. Reading and writing the file would lose what values do not
have: indentation, spaces, escapes and the form of numbers.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar, cast

from adk_agent_sim.errors import InvalidScenario, Problem
from adk_agent_sim.scenario.apps.registry import strip_module_path
from adk_agent_sim.scenario.format.imported_scenario import (
    BaseAgentLog,
    BenchmarkScenarioImportedFromJson,
    RowOrigin,
    ScenarioImportedFromJson,
    read_scenario,
)
from adk_agent_sim.scenario.format.models import ExportedApp, ExportedCompletedEvent, ExportedHuggingFaceMetadata
from adk_agent_sim.timeline.atomic_files import atomic_write_text
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


_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[{}\[\],:]|[^\s{}\[\],:"]+', re.DOTALL)
_SPACE = re.compile(r"\s*")


@dataclass(frozen=True)
class _Member:
    """A member of an object and its place in the text."""

    key: str
    key_start: int
    start: int
    end: int
    """The value is the text from `start` to `end`."""


def set_member(text: str, path: tuple[str, ...], value: Any) -> str:
    """Return a JSON text in which the member at a path of keys has this value; it is added if it is missing.

    Args:
        text: The JSON text; an object.
        path: The keys that lead to the member. Every object on the way must exist.
        value: The new value.

    Raises:
        KeyError: An object on the way does not exist.
    """
    opening, outer_indent = _SPACE.match(text).end(), ""  # pyright: ignore[reportOptionalMemberAccess]
    for key in path[:-1]:
        member = _find_member(_list_members(text, opening), key)
        if member is None or text[member.start] != "{":
            raise KeyError(key)
        opening, outer_indent = member.start, _get_indent(text, member.key_start)
    members = _list_members(text, opening)
    style = _MemberStyle(text, opening, members, outer_indent)
    if member := _find_member(members, path[-1]):
        return text[: member.start] + style.render(value) + text[member.end :]
    added = f"{json.dumps(path[-1])}{style.colon}{style.render(value)}"
    if not members:
        return text[: opening + 1] + added + text[opening + 1 :]
    end = members[-1].end
    return f"{text[:end]},{style.gap}{added}{text[end:]}"


class _MemberStyle:
    """How the members of an object are written."""

    def __init__(self, text: str, opening: int, members: list[_Member], outer_indent: str) -> None:
        last = members[-1] if members else None
        before = text.rindex(",", 0, last.key_start) if last and len(members) > 1 else opening
        self.gap = text[before + 1 : last.key_start] if last else ""
        after_key = text[last.key_start : last.start] if last else '": '
        self.colon = after_key[after_key.rindex('"') + 1 :]
        if len(members) == 1 and "\n" not in self.gap:
            self.gap = self.colon.removeprefix(":")  # there is no comma yet that would show the space after it
        # A file without other characters was probably written with escapes, and stays that way.
        self._escapes = text.isascii()
        self._line_break = "\r\n" if "\r\n" in self.gap else "\n"
        self._indent = self.gap.rpartition("\n")[2] if "\n" in self.gap else None
        self._unit = (self._indent or "").removeprefix(outer_indent) or "  "

    def render(self, value: Any) -> str:
        """Return the text of a value that is a member of the object."""
        if self._indent is None:
            separators = (", " if self.gap else ",", self.colon)
            return json.dumps(value, ensure_ascii=self._escapes, separators=separators)
        text = json.dumps(value, ensure_ascii=self._escapes, indent=self._unit, separators=(",", self.colon))
        return text.replace("\n", self._line_break + self._indent)


def _get_indent(text: str, start: int) -> str:
    line = text[text.rfind("\n", 0, start) + 1 : start]
    return line if not line.strip() else ""


def _find_member(members: list[_Member], key: str) -> _Member | None:
    return next((each for each in members if each.key == key), None)


def _list_members(text: str, opening: int) -> list[_Member]:
    """Return the members of the object that starts at `opening`."""
    members: list[_Member] = []
    depth, key, value_start, end = 0, None, None, opening
    for piece in _TOKEN.finditer(text, opening):
        lexeme = piece[0]
        closes = lexeme in ("}", "]")
        if depth == 1 and (closes or lexeme == ","):
            if key is not None and value_start is not None:
                members.append(_Member(json.loads(key[0]), key.start(), value_start, end))
            key, value_start = None, None
        elif depth == 1 and key is None:
            key = piece
        elif depth == 1 and value_start is None and lexeme != ":":
            value_start = piece.start()
        depth += (lexeme in ("{", "[")) - closes
        end = piece.end()
        if depth == 0:
            break
    return members


_Scenario = TypeVar("_Scenario", bound=ScenarioImportedFromJson)

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def with_annotation(scenario: _Scenario, fields: Mapping[str, str], *, now: float) -> _Scenario:
    """Return the scenario with these annotation fields set and dated `now`; other fields are kept."""
    annotation = scenario.annotation.model_copy(update={**fields, "date": now})
    metadata = scenario.trace.metadata.model_copy(update={"annotation": annotation})
    return replace(scenario, trace=scenario.trace.model_copy(update={"metadata": metadata}))


def annotate_file(
    file: Path, fields: Mapping[str, str], *, now: float, scenario_id: str | None = None
) -> ScenarioImportedFromJson:
    """Write annotation fields into a scenario file; everything else in the file stays as it is, to the character.

    Args:
        file: A JSON file, or a JSON Lines file.
        fields: The fields to set.
        now: The date of the annotation.
        scenario_id: In a file with several scenarios, the one to annotate.

    Raises:
        InvalidScenario: The file does not contain exactly one such scenario; it is not modified.
    """
    record, scenario = _find_record(file, scenario_id)
    text = scenario.source.text if scenario.source else ""
    current: Any = cast("dict[str, Any]", parse_json(text))["metadata"].get("annotation")
    annotation = (cast("dict[str, Any]", current) if isinstance(current, dict) else {}) | {**fields, "date": now}
    edited = set_member(text, ("metadata", "annotation"), annotation)
    row = scenario.source.origin.row if scenario.source and scenario.source.origin else None
    written = edited if row is None else set_member(row, ("data",), edited)
    # The file was the reader's before, and stays as readable as it was.
    atomic_write_text(file, _replace_record(file.read_bytes(), record, written), keep_mode=True)
    return with_annotation(scenario, fields, now=now)


def _find_record(file: Path, scenario_id: str | None) -> tuple[ScenarioRecord, ScenarioImportedFromJson]:
    records = list_records(file)
    read = [(each, scenario) for each in records if (scenario := _read_if_meant(each, scenario_id, len(records)))]
    if len(read) == 1:
        return read[0]
    named = "" if scenario_id is None else f" {scenario_id!r:.80}"
    reason = f"it contains {len(read)} scenarios{named}; exactly one can be annotated, so choose one by a unique id"
    raise InvalidScenario(str(file), [Problem(path="", message=reason)])


def _read_if_meant(record: ScenarioRecord, scenario_id: str | None, count: int) -> ScenarioImportedFromJson | None:
    try:
        scenario = record.read()
    except InvalidScenario:
        if count == 1:
            raise
        return None  # a broken line does not keep another from being annotated
    return scenario if scenario_id in (None, scenario.scenario_id) else None


def _replace_record(content: bytes, record: ScenarioRecord, text: str) -> str:
    """Return the content of a file in which the text of one scenario is replaced."""
    # The decoded text of a scenario has no byte order mark, but its file keeps the one it has.
    mark = "\ufeff" if content.startswith(_BYTE_ORDER_MARK) else ""
    if record.line is None:
        return mark + text
    lines = content.splitlines(keepends=True)
    line = lines[record.line - 1]
    ending = decode_text(line[len(line.rstrip(b"\r\n")) :])
    before, after = (b"".join(each).decode() for each in (lines[: record.line - 1], lines[record.line :]))
    return before + (mark if record.line == 1 else "") + text + ending + after


class JsonScenarioImporter:
    """Reads scenarios in ARE's dialect and in that of the format's specification."""

    def import_from_json(
        self,
        json_str: str | bytes,
        apps_to_skip: Collection[str] | None = None,
        apps_to_keep: Collection[str] | None = None,
        load_completed_events: bool = True,
    ) -> tuple[ScenarioImportedFromJson, list[ExportedCompletedEvent], list[BaseAgentLog]]:
        """Read a scenario.

        Args:
            json_str: The text of the file.
            apps_to_skip: Apps to omit, by name or class name.
            apps_to_keep: The only apps to read, by name or class name.
            load_completed_events: Whether to read the completed events.

        Returns:
            The scenario, its completed events, and the agent's logs.

        Raises:
            InvalidScenario: The text is not a scenario; the message says where and why.
        """
        scenario = read_scenario(json_str)
        changes: dict[str, Any] = {}
        if apps_to_skip is not None or apps_to_keep is not None:
            changes["apps"] = [app for app in scenario.apps if _is_wanted(app, apps_to_skip, apps_to_keep)]
        if not load_completed_events and scenario.completed_events:
            changes["completed_events"] = []
        scenario = replace(scenario, trace=scenario.trace.model_copy(update=changes))
        logs = [BaseAgentLog(text) for text in scenario.trace.world_logs]
        return scenario, scenario.completed_events, logs

    def import_from_json_to_benchmark(
        self,
        json_str: str | bytes,
        apps_to_skip: Collection[str] | None = None,
        apps_to_keep: Collection[str] | None = None,
        load_completed_events: bool = True,
        hf_metadata: ExportedHuggingFaceMetadata | Mapping[str, Any] | None = None,
    ) -> tuple[BenchmarkScenarioImportedFromJson, list[ExportedCompletedEvent], list[BaseAgentLog]]:
        """Read a scenario of a benchmark; `hf_metadata` is its origin, if the file does not have it."""
        scenario, events, logs = self.import_from_json(json_str, apps_to_skip, apps_to_keep, load_completed_events)
        trace = scenario.trace
        if hf_metadata is not None:
            origin = ExportedHuggingFaceMetadata.model_validate(hf_metadata)
            definition = scenario.definition.model_copy(update={"hf_metadata": origin})
            metadata = trace.metadata.model_copy(update={"definition": definition})
            trace = trace.model_copy(update={"metadata": metadata})
        benchmark = BenchmarkScenarioImportedFromJson(trace=trace, adapted=scenario.adapted, source=scenario.source)
        return benchmark, events, logs


def _is_wanted(app: ExportedApp, skip: Collection[str] | None, keep: Collection[str] | None) -> bool:
    names = {app.name, strip_module_path(app.class_name or "")}
    return names.isdisjoint(skip or ()) and (keep is None or not names.isdisjoint(keep))
