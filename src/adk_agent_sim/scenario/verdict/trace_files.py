"""Finds the traces in files: traces in ARE's format, one or many, and timelines of sessions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from adk_agent_sim.errors import NotJudgeable
from adk_agent_sim.scenario.format.imported_scenario import ScenarioImportedFromJson
from adk_agent_sim.scenario.format.scenario_files import find_scenario_files, load_scenarios
from adk_agent_sim.scenario.verdict.timeline_trace import list_timeline_trace, read_timeline_events
from adk_agent_sim.scenario.verdict.traced_action import AnyCompletedEvent
from adk_agent_sim.scenario.verdict.world_trace import find_world_start
from adk_agent_sim.timeline.events import Event
from adk_agent_sim.timeline.strict_json import InvalidJson, parse_json


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
