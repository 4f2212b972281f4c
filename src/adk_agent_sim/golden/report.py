"""A session as Markdown, for a pull request: what was asked, called, answered and changed, and by whom it was played.

Secrets are taken out by default. Everything that a user, a model or a tool said is fenced.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from adk_agent_sim.golden.builder import user_turns
from adk_agent_sim.golden.fenced import code, fenced, fenced_json, folded, table, titled
from adk_agent_sim.golden.session import final_state
from adk_agent_sim.timeline.canonical import Json
from adk_agent_sim.timeline.events import (
    AgentEvent,
    ArtifactSaved,
    Event,
    Outcome,
    RunEnded,
    ToolFailed,
    ToolFinished,
    TurnDecided,
    UserSpoke,
)
from adk_agent_sim.timeline.history import (
    FinalResponse,
    HistoryEntry,
    ToolCall,
    ToolError,
    ToolOutput,
    UserQuery,
    history,
    is_query,
)
from adk_agent_sim.timeline.redact import redacted
from adk_agent_sim.timeline.state import joined


def markdown(events: Sequence[Event], *, redact: bool = True, environment: Mapping[str, str] | None = None) -> str:
    """The report of a session, complete or not.

    Args:
        events: The session's timeline.
        redact: Take secrets out.
        environment: Where secret variables are looked up; by default this process's.
    """
    shown = redacted(events, environment) if redact else list(events)
    entries = history(shown)
    played = _played(shown)
    calls = (entry.call_id for entry in entries if isinstance(entry, ToolCall))
    played.numbers = {call_id: number for number, call_id in enumerate(calls, start=1)}
    blocks = [f"# Session of {_agent(shown)}", table([*_summary(shown, entries, played)])]
    for number, turn in enumerate(user_turns(entries), start=1):
        blocks += [f"## Turn {number}{_lasted(played, number)}", *_turn(turn, played), *played.ended_early[number]]
    blocks += _left_behind(shown)
    return "\n\n".join(blocks) + "\n"


@dataclass
class _Played:
    """Who played, and how runs ended: what a history does not tell."""

    calls: dict[str, str] = field(default_factory=dict[str, str])
    """Who decided a call, by its id."""

    tools: dict[str, str] = field(default_factory=dict[str, str])
    """Who answered a call, by its id."""

    models: Counter[str] = field(default_factory=Counter[str])
    """How many model turns each player took."""

    seconds: dict[int, float] = field(default_factory=dict[int, float])
    """How long each user turn took, counted from 1."""

    numbers: dict[str, int] = field(default_factory=dict[str, int])
    """Which call of the session a call is: ids are too long to compare by eye."""

    ended_early: defaultdict[int, list[str]] = field(default_factory=lambda: defaultdict[int, list[str]](list))
    """What is to say of runs without an answer, by user turn."""


def _played(events: Sequence[Event]) -> _Played:
    played = _Played()
    deciding: dict[str, str] = {}
    turn, began = 0, 0.0
    for event in events:
        player = event.player.value if event.player else ""
        match event.payload:
            case UserSpoke(content=content) if is_query(content):
                turn, began = turn + 1, event.timestamp
            case TurnDecided():
                played.models[player] += 1
                deciding[event.agent_name] = player
            case AgentEvent(event=emitted):
                for call_id in _call_ids(emitted):
                    played.calls[call_id] = player or deciding.get(event.agent_name, "")
            case ToolFinished(call_id=call_id) | ToolFailed(call_id=call_id):
                played.tools[call_id] = player
            case RunEnded() as ended:
                played.seconds[turn] = event.timestamp - began
                played.ended_early[turn] += _ended_early(ended)
            case _:
                pass
    return played


def _call_ids(emitted: Json) -> list[str]:
    content: dict[str, Json] = emitted.get("content") or {}
    return [part["function_call"].get("id", "") for part in content.get("parts") or () if part.get("function_call")]


def _ended_early(ended: RunEnded) -> list[str]:
    if ended.outcome is Outcome.DONE:
        return []
    said = [fenced(ended.error_message)] if ended.error_message else []
    return [f"**The run {ended.outcome.value}** {code(ended.error_type) if ended.error_type else ''}".rstrip(), *said]


def _agent(events: Sequence[Event]) -> str:
    join = joined(events)
    return code(join.app_name) if join else "an agent"


def _summary(events: Sequence[Event], entries: Sequence[HistoryEntry], played: _Played) -> Iterator[tuple[str, str]]:
    join = joined(events)
    if events:
        yield "Session", code(events[0].session_id)
        yield "Started", f"{datetime.fromtimestamp(events[0].timestamp, UTC):%Y-%m-%d %H:%M:%S} UTC"
        yield "Lasted", _seconds(events[-1].timestamp - events[0].timestamp)
    if join:
        yield "User", code(join.user_id)
    agents = dict.fromkeys(entry.agent_name for entry in entries if isinstance(entry, ToolCall) and entry.agent_name)
    if agents:
        yield "Agents that called", ", ".join(map(code, agents))
    counts = Counter(type(entry) for entry in entries)
    yield "User turns", f"{counts[UserQuery]}, {counts[FinalResponse]} answered"
    yield "Tool calls", f"{counts[ToolCall]}, {counts[ToolError]} failed"
    if played.models:
        yield "Model played by", ", ".join(f"{player} ({count})" for player, count in played.models.items())


def _turn(entries: Sequence[HistoryEntry], played: _Played) -> Iterator[str]:
    for entry in entries:
        match entry:
            case UserQuery():
                yield titled("User", fenced(entry.content))
            case ToolCall():
                yield _call(entry, played)
            case ToolOutput():
                yield titled(_result("Result", entry, played), fenced_json(entry.result))
            case ToolError():
                yield _error(entry, played)
            case FinalResponse():
                yield titled("Answer", fenced(entry.content))


def _call(call: ToolCall, played: _Played) -> str:
    by = [f"by {code(call.agent_name)}"] if call.agent_name else []
    by += [f"decided by {player}"] if (player := played.calls.get(call.call_id)) else []
    title = f"**Call {played.numbers[call.call_id]}**: {code(call.tool_name)} {', '.join(by)}".rstrip()
    return f"{title}\n\n{titled('Arguments', fenced_json(call.arguments))}" if call.arguments else title


def _result(title: str, entry: ToolOutput | ToolError, played: _Played) -> str:
    tool = f", tool {player}" if (player := played.tools.get(entry.call_id)) else ""
    return f"{title} of call {played.numbers[entry.call_id]} after {_seconds(entry.duration_ms / 1000)}{tool}"


def _error(entry: ToolError, played: _Played) -> str:
    blocks = [f"**{_result('Error', entry, played)}**: {code(entry.error_type)}", fenced(entry.error_message)]
    if entry.traceback:
        blocks.append(folded("Traceback", fenced(entry.traceback.rstrip())))
    return "\n\n".join(blocks)


def _left_behind(events: Sequence[Event]) -> Iterator[str]:
    saved = [event.payload for event in events if isinstance(event.payload, ArtifactSaved)]
    if saved:
        yield "## Artifacts"
        yield "\n".join(f"- {code(one.filename)}, version {one.version}, {code(one.mime_type)}" for one in saved)
    state = final_state(events)
    if state:
        yield "## Final state"
        yield titled("When the session ended", fenced_json(state))


def _lasted(played: _Played, turn: int) -> str:
    return f" ({_seconds(played.seconds[turn])})" if turn in played.seconds else ""


def _seconds(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds >= 1 else f"{seconds * 1000:.1f} ms"
