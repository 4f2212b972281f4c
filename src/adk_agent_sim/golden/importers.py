"""Imports ADK's files as timelines: a case of an EvalSet, or a session of `adk web` or `adk run --save_session`.

An imported timeline is closed: it can be read, reported and exported, but not continued. It lacks what the file does
not contain: requests, durations, tracebacks, and which calls of a flat list were made together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from uuid import NAMESPACE_URL, uuid5

from google.adk.evaluation.eval_case import EvalCase, Invocation
from google.adk.events import Event as AdkEvent
from google.adk.sessions import Session as AdkSession
from google.genai import types
from pydantic import BaseModel

from adk_agent_sim.errors import ImportRefused
from adk_agent_sim.golden.eval_set import parse_adk_file, summarize_error
from adk_agent_sim.golden.eval_set_files import EVAL_SET_LABEL, read_eval_cases
from adk_agent_sim.golden.invocation_contents import UNKNOWN_AGENT, CallIdAllocator, iter_invocation_contents
from adk_agent_sim.timeline.canonical_json import Json, equals_value
from adk_agent_sim.timeline.events import (
    AgentEvent,
    AgentJoined,
    Closed,
    Event,
    Payload,
    Player,
    RunEnded,
    RunOutcome,
    ToolFailed,
    UserSpoke,
)
from adk_agent_sim.timeline.read_model.session_read_model import build_rows
from adk_agent_sim.timeline.read_model.timeline_row import TimelineRow

_SESSION_LABEL = "an ADK session"
_CLOSED_REASON = "opened from a file, read-only"


def import_eval_case(path: str | Path, eval_id: str | None = None) -> list[Event]:
    """Return the timeline of one case of an EvalSet.

    Args:
        path: The EvalSet.
        eval_id: The case; optional if the file contains only one.

    Raises:
        ImportRefused: The file is not an EvalSet, or does not have the case.
    """
    cases = {case.eval_id: case for case in read_eval_cases(Path(path))}
    wanted = next(iter(cases)) if eval_id is None and len(cases) == 1 else eval_id
    if wanted not in cases:
        reason = "specify a case" if eval_id is None else f"it has no case {eval_id!r}"
        raise ImportRefused(str(path), EVAL_SET_LABEL, f"{reason}; its cases are: {', '.join(cases) or 'none'}")
    try:
        return convert_eval_case_to_events(cases[wanted])
    except ValueError as error:
        raise ImportRefused(str(path), EVAL_SET_LABEL, f"case {wanted!r}: {error}") from error


def import_adk_session(path: str | Path) -> list[Event]:
    """Return the timeline of a session file of `adk web` or `adk run --save_session`; raise ImportRefused."""
    try:
        session = parse_adk_file(Path(path).read_text(encoding="utf-8"), AdkSession)
    except (OSError, ValueError) as error:
        raise ImportRefused(str(path), _SESSION_LABEL, summarize_error(error)) from error
    return convert_adk_session_to_events(session)


def convert_eval_case_to_events(case: EvalCase) -> list[Event]:
    """Return the timeline of a case; raise ValueError if the case is invalid."""
    if case.conversation is None:
        raise ValueError("it contains a scenario for a user simulator instead of a conversation")
    session_input = case.session_input
    log = _TimelineBuilder(case.eval_id)
    joined = AgentJoined(
        app_name=session_input.app_name if session_input else UNKNOWN_AGENT,
        user_id=session_input.user_id if session_input else "user",
        adk_session_id=(session_input.session_id if session_input else None) or case.eval_id,
        state=session_input.state if session_input else {},
    )
    times = [case.creation_timestamp, *(invocation.creation_timestamp for invocation in case.conversation)]
    log.add(joined, min(filter(None, times), default=0.0))
    ids = CallIdAllocator()
    for place, invocation in enumerate(case.conversation, start=1):
        _add_invocation(log, place, invocation, ids)
    final = case.final_session_state or {}
    changed = {
        key: value
        for key, value in final.items()
        if key not in joined.state or not equals_value(joined.state[key], value)
    }
    if changed:
        log.add(_build_agent_event("", {"author": UNKNOWN_AGENT, "actions": {"state_delta": changed}}), 0.0)
    log.add(Closed(reason=_CLOSED_REASON), 0.0)
    return log.events


def convert_adk_session_to_events(session: AdkSession) -> list[Event]:
    """Return the timeline of an ADK session."""
    log = _TimelineBuilder(session.id)
    runs = list(_split_runs([event for event in session.events if not event.partial]))
    started = session.events[0].timestamp if session.events else session.last_update_time
    log.add(
        AgentJoined(
            app_name=session.app_name,
            user_id=session.user_id,
            adk_session_id=session.id,
            state=_infer_initial_state(session),
        ),
        started,
    )
    for run in runs:
        for event in run:
            _add_event(log, event)
        # Only the last run can be unfinished: after each of the others, the user has sent a message.
        if run is not runs[-1] or run[-1].is_final_response():
            log.add(_build_run_ended(run[-1]), 0.0)
    log.add(Closed(reason=_CLOSED_REASON), 0.0)
    return log.events


class _TimelineBuilder:
    """Collects the events of a timeline."""

    def __init__(self, session_id: str) -> None:
        self.session_id = session_id
        self.events: list[Event] = []

    def add(self, payload: Payload, timestamp: float, *, agent_name: str = "", player: Player | None = None) -> None:
        """Add an event; a timestamp of 0 means that of the previous event."""
        seq = len(self.events) + 1
        self.events.append(
            Event(
                # Derived and not random, so that importing a file again gives the same events.
                event_id=str(uuid5(NAMESPACE_URL, f"adksim:{self.session_id}:{seq}")),
                session_id=self.session_id,
                seq=seq,
                timestamp=max(timestamp, self.events[-1].timestamp if self.events else 0.0),
                payload=payload,
                agent_name=agent_name,
                player=player,
            )
        )


def _add_invocation(log: _TimelineBuilder, number: int, invocation: Invocation, ids: CallIdAllocator) -> None:
    if not invocation.user_content.parts:
        raise ValueError(f"invocation {number} has no user message")
    invocation_id = invocation.invocation_id or f"{log.session_id}_inv_{number - 1}"
    when = invocation.creation_timestamp
    log.add(UserSpoke(content=_dump_model(invocation.user_content)), when)
    for item in iter_invocation_contents(invocation, ids):
        name = "" if item.author == UNKNOWN_AGENT else item.author
        for failed in _find_tool_failures(item.content):
            log.add(failed, when, agent_name=name, player=Player.RECORDED)
        event = {"author": item.author, "invocation_id": invocation_id, "content": _dump_model(item.content)}
        log.add(
            _build_agent_event(invocation_id, event, final=item.final), when, agent_name=name, player=Player.RECORDED
        )
    log.add(RunEnded(invocation_id=invocation_id, outcome=RunOutcome.DONE), when)


def _build_agent_event(invocation_id: str, event: Json, *, final: bool = False) -> AgentEvent:
    return AgentEvent(invocation_id=invocation_id, event=event, final=final)


def _add_event(log: _TimelineBuilder, event: AdkEvent) -> None:
    if _is_user_message(event):
        log.add(UserSpoke(content=_dump_model(event.content)), event.timestamp)
        return
    for failed in _find_tool_failures(event.content):
        log.add(failed, event.timestamp, agent_name=event.author, player=Player.RECORDED)
    dumped = _dump_model(event)
    actions = dumped.get("actions", {})
    dumped["actions"] = {name: value for name, value in actions.items() if value not in ({}, [], False)}
    emitted = _build_agent_event(event.invocation_id, dumped, final=event.is_final_response())
    log.add(emitted, event.timestamp, agent_name=event.author, player=Player.RECORDED)


def _is_user_message(event: AdkEvent) -> bool:
    """Return whether a person sent the event: one that an agent sends with the author `user` has a path."""
    return event.author == "user" and event.content is not None and not event.node_info.path


def _split_runs(events: Sequence[AdkEvent]) -> Iterator[list[AdkEvent]]:
    """Yield the events of each run; a run starts with a user message."""
    run: list[AdkEvent] = []
    for event in events:
        if _is_user_message(event) and run:
            yield run
            run = []
        run.append(event)
    if run:
        yield run


def _build_run_ended(last: AdkEvent) -> RunEnded:
    return RunEnded(
        invocation_id=last.invocation_id,
        outcome=RunOutcome.FAILED if last.error_code else RunOutcome.DONE,
        error_type=last.error_code or "",
        error_message=last.error_message or "",
    )


def _infer_initial_state(session: AdkSession) -> dict[str, Json]:
    """Return the part of the last state that no event changed; a file does not contain the initial state."""
    changed = {key for event in session.events for key in event.actions.state_delta}
    return {key: value for key, value in session.state.items() if key not in changed}


def _find_tool_failures(content: types.Content | None) -> Iterator[ToolFailed]:
    """Yield a failure for each response that has the form of `ToolErrorPlugin`'s."""
    for part in (content.parts if content else None) or ():
        match part.function_response:
            case types.FunctionResponse(id=call_id, response={"error": {"type": str(kind), "message": str(why)}}):
                yield ToolFailed(call_id=call_id or "", error_type=kind, error_message=why, duration_ms=0.0)
            case _:
                pass


def _dump_model(model: BaseModel | None) -> dict[str, Json]:
    return model.model_dump(mode="json", by_alias=False, exclude_none=True) if model else {}


def build_case_rows(events: Sequence[Event]) -> list[TimelineRow]:
    """Return the rows of a case, oldest first: the same fold as for a session's timeline, over its events."""
    # That it is closed is a fact about the import, not about the case.
    return build_rows([event for event in events if not isinstance(event.payload, Closed)])
