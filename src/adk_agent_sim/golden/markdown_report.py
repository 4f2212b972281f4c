"""Renders a session as a Markdown report, for example for a pull request: messages, calls, results, notes and state.

Secrets are removed by default. Text of users, models and tools is rendered as code, so it cannot change the layout.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from datetime import UTC, datetime

from adk_agent_sim.golden.golden_trace_builder import split_user_turns
from adk_agent_sim.golden.markdown_blocks import (
    render_code_block,
    render_collapsible,
    render_inline_code,
    render_json_block,
    render_table,
    render_titled_block,
)
from adk_agent_sim.golden.session import compute_final_state
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.content_parts import get_parts
from adk_agent_sim.timeline.events import (
    REMARK_CLASSES,
    AgentEvent,
    ArtifactSaved,
    Event,
    Noted,
    RunEnded,
    RunOutcome,
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
    build_history,
    find_agent_joined,
    is_user_query,
)
from adk_agent_sim.timeline.read_model.session_read_model import build_rows
from adk_agent_sim.timeline.redaction.redactor import redact_events
from adk_agent_sim.timeline.undone_events import remove_undone_events


def render_markdown_report(
    events: Sequence[Event], *, redact: bool = True, environment: Mapping[str, str] | None = None
) -> str:
    """Render the report of a session, which may be incomplete.

    Args:
        events: The session's timeline.
        redact: Whether to remove secrets.
        environment: The environment variables to read secrets from; by default those of this process.
    """
    log = redact_events(events, environment) if redact else list(events)
    shown = list(remove_undone_events(log))
    entries = build_history(shown)
    played = _collect_statistics(shown)
    calls = (entry.call_id for entry in entries if isinstance(entry, ToolCall))
    played.call_numbers = {call_id: number for number, call_id in enumerate(calls, start=1)}
    blocks = [f"# Session of {_render_agent_name(shown)}", render_table([*_iter_summary_rows(shown, entries, played)])]
    for number, turn in enumerate(split_user_turns(entries), start=1):
        blocks += [
            f"## Turn {number}{_format_turn_duration(played, number)}",
            *_render_turn(turn, played),
            *played.early_endings[number],
        ]
    # The whole log, because the timeline also counts the rows of what was undone.
    blocks += _render_notes(log, {event.seq for event in shown})
    blocks += _render_final_sections(shown)
    return "\n\n".join(blocks) + "\n"


@dataclass
class _PlayStatistics:
    """Players, durations and outcomes, which a history does not contain."""

    call_deciders: dict[str, str] = field(default_factory=dict[str, str])
    """The player that decided a call, by call id."""

    tool_players: dict[str, str] = field(default_factory=dict[str, str])
    """The player that answered a call, by call id."""

    model_turn_counts: Counter[str] = field(default_factory=Counter[str])
    """The number of model turns per player."""

    turn_seconds: dict[int, float] = field(default_factory=dict[int, float])
    """The duration of each user turn, by turn number from 1."""

    call_numbers: dict[str, int] = field(default_factory=dict[str, int])
    """The number of each call in the session, by call id: ids are too long to compare by eye."""

    early_endings: defaultdict[int, list[str]] = field(default_factory=lambda: defaultdict[int, list[str]](list))
    """The rendered outcome of runs that failed or were cancelled, by turn number."""


def _collect_statistics(events: Sequence[Event]) -> _PlayStatistics:
    played = _PlayStatistics()
    deciding: dict[str, str] = {}
    turn, began = 0, 0.0
    for event in events:
        player = event.player.value if event.player else ""
        match event.payload:
            case UserSpoke(content=content) if is_user_query(content):
                turn, began = turn + 1, event.timestamp
            case TurnDecided():
                played.model_turn_counts[player] += 1
                deciding[event.agent_name] = player
            case AgentEvent(event=emitted):
                for call_id in _extract_call_ids(emitted):
                    # Imported events name their player; others have the one of their agent's last decision.
                    played.call_deciders[call_id] = player or deciding.get(event.agent_name, "")
            case ToolFinished(call_id=call_id) | ToolFailed(call_id=call_id):
                played.tool_players[call_id] = player
            case RunEnded() as ended:
                played.turn_seconds[turn] = event.timestamp - began
                played.early_endings[turn] += _render_early_ending(ended)
            case _:
                pass
    return played


def _extract_call_ids(emitted: Json) -> list[str]:
    parts = get_parts(emitted.get("content"))
    return [part["function_call"].get("id") or "" for part in parts if part.get("function_call")]


def _render_early_ending(ended: RunEnded) -> list[str]:
    if ended.outcome is RunOutcome.DONE:
        return []
    message = [render_code_block(ended.error_message)] if ended.error_message else []
    return [
        f"**The run {ended.outcome.value}** "
        f"{render_inline_code(ended.error_type) if ended.error_type else ''}".rstrip(),
        *message,
    ]


def _render_agent_name(events: Sequence[Event]) -> str:
    join = find_agent_joined(events)
    return render_inline_code(join.app_name) if join else "an agent"


def _iter_summary_rows(
    events: Sequence[Event], entries: Sequence[HistoryEntry], statistics: _PlayStatistics
) -> Iterator[tuple[str, str]]:
    join = find_agent_joined(events)
    if events:
        yield "Session", render_inline_code(events[0].session_id)
        yield "Started", f"{datetime.fromtimestamp(events[0].timestamp, UTC):%Y-%m-%d %H:%M:%S} UTC"
        # A note or a verdict may be added long after the session.
        ends = [event.timestamp for event in events if not isinstance(event.payload, REMARK_CLASSES)]
        yield "Lasted", _format_seconds(max(ends, default=events[0].timestamp) - events[0].timestamp)
    if join:
        yield "User", render_inline_code(join.user_id)
    agents = dict.fromkeys(entry.agent_name for entry in entries if isinstance(entry, ToolCall) and entry.agent_name)
    if agents:
        yield "Agents that called", ", ".join(map(render_inline_code, agents))
    counts = Counter(type(entry) for entry in entries)
    yield "User turns", f"{counts[UserQuery]}, {counts[FinalResponse]} answered"
    yield "Tool calls", f"{counts[ToolCall]}, {counts[ToolError]} failed"
    if statistics.model_turn_counts:
        yield (
            "Model played by",
            ", ".join(f"{player} ({count})" for player, count in statistics.model_turn_counts.items()),
        )


def _render_turn(entries: Sequence[HistoryEntry], statistics: _PlayStatistics) -> Iterator[str]:
    for entry in entries:
        match entry:
            case UserQuery():
                yield render_titled_block("User", render_code_block(entry.content))
            case ToolCall():
                yield _render_call(entry, statistics)
            case ToolOutput():
                yield render_titled_block(
                    _format_result_title("Result", entry, statistics), render_json_block(entry.result)
                )
            case ToolError():
                yield _render_error(entry, statistics)
            case FinalResponse():
                yield render_titled_block("Answer", render_code_block(entry.content))


def _render_call(call: ToolCall, statistics: _PlayStatistics) -> str:
    by = [f"by {render_inline_code(call.agent_name)}"] if call.agent_name else []
    by += [f"decided by {player}"] if (player := statistics.call_deciders.get(call.call_id)) else []
    number = statistics.call_numbers[call.call_id]
    title = f"**Call {number}**: {render_inline_code(call.tool_name)} {', '.join(by)}".rstrip()
    return (
        f"{title}\n\n{render_titled_block('Arguments', render_json_block(call.arguments))}" if call.arguments else title
    )


def _format_result_title(title: str, entry: ToolOutput | ToolError, statistics: _PlayStatistics) -> str:
    tool = f", tool {player}" if (player := statistics.tool_players.get(entry.call_id)) else ""
    number = statistics.call_numbers[entry.call_id]
    return f"{title} of call {number} after {_format_seconds(entry.duration_ms / 1000)}{tool}"


def _render_error(entry: ToolError, statistics: _PlayStatistics) -> str:
    blocks = [
        f"**{_format_result_title('Error', entry, statistics)}**: {render_inline_code(entry.error_type)}",
        render_code_block(entry.error_message),
    ]
    if entry.traceback:
        blocks.append(render_collapsible("Traceback", render_code_block(entry.traceback.rstrip())))
    return "\n\n".join(blocks)


def _render_notes(events: Sequence[Event], shown_seqs: Set[int]) -> Iterator[str]:
    """Render the notes of people on rows that are shown, each with its row as the timeline counts it."""
    if not any(isinstance(event.payload, Noted) for event in events):
        return
    noted = [row for row in build_rows(events) if row.note and row.seq in shown_seqs]
    if noted:
        yield "## Notes"
    for row in noted:
        what = " ".join(filter(None, (row.subject, row.summary)))
        yield f"On row {row.index + 1}, {row.kind.value} {render_inline_code(what)}:\n\n{render_code_block(row.note)}"


def _render_final_sections(events: Sequence[Event]) -> Iterator[str]:
    saved = [event.payload for event in events if isinstance(event.payload, ArtifactSaved)]
    if saved:
        yield "## Artifacts"
        yield "\n".join(
            f"- {render_inline_code(artifact.filename)}, version {artifact.version}, "
            f"{render_inline_code(artifact.mime_type)}"
            for artifact in saved
        )
    state = compute_final_state(events)
    if state:
        yield "## Final state"
        yield render_titled_block("When the session ended", render_json_block(state))


def _format_turn_duration(statistics: _PlayStatistics, turn: int) -> str:
    return f" ({_format_seconds(statistics.turn_seconds[turn])})" if turn in statistics.turn_seconds else ""


def _format_seconds(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds >= 1 else f"{seconds * 1000:.1f} ms"
