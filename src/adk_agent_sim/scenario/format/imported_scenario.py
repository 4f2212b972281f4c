"""A scenario that was read from a file or is to be written to one, the reader of both dialects, and entries of agents'
logs in `world_logs`, which are JSON texts without a fixed schema.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from pydantic import ValidationError

from adk_agent_sim.errors import InvalidScenario
from adk_agent_sim.errors.scenario_errors import ScenarioProblem
from adk_agent_sim.scenario.format.lint_finding import (
    JsonPath,
    count_lines,
    find_escaped_offset,
    find_offsets,
    format_path,
)
from adk_agent_sim.scenario.format.models import (
    FORMAT_VERSION,
    AnyEvent,
    ExportedApp,
    ExportedCompletedEvent,
    ExportedHint,
    ExportedHuggingFaceMetadata,
    ExportedTrace,
    ExportedTraceAnnotationMetadata,
    ExportedTraceDefinitionMetadata,
    Number,
)
from adk_agent_sim.scenario.format.scenario_dialect import DialectAdapter
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.strict_json import InvalidJson, decode_text, parse_json


@dataclass(frozen=True, kw_only=True)
class ScenarioImportedFromJson:
    """A scenario that was read from a file or is to be written to one."""

    trace: ExportedTrace
    """The complete content of the file."""

    adapted: tuple[str, ...] = ()
    """What was changed to read the file as ARE's dialect."""

    source: SourceText | None = None
    """The text from which it was read."""

    @property
    def definition(self) -> ExportedTraceDefinitionMetadata:
        """The definition metadata."""
        return self.trace.metadata.definition

    @property
    def annotation(self) -> ExportedTraceAnnotationMetadata:
        """The reviewer's annotation; empty if there is none."""
        return self.trace.metadata.annotation or ExportedTraceAnnotationMetadata()

    @property
    def scenario_id(self) -> str:
        """The id."""
        return self.definition.scenario_id

    @property
    def seed(self) -> int | None:
        """The seed of ids and random numbers."""
        return self.definition.seed

    @property
    def duration(self) -> Number | None:
        """The maximum duration in seconds."""
        return self.definition.duration

    @property
    def start_time(self) -> Number | None:
        """The start time as Unix time."""
        return self.definition.start_time

    @property
    def time_increment_in_seconds(self) -> int | None:
        """The time step in seconds."""
        return self.definition.time_increment_in_seconds

    @property
    def run_number(self) -> int | None:
        """The number of this run of the scenario."""
        return self.definition.run_number

    @property
    def hints(self) -> list[ExportedHint]:
        """Hints for whoever plays the agent."""
        return self.definition.hints

    @property
    def tags(self) -> tuple[str, ...]:
        """The capabilities that it tests."""
        return tuple(self.definition.tags or ())

    @property
    def apps(self) -> list[ExportedApp]:
        """The apps with their initial states."""
        return self.trace.apps

    @property
    def events(self) -> list[AnyEvent]:
        """The planned events, including those expected of the agent."""
        return self.trace.events

    @property
    def completed_events(self) -> list[ExportedCompletedEvent]:
        """The completed events."""
        return self.trace.completed_events


@dataclass(frozen=True, kw_only=True)
class BenchmarkScenarioImportedFromJson(ScenarioImportedFromJson):
    """A scenario of a benchmark."""

    @property
    def hf_metadata(self) -> ExportedHuggingFaceMetadata:
        """The scenario's origin in a Hugging Face dataset.

        Raises AttributeError if it does not come from one, so that `hasattr` works as in the specification's example.
        """
        if self.definition.hf_metadata is None:
            raise AttributeError(f"Scenario {self.scenario_id!r} does not come from a Hugging Face dataset.")
        return self.definition.hf_metadata


@dataclass(frozen=True, kw_only=True)
class TextPosition:
    """A position in a file."""

    line: int

    column: int | None = None
    """None if the text has several lines, so that the line is enough to find it."""


