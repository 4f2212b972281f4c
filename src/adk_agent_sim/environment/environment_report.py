"""The report of a simulated environment: how each tool's calls were answered, and what each rule did.

`ReportFold` (report_fold.py) builds it, live and from a recorded timeline; `str` writes it as text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from adk_agent_sim.environment.incoming_call import SessionRandomness
from adk_agent_sim.environment.json_values import format_value
from adk_agent_sim.text.escaping import escape_line
from adk_agent_sim.text.terminal_tables import format_table


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

    seeds: Sequence[SessionRandomness] = ()
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
        lines: list[str] = []
        for tool in self.tools:
            if tool.refused:
                lines.append(f"{tool.tool}: {tool.refused} refused, because no rule answered")
            if tool.uncovered:
                lines.append(f"{tool.tool}: {tool.uncovered} ran for real although rules name the tool")
            if tool.unknown:
                lines.append(f"{tool.tool}: {tool.unknown} failed, because no tool has this name")
        lines += [f"{each.tool}, {each.rule}: {_format_differences(each)}" for each in self.near_misses]
        lines += [f"{rule} was never used" for rule in self.unused]
        lines += [f"{each.call}, {each.tool}, was never used" for each in self.unused_responses]
        return list(map(escape_line, lines))

    def __str__(self) -> str:
        """Return the report as lines of text."""
        lines = [line for tool in self.tools for line in _iter_tool_lines(tool)] or ["no tool was called"]
        if self.unused:
            lines.append(f"rules never used: {', '.join(self.unused)}")
        if self.inactive:
            inactive = (f"{rule} ({' and '.join(profiles)})" for rule, profiles in self.inactive.items())
            lines.append(f"rules of profiles that were not active: {', '.join(inactive)}")
        lines += _iter_coverage_lines(self.coverage)
        lines += _iter_near_miss_lines(self.near_misses, self.near_misses_left_out)
        lines += _iter_unused_response_lines(self.unused_responses)
        lines += _iter_seed_lines(self.seeds)
        if self.uses_real_time:
            lines.append(
                "delays take real time (`time: real`), so the run is not reproducible: order and timing may differ"
            )
        # Names may contain control characters, which must not reach a terminal, and line breaks.
        return "\n".join(map(escape_line, lines))


_MAX_SHOWN_SEEDS = 5
_MAX_SHOWN_NEAR_MISSES = 20
_MAX_SHOWN_RESPONSES = 20
_MAX_SHOWN_RULES = 200
"""How many entries the text of a report lists; its JSON has all."""


def _iter_tool_lines(tool: ToolReport) -> Iterator[str]:
    yield f"{tool.tool}: {tool.calls} calls, {tool.real} real, {sum(tool.simulated.values())} simulated"
    for rule, count in tool.simulated.items():
        yield f"  {count} by {rule}"
    if tool.changed:
        yield f"  in {tool.changed} of them the tool's own code ran too"
    if tool.human:
        yield f"  in {tool.human} of them a person was asked"
    for rule, count in tool.unchanged.items():
        yield f"  {count} real results left as they were: {rule} changed nothing"
    if tool.uncovered:
        yield f"  {tool.uncovered} ran for real although rules name the tool"
    if tool.refused:
        yield f"  {tool.refused} refused: no rule answered"
    if tool.unknown:
        yield f"  {tool.unknown} failed: no tool has this name, and no rule answered"


def _iter_coverage_lines(coverage: Sequence[RuleCoverage]) -> Iterator[str]:
    if not coverage:
        return
    rows = [("tool", "rule", "tried", "fired", "otherwise")]
    rows += [
        (each.tool, each.rule, str(each.tried), str(each.fired), _describe_rest(each))
        for each in coverage[:_MAX_SHOWN_RULES]
    ]
    yield "what the rules did:"
    yield from (f"  {line}" for line in format_table(rows, right=(2, 3)))
    if len(coverage) > _MAX_SHOWN_RULES:
        yield f"  and {len(coverage) - _MAX_SHOWN_RULES} more; --json has all"
    for each in coverage:
        if count := each.skipped.get("text too long"):
            yield (
                f"{count} calls of {each.tool} have a string that is too long for the pattern of {each.rule}: "
                "it was not searched, and the rule did not match"
            )


def _describe_rest(coverage: RuleCoverage) -> str:
    """Return what happened in the calls that the rule did not answer."""
    parts = [f"{count} {reason}" for reason, count in coverage.skipped.items()]
    if coverage.unchanged:
        parts.insert(0, f"{coverage.unchanged} changed nothing")
    if coverage.not_reached:
        parts.append(f"{coverage.not_reached} not reached" if coverage.tried else "never reached")
    return ", ".join(parts)


def _iter_near_miss_lines(near_misses: Sequence[NearMiss], left_out: int) -> Iterator[str]:
    if not near_misses:
        return
    yield "calls that no rule answered, and the rule that came closest:"
    for each in near_misses[:_MAX_SHOWN_NEAR_MISSES]:
        yield f"  {each.calls} of {each.tool}, {each.rule}: {_format_differences(each)}"
    hidden = sum(each.calls for each in near_misses[_MAX_SHOWN_NEAR_MISSES:]) + left_out
    if hidden:
        yield f"  and {hidden} more calls"


def _format_differences(near_miss: NearMiss) -> str:
    return "; ".join(f"{each.path} is {each.found}, not {each.expected}" for each in near_miss.differences)


def _iter_unused_response_lines(responses: Sequence[UnusedResponse]) -> Iterator[str]:
    if not responses:
        return
    yield "recorded responses never used:"
    for each in responses[:_MAX_SHOWN_RESPONSES]:
        yield f"  {each.call}, {each.tool} {format_value(each.args)}"
    if len(responses) > _MAX_SHOWN_RESPONSES:
        yield f"  and {len(responses) - _MAX_SHOWN_RESPONSES} more; --json has all"


def _iter_seed_lines(seeds: Sequence[SessionRandomness]) -> Iterable[str]:
    drawn = [each.seed for each in seeds if each.is_drawn]
    if drawn:
        yield f"the rules have no seed; drawn: {', '.join(map(str, drawn[:_MAX_SHOWN_SEEDS]))}" + (
            f" and {len(drawn) - _MAX_SHOWN_SEEDS} more" if len(drawn) > _MAX_SHOWN_SEEDS else ""
        )
        example = f"such as `seed: {drawn[0]}`, and start it the same way"
        yield f"  to repeat a session, write its seed into the rules, {example}"
    alike = [count for count in Counter((each.seed, each.session_key) for each in seeds).values() if count > 1]
    for count in alike:
        yield f"{count} sessions start the same way, or have the same label, and share their random draws"
    if alike:
        yield "  under `adk eval`, these are the cases with the same first message and initial state"
