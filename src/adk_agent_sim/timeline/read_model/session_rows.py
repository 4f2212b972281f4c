"""The rows of a session: a pure fold over its events, one event at a time. It reads no database and needs no run.

    UserSpoke                        -> user, or consent if it answers a confirmation
    AgentEvent, function call        -> call             (ToolStarted, if the agent runs inside a tool of another agent)
    ToolFinished / ToolFailed, AgentEvent's function response   -> the same row, done, failed or cancelled
                                        (a result that says `error` or `isError` is a failure too)
    AgentEvent, text                 -> answer if it is final and the last one, else commentary
    TurnDecided, text                -> commentary, if the agent runs inside a tool of another agent
    AgentEvent, adk_request_*        -> the call's row waits for confirmation; a note for any other request of ADK
    RunEnded, failed                 -> error
    WorldStarted, VerdictReached ... -> world
    WorldEventHappened of a tool call       -> no row: the call has one, and gets the world's time while it runs
    WorldEventHappened, a message of user or agent in the conversation  -> no row: the conversation has one
    WorldTimeChanged while the model thinks -> no row: the rows after it show the world's time
    Noted                            -> the note of the row that it is about

If the agent reports only its turns (the first protocol), calls and answers are taken from the decisions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TypeAlias

from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.content_parts import (
    as_mapping,
    as_text,
    describe_files,
    extract_visible_text,
    get_parts,
    group_parts,
)
from adk_agent_sim.timeline.events import (
    AgentEvent,
    AgentJoined,
    ArtifactSaved,
    Closed,
    EnvironmentDecided,
    Event,
    Forked,
    Noted,
    Rewound,
    RunEnded,
    RunOutcome,
    ToolAnswered,
    ToolAsked,
    ToolFailed,
    ToolFinished,
    ToolStarted,
    ToolWithdrawn,
    TurnAsked,
    TurnDecided,
    Unreadable,
    UserSpoke,
)
from adk_agent_sim.timeline.framework_calls import ENVIRONMENT_AUTHOR
from adk_agent_sim.timeline.history import is_user_query
from adk_agent_sim.timeline.read_model import call_rows
from adk_agent_sim.timeline.read_model.line_summary import summarize_arguments, summarize_text
from adk_agent_sim.timeline.read_model.timeline_row import OpenRows, RowKind, RowStatus
from adk_agent_sim.timeline.state_edits import find_state_edit
from adk_agent_sim.timeline.world_events import (
    NotificationDelivered,
    VerdictReached,
    WorldEventHappened,
    WorldStarted,
    WorldTimeChanged,
)


@dataclass(kw_only=True, slots=True)
class SessionRows(OpenRows):
    """The rows of a session, and how each event changes them; `call_rows` has the part about tool calls."""

    def apply(self, event: Event) -> None:
        """Apply the next event of the log."""
        match event.payload:
            case AgentJoined():
                self.has_agent_events = True
            case UserSpoke(content=content):
                self._apply_user_message(event, content)
            case TurnAsked():
                self._apply_turn_asked(event)
            case TurnDecided() as decided:
                self._apply_turn_decided(event, decided)
            case AgentEvent() as emitted:
                self._apply_agent_event(event, emitted)
            case ToolStarted() | ToolFinished() | ToolFailed() as fact:
                call_rows.apply_tool_event(self, event, fact)
            case ToolAsked() | ToolAnswered() | ToolWithdrawn() as fact:
                call_rows.apply_tool_request(self, event, fact)
            case EnvironmentDecided() as decided:
                call_rows.apply_environment_decision(self, event, decided)
            case _:
                self._apply_other(event)
        self.forget_final_rows()

    def _apply_other(self, event: Event) -> None:
        match event.payload:
            case ArtifactSaved() as saved:
                self.add_row(event, RowKind.ARTIFACT, saved.filename, f"version {saved.version}, {saved.mime_type}")
            case RunEnded() as ended:
                self._apply_run_ended(event, ended)
            case Rewound() as rewound:
                self._apply_rewound(event, rewound)
            case Forked(source_session_id=source, difference=difference):
                self.add_row(event, RowKind.NOTE, "forked", f"from session {source}")
                if difference:
                    self.add_row(event, RowKind.NOTE, "differs", difference)
            case Closed(reason=reason):
                self.close_open_rows(event, RowStatus.CANCELLED)
                self.pending_consents.clear()
                self.add_row(event, RowKind.NOTE, "closed", reason)
            case Noted() as noted:
                self.set_note(event, noted.row_index, noted.about_seq, noted.text)
            case (
                WorldStarted()
                | WorldEventHappened()
                | NotificationDelivered()
                | WorldTimeChanged()
                | VerdictReached() as fact
            ):
                _apply_world_event(self, event, fact)
            case Unreadable(reason=reason):
                self.add_row(event, RowKind.ERROR, "unreadable event", reason, status=RowStatus.FAILED)
            case _:
                pass

    def _apply_user_message(self, event: Event, content: Json) -> None:
        self.answer_index = None
        self.players.clear()
        self.turn_ids.clear()
        if is_user_query(content):
            call_rows.cancel_confirmations(self, event)
            self.add_row(event, RowKind.USER, describe_files(content), extract_visible_text(content))
            return
        for index, part in enumerate(get_parts(content)):
            if response := part.get("function_response"):
                call_rows.apply_consent(self, event, index, response)

    def _apply_turn_asked(self, event: Event) -> None:
        self.players.pop(event.agent_name, None)
        self.turn_ids.pop(event.agent_name, None)
        self.overriding_agents.discard(event.agent_name)
        # Such an agent does not report results, but it asks its model again only when it has them.
        if not self.has_agent_events:
            self.close_open_rows(event, RowStatus.DONE)

    def _apply_turn_decided(self, event: Event, decided: TurnDecided) -> None:
        self.players[event.agent_name] = str(event.player or "")
        self.turn_ids[event.agent_name] = event.turn_id
        if decided.force:
            self.overriding_agents.add(event.agent_name)
        content: dict[str, Json] = decided.response.get("content") or {}
        if self.has_agent_events:
            self._add_inner_text(event, content)
            return
        calls = any(part.get("function_call") for part in get_parts(content))
        self._add_content(event, content, final=not calls)
        if error := decided.response.get("error_code"):
            self.add_row(event, RowKind.ERROR, str(error), str(decided.response.get("error_message") or ""))

    def _add_inner_text(self, event: Event, content: Mapping[str, Json]) -> None:
        """Add what an agent inside a tool says: ADK reports no events of it, and calls are known when they start."""
        if event.agent_path is None or not event.agent_path.parent_call_id:
            return
        for index, kind, part in group_parts(get_parts(content)):
            if kind == "said":
                self._add_text(event, index, part, final=False)

    def _apply_agent_event(self, event: Event, emitted: AgentEvent) -> None:
        if changes := find_state_edit(event):
            self.add_row(event, RowKind.NOTE, "state edited", summarize_arguments(changes))
        if emitted.event.get("author") == ENVIRONMENT_AUTHOR:
            return  # what the world notified the agent of has a row of its own
        content: dict[str, Json] = emitted.event.get("content") or {}
        self._add_content(event, content, final=emitted.final)
        if error := emitted.event.get("error_code"):
            message = str(emitted.event.get("error_message") or "")
            self.add_row(event, RowKind.ERROR, str(error), message, status=RowStatus.FAILED)

    def _add_content(self, event: Event, content: Mapping[str, Json], *, final: bool) -> None:
        """Add the rows of an agent's content; consecutive texts of one kind are one row."""
        for index, kind, part in group_parts(get_parts(content)):
            if kind == "call":
                call_rows.add_call(self, event, index, part["function_call"])
            elif kind == "response":
                call_rows.apply_function_response(self, event, index, part["function_response"])
            elif kind == "thought":
                self.add_row(event, RowKind.COMMENTARY, "thought", part["text"], part_index=index)
            elif kind == "said":
                self._add_text(event, index, part, final=final)

    def _add_text(self, event: Event, part_index: int, part: Mapping[str, Json], *, final: bool) -> None:
        # In a workflow ADK calls the last text of each agent final; only the last of them all is the answer.
        if final and self.answer_index is not None:
            self.update_row(event, self.answer_index, kind=RowKind.COMMENTARY)
        summary = part["text"] if part.get("text") else describe_files({"parts": [part]})
        index = self.add_row(event, RowKind.ANSWER if final else RowKind.COMMENTARY, "", summary, part_index=part_index)
        if final:
            self.answer_index = index

    def _apply_run_ended(self, event: Event, ended: RunEnded) -> None:
        self.players.clear()
        self.turn_ids.clear()
        if ended.outcome is RunOutcome.DONE:
            self.forget_finished_calls()
            return
        self.close_open_rows(event, RowStatus.CANCELLED)
        self.pending_consents.clear()
        if ended.outcome is RunOutcome.FAILED and self.is_last_row_an_error():
            subject, summary = summarize_text(ended.error_type), summarize_text(ended.error_message)
            # ADK emitted the error as an event before it raised it: both are one row.
            self.update_row(event, self.row_count - 1, subject=subject, summary=summary)
        elif ended.outcome is RunOutcome.FAILED:
            self.add_row(event, RowKind.ERROR, ended.error_type, ended.error_message, status=RowStatus.FAILED)
        else:
            self.add_row(event, RowKind.NOTE, "stopped", "the run was stopped", status=RowStatus.CANCELLED)

    def _apply_rewound(self, event: Event, rewound: Rewound) -> None:
        """Show that decisions no longer count, or count again; their rows stay as they are."""
        self.close_open_rows(event, RowStatus.CANCELLED)
        self.call_rows.clear()
        self.pending_consents.clear()
        self.denied_rows.clear()
        self.players.clear()
        self.turn_ids.clear()
        self.overriding_agents.clear()
        self.answer_index = None
        if rewound.redone:
            self.add_row(event, RowKind.NOTE, "redone", "the last undo was reverted")
        else:
            self.add_row(event, RowKind.NOTE, "undone", "the session continues from an earlier point")


