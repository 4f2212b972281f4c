"""Builds an ADK EvalCase from a session."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any, Literal, TypeAlias

from google.adk.evaluation.eval_case import (
    EvalCase,
    IntermediateData,
    Invocation,
    InvocationEvent,
    InvocationEvents,
    SessionInput,
)
from google.genai import types
from pydantic import ValidationError

from adk_agent_sim.errors import ExportRefused, SessionIncomplete
from adk_agent_sim.golden.session import EmittedContent, SimulationSession, needs_authors
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.content_parts import wrap_result
from adk_agent_sim.timeline.file_names import to_snake_case
from adk_agent_sim.timeline.history import (
    FinalResponse,
    HistoryEntry,
    SessionState,
    ToolCall,
    ToolError,
    ToolOutput,
    UserQuery,
)
from adk_agent_sim.timeline.read_model.pending_requests import RequestKind

EvalIdStyle: TypeAlias = Literal["iso", "selectable"]
"""How an eval id contains the time: with colons, or without, so that `adk eval file:id` can select it."""


_PAUSE_NAMES = {RequestKind.INPUT: "input", RequestKind.CREDENTIAL: "a credential"}
"""What notes call the requests of ADK; consent is noted at its call."""


class GoldenTraceBuilder:
    """Converts a completed session to an EvalCase."""

    def __init__(self, session: SimulationSession, *, eval_id_style: EvalIdStyle = "iso") -> None:
        self.session = session
        self._eval_id_style: EvalIdStyle = eval_id_style

    def build(self) -> EvalCase:
        """Build the case; raise SessionIncomplete, which lists what is missing."""
        session = self.session
        check_complete(session)
        turns = list(split_user_turns(session.history))
        # A session that was not built from a timeline has none; its turns are written as flat lists.
        contents = session.emitted_contents or [[]] * len(turns)
        finished = [
            (turn, emitted)
            for turn, emitted in zip(turns, contents, strict=True)
            # A turn that was stopped or failed stays out of the case, even if later ones are finished.
            if isinstance(turn[-1], FinalResponse)
        ]
        return EvalCase(
            eval_id=build_eval_id(session.agent_name, session.start_timestamp, self._eval_id_style),
            conversation=[self._build_invocation(place, *turn) for place, turn in enumerate(finished)],
            session_input=SessionInput(
                app_name=session.app_name or session.agent.name, user_id=session.user_id, state=session.initial_state
            ),
            final_session_state=session.final_state,
            creation_timestamp=session.start_timestamp,
        )

    def collect_notes(self, *, has_tool_error_plugin: bool = False) -> list[str]:
        """Return notes about parts of the session that `adk eval` cannot repeat, with the affected calls.

        Args:
            has_tool_error_plugin: Whether the evaluated App is known to have a ToolErrorPlugin.
        """
        entries = self.session.history
        calls = [entry for entry in entries if isinstance(entry, ToolCall)]
        failed = {entry.call_id for entry in entries if isinstance(entry, ToolError) and is_plugin_answer(entry)}
        notes = [
            f"call {place} ({call.tool_name}) failed: `adk eval` passes only if the evaluated App has a ToolErrorPlugin"
            for place, call in enumerate(calls, start=1)
            if call.call_id in failed and not has_tool_error_plugin
        ]
        notes += [
            f"call {place} ({call.tool_name}) waited for the user's consent, which `adk eval` cannot give again"
            for place, call in enumerate(calls, start=1)
            if call.call_id in self.session.consent_call_ids
        ]
        notes += [f"{edit}, which `adk eval` does not do again" for edit in self.session.later_edits]
        notes += [
            f"user turn {turn} asked for {_PAUSE_NAMES[kind]}, which `adk eval` cannot give again"
            for turn, kind in dict.fromkeys(self.session.pauses)
            if kind in _PAUSE_NAMES
        ]
        return notes

    def _build_invocation(
        self, index: int, entries: Sequence[HistoryEntry], emitted: Sequence[EmittedContent]
    ) -> Invocation:
        query, answer = entries[0], entries[-1]
        if not isinstance(query, UserQuery) or not isinstance(answer, FinalResponse):
            raise SessionIncomplete(self.session.session_id, [f"user turn {index + 1} has no final response"])
        return Invocation(
            invocation_id=build_invocation_id(self.session.session_id, index),
            user_content=_build_content("user", query),
            final_response=_build_content("model", answer),
            intermediate_data=_build_events(emitted) if needs_authors(emitted) else _build_flat_lists(entries),
            creation_timestamp=query.timestamp.timestamp(),
        )


def _build_flat_lists(entries: Sequence[HistoryEntry]) -> IntermediateData:
    names = {entry.call_id: entry.tool_name for entry in entries if isinstance(entry, ToolCall)}
    return IntermediateData(
        tool_uses=[
            types.FunctionCall(id=entry.call_id, name=entry.tool_name, args=entry.arguments)
            for entry in entries
            if isinstance(entry, ToolCall)
        ],
        tool_responses=[
            types.FunctionResponse(id=entry.call_id, name=names[entry.call_id], response=_build_tool_response(entry))
            for entry in entries
            if isinstance(entry, ToolOutput | ToolError)
        ],
    )


def _build_events(emitted: Sequence[EmittedContent]) -> InvocationEvents:
    """Return the contents with their authors; that of the final response is already in the invocation."""
    return InvocationEvents(
        invocation_events=[
            InvocationEvent(
                author=each.author,
                content=None
                if each.is_final and not each.has_calls
                else validate_content({"role": each.role, "parts": list(each.parts)}),
            )
            for each in emitted
        ]
    )


def check_complete(session: SimulationSession) -> None:
    """Raise SessionIncomplete, which lists what is missing, if the session is not complete."""
    missing = _find_missing_parts(session)
    if missing:
        finished = [turn for turn in split_user_turns(session.history) if isinstance(turn[-1], FinalResponse)]
        raise SessionIncomplete(session.session_id, missing, finished_turn_count=len(finished))


def _find_missing_parts(session: SimulationSession) -> list[str]:
    missing = [session.failure] if session.failure else []
    if not session.history:
        return [*missing, "it has no user query"]
    if session.state is SessionState.COMPLETED:
        return []
    answered = {entry.call_id for entry in session.history if isinstance(entry, ToolOutput | ToolError)}
    missing += [
        f"tool call {entry.tool_name!r} ({entry.call_id}) has no result"
        for entry in session.history
        if isinstance(entry, ToolCall) and entry.call_id not in answered
    ]
    queries = [entry.content for entry in session.history if isinstance(entry, UserQuery)]
    return [*missing, f"the user query {queries[-1]!r} has no final response"]


def build_eval_id(agent_name: str, start_timestamp: float, style: EvalIdStyle = "iso") -> str:
    """Return `{snake_case_agent_name}_{iso_timestamp}`, such as `math_agent_2025-12-23T14:30:00`."""
    when = datetime.fromtimestamp(start_timestamp, UTC).strftime("%Y-%m-%dT%H:%M:%S")
    return f"{to_snake_case(agent_name)}_{when if style == 'iso' else when.replace(':', '-')}"


def build_invocation_id(session_id: str, index: int) -> str:
    """Return the invocation id of a user turn in a case; it identifies the session that the case was created from."""
    return f"{session_id}_inv_{index}"


def split_user_turns(entries: Sequence[HistoryEntry]) -> Iterator[list[HistoryEntry]]:
    """Yield the entries of each user turn; a turn starts with a user query."""
    turn: list[HistoryEntry] = []
    for entry in entries:
        if isinstance(entry, UserQuery) and turn:
            yield turn
            turn = []
        turn.append(entry)
    if turn:
        yield turn


def _build_content(role: str, entry: UserQuery | FinalResponse) -> types.Content:
    if entry.raw is None:
        return types.Content(role=role, parts=[types.Part(text=entry.content)])
    return validate_content(entry.raw)


def validate_content(content: Json) -> types.Content:
    """Return a recorded content as ADK's; raise ExportRefused if the installed ADK cannot represent it."""
    try:
        return types.Content.model_validate(content)
    except ValidationError as error:
        problem = error.errors()[0]
        where = ".".join(map(str, problem["loc"]))
        raise ExportRefused(
            f"The session cannot be exported: the installed ADK cannot read one of its messages ({where}: "
            f"{problem['msg']}). Export it as JSON Lines, or install the version of ADK that its agent runs with."
        ) from error


def is_plugin_answer(entry: ToolError) -> bool:
    """Return whether the model got the answer of ToolErrorPlugin, rather than one of the app's own plugins."""
    plugin_answer = {"error": {"type": entry.error_type, "message": entry.error_message}}
    return entry.response is None or entry.response == plugin_answer


def _build_tool_response(entry: ToolOutput | ToolError) -> dict[str, Any]:
    """Return the response that the model got for a call."""
    if entry.response is not None:
        return entry.response
    if isinstance(entry, ToolError):
        return {"error": {"type": entry.error_type, "message": entry.error_message}}
    return wrap_result(entry.result)
