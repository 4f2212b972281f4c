"""The graph of a run in a scenario's world: the scenario's events, what the agent did, and what has become of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict

from adk_agent_sim.scenario.format.imported_scenario import ScenarioImportedFromJson
from adk_agent_sim.scenario.format.scenario_summary import EventSummary, summarize_scenario
from adk_agent_sim.scenario.verdict.run_progress import AgentAction, RunProgress, read_run_progress
from adk_agent_sim.server.scenarios.api_models import WorldGraphEvent, WorldGraphInfo
from adk_agent_sim.timeline.events import Event
from adk_agent_sim.timeline.json_conversion import to_json_value
from adk_agent_sim.timeline.read_model.line_summary import summarize_arguments


def build_world_graph(
    scenario: ScenarioImportedFromJson, events: Sequence[Event], *, is_over: bool, is_played_by_person: bool
) -> WorldGraphInfo:
    """Build the graph of a session.

    A person who plays is judged like a model, so until the run is over they see no more than what has happened and
    when the next events are due: neither what is expected nor what follows from it.

    Args:
        scenario: The scenario.
        events: All events of the session.
        is_over: Whether the run has ended.
        is_played_by_person: Whether a person plays the agent.
    """
    progress = read_run_progress(scenario, events, is_over=is_over)
    hides_answer = is_played_by_person and not progress.is_over
    builder = _GraphBuilder(scenario, progress, hides_answer=hides_answer)
    return WorldGraphInfo(
        scenario_id=scenario.scenario_id,
        is_over=progress.is_over,
        hides_answer=hides_answer,
        events=builder.build(),
    )


class _GraphBuilder:
    def __init__(self, scenario: ScenarioImportedFromJson, progress: RunProgress, *, hides_answer: bool) -> None:
        self._progress = progress
        self._hides_answer = hides_answer
        self._summaries = summarize_scenario(scenario).events
        self._event_count = len(scenario.events)

    def build(self) -> list[WorldGraphEvent]:
        shown = [each for each in self._summaries if self._is_shown(each)]
        shown_indexes = {each.index for each in shown}
        own = [each for each in self._progress.actions if self._hides_answer or not each.expected_id]
        own_by_event = {each.expected_id: self._get_index(each) for each in own if each.expected_id}
        # What an event depends on is the agent's own action if the expected one is hidden.
        stand_ins = {
            each.index: own_by_event[each.event_id] for each in self._summaries if each.event_id in own_by_event
        }
        built = [self._build_event(each, shown_indexes, stand_ins) for each in shown]
        return [*built, *self._build_actions(own, shown)]

    def _is_shown(self, event: EventSummary) -> bool:
        if not self._hides_answer:
            return True
        return event.kind != "oracle" and self._progress.events[event.event_id].state != "later"

    def _build_event(self, event: EventSummary, shown: set[int], stand_ins: Mapping[int, int]) -> WorldGraphEvent:
        progress = self._progress.events[event.event_id]
        # When an event is due may be known, but its arguments would tell what is about to happen.
        is_secret = self._hides_answer and progress.state == "due"
        parents = [each if each in shown else stand_ins.get(each) for each in event.depends_on]
        fields = event.model_dump() | asdict(progress) | {"depends_on": [each for each in parents if each is not None]}
        return WorldGraphEvent.model_validate(fields | ({"summary": ""} if is_secret else {}))

    def _build_actions(self, own: Sequence[AgentAction], shown: Sequence[EventSummary]) -> list[WorldGraphEvent]:
        """Build the agent's actions, each after what happened before it."""
        indexes = {each.event_id: each.index for each in shown}
        indexes |= {
            each.action_id: indexes[each.expected_id] for each in self._progress.actions if each.expected_id in indexes
        }
        own_by_id = {each.action_id: each for each in own}
        built: list[WorldGraphEvent] = []
        previous: int | None = None
        for name in self._progress.order:
            action = own_by_id.get(name)
            if action is not None:
                built.append(self._build_action(action, previous))
                previous = built[-1].index
            else:
                previous = indexes.get(name, previous)
        return built

    def _build_action(self, action: AgentAction, previous: int | None) -> WorldGraphEvent:
        traced, progress = action.traced, action.progress
        arguments = {name: to_json_value(value) for name, value in traced.arguments.items()}
        return WorldGraphEvent(
            index=self._get_index(action),
            event_id=action.action_id,
            kind="agent",
            expected_seconds=progress.seconds,
            turn=None,
            depends_on=[] if previous is None else [previous],
            app=traced.app,
            function=traced.function,
            summary=summarize_arguments(arguments),
            state=progress.state,
            seconds=progress.seconds,
            note=progress.note,
        )

    def _get_index(self, action: AgentAction) -> int:
        """Return a number that the action keeps while others are added."""
        return self._event_count + action.seq
