"""Finds the traces in files: traces in ARE's format, one or many, and timelines of sessions.

A session that ran in the scenario's world has all of its events, see `world_trace`. Any other timeline has the agent's
calls and the conversation. Times are then those of the session, counted from the first message of the user. The final
response of an agent that does not call `send_message_to_user` is its message to the user.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from adk_agent_sim.errors import NotJudgeable
from adk_agent_sim.scenario.format.imported_scenario import ScenarioImportedFromJson
from adk_agent_sim.scenario.format.scenario_files import find_scenario_files, load_scenarios
from adk_agent_sim.scenario.verdict.traced_action import AnyCompletedEvent
from adk_agent_sim.scenario.verdict.world_trace import find_world_start, list_world_trace
from adk_agent_sim.scenario.world.event_log import CompletedEvent
from adk_agent_sim.timeline.content_parts import as_mapping, extract_visible_text
from adk_agent_sim.timeline.events import AgentEvent, Event, ToolFailed, ToolFinished, ToolStarted, UserSpoke
from adk_agent_sim.timeline.jsonl import read_records
from adk_agent_sim.timeline.strict_json import InvalidJson, parse_json
from adk_agent_sim.timeline.undone_events import remove_undone_events


@dataclass(frozen=True, kw_only=True)
class FoundTrace:
    """A trace of a file, and the scenario that it is to be judged by."""

    name: str
    """The file, with the number of the trace if there are several."""

    scenario: ScenarioImportedFromJson

    events: Sequence[AnyCompletedEvent]


def find_traces(path: str | Path, scenarios: Sequence[ScenarioImportedFromJson]) -> Iterator[FoundTrace]:
    """Yield the traces in a file or folder.

    Args:
        path: A trace, a timeline, a JSON Lines file of traces, or a folder of these.
        scenarios: The scenarios; of several, a trace is judged by the one with its id.

    Raises:
        NotJudgeable: There is no scenario for a trace.
        InvalidScenario: A file is no trace.
        ImportRefused: A file is a timeline that cannot be read.
    """
    for file in find_scenario_files(path):
        if _is_timeline(file):
            yield build_session_trace(str(file), read_timeline_events(file), scenarios)
            continue
        traces = list(load_scenarios(file))
        for number, trace in enumerate(traces, start=1):
            yield FoundTrace(
                name=str(file) if len(traces) == 1 else f"{file}:{number}",
                scenario=_pick_scenario(trace.scenario_id, scenarios),
                events=trace.completed_events,
            )


def load_trace(path: str | Path, scenario: ScenarioImportedFromJson) -> FoundTrace:
    """Return the only trace in a file, to be judged by a scenario.

    Raises:
        NotJudgeable: There is no trace or more than one.
        InvalidScenario: The file is no trace.
        ImportRefused: The file is a timeline that cannot be read.
    """
    traces = list(find_traces(path, [scenario]))
    if len(traces) != 1:
        raise NotJudgeable(str(path), f"it contains {len(traces)} traces. Give a file with exactly one")
    return traces[0]


def build_session_trace(
    name: str, events: Sequence[Event], scenarios: Sequence[ScenarioImportedFromJson]
) -> FoundTrace:
    """Return what happened in a session, with the scenario whose world it ran in, or the only one.

    Raises:
        NotJudgeable: There is no scenario for the session.
    """
    started = find_world_start(events)
    if started is None and len(scenarios) != 1:
        raise NotJudgeable(name, "the timeline does not name its scenario. Give exactly one scenario")
    scenario = _pick_scenario("" if started is None else started.scenario_id, scenarios)
    return FoundTrace(name=name, scenario=scenario, events=list_timeline_trace(events, scenario))


def _pick_scenario(scenario_id: str, scenarios: Sequence[ScenarioImportedFromJson]) -> ScenarioImportedFromJson:
    if len(scenarios) == 1:
        return scenarios[0]
    found = next((each for each in scenarios if each.scenario_id == scenario_id), None)
    if found is None:
        raise NotJudgeable(scenario_id, "none of the scenarios has this id. Give the scenario of the trace")
    return found


def _is_timeline(file: Path) -> bool:
    try:
        with file.open("rb") as opened:
            # Other files may consist of a single line of many megabytes, and a timeline's first line is short.
            value = parse_json(opened.readline(1 << 20))
    except (OSError, InvalidJson, ValueError):
        return False
    return isinstance(value, dict) and cast("dict[str, Any]", value).get("format") == "adksim.timeline"


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
