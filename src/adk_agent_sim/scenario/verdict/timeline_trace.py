"""Reads a session's timeline as the trace of a run: the agent's calls of the scenario's tools, and what was said.

A session that ran in the scenario's world has all of its events, see `world_trace`. Any other timeline has the agent's
calls and the conversation. Times are then those of the session, counted from the first message of the user. The final
response of an agent that does not call `send_message_to_user` is its message to the user.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from adk_agent_sim.errors import NotJudgeable
from adk_agent_sim.scenario.format.imported_scenario import ScenarioImportedFromJson
from adk_agent_sim.scenario.verdict.traced_action import AnyCompletedEvent
from adk_agent_sim.scenario.verdict.world_trace import find_world_start, list_world_trace
from adk_agent_sim.scenario.world.event_log import CompletedEvent
from adk_agent_sim.timeline.content_parts import as_mapping, extract_visible_text
from adk_agent_sim.timeline.events import AgentEvent, Event, ToolFailed, ToolFinished, ToolStarted, UserSpoke
from adk_agent_sim.timeline.jsonl import read_records
from adk_agent_sim.timeline.undone_events import remove_undone_events

_USER_INTERFACE = "AgentUserInterface"


def read_timeline_events(path: str | Path) -> list[Event]:
    """Return the events of a timeline file; raise ImportRefused if it is none."""
    return [each for each in read_records(path) if isinstance(each, Event)]


def list_timeline_trace(events: Sequence[Event], scenario: ScenarioImportedFromJson) -> Sequence[AnyCompletedEvent]:
    """Return what happened in a session as completed events.

    Raises:
        NotJudgeable: The session ran in the world of another scenario, or the scenario has events of the environment
            and the session did not run in its world.
    """
    counting = remove_undone_events(events)
    started = find_world_start(counting)
    if started is not None:
        if started.scenario_id != scenario.scenario_id:
            raise NotJudgeable(
                scenario.scenario_id,
                f"the session ran in the world of {started.scenario_id!r:.120}. Give that scenario",
            )
        return list_world_trace(counting)
    planned = next((each.event_id for each in scenario.events if each.event_type == "ENV"), None)
    if planned is not None:
        raise NotJudgeable(
            scenario.scenario_id,
            f"it has events of the environment, such as {planned!r:.120}, and the session did not run in the "
            "scenario's world. Give a run in that world",
        )
    return list(_SessionTraceReader(scenario).read(counting))


class _SessionTraceReader:
    def __init__(self, scenario: ScenarioImportedFromJson) -> None:
        self._start = float(scenario.start_time or 0)
        self._begun_at: float | None = None
        self._apps = {each.name for each in scenario.apps} | {_USER_INTERFACE, "SystemApp"}
        self._user_ids = [each.event_id for each in scenario.events if each.event_type == "USER"]
        self._open_calls: dict[str, tuple[ToolStarted, float]] = {}
        self._has_sent_message = False

    def read(self, events: Sequence[Event]) -> Iterator[CompletedEvent]:
        for event in events:
            match event.payload:
                case UserSpoke(content=content):
                    if self._begun_at is None:
                        self._begun_at = event.timestamp
                    self._has_sent_message = False
                    yield self._build_user_event(event, extract_visible_text(content))
                case ToolStarted() as started:
                    # As in a world, a call has the time at which it began, not that of its result.
                    self._open_calls[started.call_id] = started, self._compute_time(event)
                case ToolFinished(call_id=call_id, result=result):
                    yield from self._end_call(event, call_id, result, None)
                case ToolFailed(call_id=call_id, error_type=error_type, error_message=message):
                    yield from self._end_call(event, call_id, None, f"{error_type}: {message}")
                case AgentEvent(final=True, event=said):
                    yield from self._build_final_response(event, extract_visible_text(as_mapping(said).get("content")))
                case _:
                    pass

    def _compute_time(self, event: Event) -> float:
        return self._start + event.timestamp - (event.timestamp if self._begun_at is None else self._begun_at)

    def _build_user_event(self, event: Event, text: str) -> CompletedEvent:
        return CompletedEvent(
            # What the user says is planned, so the n-th message is the n-th planned one.
            event_id=self._user_ids.pop(0) if self._user_ids else event.event_id,
            kind="USER",
            time=self._compute_time(event),
            operation="READ",
            app=_USER_INTERFACE,
            function="send_message_to_agent",
            arguments={"content": text},
        )

    def _end_call(self, event: Event, call_id: str, result: object, error: str | None) -> Iterator[CompletedEvent]:
        started, time = self._open_calls.pop(call_id, (None, 0.0))
        app, _, function = (started.tool_name if started is not None else "").partition("__")
        if started is None or app not in self._apps:
            return
        self._has_sent_message |= function == "send_message_to_user"
        yield CompletedEvent.from_return_value(
            event_id=event.event_id,
            kind="AGENT",
            time=time,
            app=app,
            function=function,
            arguments=dict(started.arguments),
            value=result,
            error=None if error is None else RuntimeError(error),
        )

    def _build_final_response(self, event: Event, text: str) -> Iterator[CompletedEvent]:
        if not text or self._has_sent_message:
            return
        self._has_sent_message = True
        yield CompletedEvent(
            event_id=event.event_id,
            kind="AGENT",
            time=self._compute_time(event),
            operation="WRITE",
            app=_USER_INTERFACE,
            function="send_message_to_user",
            arguments={"content": text},
        )
