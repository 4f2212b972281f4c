"""The scenarios that the server was started with: reads, annotates and plays them, and no other file."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from adk_agent_sim.errors import InvalidTransition, NotFound
from adk_agent_sim.golden.golden_trace_builder import to_snake_case
from adk_agent_sim.scenario.format.annotation import annotate_file
from adk_agent_sim.scenario.format.graph import EventGraph
from adk_agent_sim.scenario.format.imported_scenario import ScenarioImportedFromJson
from adk_agent_sim.scenario.format.models import AnyEvent, ExportedOracleEvent, to_json_value
from adk_agent_sim.scenario.format.scenario_files import find_scenario_files, load_scenarios
from adk_agent_sim.scenario.format.scenario_summary import sort_for_display
from adk_agent_sim.scenario.world.world import World
from adk_agent_sim.server.catalog_keys import find_free_key
from adk_agent_sim.server.scenario_api_models import (
    AnnotationInfo,
    AnnotationPatch,
    EventDetail,
    EventKind,
    EventSummary,
    ScenarioInfo,
    ScenarioSummary,
)
from adk_agent_sim.server.world_playground import WorldPlayground
from adk_agent_sim.timeline.clock import WallClock
from adk_agent_sim.timeline.read_model.line_summary import summarize_arguments
from adk_agent_sim.timeline.strict_json import dump_json

_EVENT_KINDS: dict[str, EventKind] = {
    "USER": "user",
    "ENV": "env",
    "AGENT": "agent",
    "CONDITION": "condition",
    "VALIDATION": "validation",
}

_Result = TypeVar("_Result")


class ScenarioCatalog:
    """The scenarios of this server by key."""

    def __init__(
        self,
        paths: Sequence[Path],
        *,
        fs_content: Path | None = None,
        seed: int | None = None,
        notifications: str = "MEDIUM",
    ) -> None:
        """Load the scenarios.

        Args:
            paths: Scenario files, JSON Lines files and directories; no other file is read or written.
            fs_content: The directory with the contents of the files in their worlds.
            seed: The seed of ids and random decisions; by default each scenario's own.
            notifications: How much the agent is notified of: LOW, MEDIUM or HIGH.

        Raises:
            InvalidScenario: A file is not a scenario.
        """
        create_world = partial(World, fs_content=fs_content, seed=seed, notifications=notifications)
        self._scenarios: dict[str, OpenScenario] = {}
        for file in (each for path in paths for each in find_scenario_files(path)):
            for scenario in load_scenarios(file):
                key = find_free_key(to_snake_case(scenario.scenario_id) or "scenario", self._scenarios)
                self._scenarios[key] = OpenScenario(key, scenario, file, create_world)

    def __len__(self) -> int:
        return len(self._scenarios)

    def __iter__(self) -> Iterator[OpenScenario]:
        return iter(self._scenarios.values())

    def __getitem__(self, key: str) -> OpenScenario:
        if key not in self._scenarios:
            raise NotFound(f"There is no scenario {key[:100]!r} on this server.")
        return self._scenarios[key]

    def list_summaries(self) -> list[ScenarioSummary]:
        """Returns the scenarios as the browser lists them."""
        return [each.summarize() for each in self]


class OpenScenario:
    """One scenario and, once it is played, its world."""

    def __init__(
        self,
        key: str,
        scenario: ScenarioImportedFromJson,
        file: Path,
        create_world: Callable[[ScenarioImportedFromJson], World],
    ) -> None:
        self.key = key
        self._scenario = scenario
        self._file = file
        self._create_world = create_world
        self._playground: WorldPlayground | None = None
        self._lock = asyncio.Lock()

    def summarize(self) -> ScenarioSummary:
        """Returns the scenario as the browser lists it."""
        annotation = self._scenario.annotation
        return ScenarioSummary(
            key=self.key,
            scenario_id=self._scenario.scenario_id,
            path=str(self._file),
            event_count=len(self._scenario.events),
            app_count=len(self._scenario.apps),
            validation_decision=annotation.validation_decision or "",
            annotator=annotation.annotator or "",
        )

    def describe(self) -> ScenarioInfo:
        """Returns the scenario as its file defines it."""
        scenario = self._scenario
        return ScenarioInfo(
            key=self.key,
            scenario_id=scenario.scenario_id,
            path=str(self._file),
            start_time=scenario.start_time,
            duration=scenario.duration,
            seed=scenario.seed,
            tags=list(scenario.tags),
            apps=[app.name for app in scenario.apps],
            adaptations=list(scenario.adapted),
            annotation=self.get_annotation(),
            events=list(self._iter_event_summaries()),
        )

    def get_event_detail(self, index: int) -> EventDetail:
        """Returns the details of an event."""
        events = self._scenario.events
        if not 0 <= index < len(events):
            raise NotFound(f"There is no event {index}; the scenario has {len(events)} events.")
        return EventDetail(
            event_id=events[index].event_id,
            arguments=dump_json(_read_arguments(events[index])),
            event_json=dump_json(to_json_value(events[index])),
        )

    def get_annotation(self) -> AnnotationInfo:
        """Returns the reviewer's annotation."""
        annotation = self._scenario.annotation
        return AnnotationInfo(
            validation_decision=annotation.validation_decision or "",
            comment=annotation.comment or "",
            annotator=annotation.annotator or "",
            date=annotation.date,
            editable=self._has_own_file,
        )

    async def annotate(self, patch: AnnotationPatch) -> AnnotationInfo:
        """Write a reviewer's annotation into the scenario's file.

        Raises:
            InvalidTransition: The file holds several scenarios.
        """
        if not self._has_own_file:
            raise InvalidTransition(
                f"{self._file.name} holds one scenario per line. To annotate this one, copy it to its own .json file."
            )
        fields = {name: value for name, value in patch.model_dump().items() if value is not None}
        async with self._lock:
            saved = await asyncio.to_thread(annotate_file, self._file, fields, now=WallClock().now())
            metadata = self._scenario.trace.metadata.model_copy(update={"annotation": saved.annotation})
            trace = self._scenario.trace.model_copy(update={"metadata": metadata})
            self._scenario = replace(self._scenario, trace=trace)
        return self.get_annotation()

    async def read_app_state(self, app_name: str) -> Any:
        """Returns the state of an app: in the world if it was created, else in the file."""
        if self._playground is not None:
            return await self.use_playground(lambda playground: playground.read_app_state(app_name))
        app = next((each for each in self._scenario.apps if each.name == app_name), None)
        if app is None:
            raise NotFound(f"There is no app {app_name[:100]!r} in this scenario.")
        return app.app_state or {}

    async def use_playground(self, act: Callable[[WorldPlayground], _Result]) -> _Result:
        """Call `act` with the playground, which is created on first use.

        A world is not thread-safe and its tools may block: one action at a time, in a worker thread.
        """
        async with self._lock:
            return await asyncio.to_thread(self._use_playground_blocking, act)

    def _use_playground_blocking(self, act: Callable[[WorldPlayground], _Result]) -> _Result:
        if self._playground is None:
            self._playground = WorldPlayground(partial(self._create_world, self._scenario))
        return act(self._playground)

    @property
    def _has_own_file(self) -> bool:
        return self._file.suffix != ".jsonl"

    def _iter_event_summaries(self) -> Iterator[EventSummary]:
        graph = EventGraph(self._scenario.trace)
        turns = graph.compute_turns()
        for name in sort_for_display(graph):
            event = graph.events[name]
            action = event.action
            yield EventSummary(
                index=graph.positions[name],
                event_id=name,
                kind=_classify_event(event),
                expected_seconds=graph.times[name] - graph.start if name in graph.times else None,
                turn=turns.get(name),
                depends_on=[graph.positions[each] for each in graph.parents[name]],
                app=(action and action.app) or "",
                function=(action and action.function) or "",
                summary=summarize_arguments(_read_arguments(event)),
            )


def _classify_event(event: AnyEvent) -> EventKind:
    if isinstance(event, ExportedOracleEvent):
        return "oracle"
    return _EVENT_KINDS.get(event.event_type, "other")


def _read_arguments(event: AnyEvent) -> dict[str, str | None]:
    """Returns the arguments by name; the file stores all values as text."""
    given = event.action.args if event.action else None
    return {each.name: each.value for each in given or ()}
