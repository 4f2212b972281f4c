"""Annotations: a reviewer's decision and comment on a scenario."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar, cast

from adk_agent_sim.errors import InvalidScenario, Problem
from adk_agent_sim.scenario.format.imported_scenario import ScenarioImportedFromJson
from adk_agent_sim.scenario.format.json_edit import set_member
from adk_agent_sim.scenario.format.scenario_files import ScenarioRecord, list_records
from adk_agent_sim.timeline.atomic_files import atomic_write_text
from adk_agent_sim.timeline.strict_json import decode_text, parse_json

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
