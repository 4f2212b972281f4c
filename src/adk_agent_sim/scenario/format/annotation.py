"""Annotations: a reviewer's decision and comment on a scenario. Nothing else in its file changes.

Reading and writing the file would lose what values do not have: indentation, spaces, escapes and the form of numbers.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar, cast

from adk_agent_sim.errors import InvalidScenario, Problem
from adk_agent_sim.scenario.format.imported_scenario import ScenarioImportedFromJson
from adk_agent_sim.scenario.format.scenario_files import ScenarioRecord, list_records
from adk_agent_sim.timeline.atomic_files import atomic_write_text
from adk_agent_sim.timeline.strict_json import decode_text, parse_json

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
