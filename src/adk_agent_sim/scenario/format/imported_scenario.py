"""A scenario as an object: the properties of its file, and the file's models beneath."""

from __future__ import annotations

from dataclasses import dataclass

from adk_agent_sim.scenario.format.models import (
    AnyEvent,
    ExportedApp,
    ExportedCompletedEvent,
    ExportedHint,
    ExportedHuggingFaceMetadata,
    ExportedTrace,
    ExportedTraceAnnotationMetadata,
    ExportedTraceDefinitionMetadata,
    Number,
)
from adk_agent_sim.scenario.format.scenario_reader import SourceText


@dataclass(frozen=True, kw_only=True)
class ScenarioImportedFromJson:
    """A scenario that was read from a file, or is to be written to one."""

    trace: ExportedTrace
    """Everything that the file holds."""

    adapted: tuple[str, ...] = ()
    """What had to be changed to read the file as ARE's dialect."""

    source: SourceText | None = None
    """The text it was read from."""

    @property
    def definition(self) -> ExportedTraceDefinitionMetadata:
        """What the scenario is."""
        return self.trace.metadata.definition

    @property
    def annotation(self) -> ExportedTraceAnnotationMetadata:
        """What a reviewer says; empty where nobody has."""
        return self.trace.metadata.annotation or ExportedTraceAnnotationMetadata()

    @property
    def scenario_id(self) -> str:
        """The id."""
        return self.definition.scenario_id

    @property
    def seed(self) -> int | None:
        """What chance is derived from."""
        return self.definition.seed

    @property
    def duration(self) -> Number | None:
        """How many seconds it runs at most."""
        return self.definition.duration

    @property
    def start_time(self) -> Number | None:
        """When it starts, as Unix time."""
        return self.definition.start_time

    @property
    def time_increment_in_seconds(self) -> int | None:
        """The step in which it runs."""
        return self.definition.time_increment_in_seconds

    @property
    def run_number(self) -> int | None:
        """Which run of the same scenario this is."""
        return self.definition.run_number

    @property
    def hints(self) -> list[ExportedHint]:
        """Help for whoever plays the agent."""
        return self.definition.hints

    @property
    def tags(self) -> tuple[str, ...]:
        """The capabilities that it needs."""
        return tuple(self.definition.tags or ())

    @property
    def apps(self) -> list[ExportedApp]:
        """The apps with the states they start in."""
        return self.trace.apps

    @property
    def events(self) -> list[AnyEvent]:
        """What is to happen, and what the agent is expected to do."""
        return self.trace.events

    @property
    def completed_events(self) -> list[ExportedCompletedEvent]:
        """What has happened."""
        return self.trace.completed_events


@dataclass(frozen=True, kw_only=True)
class BenchmarkScenarioImportedFromJson(ScenarioImportedFromJson):
    """A scenario of a benchmark."""

    @property
    def hf_metadata(self) -> ExportedHuggingFaceMetadata:
        """Where in a Hugging Face dataset it comes from; a scenario from elsewhere does not have this attribute."""
        if self.definition.hf_metadata is None:
            raise AttributeError(f"Scenario {self.scenario_id!r} comes from no Hugging Face dataset.")
        return self.definition.hf_metadata
