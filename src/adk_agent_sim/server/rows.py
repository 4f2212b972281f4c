"""A session as rows: a pure fold from its events, one event at a time.

    UserSpoke                        -> user, or consent where it answers a question
    AgentEvent, function call        -> call             (ToolStarted, where an agent runs inside a tool of another)
    ToolFinished / ToolFailed, AgentEvent's function response   -> the same row, done, failed or cancelled
    AgentEvent, text                 -> answer if it is final, say if not, or if another answer came after it
    AgentEvent, adk_request_*        -> the call's row waits for consent; a note for anything else ADK asks
    RunEnded, failed                 -> error

A session whose agent tells of its turns only has calls and answers from its decisions.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from adk_agent_sim.server.content import files_of, grouped, mapping, parts_of, text_of, unwrapped
from adk_agent_sim.server.json_text import written
from adk_agent_sim.server.one_line import arguments_line, text_line, value_line
from adk_agent_sim.server.shapes import ConfirmationShape, Kind, Row, RowStatus
from adk_agent_sim.timeline.canonical import Json
from adk_agent_sim.timeline.events import (
    AgentEvent,
    AgentJoined,
    ArtifactSaved,
    Closed,
    EnvironmentDecided,
    Event,
    Outcome,
    RunEnded,
    ToolFailed,
    ToolFinished,
    ToolStarted,
    TurnAsked,
    TurnDecided,
    UserSpoke,
)
from adk_agent_sim.timeline.history import is_query

_FRAMEWORK_CALLS = "adk_request_"
_CONFIRMATION = "adk_request_confirmation"
_ANSWER_BY_TOOL = "set_model_response"
"""The tool by which ADK takes data from models that cannot have tools and an output schema together."""

_OPEN = (RowStatus.RUNNING, RowStatus.CONFIRM)


@dataclass(frozen=True, slots=True)
class Source:
    """An event behind a row, and which part of its content, if it is one."""

    seq: int
    part: int | None = None


class Rows:
    """The rows of one session so far."""

    def __init__(self) -> None:
        self.seq = 0
        """The last event that was taken in."""
        self.title = ""
        """The first thing the user said."""
        self._rows: list[Row] = []
        self._sources: list[list[Source]] = []
        self._by_change: OrderedDict[int, None] = OrderedDict()
        self._calls: dict[str, int] = {}
        self._open: dict[int, None] = {}
        self._questions: dict[str, tuple[ConfirmationShape, int | None]] = {}
        self._denied: set[int] = set()
        self._players: dict[str, str] = {}
        self._answer: int | None = None
        self._tells_all = False

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def confirmation(self) -> ConfirmationShape | None:
        """The question that waits for the user's consent, the oldest first."""
        return next((asked for asked, _ in self._questions.values()), None)

    def between(self, start: int, count: int) -> list[Row]:
        """The rows from an index on."""
        return self._rows[max(start, 0) : max(start, 0) + max(count, 0)]

    def last(self, count: int) -> list[Row]:
        """The last rows."""
        return self.between(len(self._rows) - count, count) if count < len(self._rows) else list(self._rows)

    def changed_after(self, seq: int) -> list[Row]:
        """The rows that are new or changed behind `seq`, in their order; costs what it finds."""
        found: list[Row] = []
        for index in reversed(self._by_change):
            if self._rows[index].updated <= seq:
                break
            found.append(self._rows[index])
        return sorted(found, key=lambda row: row.index)

    def sources(self, index: int) -> Sequence[Source]:
        """The events behind a row."""
        return self._sources[index]

    def apply(self, event: Event) -> None:
        """Take in the next event of the log."""
        self.seq = event.seq
        match event.payload:
            case AgentJoined():
                self._tells_all = True
            case UserSpoke(content=content):
                self._user(event, content)
            case TurnAsked():
                self._asked(event)
            case TurnDecided() as decided:
                self._decided(event, decided)
            case AgentEvent() as emitted:
                self._agent(event, emitted)
            case ToolStarted() | ToolFinished() | ToolFailed() as fact:
                self._tool(event, fact)
            case EnvironmentDecided() as decided:
                self._environment(event, decided)
            case _:
                self._other(event)

    def _other(self, event: Event) -> None:
        match event.payload:
            case ArtifactSaved() as saved:
                self._add(event, Kind.ARTIFACT, saved.filename, f"version {saved.version}, {saved.mime_type}")
            case RunEnded() as ended:
                self._ended(event, ended)
            case Closed(reason=reason):
                self._end_open(event, RowStatus.CANCELLED)
                self._questions.clear()
                self._add(event, Kind.NOTE, "closed", reason)
            case _:
                pass

    def _user(self, event: Event, content: Json) -> None:
        self._answer = None
        self._players.clear()
        if is_query(content):
            self._pass_over(event)
            text = text_of(content)
            self.title = self.title or text_line(text)
            self._add(event, Kind.USER, files_of(content), text)
            return
        for place, part in enumerate(parts_of(content)):
            if response := part.get("function_response"):
                self._consent(event, place, response)

    def _pass_over(self, event: Event) -> None:
        """A new query leaves the questions behind: their calls will not run."""
        for _, index in self._questions.values():
            if index is not None:
                self._change(event, index, status=RowStatus.CANCELLED, result="not approved")
        self._questions.clear()

    def _consent(self, event: Event, place: int, response: Mapping[str, Json]) -> None:
        question, index = self._questions.pop(response.get("id") or "", (None, None))
        if question is None:
            self._add(event, Kind.USER, response.get("name") or "", value_line(response.get("response")), part=place)
            return
        answer = response.get("response")
        approved = bool(mapping(answer).get("confirmed"))
        self._add(event, Kind.CONSENT, question.tool_name, "approved" if approved else "denied", part=place)
        if index is not None:
            self._change(event, index, status=RowStatus.RUNNING, result="")
            if not approved:
                self._denied.add(index)

    def _asked(self, event: Event) -> None:
        self._players.pop(event.agent_name, None)
        if not self._tells_all:
            self._end_open(event, RowStatus.DONE)

    def _decided(self, event: Event, decided: TurnDecided) -> None:
        self._players[event.agent_name] = str(event.player or "")
        if self._tells_all:
            return
        content: dict[str, Json] = decided.response.get("content") or {}
        calls = any(part.get("function_call") for part in parts_of(content))
        self._content(event, content, final=not calls)
        if error := decided.response.get("error_code"):
            self._add(event, Kind.ERROR, str(error), str(decided.response.get("error_message") or ""))

    def _agent(self, event: Event, emitted: AgentEvent) -> None:
        content: dict[str, Json] = emitted.event.get("content") or {}
        self._content(event, content, final=emitted.final)
        if error := emitted.event.get("error_code"):
            message = str(emitted.event.get("error_message") or "")
            self._add(event, Kind.ERROR, str(error), message, status=RowStatus.FAILED)

    def _content(self, event: Event, content: Mapping[str, Json], *, final: bool) -> None:
        """What an agent said, part by part; texts that follow each other are one row."""
        for place, kind, part in grouped(parts_of(content)):
            if kind == "call":
                self._call(event, place, part["function_call"])
            elif kind == "response":
                self._response(event, place, part["function_response"])
            elif kind == "thought":
                self._add(event, Kind.SAY, "thought", part["text"], part=place)
            elif kind == "said":
                self._said(event, place, part, final=final)

    def _said(self, event: Event, place: int, part: Mapping[str, Json], *, final: bool) -> None:
        if final and self._answer is not None:
            self._change(event, self._answer, kind=Kind.SAY)
        summary = part["text"] if part.get("text") else files_of({"parts": [part]})
        index = self._add(event, Kind.ANSWER if final else Kind.SAY, "", summary, part=place)
        if final:
            self._answer = index

    def _call(self, event: Event, place: int, call: Mapping[str, Json]) -> None:
        name, arguments = call.get("name") or "", mapping(call.get("args"))
        if name == _CONFIRMATION:
            self._question(event, place, call.get("id") or "", arguments)
        elif name.startswith(_FRAMEWORK_CALLS):
            self._add(event, Kind.NOTE, name, arguments_line(arguments), part=place)
        else:
            self._begun(event, name, arguments, call.get("id") or "", part=place)

    def _begun(
        self, event: Event, name: str, arguments: Mapping[str, Json], call_id: str, part: int | None = None
    ) -> None:
        index = self._add(
            event,
            Kind.CALL,
            name,
            arguments_line(arguments),
            part=part,
            status=RowStatus.RUNNING,
            call_id=call_id,
        )
        self._open[index] = None
        self._calls[call_id] = index

    def _question(self, event: Event, place: int, question_id: str, arguments: Mapping[str, Json]) -> None:
        call = mapping(arguments.get("originalFunctionCall"))
        stated = mapping(arguments.get("toolConfirmation"))
        payload = stated.get("payload")
        index = self._calls.get(call.get("id") or "")
        self._questions[question_id] = (
            ConfirmationShape(
                question_id=question_id,
                tool_name=call.get("name") or "",
                arguments=written(dict(mapping(call.get("args")))),
                hint=_hint(stated),
                payload=None if payload is None else written(payload),
            ),
            index,
        )
        if index is not None:
            self._change(event, index, part=place, status=RowStatus.CONFIRM, result="", duration_ms=None)

    def _response(self, event: Event, place: int, response: Mapping[str, Json]) -> None:
        """What the model got for a call; it ends a call whose tool did not run."""
        if response.get("name") != _ANSWER_BY_TOOL:
            self._players.pop(event.agent_name, None)
        index = self._calls.get(response.get("id") or "")
        if index is None or self._rows[index].status is RowStatus.CONFIRM:
            return
        if self._rows[index].status is not RowStatus.RUNNING:
            self._sources[index].append(Source(event.seq, place))
            return
        answer = response.get("response")
        status = RowStatus.FAILED if "error" in mapping(answer) else RowStatus.DONE
        if index in self._denied:
            self._denied.discard(index)
            status = RowStatus.DENIED
        self._change(event, index, part=place, status=status, result=value_line(unwrapped(answer)))

    def _tool(self, event: Event, fact: ToolStarted | ToolFinished | ToolFailed) -> None:
        index = self._calls.get(fact.call_id)
        match fact:
            case ToolStarted():
                if index is None or (not self._tells_all and self._rows[index].status not in _OPEN):
                    self._begun(event, fact.tool_name, fact.arguments, fact.call_id)
                else:
                    self._change(event, index, status=RowStatus.RUNNING)
            case ToolFinished() if index is not None:
                result = value_line(fact.result)
                self._change(event, index, status=RowStatus.DONE, result=result, duration_ms=fact.duration_ms)
            case ToolFailed() if index is not None:
                cancelled = fact.error_type in ("Cancelled", "CancelledError")
                self._change(
                    event,
                    index,
                    status=RowStatus.CANCELLED if cancelled else RowStatus.FAILED,
                    result=text_line(_why(fact)),
                    duration_ms=fact.duration_ms,
                )
            case _:
                pass

    def _environment(self, event: Event, decided: EnvironmentDecided) -> None:
        """Which rule answers a call; a call that none answers is the tool's own."""
        index = self._calls.get(decided.call_id)
        if index is not None:
            self._change(event, index, rule=text_line(decided.rule))

    def _ended(self, event: Event, ended: RunEnded) -> None:
        self._players.clear()
        if ended.outcome is Outcome.DONE:
            return
        self._end_open(event, RowStatus.CANCELLED)
        self._questions.clear()
        if ended.outcome is Outcome.FAILED and self._rows and self._rows[-1].kind is Kind.ERROR:
            subject, summary = text_line(ended.error_type), text_line(ended.error_message)
            self._change(event, len(self._rows) - 1, subject=subject, summary=summary)  # emitted, then raised: one row
        elif ended.outcome is Outcome.FAILED:
            self._add(event, Kind.ERROR, ended.error_type, ended.error_message, status=RowStatus.FAILED)
        else:
            self._add(event, Kind.NOTE, "stopped", "the run was stopped", status=RowStatus.CANCELLED)

    def _end_open(self, event: Event, status: RowStatus) -> None:
        for index in list(self._open):
            self._change(event, index, status=status)

    def _add(
        self,
        event: Event,
        kind: Kind,
        subject: str,
        summary: str,
        *,
        part: int | None = None,
        status: RowStatus = RowStatus.DONE,
        call_id: str = "",
    ) -> int:
        index = len(self._rows)
        seats = kind in (Kind.CALL, Kind.SAY, Kind.ANSWER)
        self._rows.append(
            Row(
                index=index,
                seq=event.seq,
                updated=event.seq,
                kind=kind,
                status=status,
                at=event.timestamp,
                agent_name="" if kind is Kind.USER else event.agent_name,
                player=self._players.get(event.agent_name, "") if seats else "",
                subject=text_line(subject),
                summary=text_line(summary),
                call_id=call_id,
            )
        )
        self._sources.append([Source(event.seq, part)])
        self._by_change[index] = None
        return index

    def _change(self, event: Event, index: int, *, part: int | None = None, **fields: Any) -> None:
        self._rows[index] = self._rows[index].model_copy(update={"updated": event.seq, **fields})
        self._by_change.move_to_end(index)
        if fields.get("kind") is None:
            self._sources[index].append(Source(event.seq, part))
        if self._rows[index].status in _OPEN:
            self._open[index] = None
        else:
            self._open.pop(index, None)


def _why(failed: ToolFailed) -> str:
    if failed.error_type == "CancelledError":
        return "stopped with the run"
    return f"{failed.error_type}: {failed.error_message}" if failed.error_message else failed.error_type


def _hint(stated: Mapping[str, Json]) -> str:
    """What the tool says of its question; ADK's own words, which speak to programs, say nothing to a person."""
    hint = str(stated.get("hint") or "")
    return "" if hint.startswith("Please approve or reject the tool call") else hint
