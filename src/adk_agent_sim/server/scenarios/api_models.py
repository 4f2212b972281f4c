"""The messages of the web API about scenarios and their worlds."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from adk_agent_sim.scenario.format.lint_finding import LocatedFinding
from adk_agent_sim.scenario.format.scenario_summary import EventSummary, ScenarioDefinition
from adk_agent_sim.scenario.verdict.run_progress import EventState
from adk_agent_sim.use_cases.record import Record


class PlayedWorldInfo(Record):
    """The world of a session, as the person who plays the agent may see it: nothing of what is expected."""

    scenario_id: str
    elapsed_seconds: float
    now: float = Field(description="The world's time, in seconds since 1970")
    status: str
    hints: list[str]
    apps: list[str]
    is_played_by_person: bool = Field(
        description="Whether a person plays now, who can let time pass while it is PAUSED"
    )


class WorldRunInfo(Record):
    """A run in a scenario's world that a person plays."""

    session_id: str


class ScenarioSummary(Record):
    """A scenario in the list."""

    key: str = Field(description="Identifies the scenario in the API")
    scenario_id: str
    path: str = Field(description="The file, for display only")
    event_count: int
    app_count: int
    validation_decision: str = Field(description="The decision of a reviewer; empty if there is none")
    annotator: str
    check_status: str = Field(description="The status of its last check; empty if it was not checked")


class WorldGraphEvent(EventSummary):
    """An event in the graph of a run: one of the scenario, or an action of the agent that none of them stands for."""

    state: EventState = Field(description="later: it waits for others; missed: the run is over, and it never happened")
    seconds: float | None = Field(description="When it happened or is due, since the start; None if that is not known")
    note: str = Field(description="Why it failed; empty if it did not")


class WorldGraphInfo(Record):
    """What has become of a scenario's events in a session, as its timeline says."""

    scenario_id: str
    is_over: bool
    hides_answer: bool = Field(
        description="Whether a person plays: until the end, what is expected and what comes later is left out"
    )
    events: list[WorldGraphEvent]


class AnnotationInfo(Record):
    """A reviewer's annotation; fields are empty if there is none."""

    validation_decision: str
    comment: str
    annotator: str
    date: float
    editable: bool = Field(
        description="Whether it can be written: only if no other scenario in the file has the same id"
    )


class AnnotationPatch(Record):
    """A request to change the annotation in the scenario's file; fields that are None stay as they are."""

    validation_decision: Literal["valid", "invalid", "needs_review"] | None = None
    comment: str | None = Field(default=None, max_length=20_000)
    annotator: str | None = Field(default=None, max_length=200)


class ScenarioFindings(Record):
    """The problems of a scenario, by line."""

    findings: list[LocatedFinding] = Field(description="At most 200")
    error_count: int
    warning_count: int


class ScenarioInfo(ScenarioDefinition):
    """A scenario as its file defines it, and what a server knows of it."""

    key: str
    path: str
    annotation: AnnotationInfo
    check_status: str = Field(description="The status of its last check; empty if it was not checked")
    hides_answer: bool = Field(
        default=False, description="Whether what is expected is left out, because a person is playing the scenario"
    )


class EventDetail(Record):
    """The details of an event."""

    event_id: str
    arguments: str = Field(description="A JSON object as text")
    event_json: str = Field(description="The event as it is in the file, JSON text")


class TimeControlInput(Record):
    """A request to let the time of a session's world pass: to the next event, or as a field says."""

    seconds: float | None = Field(default=None, ge=0, lt=1e12, description="How long")
    until: float | None = Field(default=None, ge=0, lt=1e12, description="To which time, in seconds since the start")