WorldPayload: TypeAlias = WorldStarted | WorldEventHappened | NotificationDelivered | WorldTimeChanged | VerdictReached

THINKING = "thinking"
"""The reason of a `WorldTimeChanged` while the agent's model thinks."""

_CONVERSATION_FUNCTIONS = frozenset({"send_message_to_agent", "send_message_to_user"})


def _apply_world_event(rows: OpenRows, event: Event, fact: WorldPayload) -> None:
    """Apply an event about a scenario's world."""
    match fact:
        case WorldStarted():
            started = datetime.fromtimestamp(fact.start_time, UTC)
            summary = f"{fact.scenario_id}, {started:%Y-%m-%d %H:%M:%S} UTC, seed {fact.seed}"
            rows.add_row(event, RowKind.WORLD, "started", summary, world_seconds=0.0)
        case WorldEventHappened():
            _apply_completed_event(rows, event, fact)
        case NotificationDelivered():
            rows.add_row(event, RowKind.WORLD, "notification", fact.text, world_seconds=fact.elapsed_seconds)
        case WorldTimeChanged():
            if fact.reason != THINKING:
                summary = f"from t+{fact.from_seconds:g} s to t+{fact.to_seconds:g} s: {fact.reason}"
                rows.add_row(event, RowKind.WORLD, "time", summary, world_seconds=fact.to_seconds)
        case VerdictReached():
            _add_verdict(rows, event, fact)


