"""A scenario file read: text -> JSON -> ARE's shape -> models, and what was adapted on the way."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, cast

from pydantic import ValidationError

from adk_agent_sim.errors import Problem, ScenarioUnreadable
from adk_agent_sim.scenario.format.dialect import Adapter
from adk_agent_sim.scenario.format.json_text import NotJson, decoded, parsed
from adk_agent_sim.scenario.format.models import VERSION, ExportedTrace
from adk_agent_sim.scenario.format.positions import Path, line_numbers, written
from adk_agent_sim.timeline.canonical import Json

_SHOWN = 10
"""How many problems an error lists; a file with more is told with their number."""


@dataclass(frozen=True, kw_only=True)
class Source:
    """The text that a scenario was read from."""

    name: str
    """How messages call it: the name of the file."""

    text: str

    flat: bool = False
    """Whether the definition stands in metadata itself."""

    def lines(self, paths: Sequence[Path]) -> list[int]:
        """The lines on which the values at these paths stand."""
        found = line_numbers(self.text, [self._in_text(path) for path in paths])
        return [found[self._in_text(path)] for path in paths]

    def written(self, path: Path) -> str:
        """A path as it is in the text."""
        return written(self._in_text(path))

    def _in_text(self, path: Path) -> Path:
        return path[:1] + path[2:] if self.flat and path[:2] == ("metadata", "definition") else path


@dataclass(frozen=True, kw_only=True)
class Reading:
    """What was read from one text."""

    trace: ExportedTrace

    adapted: tuple[str, ...]
    """What had to be changed to read it as ARE's dialect; empty for files of ARE."""

    source: Source


def read(text: str | bytes, name: str = "the text") -> Reading:
    """Read one scenario in either dialect.

    Args:
        text: The JSON text.
        name: How errors call the text: the name of the file.

    Raises:
        ScenarioUnreadable: It is not a scenario; says where and why.
    """
    try:
        content = decoded(text)
        file = parsed(content)
    except NotJson as error:
        where = f"line {error.line}" if error.line else ""
        raise ScenarioUnreadable(name, [Problem(path=where, message=error.why)]) from error
    return taken(file, Source(name=name, text=content, flat=_is_flat(file)))


def taken(file: Json, source: Source) -> Reading:
    """The scenario in a JSON value that was read from a text."""
    adapter = Adapter()
    trace = _validated(adapter.adapted(file), source)
    if trace.version != VERSION:
        raise _refused(source, {("version",): f"{trace.version[:80]!r} is not known; write {VERSION!r}"})
    return Reading(trace=trace, adapted=adapter.changes, source=source)


def _validated(file: Json, source: Source) -> ExportedTrace:
    try:
        return ExportedTrace.model_validate(file)
    except ValidationError as error:
        details = error.errors(include_url=False, include_input=False, include_context=False)
        raise _refused(source, _found(details)) from error


def _found(details: Iterable[Any]) -> dict[Path, str]:
    """What the models say, once a place: a number that is wrong is told for every kind of number."""
    found: dict[Path, str] = {}
    for each in details:
        found.setdefault(_path(each["loc"]), each["msg"])
    return found


def _path(location: Path) -> Path:
    """Where in the file an error is: without the names that the models give to kinds of events and numbers."""
    if location[:1] == ("events",) and location[2:3] in (("event",), ("oracle",)):
        location = location[:2] + location[3:]
    return location[:-1] if location[-1:] in (("int",), ("float",)) else location


def _refused(source: Source, found: dict[Path, str]) -> ScenarioUnreadable:
    shown = list(found)[:_SHOWN]
    problems = [
        Problem(path=f"{source.written(path)[:200]} (line {line})", message=found[path])
        for path, line in zip(shown, source.lines(shown), strict=True)
    ]
    if len(found) > _SHOWN:
        problems.append(Problem(path="", message=f"and {len(found) - _SHOWN} more"))
    return ScenarioUnreadable(source.name, problems)


def _is_flat(file: Json) -> bool:
    metadata = cast("dict[str, Any]", file).get("metadata") if isinstance(file, dict) else None
    return isinstance(metadata, dict) and "definition" not in metadata and "scenario_id" in metadata
