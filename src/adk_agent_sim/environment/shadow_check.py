"""Compares mocks with the real tools: while a mock answers a call, the real tool runs too if it only reads.

call --> the rules answer --> the agent gets the mocked response
     \\-> the real tool, if it changes nothing --> compared: the shape, the values
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, TypeAlias, cast

from adk_agent_sim.environment.incoming_call import IncomingCall, RunTool, build_error_response, build_tool_response
from adk_agent_sim.mocks.mocked_call import read_intent
from adk_agent_sim.mocks.tool_results import is_error_response
from adk_agent_sim.text.escaping import escape_line
from adk_agent_sim.text.glob_match import GlobSet
from adk_agent_sim.timeline.canonical_json import Json, encode_json, normalize_value
from adk_agent_sim.timeline.json_equality import equals_value

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


_MAX_SHOWN = 60
_MISSING = object()
_Place: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class ResponseDrift:
    """How far a mocked response is from the real one."""

    shape: float
    """The share of fields, lists and objects that both have with the same type; 1 if the shape is the same."""

    values: float
    """The share of values that both have at the same place; 1 if the responses are equal."""

    differences: Sequence[str]
    """What differs, a line for each place."""


def compare_responses(mocked: Json, real: Json) -> ResponseDrift:
    """Compare two responses. If only one of them is an error, nothing is the same."""
    if is_error_response(mocked) != is_error_response(real):
        who, error = ("the mock", mocked) if is_error_response(mocked) else ("the real tool", real)
        return ResponseDrift(shape=0.0, values=0.0, differences=[f"only {who} failed: {_format(error)}"])
    shapes = set(_iter_shape(mocked, ())), set(_iter_shape(real, ()))
    found, wanted = dict(_iter_values(mocked, ())), dict(_iter_values(real, ()))
    places = [*wanted, *(place for place in found if place not in wanted)]
    different = [place for place in places if not equals_value(found.get(place, _MISSING), wanted.get(place, _MISSING))]
    return ResponseDrift(
        shape=_divide(len(shapes[0] & shapes[1]), len(shapes[0] | shapes[1])),
        values=_divide(len(places) - len(different), len(places)),
        differences=[_describe(place, found, wanted) for place in different],
    )


def has_same_shape(mocked: Json, real: Json) -> bool:
    """Whether two responses have the same fields with the same types; lists may have other lengths, and be empty."""
    if isinstance(mocked, Mapping) and isinstance(real, Mapping):
        fields, others = cast("Mapping[str, Json]", mocked), cast("Mapping[str, Json]", real)
        return fields.keys() == others.keys() and all(has_same_shape(fields[key], others[key]) for key in fields)
    if isinstance(mocked, list) and isinstance(real, list):
        items, others = cast("list[Json]", mocked), cast("list[Json]", real)
        return not items or not others or all(any(has_same_shape(item, each) for each in others) for item in items)
    return _name_type(mocked) == _name_type(real)


def _name_type(value: Json) -> str:
    match value:
        case bool():
            return "boolean"
        case int() | float():
            return "number"
        case str():
            return "text"
        case list():
            return "list"
        case None:
            return "null"
        case _:
            return "object"


def _iter_shape(value: Json, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield every place with the type of its value; the items of a list have one place."""
    yield path, _name_type(value)
    if isinstance(value, Mapping):
        for key, inner in cast("Mapping[str, Json]", value).items():
            yield from _iter_shape(inner, (*path, key))
    elif isinstance(value, list):
        for inner in cast("list[Json]", value):
            yield from _iter_shape(inner, (*path, "*"))


def _iter_values(value: Json, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Json]]:
    """Yield every leaf with its place; an empty list or object is a leaf."""
    if isinstance(value, Mapping) and value:
        for key, inner in cast("Mapping[str, Json]", value).items():
            yield from _iter_values(inner, (*path, key))
    elif isinstance(value, list) and value:
        for index, inner in enumerate(cast("list[Json]", value)):
            yield from _iter_values(inner, (*path, str(index)))
    else:
        yield path, normalize_value(value)


def _describe(place: _Place, found: Mapping[_Place, Json], wanted: Mapping[_Place, Json]) -> str:
    name = ".".join(place) or "the response"
    if place not in found:
        return f"{name}: missing; really {_format(wanted[place])}"
    if place not in wanted:
        return f"{name}: {_format(found[place])}, which the real tool does not have"
    return f"{name}: {_format(found[place])}; really {_format(wanted[place])}"


def _format(value: Json) -> str:
    text = encode_json(value).decode()
    return text if len(text) <= _MAX_SHOWN else f"{text[: _MAX_SHOWN - 3]}..."


def _divide(part: int, whole: int) -> float:
    return part / whole if whole else 1.0
