"""The scenarios that were named when the server was started: read, annotated, and played."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from adk_agent_sim.errors import InvalidTransition, NothingSuch
from adk_agent_sim.golden.builder import snake_case
from adk_agent_sim.scenario.format.annotation import annotate_file
from adk_agent_sim.scenario.format.graph import EventGraph
from adk_agent_sim.scenario.format.loading import load_scenarios, scenario_files
from adk_agent_sim.scenario.format.models import AnyEvent, ExportedOracleEvent, plain
from adk_agent_sim.scenario.format.scenario import ScenarioImportedFromJson
from adk_agent_sim.scenario.format.show import drawn_order
from adk_agent_sim.scenario.world.world import World
from adk_agent_sim.server.json_text import written
from adk_agent_sim.server.one_line import arguments_line
from adk_agent_sim.server.playground import Playground
from adk_agent_sim.server.scenario_shapes import (
    AnnotationPatch,
    AnnotationShape,
    EventDetail,
    EventKind,
    EventLine,
    ScenarioLine,
    ScenarioShape,
)
from adk_agent_sim.timeline.clock import WallClock

_KINDS: dict[str, EventKind] = {
    "USER": "user",
    "ENV": "env",
    "AGENT": "agent",
    "CONDITION": "condition",
    "VALIDATION": "validation",
}

_Result = TypeVar("_Result")


class Scenarios:
    """All of them, by key."""

    def __init__(
        self,
        paths: Sequence[Path],
        *,
        fs_content: Path | None = None,
        seed: int | None = None,
        notifications: str = "MEDIUM",
    ) -> None:
        """Read the scenarios.

        Args:
            paths: Files, JSON Lines files and directories; no other file is ever read or written.
            fs_content: The contents of the files in their worlds.
            seed: What ids and chance are derived from; each scenario's own if left out.
            notifications: How much the agent is told: LOW, MEDIUM or HIGH.

        Raises:
            ScenarioUnreadable: A file is no scenario.
        """
        make = partial(World, fs_content=fs_content, seed=seed, notifications=notifications)
        self._all: dict[str, OpenScenario] = {}
        for file in (each for path in paths for each in scenario_files(path)):
            for scenario in load_scenarios(file):
                key = _free(snake_case(scenario.scenario_id) or "scenario", self._all)
                self._all[key] = OpenScenario(key, scenario, file, make)

    def __len__(self) -> int:
        return len(self._all)

    def __iter__(self) -> Iterator[OpenScenario]:
        return iter(self._all.values())

    def __getitem__(self, key: str) -> OpenScenario:
        if key not in self._all:
            raise NothingSuch(f"There is no scenario {key[:100]!r} on this server.")
        return self._all[key]

    def lines(self) -> list[ScenarioLine]:
        """The list."""
        return [each.line() for each in self]


class OpenScenario:
    """One scenario and, as soon as somebody plays it, its world."""

    def __init__(
        self,
        key: str,
        scenario: ScenarioImportedFromJson,
        file: Path,
        make: Callable[[ScenarioImportedFromJson], World],
    ) -> None:
        self.key = key
        self._scenario = scenario
        self._file = file
        self._make = make
        self._playground: Playground | None = None
        self._one_at_a_time = asyncio.Lock()

    def line(self) -> ScenarioLine:
        """The scenario in the list."""
        annotation = self._scenario.annotation
        return ScenarioLine(
            key=self.key,
            scenario_id=self._scenario.scenario_id,
            path=str(self._file),
            events=len(self._scenario.events),
            apps=len(self._scenario.apps),
            decision=annotation.validation_decision or "",
            annotator=annotation.annotator or "",
        )

    def shape(self) -> ScenarioShape:
        """The scenario as it stands in its file."""
        scenario = self._scenario
        return ScenarioShape(
            key=self.key,
            scenario_id=scenario.scenario_id,
            path=str(self._file),
            start_time=scenario.start_time,
            duration=scenario.duration,
            seed=scenario.seed,
            tags=list(scenario.tags),
            apps=[app.name for app in scenario.apps],
            adapted=list(scenario.adapted),
            annotation=self.annotation(),
            events=list(self._events()),
        )

    def event(self, place: int) -> EventDetail:
        """Everything behind an event."""
        events = self._scenario.events
        if not 0 <= place < len(events):
            raise NothingSuch(f"There is no event {place}; the scenario has {len(events)}.")
        return EventDetail(
            event_id=events[place].event_id,
            arguments=written(_arguments(events[place])),
            event=written(plain(events[place])),
        )

    def annotation(self) -> AnnotationShape:
        """What a reviewer says."""
        found = self._scenario.annotation
        return AnnotationShape(
            validation_decision=found.validation_decision or "",
            comment=found.comment or "",
            annotator=found.annotator or "",
            date=found.date,
            editable=self._has_own_file,
        )

    async def annotate(self, patch: AnnotationPatch) -> AnnotationShape:
        """Write what a reviewer says into the file that was named at the start."""
        if not self._has_own_file:
            raise InvalidTransition(
                f"{self._file.name} holds a scenario a line. To annotate this one, give it a .json file of its own."
            )
        fields = {name: value for name, value in patch.model_dump().items() if value is not None}
        async with self._one_at_a_time:
            saved = await asyncio.to_thread(annotate_file, self._file, fields, now=WallClock().now())
            metadata = self._scenario.trace.metadata.model_copy(update={"annotation": saved.annotation})
            trace = self._scenario.trace.model_copy(update={"metadata": metadata})
            self._scenario = replace(self._scenario, trace=trace)
        return self.annotation()

    async def state(self, app: str) -> Any:
        """The state of an app: in the world if somebody plays it, else in the file."""
        if self._playground is not None:
            return await self.play(lambda playground: playground.state(app))
        found = next((each for each in self._scenario.apps if each.name == app), None)
        if found is None:
            raise NothingSuch(f"There is no app {app[:100]!r} in this scenario.")
        return found.app_state or {}

    async def play(self, act: Callable[[Playground], _Result]) -> _Result:
        """Do something in the world, which is made when it is first asked for; one thing at a time."""
        async with self._one_at_a_time:
            return await asyncio.to_thread(self._played, act)

    def _played(self, act: Callable[[Playground], _Result]) -> _Result:
        if self._playground is None:
            self._playground = Playground(partial(self._make, self._scenario))
        return act(self._playground)

    @property
    def _has_own_file(self) -> bool:
        return self._file.suffix != ".jsonl"

    def _events(self) -> Iterator[EventLine]:
        graph = EventGraph(self._scenario.trace)
        turns = graph.turns()
        for name in drawn_order(graph):
            event = graph.events[name]
            action = event.action
            yield EventLine(
                place=graph.places[name],
                event_id=name,
                kind=_kind(event),
                seconds=graph.times[name] - graph.start if name in graph.times else None,
                turn=turns.get(name),
                after=[graph.places[each] for each in graph.parents[name]],
                app=(action and action.app) or "",
                function=(action and action.function) or "",
                summary=arguments_line(_arguments(event)),
            )


def _kind(event: AnyEvent) -> EventKind:
    if isinstance(event, ExportedOracleEvent):
        return "oracle"
    return _KINDS.get(event.event_type, "other")


def _arguments(event: AnyEvent) -> dict[str, str | None]:
    """By name, as texts: so the file holds them."""
    given = event.action.args if event.action else None
    return {each.name: each.value for each in given or ()}


def _free(wanted: str, taken: dict[str, OpenScenario]) -> str:
    key, number = wanted, 1
    while key in taken:
        number += 1
        key = f"{wanted}_{number}"
    return key
