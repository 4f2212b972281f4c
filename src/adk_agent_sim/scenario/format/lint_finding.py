"""What a check finds in a scenario: where it is, what is wrong, and what to do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from adk_agent_sim.scenario.format.json_positions import JsonPath
from adk_agent_sim.scenario.format.printable import escape_unprintable

Severity = Literal["error", "warning"]


@dataclass(frozen=True, kw_only=True)
class LintFinding:
    """One thing that is wrong with a scenario."""

    code: str
    """The kind of thing, the same in all versions."""

    path: JsonPath

    message: str
    """What is wrong."""

    advice: str
    """What to do."""

    severity: Severity = "error"


@dataclass(frozen=True, kw_only=True)
class LocatedFinding:
    """A finding in its file."""

    file: str
    line: int
    path: str
    """As the file has it: `events[3].action.app`."""
    code: str
    severity: Severity
    message: str
    advice: str

    def __str__(self) -> str:
        where = f"{self.file}:{self.line}: {self.severity}[{self.code}]"
        return escape_unprintable(f"{where} {self.path}: {self.message}. {self.advice}.")
