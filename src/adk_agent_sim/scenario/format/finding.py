"""What a check finds in a scenario: where it is, what is wrong, and what to do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from adk_agent_sim.scenario.format.positions import Path
from adk_agent_sim.scenario.format.visible import visible

Severity = Literal["error", "warning"]


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One thing that is wrong with a scenario."""

    code: str
    """The kind of thing, the same in all versions."""

    path: Path

    message: str
    """What is wrong."""

    advice: str
    """What to do."""

    severity: Severity = "error"


@dataclass(frozen=True, kw_only=True)
class Located:
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
        return visible(f"{where} {self.path}: {self.message}. {self.advice}.")
