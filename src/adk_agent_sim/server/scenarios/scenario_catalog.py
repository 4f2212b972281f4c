"""The scenarios that the server was started with: reads, annotates, checks and plays them, and no other file."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from adk_agent_sim.errors import InvalidTransition, NotFound
from adk_agent_sim.scenario.format.imported_scenario import ScenarioImportedFromJson
from adk_agent_sim.scenario.format.lint_finding import LocatedFinding
from adk_agent_sim.scenario.format.models import ExportedOracleEvent, to_json_value
from adk_agent_sim.scenario.format.scenario_files import annotate_file, find_scenario_files, load_scenarios
from adk_agent_sim.scenario.format.scenario_summary import EventSummary, read_arguments, summarize_scenario
from adk_agent_sim.scenario.players.checked_scenario import CheckCache, ScenarioCheck
from adk_agent_sim.server.agents.catalog_keys import find_free_key
from adk_agent_sim.server.scenarios.api_models import (
    AnnotationInfo,
    AnnotationPatch,
    EventDetail,
    ScenarioFindings,
    ScenarioInfo,
    ScenarioSummary,
)
from adk_agent_sim.server.scenarios.world_runs import WorldRuns
from adk_agent_sim.timeline.clock import WallClock
from adk_agent_sim.timeline.file_names import to_snake_case
from adk_agent_sim.timeline.strict_json import dump_json
from adk_agent_sim.use_cases.worlds import check_scenario, lint_scenario

_MAX_CHECK_SECONDS = 60.0
"""How long a check may take before it says that it does not know."""

_MAX_FINDINGS = 200
"""How many findings are listed; all of them are counted."""

_ANSWER_HIDDEN = (
    "A person is playing this scenario, so what is expected of the agent is hidden until that run has ended. "
    "Choose `Show the answer` to see it now."
)


class ScenarioCatalog:
    """The scenarios of this server by key."""

    def __init__(
        self,
        paths: Sequence[Path],
        *,
        check_cache: CheckCache | None = None,
    ) -> None:
        """Load the scenarios.

        Args:
            paths: Scenario files, JSON Lines files and folders; no other file is read or written.
            check_cache: Where the results of checks are kept; by default only as long as the server runs.

        Raises:
            InvalidScenario: A file is not a scenario.
        """
        self._scenarios: dict[str, OpenScenario] = {}
        for file in (each for path in paths for each in find_scenario_files(path)):
            scenarios = list(load_scenarios(file))
            counts = Counter(each.scenario_id for each in scenarios)
            for scenario in scenarios:
                key = find_free_key(to_snake_case(scenario.scenario_id) or "scenario", self._scenarios)
                self._scenarios[key] = OpenScenario(
                    key,
                    scenario,
                    file,
                    check_cache=check_cache,
                    has_unique_id=counts[scenario.scenario_id] == 1,
                )

    def __len__(self) -> int:
        return len(self._scenarios)

    def __iter__(self) -> Iterator[OpenScenario]:
        return iter(self._scenarios.values())

    def __getitem__(self, key: str) -> OpenScenario:
        if key not in self._scenarios:
            raise NotFound(f"There is no scenario {key[:100]!r} on this server.")
        return self._scenarios[key]

    def list_summaries(self) -> list[ScenarioSummary]:
        """Return the scenarios as the browser lists them."""
        return [each.summarize() for each in self]


class OpenScenario:
    """One scenario of the server."""

    def __init__(
        self,
        key: str,
        scenario: ScenarioImportedFromJson,
        file: Path,
        *,
        check_cache: CheckCache | None = None,
        has_unique_id: bool = True,
    ) -> None:
        self.key = key
        self._has_unique_id = has_unique_id
        self._scenario = scenario
        self._file = file
        self._check_cache = check_cache
        self._check = check_cache.find(scenario) if check_cache is not None else None
        self._lock = asyncio.Lock()

    @property
    def _check_status(self) -> str:
        return self._check.status.value if self._check is not None else ""

    def summarize(self) -> ScenarioSummary:
        """Return the scenario as the browser lists it."""
        annotation = self._scenario.annotation
        return ScenarioSummary(
            key=self.key,
            scenario_id=self._scenario.scenario_id,
            path=str(self._file),
            event_count=len(self._scenario.events),
            app_count=len(self._scenario.apps),
            validation_decision=annotation.validation_decision or "",
            annotator=annotation.annotator or "",
            check_status=self._check_status,
        )

    def is_played_by_person(self, worlds: WorldRuns) -> bool:
        """Whether a person is playing the scenario now; then what is expected is shown only if it is asked for."""
        return worlds.is_played_by_person(self._scenario.scenario_id, self._file)

    def describe(self, *, hides_answer: bool = False) -> ScenarioInfo:
        """Return the scenario as its file defines it; with `hides_answer`, without what is expected of the agent."""
        hidden = self._list_oracle_indexes() if hides_answer else frozenset[int]()
        definition = summarize_scenario(self._scenario)
        hints = [
            each.model_copy(update={"event_index": None}) if each.event_index in hidden else each
            for each in definition.hints
        ]
        events = _leave_out_events(definition.events, hidden)
        return ScenarioInfo(
            **vars(definition.model_copy(update={"hints": hints, "events": events})),
            key=self.key,
            path=str(self._file),
            annotation=self.get_annotation(),
            check_status=self._check_status,
            hides_answer=hides_answer,
        )

    def find_problems(self, *, hides_answer: bool = False) -> ScenarioFindings:
        """Return the problems that the linter finds in the scenario; with `hides_answer`, not those of the answer."""
        findings = self._filter_findings(lint_scenario(self._scenario), hides_answer)
        errors = sum(each.severity == "error" for each in findings)
        return ScenarioFindings(
            findings=list(findings[:_MAX_FINDINGS]),
            error_count=errors,
            warning_count=len(findings) - errors,
        )

    async def start_run(self, worlds: WorldRuns) -> str:
        """Let a person play the agent in a new world; returns the session's id."""
        return await worlds.start(self._scenario, source=str(self._file))

    async def check(self, *, hides_answer: bool = False) -> ScenarioCheck:
        """Check the scenario, which players run five times; with `hides_answer`, without findings of the answer."""
        async with self._lock:
            self._check = await asyncio.to_thread(
                partial(check_scenario, self._scenario, cache=self._check_cache, max_wall_seconds=_MAX_CHECK_SECONDS)
            )
        return self._check.model_copy(update={"findings": self._filter_findings(self._check.findings, hides_answer)})

    def get_event_detail(self, index: int, *, hides_answer: bool = False) -> EventDetail:
        """Return the details of an event.

        Raises:
            NotFound: There is no such event.
            InvalidTransition: It is expected of the agent, and what is expected is hidden.
        """
        events = self._scenario.events
        # Refused rather than not found, because the page offers to show the answer.
        if hides_answer and index in self._list_oracle_indexes():
            raise InvalidTransition(_ANSWER_HIDDEN)
        if not 0 <= index < len(events):
            raise NotFound(f"There is no event {index}; the scenario has {len(events)} events.")
        return EventDetail(
            event_id=events[index].event_id,
            arguments=dump_json(read_arguments(events[index])),
            event_json=dump_json(to_json_value(events[index])),
        )

    def get_annotation(self) -> AnnotationInfo:
        """Return the reviewer's annotation."""
        annotation = self._scenario.annotation
        return AnnotationInfo(
            validation_decision=annotation.validation_decision or "",
            comment=annotation.comment or "",
            annotator=annotation.annotator or "",
            date=annotation.date,
            editable=self._has_unique_id,
        )

    async def annotate(self, patch: AnnotationPatch) -> AnnotationInfo:
        """Write a reviewer's annotation into the scenario's file.

        Raises:
            InvalidTransition: The file holds several scenarios with this id.
        """
        if not self._has_unique_id:
            raise InvalidTransition(
                f"{self._file.name} holds several scenarios with the id {self._scenario.scenario_id[:100]!r}. "
                "To annotate this one, give it an id of its own."
            )
        fields = {name: value for name, value in patch.model_dump().items() if value is not None}
        async with self._lock:
            saved = await asyncio.to_thread(
                annotate_file, self._file, fields, now=WallClock().now(), scenario_id=self._scenario.scenario_id
            )
            metadata = self._scenario.trace.metadata.model_copy(update={"annotation": saved.annotation})
            trace = self._scenario.trace.model_copy(update={"metadata": metadata})
            self._scenario = replace(self._scenario, trace=trace)
        return self.get_annotation()

    def get_app_state(self, app_name: str) -> Any:
        """Return the state of an app in the file; raise NotFound if there is none of that name."""
        app = next((each for each in self._scenario.apps if each.name == app_name), None)
        if app is None:
            raise NotFound(f"There is no app {app_name[:100]!r} in this scenario.")
        return app.app_state or {}

    def _filter_findings(self, findings: Sequence[LocatedFinding], hides_answer: bool) -> Sequence[LocatedFinding]:
        hidden = self._list_oracle_indexes() if hides_answer else frozenset[int]()
        return tuple(each for each in findings if each.event_index not in hidden)

    def _list_oracle_indexes(self) -> frozenset[int]:
        events = enumerate(self._scenario.events)
        return frozenset(index for index, each in events if isinstance(each, ExportedOracleEvent))


def _leave_out_events(events: Sequence[EventSummary], hidden: Collection[int]) -> list[EventSummary]:
    """Return the events without those with these indexes; what depended on one depends on what that depended on."""
    by_index = {each.index: each for each in events}

    def list_parents(event: EventSummary) -> list[int]:
        shown: list[int] = []
        # A stack instead of recursion, and with `seen`: dependencies may form a cycle, and chains may be long.
        seen, waiting = set[int](), event.depends_on[::-1]
        while waiting:
            index = waiting.pop()
            if index in seen:
                continue
            seen.add(index)
            if index in hidden:
                waiting += by_index[index].depends_on[::-1]
            else:
                shown.append(index)
        return shown

    return [
        each.model_copy(update={"depends_on": list_parents(each)}) if hidden else each
        for each in events
        if each.index not in hidden
    ]
