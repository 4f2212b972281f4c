"""The rows of a session: a pure fold over its events, one event at a time. It reads no database and needs no run.

    UserSpoke                        -> user, or consent if it answers a confirmation
    AgentEvent, function call        -> call             (ToolStarted, if the agent runs inside a tool of another agent)
    ToolFinished / ToolFailed, AgentEvent's function response   -> the same row, done, failed or cancelled
                                        (a result that says `error` or `isError` is a failure too)
    AgentEvent, text                 -> answer if it is final and the last one, else say
    TurnDecided, text                -> say, if the agent runs inside a tool of another agent
    AgentEvent, adk_request_*        -> the call's row waits for confirmation; a note for any other request of ADK
    RunEnded, failed                 -> error

If the agent reports only its turns (the first protocol), calls and answers are taken from the decisions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

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
    Unreadable,
    UserSpoke,
)
from adk_agent_sim.timeline.framework_calls import (
    MODEL_SEAT,
    REQUEST_CONFIRMATION,
    SET_MODEL_RESPONSE,
    is_rejected_response,
    is_request_call,
    is_unknown_tool_response,
)
from adk_agent_sim.timeline.history import is_user_query
from adk_agent_sim.timeline.read_model.content_parts import (
    as_mapping,
    as_text,
    describe_files,
    extract_text,
    get_parts,
    group_parts,
    unwrap_result,
)
from adk_agent_sim.timeline.read_model.line_summary import summarize_arguments, summarize_text, summarize_value
from adk_agent_sim.timeline.read_model.timeline_row import RowKind, RowSource, RowStatus, TimelineRow

_OPEN_STATUSES = (RowStatus.RUNNING, RowStatus.CONFIRM)


class PendingConsent(NamedTuple):
    """A confirmation that waits for the user: the tool, and the row of its call, if there is one."""

    tool_name: str
    row_index: int | None


@dataclass(kw_only=True, slots=True)
class SessionRows:
    """What the fold needs to know for the next event: the rows that can still change, and nothing about the others."""

    row_count: int = 0
    rows: dict[int, TimelineRow] = field(default_factory=dict[int, TimelineRow])
    """The rows that can still change, by index."""

    call_rows: dict[str, int] = field(default_factory=dict[str, int])
    """The rows of calls whose result the model has not got yet, by call id."""

    pending_consents: dict[str, PendingConsent] = field(default_factory=dict[str, PendingConsent])
    """The confirmations that wait for the user, by the id of ADK's request."""

    denied_rows: set[int] = field(default_factory=set[int])
    players: dict[str, str] = field(default_factory=dict[str, str])
    """Who plays the model of each agent in its current turn."""

    overriding_agents: set[str] = field(default_factory=set[str])
    """The agents whose current turn was decided although the decision does not match the request."""

    answer_index: int | None = None
    """The row of the final answer since the last user message."""

    has_agent_events: bool = False
    """Whether the agent reports its events; if not, calls and answers are taken from the decisions."""

    changed: dict[int, TimelineRow] = field(default_factory=dict[int, TimelineRow], compare=False)
    """The rows that are new or have changed since `copy`."""

    def copy(self) -> SessionRows:
        """Return a copy without the changed rows; applying events to it leaves this one as it is."""
        return SessionRows(
            row_count=self.row_count,
            rows=dict(self.rows),
            call_rows=dict(self.call_rows),
            pending_consents=dict(self.pending_consents),
            denied_rows=set(self.denied_rows),
            players=dict(self.players),
            overriding_agents=set(self.overriding_agents),
            answer_index=self.answer_index,
            has_agent_events=self.has_agent_events,
        )

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
                self._apply_tool_event(event, fact)
            case EnvironmentDecided() as decided:
                self._apply_environment_decision(event, decided)
            case _:
                self._apply_other(event)
        self._forget_final_rows()

    def _forget_final_rows(self) -> None:
        """Drop the rows that no later event can change."""
        needed = {*self.call_rows.values(), self.answer_index, self.row_count - 1}
        for index, row in list(self.rows.items()):
            if index not in needed and row.status not in _OPEN_STATUSES:
                del self.rows[index]

    def _apply_other(self, event: Event) -> None:
        match event.payload:
            case ArtifactSaved() as saved:
                self._add_row(event, RowKind.ARTIFACT, saved.filename, f"version {saved.version}, {saved.mime_type}")
            case RunEnded() as ended:
                self._apply_run_ended(event, ended)
            case Closed(reason=reason):
                self._close_open_rows(event, RowStatus.CANCELLED)
                self.pending_consents.clear()
                self._add_row(event, RowKind.NOTE, "closed", reason)
            case Unreadable(reason=reason):
                self._add_row(event, RowKind.ERROR, "unreadable event", reason, status=RowStatus.FAILED)
            case _:
                pass

    def _apply_user_message(self, event: Event, content: Json) -> None:
        self.answer_index = None
        self.players.clear()
        if is_user_query(content):
            self._cancel_confirmations(event)
            self._add_row(event, RowKind.USER, describe_files(content), extract_text(content))
            return
        for index, part in enumerate(get_parts(content)):
            if response := part.get("function_response"):
                self._apply_consent(event, index, response)

    def _cancel_confirmations(self, event: Event) -> None:
        """Cancel all pending confirmations: after a new query ADK no longer runs their calls."""
        for consent in self.pending_consents.values():
            if consent.row_index is not None:
                self._update_row(event, consent.row_index, status=RowStatus.CANCELLED, result="not approved")
        self.pending_consents.clear()

    def _apply_consent(self, event: Event, part_index: int, response: Mapping[str, Json]) -> None:
        consent = self.pending_consents.pop(response.get("id") or "", None)
        if consent is None:
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
            event, RowKind.CONSENT, consent.tool_name, "approved" if approved else "denied", part_index=part_index
        )
        if consent.row_index is not None:
            self._update_row(event, consent.row_index, status=RowStatus.RUNNING, result="")
            if not approved:
                self.denied_rows.add(consent.row_index)

    def _apply_turn_asked(self, event: Event) -> None:
        self.players.pop(event.agent_name, None)
        self.overriding_agents.discard(event.agent_name)
        if not self.has_agent_events:
            self._close_open_rows(event, RowStatus.DONE)

    def _apply_turn_decided(self, event: Event, decided: TurnDecided) -> None:
        self.players[event.agent_name] = str(event.player or "")
        if decided.anyway:
            self.overriding_agents.add(event.agent_name)
        content: dict[str, Json] = decided.response.get("content") or {}
        if self.has_agent_events:
            self._add_inner_text(event, content)
            return
        calls = any(part.get("function_call") for part in get_parts(content))
        self._add_content(event, content, final=not calls)
        if error := decided.response.get("error_code"):
            self._add_row(event, RowKind.ERROR, str(error), str(decided.response.get("error_message") or ""))

    def _add_inner_text(self, event: Event, content: Mapping[str, Json]) -> None:
        """Add what an agent inside a tool says: ADK reports no events of it, and calls are known when they start."""
        if event.agent_path is None or not event.agent_path.parent_call_id:
            return
        for index, kind, part in group_parts(get_parts(content)):
            if kind == "said":
                self._add_text(event, index, part, final=False)

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
        if final and self.answer_index is not None:
            self._update_row(event, self.answer_index, kind=RowKind.SAY)
        summary = part["text"] if part.get("text") else describe_files({"parts": [part]})
        index = self._add_row(event, RowKind.ANSWER if final else RowKind.SAY, "", summary, part_index=part_index)
        if final:
            self.answer_index = index

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
        self.call_rows[call_id] = index

    def _add_confirmation(self, event: Event, part_index: int, question_id: str, arguments: Mapping[str, Json]) -> None:
        call = as_mapping(arguments.get("originalFunctionCall"))
        index = self.call_rows.get(as_text(call.get("id")))
        self.pending_consents[question_id] = PendingConsent(as_text(call.get("name")), index)
        if index is not None:
            self._update_row(event, index, part_index=part_index, status=RowStatus.CONFIRM, result="", duration_ms=None)

    def _apply_function_response(self, event: Event, part_index: int, response: Mapping[str, Json]) -> None:
        """Apply what the model got for a call; this ends a call whose tool did not run, such as a denied one."""
        if response.get("name") != SET_MODEL_RESPONSE:
            self.players.pop(event.agent_name, None)
        call_id = response.get("id") or ""
        index = self.call_rows.get(call_id)
        if index is None or self.rows[index].status is RowStatus.CONFIRM:
            return
        # The model has the result: nothing that follows belongs to this call.
        del self.call_rows[call_id]
        if self.rows[index].status is not RowStatus.RUNNING:
            self._add_source(index, RowSource(event.seq, part_index))
            return
        answer = response.get("response")
        status = RowStatus.FAILED if _reports_failure(answer) else RowStatus.DONE
        if index in self.denied_rows:
            self.denied_rows.discard(index)
            status = RowStatus.DENIED
        self._update_row(
            event,
            index,
            part_index=part_index,
            status=status,
            result=summarize_value(unwrap_result(answer)),
            is_unknown_tool=is_unknown_tool_response(self.rows[index].subject, answer),
        )

    def _apply_tool_event(self, event: Event, fact: ToolStarted | ToolFinished | ToolFailed) -> None:
        index = self.call_rows.get(fact.call_id)
        match fact:
            case ToolStarted():
                if index is None or (not self.has_agent_events and self.rows[index].status not in _OPEN_STATUSES):
                    self._add_running_call(event, fact.tool_name, fact.arguments, fact.call_id)
                else:
                    self._update_row(event, index, status=RowStatus.RUNNING)
            case ToolFinished() if index is not None:
                self._update_row(
                    event,
                    index,
                    status=RowStatus.FAILED if self._is_failure(index, fact) else RowStatus.DONE,
                    result=summarize_value(fact.result),
                    duration_ms=fact.duration_ms,
                )
                self._forget_inner_call(fact.call_id, index)
            case ToolFailed() if index is not None:
                cancelled = fact.error_type in ("Cancelled", "CancelledError")
                self._update_row(
                    event,
                    index,
                    status=RowStatus.CANCELLED if cancelled else RowStatus.FAILED,
                    result=summarize_text(_describe_tool_failure(fact)),
                    duration_ms=fact.duration_ms,
                )
                self._forget_inner_call(fact.call_id, index)
            case _:
                pass

    def _is_failure(self, index: int, finished: ToolFinished) -> bool:
        """Return whether a call has failed: its result says so, or it is a structured answer that ADK sent back."""
        if self.rows[index].subject == SET_MODEL_RESPONSE:
            # An accepted answer is the result itself, and may well have a field called `error`.
            return is_rejected_response(finished.result, finished.actions)
        return index not in self.denied_rows and _reports_failure(finished.result)

    def _forget_inner_call(self, call_id: str, index: int) -> None:
        """Drop a finished call of an agent inside a tool, whose results are not reported as events of their own."""
        if self.has_agent_events and self.rows[index].sources[0].part_index is None:
            del self.call_rows[call_id]

    def _apply_environment_decision(self, event: Event, decided: EnvironmentDecided) -> None:
        """Show the rule that answers a call; empty if the tool itself answers. A model call gets a row of its own."""
        if decided.tool_name == MODEL_SEAT:
            if decided.rule:
                summary = f"{decided.rule}: {', '.join(decided.actions)}"
                index = self._add_row(event, RowKind.NOTE, "model fault", summary)
                self._update_row(event, index, rule=summarize_text(decided.rule))
            return
        index = self.call_rows.get(decided.call_id)
        if index is not None:
            self._update_row(event, index, rule=summarize_text(decided.rule))

    def _apply_run_ended(self, event: Event, ended: RunEnded) -> None:
        self.players.clear()
        if ended.outcome is RunOutcome.DONE:
            self._forget_finished_calls()
            return
        self._close_open_rows(event, RowStatus.CANCELLED)
        self.pending_consents.clear()
        if ended.outcome is RunOutcome.FAILED and self._is_last_row_an_error():
            subject, summary = summarize_text(ended.error_type), summarize_text(ended.error_message)
            # ADK emitted the error as an event before it raised it: both are one row.
            self._update_row(event, self.row_count - 1, subject=subject, summary=summary)
        elif ended.outcome is RunOutcome.FAILED:
            self._add_row(event, RowKind.ERROR, ended.error_type, ended.error_message, status=RowStatus.FAILED)
        else:
            self._add_row(event, RowKind.NOTE, "stopped", "the run was stopped", status=RowStatus.CANCELLED)

    def _forget_finished_calls(self) -> None:
        self.call_rows = {
            call_id: index for call_id, index in self.call_rows.items() if self.rows[index].status in _OPEN_STATUSES
        }

    def _is_last_row_an_error(self) -> bool:
        return self.row_count > 0 and self.rows[self.row_count - 1].kind is RowKind.ERROR

    def _close_open_rows(self, event: Event, status: RowStatus) -> None:
        for index, row in list(self.rows.items()):
            if row.status in _OPEN_STATUSES:
                self._update_row(event, index, status=status)
        self._forget_finished_calls()

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
        index = self.row_count
        has_player = kind in (RowKind.CALL, RowKind.SAY, RowKind.ANSWER)
        row = TimelineRow(
            index=index,
            seq=event.seq,
            updated_seq=event.seq,
            kind=kind,
            status=status,
            timestamp=event.timestamp,
            agent_name="" if kind is RowKind.USER else event.agent_name,
            player=self.players.get(event.agent_name, "") if has_player else "",
            subject=summarize_text(subject),
            summary=summarize_text(summary),
            call_id=call_id,
            anyway=kind is RowKind.CALL and event.agent_name in self.overriding_agents,
            branch=event.agent_path.branch if event.agent_path else "",
            parent_call_id=event.agent_path.parent_call_id if event.agent_path else "",
            sources=(RowSource(event.seq, part_index),),
        )
        self.row_count += 1
        self.rows[index] = self.changed[index] = row
        return index

    def _update_row(self, event: Event, index: int, *, part_index: int | None = None, **fields: Any) -> None:
        self.rows[index] = self.changed[index] = replace(self.rows[index], updated_seq=event.seq, **fields)
        # An answer that becomes a `say` changes because of a later text, which is not one of its own sources.
        if fields.get("kind") is None:
            self._add_source(index, RowSource(event.seq, part_index))

    def _add_source(self, index: int, source: RowSource) -> None:
        row = self.rows[index]
        self.rows[index] = self.changed[index] = replace(row, sources=(*row.sources, source))


def _reports_failure(result: Json) -> bool:
    """Tell whether a tool returned a failure: an error, as ADK and its examples write it, or MCP's `isError`."""
    fields = as_mapping(result)
    return bool(fields.get("error")) or fields.get("isError") is True or fields.get("status") == "error"


def _describe_tool_failure(failed: ToolFailed) -> str:
    if failed.error_type == "CancelledError":
        return "stopped with the run"
    return f"{failed.error_type}: {failed.error_message}" if failed.error_message else failed.error_type