@dataclass(frozen=True, kw_only=True)
class RowOrigin:
    """The line of a JSON Lines file from which a scenario was read."""

    file: str

    line: int

    row: str | None = None
    """The line's text, if the scenario is a text under `data` in it, as in datasets; None if it is the line."""


@dataclass(frozen=True, kw_only=True)
class SourceText:
    """The text from which a scenario was read."""

    name: str
    """The name in messages: the name of the file."""

    text: str

    has_flat_metadata: bool = False
    """Whether the definition is directly under `metadata`, as in the specification's dialect."""

    origin: RowOrigin | None = None

    @property
    def file(self) -> str:
        """The name of the file."""
        return self.origin.file if self.origin else self.name

    def find_positions(self, paths: Sequence[JsonPath]) -> list[TextPosition]:
        """Return the positions of the values at these paths."""
        found = find_offsets(self.text, [self._to_text_path(path) for path in paths])
        positions = self._locate_offsets([found[self._to_text_path(path)] for path in paths])
        # The text as a whole starts in column 1, which says nothing.
        return [place if path else replace(place, column=None) for path, place in zip(paths, positions, strict=True)]

    def find_position(self, line: int, column: int) -> TextPosition:
        """Return the position in the file of a line and column of the text."""
        start = 0
        for _ in range(line - 1):
            start = self.text.index("\n", start) + 1
        return self._locate_offsets([start + column - 1])[0]

    def _locate_offsets(self, offsets: Sequence[int]) -> list[TextPosition]:
        if self.origin is not None:
            row = self.origin.row
            places = offsets if row is None else [find_escaped_offset(row, "data", each) for each in offsets]
            return [TextPosition(line=self.origin.line, column=each + 1) for each in places]
        lines = count_lines(self.text, set(offsets))
        if "\n" in self.text.strip():
            return [TextPosition(line=lines[each]) for each in offsets]
        # The only line with content is the last before it, so the columns of all values count from the same place.
        start = self.text.rfind("\n", 0, len(self.text) - len(self.text.lstrip()))
        return [TextPosition(line=lines[each], column=max(1, each - start)) for each in offsets]

    def format_path(self, path: JsonPath) -> str:
        """Return a path as it is in the text, in readable form."""
        return format_path(self._to_text_path(path))

    def _to_text_path(self, path: JsonPath) -> JsonPath:
        return path[:1] + path[2:] if self.has_flat_metadata and path[:2] == ("metadata", "definition") else path


def read_scenario(
    text: str | bytes, name: str = "the text", *, origin: RowOrigin | None = None
) -> ScenarioImportedFromJson:
    """Read one scenario in either dialect.

    Args:
        text: The JSON text.
        name: The name of the text in errors: the name of the file.
        origin: The line of a JSON Lines file from which it comes.

    Raises:
        InvalidScenario: The text is not a scenario; the message says where and why.
    """
    # An undecodable text has no positions, but its error still needs the name and the line.
    source = SourceText(name=name, text="", origin=origin)
    try:
        source = SourceText(name=name, text=decode_text(text), origin=origin)
        file = parse_json(source.text)
    except InvalidJson as error:
        raise InvalidScenario(name, [_build_json_problem(source, error)]) from error
    return parse_scenario(file, replace(source, has_flat_metadata=_has_flat_metadata(file)))


def parse_scenario(document: Json, source: SourceText) -> ScenarioImportedFromJson:
    """Return the scenario in a JSON value that was read from a text."""
    adapter = DialectAdapter()
    trace = _validate(adapter.adapt(document), source)
    if trace.version != FORMAT_VERSION:
        raise _build_error(
            source, {("version",): f"{trace.version[:80]!r} is not a known version; use {FORMAT_VERSION!r}"}
        )
    return ScenarioImportedFromJson(trace=trace, adapted=adapter.changes, source=source)


def _validate(document: Json, source: SourceText) -> ExportedTrace:
    try:
        return ExportedTrace.model_validate(document)
    except ValidationError as error:
        details = error.errors(include_url=False, include_input=False, include_context=False)
        raise _build_error(source, _collect_problems(details)) from error


