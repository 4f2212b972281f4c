"""The report of a simulated environment: how each tool's calls were answered, and what each rule did.

`ReportFold` (report_fold.py) builds it, live and from a recorded timeline; report_text.py writes it as text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from adk_agent_sim.environment.report_text import format_report, list_deviations


@dataclass(frozen=True, kw_only=True)
class ToolReport:
    """How the calls of one tool were answered: `calls` is the sum of the other kinds."""

    tool: str
    calls: int
    real: int
    """Calls that no rule answered: only the tool's own code ran."""

    simulated: Mapping[str, int]
    """Calls that a rule answered, by rule."""

    unchanged: Mapping[str, int]
    """Calls whose real result a rule was to change, and left as it was, by rule."""

    changed: int
    """The simulated calls in which the tool's own code ran too."""

    human: int
    """The simulated calls in which a person was asked for the response."""

    uncovered: int
    """The real calls of a tool that rules name, which no rule left to the tool on purpose."""

    refused: int
    """Calls that were refused because no rule answered them."""

    unknown: int
    """Calls that no rule answered, of a name that no tool has: nothing ran."""


@dataclass(frozen=True, kw_only=True)
class RuleCoverage:
    """What one rule did in the calls of one tool."""

    tool: str
    rule: str
    tried: int
    """Calls that it was matched against."""

    fired: int
    """Calls that it answered."""

    unchanged: int
    """Calls that it matched, and in which it changed nothing."""

    skipped: Mapping[str, int]
    """Calls that it did not answer, by `SkipReason`."""

    not_reached: int
    """Calls that an earlier rule, or a fault, answered."""


@dataclass(frozen=True, kw_only=True)
class ArgumentDifference:
    """Why a rule did not match."""

    path: str
    expected: str
    found: str


@dataclass(frozen=True, kw_only=True)
class NearMiss:
    """Calls that no rule answered, with the rule that came closest, and what differed."""

    tool: str
    rule: str
    differences: Sequence[ArgumentDifference]
    calls: int


@dataclass(frozen=True, kw_only=True)
class UnusedResponse:
    """A recorded response that `mock: replay` could have given, and no call asked for."""

    call: str
    """Which recorded call it belongs to, such as `golden.evalset.json: call 2`."""

    tool: str
    args: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class SessionSeed:
    """The seed of a session's random draws, and the key that distinguishes them from those of other sessions."""

    seed: int
    session_key: str
    is_drawn: bool
    """Whether the rules have no seed, so that the session drew one."""


@dataclass(frozen=True, kw_only=True)
class EnvironmentReport:
    """How the tool calls of one or more sessions were answered."""

    tools: Sequence[ToolReport]
    unused: Sequence[str]
    """Rules that matched no call although they could, in the order of the file."""

    inactive: Mapping[str, Sequence[str]]
    """Rules that matched no call because none of their profiles was active, each with these profiles."""

    coverage: Sequence[RuleCoverage]
    """For each tool that was called, what the rules that name it did, in the order of the file."""

    near_misses: Sequence[NearMiss]
    """The calls that no rule answered although rules name the tool, with what differed."""

    near_misses_left_out: int = 0
    """Further such calls, if there are very many different ones."""

    unused_responses: Sequence[UnusedResponse] = ()
    """The recorded responses that no session has used, in the order of the recordings."""

    seeds: Sequence[SessionSeed] = ()
    """What the random draws of each session depend on; empty if no rule draws with the session's seed."""

    uses_real_time: bool = False
    """Whether delays take real time, so that a run cannot be reproduced."""

    def to_json(self) -> dict[str, Any]:
        """Return the report as a JSON object."""
        return asdict(self)

    def list_deviations(self) -> list[str]:
        """Return in which points the calls were not those that the rules expect; empty for a hermetic test that holds.

        These are calls that were refused, ran for real although rules name the tool, or have no tool, with what
        differs from the rule that came closest; and rules and recorded responses that no call has used.
        """
        return list_deviations(self)

    def __str__(self) -> str:
        return format_report(self)
