"""Reading of a scenario file: text -> JSON -> ARE's shape -> models, with a list of what was adapted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, cast

from pydantic import ValidationError

from adk_agent_sim.errors import InvalidScenario, Problem
from adk_agent_sim.scenario.format.json_positions import JsonPath, find_line_numbers, format_path
from adk_agent_sim.scenario.format.models import FORMAT_VERSION, ExportedTrace
from adk_agent_sim.scenario.format.scenario_dialect import DialectAdapter
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.strict_json import InvalidJson, decode_text, parse_json

_MAX_PROBLEMS = 10
"""The number of problems that an error lists; of more, only the count is given."""


@dataclass(frozen=True, kw_only=True)
class SourceText:
    """The text from which a scenario was read."""

    name: str
    """The name in messages: the name of the file."""

    text: str

    has_flat_metadata: bool = False
    """Whether the definition is directly under `metadata`, as in the specification's dialect."""

    def find_lines(self, paths: Sequence[JsonPath]) -> list[int]:
        """Return the lines of the values at these paths."""
        found = find_line_numbers(self.text, [self._to_text_path(path) for path in paths])
        return [found[self._to_text_path(path)] for path in paths]

    def format_path(self, path: JsonPath) -> str:
        """Return a path as it is in the text, in readable form."""
        return format_path(self._to_text_path(path))

    def _to_text_path(self, path: JsonPath) -> JsonPath:
        return path[:1] + path[2:] if self.has_flat_metadata and path[:2] == ("metadata", "definition") else path


@dataclass(frozen=True, kw_only=True)
class ParsedScenario:
    """The content of one text."""

    trace: ExportedTrace

    adapted: tuple[str, ...]
    """What was changed to read it as ARE's dialect; empty for files of ARE."""

    source: SourceText


def read_scenario(text: str | bytes, name: str = "the text") -> ParsedScenario:
    """Read one scenario in either dialect.

    Args:
        text: The JSON text.
        name: The name of the text in errors: the name of the file.

    Raises:
        InvalidScenario: The text is not a scenario; the message says where and why.
    """
    try:
        content = decode_text(text)
        file = parse_json(content)
    except InvalidJson as error:
        where = f"line {error.line}" if error.line else ""
        raise InvalidScenario(name, [Problem(path=where, message=error.reason)]) from error
    return parse_scenario(file, SourceText(name=name, text=content, has_flat_metadata=_has_flat_metadata(file)))


def parse_scenario(document: Json, source: SourceText) -> ParsedScenario:
    """Return the scenario in a JSON value that was read from a text."""
    adapter = DialectAdapter()
    trace = _validate(adapter.adapt(document), source)
    if trace.version != FORMAT_VERSION:
        raise _build_error(
            source, {("version",): f"{trace.version[:80]!r} is not a known version; use {FORMAT_VERSION!r}"}
        )
    return ParsedScenario(trace=trace, adapted=adapter.changes, source=source)


def _validate(document: Json, source: SourceText) -> ExportedTrace:
    try:
        return ExportedTrace.model_validate(document)
    except ValidationError as error:
        details = error.errors(include_url=False, include_input=False, include_context=False)
        raise _build_error(source, _collect_problems(details)) from error


def _collect_problems(details: Iterable[Any]) -> dict[JsonPath, str]:
    """Return one message per path: pydantic reports a wrong number once per number type."""
    messages: dict[JsonPath, str] = {}
    for each in details:
        messages.setdefault(_to_file_path(each["loc"]), each["msg"])
    return messages


def _to_file_path(location: JsonPath) -> JsonPath:
    """Return the path in the file: without the tags that pydantic adds for kinds of events and numbers."""
    if location[:1] == ("events",) and location[2:3] in (("event",), ("oracle",)):
        location = location[:2] + location[3:]
    return location[:-1] if location[-1:] in (("int",), ("float",)) else location


def _build_error(source: SourceText, messages: dict[JsonPath, str]) -> InvalidScenario:
    shown = list(messages)[:_MAX_PROBLEMS]
    problems = [
        Problem(path=f"{source.format_path(path)[:200]} (line {line})", message=messages[path])
        for path, line in zip(shown, source.find_lines(shown), strict=True)
    ]
    if len(messages) > _MAX_PROBLEMS:
        problems.append(Problem(path="", message=f"and {len(messages) - _MAX_PROBLEMS} more"))
    return InvalidScenario(source.name, problems)


def _has_flat_metadata(document: Json) -> bool:
    metadata = cast("dict[str, Any]", document).get("metadata") if isinstance(document, dict) else None
    return isinstance(metadata, dict) and "definition" not in metadata and "scenario_id" in metadata
