"""Compares mocks with the real tools: while a mock answers a call, the real tool runs too if it only reads.

call --> the rules answer --> the agent gets the mocked response
     \\-> the real tool, if it changes nothing --> compared: the shape, the values
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from adk_agent_sim.environment.call_watcher import RunTool, build_error_response, build_tool_response
from adk_agent_sim.environment.incoming_call import IncomingCall
from adk_agent_sim.mocks.response_drift import ResponseDrift, compare_responses
from adk_agent_sim.mocks.tool_intent import read_intent
from adk_agent_sim.text.escaping import escape_line
from adk_agent_sim.text.glob_match import GlobSet
from adk_agent_sim.timeline.canonical_json import Json

_MAX_DIFFERENCES = 10
"""How many differences of a tool are kept."""


@dataclass(frozen=True, kw_only=True)
class ToolDrift:
    """How far the mock of a tool is from the tool."""

    tool: str
    calls: int
    """The calls that were compared."""

    shape: float
    """The share of fields with the right type, on average; 1 if the shape is right."""

    values: float
    """The share of right values, on average; 1 if all responses are equal."""

    differences: Sequence[str]
    """The first differences."""

    @property
    def has_drift(self) -> bool:
        """Whether a response differs."""
        return self.values < 1 or self.shape < 1


@dataclass(frozen=True, kw_only=True)
class ShadowReport:
    """What the comparison of all calls found."""

    tools: Sequence[ToolDrift]

    not_compared: Mapping[str, int]
    """By tool, the calls of tools that may change something, which did not run."""

    @property
    def has_drift(self) -> bool:
        """Whether a response differs."""
        return any(tool.has_drift for tool in self.tools)

    def to_json(self) -> dict[str, Any]:
        """Return the report as a JSON object."""
        return {"has_drift": self.has_drift, **asdict(self)}

    def __str__(self) -> str:
        lines: list[str] = []
        for tool in self.tools:
            lines.append(f"{tool.tool}: shape {tool.shape:.2f}, values {tool.values:.2f}, {tool.calls} calls compared")
            lines += [f"  {difference}" for difference in tool.differences]
        for name, count in self.not_compared.items():
            lines.append(f"{name}: {count} calls not compared, because the tool may change something")
        return "\n".join(map(escape_line, lines))


class ShadowCheck:
    """A watcher that runs real tools beside their mocks, and compares the results."""

    def __init__(self, read_only: Sequence[str] = ()) -> None:
        """Create the check.

        Args:
            read_only: Further tools that change nothing, with wildcards; others are recognized by their names.
        """
        self._read_only = GlobSet(read_only)
        self._drifts: dict[str, list[ResponseDrift]] = {}
        self._not_compared: Counter[str] = Counter()

    async def watch(
        self, call: IncomingCall, answer: Callable[[RunTool], Awaitable[object]], run_tool: RunTool
    ) -> object:
        """Return the mocked result of the call, and compare it with the real one."""
        has_run = False

        def note_run() -> Awaitable[object]:
            nonlocal has_run
            has_run = True
            return run_tool()

        async def compare(response: Json) -> None:
            if has_run:
                return  # the rules left the call to the tool
            if not self._is_read_only(call.tool):
                self._not_compared[call.tool] += 1
                return
            self._drifts.setdefault(call.tool, []).append(compare_responses(response, await _collect(run_tool)))

        try:
            result = await answer(note_run)
        except Exception as error:
            await compare(build_error_response(error))
            raise
        await compare(build_tool_response(result))
        return result

    def build_report(self) -> ShadowReport:
        """Return what was found so far."""
        return ShadowReport(
            tools=[_summarize(tool, self._drifts[tool]) for tool in sorted(self._drifts)],
            not_compared={tool: self._not_compared[tool] for tool in sorted(self._not_compared)},
        )

    def _is_read_only(self, tool: str) -> bool:
        return read_intent(tool).is_reading or self._read_only.matches(tool)


async def _collect(run_tool: RunTool) -> Json:
    try:
        return build_tool_response(await run_tool())
    except Exception as error:  # noqa: BLE001 - whatever the tool raises is its result here
        return build_error_response(error)


def _summarize(tool: str, drifts: Sequence[ResponseDrift]) -> ToolDrift:
    differences = [each for drift in drifts for each in drift.differences]
    return ToolDrift(
        tool=tool,
        calls=len(drifts),
        shape=sum(drift.shape for drift in drifts) / len(drifts),
        values=sum(drift.values for drift in drifts) / len(drifts),
        differences=list(dict.fromkeys(differences))[:_MAX_DIFFERENCES],
    )
