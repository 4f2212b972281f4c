"""What has become of a scenario's events in a run, read from its timeline: what happened, what failed, what is due.

```
completed events --+--> happened, failed        (an action that a turn's verdict matches is the expected event)
turns' verdicts ---+--> failed: expected, but done wrongly or not at all
parents are done ----> due, at the time that follows from them; otherwise later, or missed once the run is over
```

As in the world, expected actions count as done at the time they are due, and an expected message to the user when the
agent has ended that turn.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from adk_agent_sim.scenario.format.imported_scenario import ScenarioImportedFromJson
from adk_agent_sim.scenario.format.models import AnyEvent, EventGraph, ExportedOracleEvent, is_message_to_user
from adk_agent_sim.scenario.verdict.traced_action import TracedAction
from adk_agent_sim.scenario.verdict.world_trace import list_numbered_trace
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.content_parts import as_mapping, as_text
from adk_agent_sim.timeline.events import Event
from adk_agent_sim.timeline.read_model.line_summary import summarize_text, summarize_value
from adk_agent_sim.timeline.undone_events import remove_undone_events
from adk_agent_sim.timeline.world_events import VerdictReached, WorldEventHappened

EventState: TypeAlias = Literal["happened", "failed", "due", "later", "missed"]


@dataclass(frozen=True, kw_only=True, slots=True)
class EventProgress:
    """What has become of one event."""

    state: EventState

    seconds: float | None = None
    """When it happened or is due, since the scenario's start; None if that is not known."""

    note: str = ""
    """Why it failed."""


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentAction:
    """A call of the agent that changed something or failed to, or its message to the user."""

    seq: int
    """The event of the timeline."""

    action_id: str
    """The id that it had when it happened."""

    expected_id: str
    """The expected event that it is, as far as turns were judged; empty if it is none."""

    traced: TracedAction

    progress: EventProgress


@dataclass(frozen=True, kw_only=True, slots=True)
class RunProgress:
    """What has become of all events."""

    events: Mapping[str, EventProgress]
    """By the id in the scenario."""

    actions: Sequence[AgentAction]
    """What the agent did, in the order in which it happened."""

    order: Sequence[str]
    """The ids of everything that happened, in order; those of the agent as in `action_id`."""

    is_over: bool


def read_run_progress(
    scenario: ScenarioImportedFromJson, events: Sequence[Event], *, is_over: bool = False
) -> RunProgress:
    """Return what has become of a scenario's events.

    Args:
        scenario: The scenario.
        events: All events of the session; those that were undone do not count.
        is_over: Whether the run has ended even if its timeline has no verdict.

    Raises:
        NotJudgeable: An event of the world is none of the scenario format.
    """
    return _ProgressReader(scenario, remove_undone_events(events), is_over=is_over).read()