_VALID_VALUES = {
    "missing": "it is missing",
    "list_type": "it must be a list",
    "dict_type": "it must be an object",
    "model_type": "it must be an object",
    "string_type": "it must be a string",
    "bool_type": "it must be true or false",
    "bool_parsing": "it must be true or false",
    "int_type": "it must be a number",
    "int_parsing": "it must be a number",
    "int_from_float": "it must be a whole number",
    "float_type": "it must be a number",
    "float_parsing": "it must be a number",
    "finite_number": "it must be a finite number",
}
"""What would be valid, by the kind of pydantic's error, whose own words name classes of ours."""


def _collect_problems(details: Iterable[Any]) -> dict[JsonPath, str]:
    """Return one message per path: pydantic reports a wrong number once per number type."""
    messages: dict[JsonPath, str] = {}
    for each in details:
        message: str = _VALID_VALUES.get(each["type"]) or each["msg"]
        messages.setdefault(_to_file_path(each["loc"]), message)
    return messages


def _to_file_path(location: JsonPath) -> JsonPath:
    """Return the path in the file: without the tags that pydantic adds for kinds of events and numbers."""
    if location[:1] == ("events",) and location[2:3] in (("event",), ("oracle",)):
        location = location[:2] + location[3:]
    return location[:-1] if location[-1:] in (("int",), ("float",)) else location


def _build_error(source: SourceText, messages: dict[JsonPath, str]) -> InvalidScenario:
    positions = source.find_positions(list(messages))
    problems = [
        ScenarioProblem(
            path=f"{source.format_path(path)[:200]} (line {position.line})",
            message=message,
            field=source.format_path(path),
            line=position.line,
            column=position.column,
        )
        for (path, message), position in zip(messages.items(), positions, strict=True)
    ]
    return InvalidScenario(source.name, problems)


def _build_json_problem(source: SourceText, error: InvalidJson) -> ScenarioProblem:
    if error.line is None or error.column is None or not source.text:
        line = source.origin.line if source.origin else error.line
        path = f"line {line}" if line else ""
        return ScenarioProblem(path=path, message=error.reason, line=line)
    position = source.find_position(error.line, error.column)
    return ScenarioProblem(
        path=f"line {position.line}", message=error.reason, line=position.line, column=position.column
    )


def _has_flat_metadata(document: Json) -> bool:
    metadata = cast("dict[str, Any]", document).get("metadata") if isinstance(document, dict) else None
    return isinstance(metadata, dict) and "definition" not in metadata and "scenario_id" in metadata


_WRAPPED_ID = "adk-agent-sim-log"
"""The id of an entry that contains another one, which ARE could not read, as its content."""


@dataclass(frozen=True)
class BaseAgentLog:
    """An entry of the agent's log; `text` is the JSON text in the file, `fields` its keys."""

    text: str

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> BaseAgentLog:
        """Create an entry with these keys."""
        return cls(json.dumps(dict(fields), ensure_ascii=False))

    @property
    def fields(self) -> dict[str, Any]:
        """The keys of the entry; a text that is not a JSON object becomes the key `message`."""
        fields = _parse_fields(self.text)
        is_wrapped = fields.get("id") == _WRAPPED_ID and isinstance(fields.get("content"), str)
        return _parse_fields(fields["content"]) if is_wrapped else fields

    def to_are_text(self) -> str:
        """Return the text for a file that ARE reads: it refuses entries without a `log_type`.

        Such an entry is written as the content of a thought, from which `fields` takes it again.
        """
        if "log_type" in _parse_fields(self.text):
            return self.text
        time = self.fields.get("timestamp")
        entry = {
            "id": _WRAPPED_ID,
            "log_type": "thought",
            "timestamp": time if isinstance(time, int | float) else 0.0,
            "agent_id": "unknown",
            "content": self.text,
        }
        return json.dumps(entry, ensure_ascii=False)


def _parse_fields(text: str) -> dict[str, Any]:
    try:
        value = parse_json(text, allow_duplicate_keys=True)
    except InvalidJson:
        return {"message": text}
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {"message": text}
