"""The report of a simulated environment: for each tool, which calls were real and which rule answered the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from adk_agent_sim.text.escaping import escape_line

_MAX_SHOWN_SEEDS = 5
"""How many seeds the text of a report lists; its JSON has all."""


@dataclass(slots=True)
class CallTally:
    """Counters that are updated with each call."""

    real: Counter[str] = field(default_factory=Counter[str])
    """Real calls of tools that no rule names, by tool."""

    uncovered: Counter[str] = field(default_factory=Counter[str])
    """Real calls of tools that rules name, by tool: no rule matched, although the tool looks covered."""

    refused: Counter[str] = field(default_factory=Counter[str])
    """Calls that no rule answered and that were refused (`unanswered: refuse`), by tool."""

    simulated: Counter[tuple[str, str]] = field(default_factory=Counter[tuple[str, str]])
    """Calls that a rule answered, by tool and rule."""

    ran: Counter[str] = field(default_factory=Counter[str])
    """The simulated calls in which the tool's own code ran too, because its result was delayed or changed, by tool."""

    def add(self, other: CallTally) -> None:
        """Add the counts of another tally."""
        self.real += other.real
        self.uncovered += other.uncovered
        self.refused += other.refused
        self.simulated += other.simulated
        self.ran += other.ran


@dataclass(frozen=True, kw_only=True)
class ToolReport:
    """How the calls of one tool were answered."""

    tool: str
    calls: int
    real: int
    """Calls that no rule answered: only the tool's own code ran."""

    simulated: Mapping[str, int]
    """Calls that a rule answered, by rule."""

    changed: int
    """The simulated calls in which the tool's own code ran too."""

    uncovered: int
    """The real calls of a tool that a rule names."""

    refused: int
    """Calls that were refused because no rule answered them."""


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
    """Rules that answered no call."""

    seeds: Sequence[SessionSeed] = ()
    """What the random draws of each session depend on; empty if no rule draws with the session's seed."""

    uses_real_time: bool = False
    """Whether delays took real time, so that the order of events can differ in another run."""

    @classmethod
    def from_tally(
        cls,
        tally: CallTally,
        rules: Iterable[str],
        *,
        seeds: Sequence[SessionSeed] = (),
        uses_real_time: bool = False,
    ) -> EnvironmentReport:
        """Build the report of a tally.

        Args:
            tally: The counts.
            rules: The names of all rules, to find the unused ones.
            seeds: What the random draws of each session depend on.
            uses_real_time: Whether delays took real time.
        """
        names = {*tally.real, *tally.uncovered, *tally.refused, *(tool for tool, _ in tally.simulated)}
        used = {rule for _, rule in tally.simulated}
        return cls(
            tools=[_build_tool_report(tally, name) for name in sorted(names)],
            unused=[rule for rule in rules if rule not in used],
            seeds=seeds,
            uses_real_time=uses_real_time,
        )

    def to_json(self) -> dict[str, Any]:
        """Returns the report as a JSON object."""
        return asdict(self)

    def __str__(self) -> str:
        lines = [line for tool in self.tools for line in _format_tool_lines(tool)] or ["no tool was called"]
        if self.unused:
            lines.append(f"rules never used: {', '.join(self.unused)}")
        lines += _format_seed_lines(self.seeds)
        if self.uses_real_time:
            lines.append("delays took real time (`time: real`), so another run may differ in order and timing")
        # Names may contain control characters, which must not reach a terminal, and line breaks.
        return "\n".join(map(escape_line, lines))


def _build_tool_report(tally: CallTally, name: str) -> ToolReport:
    simulated = {rule: count for (tool, rule), count in tally.simulated.items() if tool == name}
    real = tally.real[name] + tally.uncovered[name]
    return ToolReport(
        tool=name,
        calls=real + tally.refused[name] + sum(simulated.values()),
        real=real,
        simulated=simulated,
        changed=tally.ran[name],
        uncovered=tally.uncovered[name],
        refused=tally.refused[name],
    )


def _format_seed_lines(seeds: Sequence[SessionSeed]) -> Iterable[str]:
    drawn = [each.seed for each in seeds if each.is_drawn]
    if drawn:
        yield f"the rules have no seed; drawn: {', '.join(map(str, drawn[:_MAX_SHOWN_SEEDS]))}" + (
            f" and {len(drawn) - _MAX_SHOWN_SEEDS} more" if len(drawn) > _MAX_SHOWN_SEEDS else ""
        )
        yield f"  to repeat a session, write its seed into the rules, such as `seed: {drawn[0]}`, and begin it alike"
    alike = [count for count in Counter((each.seed, each.session_key) for each in seeds).values() if count > 1]
    for count in alike:
        yield f"{count} sessions begin alike, or have the same label, and share their random draws"


def _format_tool_lines(tool: ToolReport) -> Iterable[str]:
    yield f"{tool.tool}: {tool.calls} calls, {tool.real} real, {sum(tool.simulated.values())} simulated"
    for rule, count in tool.simulated.items():
        yield f"  {count} by {rule}"
    if tool.changed:
        yield f"  in {tool.changed} of them the tool's own code ran too"
    if tool.uncovered:
        yield f"  {tool.uncovered} went live although rules name the tool"
    if tool.refused:
        yield f"  {tool.refused} refused: no rule answered"