class _ProgressReader:
    def __init__(self, scenario: ScenarioImportedFromJson, counting: Sequence[Event], *, is_over: bool) -> None:
        self._graph = EventGraph(scenario.trace)
        self._increment = scenario.time_increment_in_seconds or 1
        verdicts = [each.payload for each in counting if isinstance(each.payload, VerdictReached)]
        # Turn 0 stands for a verdict on the whole run.
        self._is_over = is_over or any(each.turn == 0 for each in verdicts)
        self._verdict: Mapping[str, Json] = as_mapping(verdicts[-1].verdict if verdicts else None)
        names = {app.name: app.class_name or app.name for app in scenario.apps}
        trace = list_numbered_trace(counting)
        self._traced = [(seq, TracedAction(completed, names)) for seq, completed in trace]
        self._first_ids = {
            each.seq: as_text(as_mapping(each.payload.event).get("event_id"))
            for each in counting
            if isinstance(each.payload, WorldEventHappened)
        }

    def read(self) -> RunProgress:
        matches = as_mapping(self._verdict.get("matches"))
        actions = [self._describe_action(seq, each, matches) for seq, each in self._traced if _is_shown_action(each)]
        by_id = {each.event_id: self._describe_happened(each) for _, each in self._traced}
        by_id |= {each.expected_id: each.progress for each in actions if each.expected_id}
        judged = self._read_failures()
        message_times = sorted(each.time for _, each in self._traced if each.is_message_to_user and not each.error)
        done = self._compute_done_times(by_id, message_times)
        states = {
            name: by_id.get(name) or judged.get(name) or self._describe_open(event, done)
            for name, event in self._graph.events.items()
        }
        order = [self._first_ids[seq] for seq, each in self._traced if each.kind != "AGENT" or _is_shown_action(each)]
        return RunProgress(events=states, actions=actions, order=order, is_over=self._is_over)

    def _describe_happened(self, action: TracedAction) -> EventProgress:
        seconds = round(action.time - self._graph.start, 6)
        if action.error is not None:
            return EventProgress(state="failed", seconds=seconds, note=summarize_text(action.error))
        return EventProgress(state="happened", seconds=seconds)

    def _describe_action(self, seq: int, action: TracedAction, matches: Mapping[str, Json]) -> AgentAction:
        expected_id = as_text(matches.get(action.event_id)) or action.event_id
        return AgentAction(
            seq=seq,
            action_id=self._first_ids[seq],
            expected_id=expected_id if expected_id in self._graph.events else "",
            traced=action,
            progress=self._describe_happened(action),
        )

    def _read_failures(self) -> dict[str, EventProgress]:
        """Return the expected events that turns were judged to lack."""
        turns: Sequence[Mapping[str, Json]] = self._verdict.get("turns") or ()
        return {
            as_text(each.get("event_id")): EventProgress(state="failed", note=_describe_failure(each))
            for turn in turns
            for each in turn.get("events") or ()
            if each.get("status") in ("wrong", "missing")
        }

    def _compute_done_times(
        self, happened: Mapping[str, EventProgress], message_times: Sequence[float]
    ) -> dict[str, float]:
        """Return when events count as done, for those that depend on them."""
        turns, done = self._graph.compute_turns(), dict[str, float]()
        for name in self._graph.order:
            event = self._graph.events[name]
            if isinstance(event, ExportedOracleEvent):
                if is_message_to_user(event):
                    time = self._find_turn_end(turns[name], message_times)
                else:
                    time = self._compute_due_time(event, done)
            else:
                found = happened.get(name)
                time = None if found is None or found.seconds is None else self._graph.start + found.seconds
            if time is not None:
                done[name] = time
        return done

    def _find_turn_end(self, turn: int, message_times: Sequence[float]) -> float | None:
        if turn >= len(message_times):
            return None
        start = self._graph.start
        # The world notices a message at a check, of which there is one per time increment. The check at the time of the
        # message itself was made when that time came, before the agent could send it.
        return start + (math.floor((message_times[turn] - start) / self._increment) + 1) * self._increment

    def _compute_due_time(self, event: AnyEvent, done: Mapping[str, float]) -> float | None:
        """Return when an event is due; None if something that it depends on is not done."""
        parents = self._graph.parents[event.event_id]
        if event.event_id not in self._graph.times or any(each not in done for each in parents):
            return None
        latest = max((done[each] for each in parents), default=self._graph.start)
        if event.event_relative_time is not None:
            return latest + event.event_relative_time
        return latest if event.event_time is None else max(latest, event.event_time)

    def _describe_open(self, event: AnyEvent, done: Mapping[str, float]) -> EventProgress:
        if self._is_over:
            return EventProgress(state="missed")
        time = self._compute_due_time(event, done)
        if time is None:
            return EventProgress(state="later")
        return EventProgress(state="due", seconds=round(time - self._graph.start, 6))


def _is_shown_action(action: TracedAction) -> bool:
    return action.kind == "AGENT" and action.is_write


def _describe_failure(judged: Mapping[str, Json]) -> str:
    if judged.get("status") == "missing":
        return "it was not done"
    differences = [as_mapping(each) for each in judged.get("differences") or ()]
    return summarize_text(
        "; ".join(
            f"{as_text(each.get('argument'))}: expected {summarize_value(each.get('expected'))}, "
            f"got {summarize_value(each.get('got'))}"
            for each in differences
        )
        or "it was done wrongly"
    )
