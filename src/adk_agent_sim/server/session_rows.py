"""The rows of a session: a pure fold over its events, one event at a time. It reads no database and needs no run.

    UserSpoke                        -> user, or consent if it answers a confirmation
    AgentEvent, function call        -> call             (ToolStarted, if the agent runs inside a tool of another agent)
    ToolFinished / ToolFailed, AgentEvent's function response   -> the same row, done, failed or cancelled
    AgentEvent, text                 -> answer if it is final and the last one, else say
    AgentEvent, adk_request_*        -> the call's row waits for confirmation; a note for any other request of ADK
    RunEnded, failed                 -> error

If the agent reports only its turns (the first protocol), calls and answers are taken from the decisions.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from adk_agent_sim.server.api_models import PendingConfirmation, Row, RowKind, RowStatus
from adk_agent_sim.server.content_parts import (
    as_mapping,
    describe_files,
    extract_text,
    get_parts,
    group_parts,
    unwrap_result,
)
from adk_agent_sim.server.line_summary import summarize_arguments, summarize_text, summarize_value
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.events import (
    AgentEvent,
    AgentJoined,
    ArtifactSaved,
    Closed,
    EnvironmentDecided,
    Event,
    RunEnded,
    RunOutcome,
    ToolFailed,
    ToolFinished,
    ToolStarted,
    TurnAsked,
    TurnDecided,
    UserSpoke,
)
from adk_agent_sim.timeline.framework_calls import (
    REQUEST_CONFIRMATION,
    SET_MODEL_RESPONSE,
    is_default_confirmation_hint,
    is_request_call,
)
from adk_agent_sim.timeline.history import is_user_query
from adk_agent_sim.timeline.strict_json import dump_json

_OPEN_STATUSES = (RowStatus.RUNNING, RowStatus.CONFIRM)


@dataclass(frozen=True, slots=True)
class RowSource:
    """An event that a row was made from, and the index of the part of its content, if it is one part."""

    seq: int
    part_index: int | None = None


class SessionRows:
    """The rows of one session, up to the last applied event."""

    def __init__(self) -> None:
        self.last_seq = 0
        """The seq of the last applied event."""
        self.title = ""
        """The beginning of the first user message."""
        self._rows: list[Row] = []
        self._sources: list[list[RowSource]] = []
        self._update_order: OrderedDict[int, None] = OrderedDict()
        self._call_rows: dict[str, int] = {}
        self._open_rows: dict[int, None] = {}
        self._pending_confirmations: dict[str, tuple[PendingConfirmation, int | None]] = {}
        self._denied_rows: set[int] = set()
        self._players: dict[str, str] = {}
        self._answer_index: int | None = None
        self._has_agent_events = False

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def confirmation(self) -> PendingConfirmation | None:
        """The oldest confirmation that is waiting for the user; None if none is."""
        return next((confirmation for confirmation, _ in self._pending_confirmations.values()), None)

    def get_range(self, start: int, count: int) -> list[Row]:
        """Returns up to `count` rows from index `start` on."""
        return self._rows[max(start, 0) : max(start, 0) + max(count, 0)]

    def get_last(self, count: int) -> list[Row]:
        """Returns the last `count` rows."""
        return self.get_range(len(self._rows) - count, count) if count < len(self._rows) else list(self._rows)

    def get_changed_after(self, seq: int) -> list[Row]:
        """Returns the rows that are new or have changed after `seq`, by index, at a cost linear in their number."""
        changed: list[Row] = []
        for index in reversed(self._update_order):
            if self._rows[index].updated_seq <= seq:
                break
            changed.append(self._rows[index])
        return sorted(changed, key=lambda row: row.index)

    def get_sources(self, index: int) -> Sequence[RowSource]:
        """Returns the events that a row was made from."""
        return self._sources[index]

    def apply(self, event: Event) -> None:
        """Apply the next event of the log."""
        self.last_seq = event.seq
        match event.payload:
            case AgentJoined():
                self._has_agent_events = True
            case UserSpoke(content=content):
                self._apply_user_message(event, content)
            case TurnAsked():
                self._apply_turn_asked(event)
            case TurnDecided() as decided:
                self._apply_turn_decided(event, decided)
            case AgentEvent() as emitted:
                self._apply_agent_event(event, emitted)
            case ToolStarted() | ToolFinished() | ToolFailed() as fact:
                self._apply_tool_event(event, fact)
            case EnvironmentDecided() as decided:
                self._apply_environment_decision(event, decided)
            case _:
                self._apply_other(event)

    def _apply_other(self, event: Event) -> None:
        match event.payload:
            case ArtifactSaved() as saved:
                self._add_row(event, RowKind.ARTIFACT, saved.filename, f"version {saved.version}, {saved.mime_type}")
            case RunEnded() as ended:
                self._apply_run_ended(event, ended)
            case Closed(reason=reason):
                self._close_open_rows(event, RowStatus.CANCELLED)
                self._pending_confirmations.clear()
                self._add_row(event, RowKind.NOTE, "closed", reason)
            case _:
                pass

    def _apply_user_message(self, event: Event, content: Json) -> None:
        self._answer_index = None
        self._players.clear()
        if is_user_query(content):
            self._cancel_confirmations(event)
            text = extract_text(content)
            self.title = self.title or summarize_text(text)
            self._add_row(event, RowKind.USER, describe_files(content), text)
            return
        for index, part in enumerate(get_parts(content)):
            if response := part.get("function_response"):
                self._apply_consent(event, index, response)

    def _cancel_confirmations(self, event: Event) -> None:
        """Cancel all pending confirmations: after a new query ADK no longer runs their calls."""
        for _, index in self._pending_confirmations.values():
            if index is not None:
                self._update_row(event, index, status=RowStatus.CANCELLED, result="not approved")
        self._pending_confirmations.clear()

    def _apply_consent(self, event: Event, part_index: int, response: Mapping[str, Json]) -> None:
        question, index = self._pending_confirmations.pop(response.get("id") or "", (None, None))
        if question is None:
            self._add_row(
                event,
                RowKind.USER,
                response.get("name") or "",
                summarize_value(response.get("response")),
                part_index=part_index,
            )
            return
        answer = response.get("response")
        approved = bool(as_mapping(answer).get("confirmed"))
        self._add_row(
            event, RowKind.CONSENT, question.tool_name, "approved" if approved else "denied", part_index=part_index
        )
        if index is not None:
            self._update_row(event, index, status=RowStatus.RUNNING, result="")
            if not approved:
                self._denied_rows.add(index)

    def _apply_turn_asked(self, event: Event) -> None:
        self._players.pop(event.agent_name, None)
        if not self._has_agent_events:
            self._close_open_rows(event, RowStatus.DONE)

    def _apply_turn_decided(self, event: Event, decided: TurnDecided) -> None:
        self._players[event.agent_name] = str(event.player or "")
        if self._has_agent_events:
            return
        content: dict[str, Json] = decided.response.get("content") or {}
        calls = any(part.get("function_call") for part in get_parts(content))
        self._add_content(event, content, final=not calls)
        if error := decided.response.get("error_code"):
            self._add_row(event, RowKind.ERROR, str(error), str(decided.response.get("error_message") or ""))

    def _apply_agent_event(self, event: Event, emitted: AgentEvent) -> None:
        content: dict[str, Json] = emitted.event.get("content") or {}
        self._add_content(event, content, final=emitted.final)
        if error := emitted.event.get("error_code"):
            message = str(emitted.event.get("error_message") or "")
            self._add_row(event, RowKind.ERROR, str(error), message, status=RowStatus.FAILED)

    def _add_content(self, event: Event, content: Mapping[str, Json], *, final: bool) -> None:
        """Add the rows of an agent's content; consecutive texts of one kind are one row."""
        for index, kind, part in group_parts(get_parts(content)):
            if kind == "call":
                self._add_call(event, index, part["function_call"])
            elif kind == "response":
                self._apply_function_response(event, index, part["function_response"])
            elif kind == "thought":
                self._add_row(event, RowKind.SAY, "thought", part["text"], part_index=index)
            elif kind == "said":
                self._add_text(event, index, part, final=final)

    def _add_text(self, event: Event, part_index: int, part: Mapping[str, Json], *, final: bool) -> None:
        # In a workflow ADK calls the last text of each agent final; only the last of them all is the answer.
        if final and self._answer_index is not None:
            self._update_row(event, self._answer_index, kind=RowKind.SAY)
        summary = part["text"] if part.get("text") else describe_files({"parts": [part]})
        index = self._add_row(event, RowKind.ANSWER if final else RowKind.SAY, "", summary, part_index=part_index)
        if final:
            self._answer_index = index

    def _add_call(self, event: Event, part_index: int, call: Mapping[str, Json]) -> None:
        name, arguments = call.get("name") or "", as_mapping(call.get("args"))
        if name == REQUEST_CONFIRMATION:
            self._add_confirmation(event, part_index, call.get("id") or "", arguments)
        elif is_request_call(name):
            self._add_row(event, RowKind.NOTE, name, summarize_arguments(arguments), part_index=part_index)
        else:
            self._add_running_call(event, name, arguments, call.get("id") or "", part_index=part_index)

    def _add_running_call(
        self, event: Event, name: str, arguments: Mapping[str, Json], call_id: str, part_index: int | None = None
    ) -> None:
        index = self._add_row(
            event,
            RowKind.CALL,
            name,
            summarize_arguments(arguments),
            part_index=part_index,
            status=RowStatus.RUNNING,
            call_id=call_id,
        )
        self._open_rows[index] = None
        self._call_rows[call_id] = index

    def _add_confirmation(self, event: Event, part_index: int, question_id: str, arguments: Mapping[str, Json]) -> None:
        call = as_mapping(arguments.get("originalFunctionCall"))
        confirmation = as_mapping(arguments.get("toolConfirmation"))
        payload = confirmation.get("payload")
        index = self._call_rows.get(call.get("id") or "")
        self._pending_confirmations[question_id] = (
            PendingConfirmation(
                question_id=question_id,
                tool_name=call.get("name") or "",
                arguments=dump_json(dict(as_mapping(call.get("args")))),
                hint=_extract_hint(confirmation),
                payload=None if payload is None else dump_json(payload),
            ),
            index,
        )
        if index is not None:
            self._update_row(event, index, part_index=part_index, status=RowStatus.CONFIRM, result="", duration_ms=None)

    def _apply_function_response(self, event: Event, part_index: int, response: Mapping[str, Json]) -> None:
        """Apply what the model got for a call; this ends a call whose tool did not run, such as a denied one."""
        if response.get("name") != SET_MODEL_RESPONSE:
            self._players.pop(event.agent_name, None)
        index = self._call_rows.get(response.get("id") or "")
        if index is None or self._rows[index].status is RowStatus.CONFIRM:
            return
        if self._rows[index].status is not RowStatus.RUNNING:
            self._sources[index].append(RowSource(event.seq, part_index))
            return
        answer = response.get("response")
        status = RowStatus.FAILED if "error" in as_mapping(answer) else RowStatus.DONE
        if index in self._denied_rows:
            self._denied_rows.discard(index)
            status = RowStatus.DENIED
        self._update_row(
            event, index, part_index=part_index, status=status, result=summarize_value(unwrap_result(answer))
        )

    def _apply_tool_event(self, event: Event, fact: ToolStarted | ToolFinished | ToolFailed) -> None:
        index = self._call_rows.get(fact.call_id)
        match fact:
            case ToolStarted():
                if index is None or (not self._has_agent_events and self._rows[index].status not in _OPEN_STATUSES):
                    self._add_running_call(event, fact.tool_name, fact.arguments, fact.call_id)
                else:
                    self._update_row(event, index, status=RowStatus.RUNNING)
            case ToolFinished() if index is not None:
                result = summarize_value(fact.result)
                self._update_row(event, index, status=RowStatus.DONE, result=result, duration_ms=fact.duration_ms)
            case ToolFailed() if index is not None:
                cancelled = fact.error_type in ("Cancelled", "CancelledError")
                self._update_row(
                    event,
                    index,
                    status=RowStatus.CANCELLED if cancelled else RowStatus.FAILED,
                    result=summarize_text(_describe_tool_failure(fact)),
                    duration_ms=fact.duration_ms,
                )
            case _:
                pass

    def _apply_environment_decision(self, event: Event, decided: EnvironmentDecided) -> None:
        """Show the rule that answers a call; empty if the tool itself answers."""
        index = self._call_rows.get(decided.call_id)
        if index is not None:
            self._update_row(event, index, rule=summarize_text(decided.rule))

    def _apply_run_ended(self, event: Event, ended: RunEnded) -> None:
        self._players.clear()
        if ended.outcome is RunOutcome.DONE:
            return
        self._close_open_rows(event, RowStatus.CANCELLED)
        self._pending_confirmations.clear()
        if ended.outcome is RunOutcome.FAILED and self._rows and self._rows[-1].kind is RowKind.ERROR:
            subject, summary = summarize_text(ended.error_type), summarize_text(ended.error_message)
            # ADK emitted the error as an event before it raised it: both are one row.
            self._update_row(event, len(self._rows) - 1, subject=subject, summary=summary)
        elif ended.outcome is RunOutcome.FAILED:
            self._add_row(event, RowKind.ERROR, ended.error_type, ended.error_message, status=RowStatus.FAILED)
        else:
            self._add_row(event, RowKind.NOTE, "stopped", "the run was stopped", status=RowStatus.CANCELLED)

    def _close_open_rows(self, event: Event, status: RowStatus) -> None:
        for index in list(self._open_rows):
            self._update_row(event, index, status=status)

    def _add_row(
        self,
        event: Event,
        kind: RowKind,
        subject: str,
        summary: str,
        *,
        part_index: int | None = None,
        status: RowStatus = RowStatus.DONE,
        call_id: str = "",
    ) -> int:
        index = len(self._rows)
        has_player = kind in (RowKind.CALL, RowKind.SAY, RowKind.ANSWER)
        self._rows.append(
            Row(
                index=index,
                seq=event.seq,
                updated_seq=event.seq,
                kind=kind,
                status=status,
                timestamp=event.timestamp,
                agent_name="" if kind is RowKind.USER else event.agent_name,
                player=self._players.get(event.agent_name, "") if has_player else "",
                subject=summarize_text(subject),
                summary=summarize_text(summary),
                call_id=call_id,
            )
        )
        self._sources.append([RowSource(event.seq, part_index)])
        self._update_order[index] = None
        return index

    def _update_row(self, event: Event, index: int, *, part_index: int | None = None, **fields: Any) -> None:
        self._rows[index] = self._rows[index].model_copy(update={"updated_seq": event.seq, **fields})
        self._update_order.move_to_end(index)
        # An answer that becomes a `say` changes because of a later text, which is not one of its own sources.
        if fields.get("kind") is None:
            self._sources[index].append(RowSource(event.seq, part_index))
        if self._rows[index].status in _OPEN_STATUSES:
            self._open_rows[index] = None
        else:
            self._open_rows.pop(index, None)


def _describe_tool_failure(failed: ToolFailed) -> str:
    if failed.error_type == "CancelledError":
        return "stopped with the run"
    return f"{failed.error_type}: {failed.error_message}" if failed.error_message else failed.error_type


def _extract_hint(confirmation: Mapping[str, Json]) -> str:
    """Returns the tool's hint; ADK's default hint, which describes its API to programs, is left out."""
    hint = str(confirmation.get("hint") or "")
    return "" if is_default_confirmation_hint(hint) else hint