def is_part_of_conversation(completed: Mapping[str, Json]) -> bool:
    """Return whether a completed event is a message between user and agent."""
    return as_mapping(completed.get("action")).get("function") in _CONVERSATION_FUNCTIONS


def _apply_completed_event(rows: OpenRows, event: Event, fact: WorldEventHappened) -> None:
    index = rows.call_rows.get(fact.call_id) if fact.call_id else None
    if index is not None:
        rows.update_row(event, index, world_seconds=fact.elapsed_seconds)
        return
    completed = as_mapping(fact.event)
    if fact.call_id or is_part_of_conversation(completed):
        return
    action, metadata = as_mapping(completed.get("action")), as_mapping(completed.get("metadata"))
    function = as_text(action.get("function"))
    error = as_text(metadata.get("exception"))
    index = rows.add_row(
        event,
        RowKind.WORLD,
        f"{as_text(action.get('app'))}__{function}" if function else as_text(completed.get("event_type")).lower(),
        summarize_arguments(_read_arguments(action)) if function else as_text(completed.get("event_id")),
        status=RowStatus.FAILED if error else RowStatus.DONE,
        world_seconds=fact.elapsed_seconds,
    )
    if error:
        rows.update_row(event, index, result=summarize_text(error))


def _read_arguments(action: Mapping[str, Json]) -> dict[str, Json]:
    listed: Sequence[Mapping[str, Json]] = action.get("args") or ()
    return {as_text(each.get("name")): each.get("value") for each in listed}


def _add_verdict(rows: OpenRows, event: Event, fact: VerdictReached) -> None:
    what = "the run" if fact.turn == 0 else "turn 1" if fact.turn == 1 else f"turns 1 to {fact.turn}"
    index = rows.add_row(
        event,
        RowKind.WORLD,
        "verdict",
        f"{what} {'passed' if fact.passed else 'failed'}",
        status=RowStatus.DONE if fact.passed else RowStatus.FAILED,
    )
    if fact.reason:
        rows.update_row(event, index, result=summarize_text(fact.reason))
