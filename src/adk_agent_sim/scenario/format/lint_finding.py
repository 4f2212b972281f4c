"""Findings of the linter: location, problem and advice."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from pydantic import computed_field

from adk_agent_sim.scenario.format.json_positions import JsonPath
from adk_agent_sim.text.escaping import escape_line
from adk_agent_sim.timeline.record import Record

Severity = Literal["error", "warning"]

_EVENT_PATH = re.compile(r"events\[(\d+)\]")


@dataclass(frozen=True, kw_only=True)
class LintFinding:
    """One problem of a scenario."""

    code: str
    """The kind of problem; stable across versions."""

    path: JsonPath

    message: str
    """What is wrong."""

    advice: str
    """How to fix it."""

    severity: Severity = "error"


class LocatedFinding(Record, frozen=True, extra="ignore"):
    """A finding with its position in the file."""

    file: str
    line: int
    column: int | None = None
    """None if the file has several lines, so that the line is enough to find it."""
    path: str
    """The path in the file, such as `events[3].action.app`."""
    code: str
    severity: Severity
    message: str
    advice: str

    @computed_field
    @property
    def event_index(self) -> int | None:
        """The position in the file of the event that it is about; None if it is about none."""
        about_event = _EVENT_PATH.match(self.path)
        return int(about_event[1]) if about_event else None

    def __str__(self) -> str:
        place = f"{self.line}" if self.column is None else f"{self.line}:{self.column}"
        where = f"{self.file}:{place}: {self.severity}[{self.code}]"
        return escape_line(f"{where} {self.path}: {self.message}. {self.advice}.")
