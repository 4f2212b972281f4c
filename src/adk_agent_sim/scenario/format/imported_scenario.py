"""A scenario as an object: properties that read the models of its file."""

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
    """A scenario that was read from a file or is to be written to one."""

    trace: ExportedTrace
    """The complete content of the file."""

    adapted: tuple[str, ...] = ()
    """What was changed to read the file as ARE's dialect."""

    source: SourceText | None = None
    """The text from which it was read."""

    @property
    def definition(self) -> ExportedTraceDefinitionMetadata:
        """The definition metadata."""
        return self.trace.metadata.definition

    @property
    def annotation(self) -> ExportedTraceAnnotationMetadata:
        """The reviewer's annotation; empty if there is none."""
        return self.trace.metadata.annotation or ExportedTraceAnnotationMetadata()

    @property
    def scenario_id(self) -> str:
        """The id."""
        return self.definition.scenario_id

    @property
    def seed(self) -> int | None:
        """The seed of ids and random numbers."""
        return self.definition.seed

    @property
    def duration(self) -> Number | None:
        """The maximum duration in seconds."""
        return self.definition.duration

    @property
    def start_time(self) -> Number | None:
        """The start time as Unix time."""
        return self.definition.start_time

    @property
    def time_increment_in_seconds(self) -> int | None:
        """The time step in seconds."""
        return self.definition.time_increment_in_seconds

    @property
    def run_number(self) -> int | None:
        """The number of this run of the scenario."""
        return self.definition.run_number

    @property
    def hints(self) -> list[ExportedHint]:
        """Hints for whoever plays the agent."""
        return self.definition.hints

    @property
    def tags(self) -> tuple[str, ...]:
        """The capabilities that it tests."""
        return tuple(self.definition.tags or ())

    @property
    def apps(self) -> list[ExportedApp]:
        """The apps with their initial states."""
        return self.trace.apps

    @property
    def events(self) -> list[AnyEvent]:
        """The planned events, including those expected of the agent."""
        return self.trace.events

    @property
    def completed_events(self) -> list[ExportedCompletedEvent]:
        """The completed events."""
        return self.trace.completed_events


@dataclass(frozen=True, kw_only=True)
class BenchmarkScenarioImportedFromJson(ScenarioImportedFromJson):
    """A scenario of a benchmark."""

    @property
    def hf_metadata(self) -> ExportedHuggingFaceMetadata:
        """The scenario's origin in a Hugging Face dataset.

        Raises AttributeError if it does not come from one, so that `hasattr` works as in the specification's example.
        """
        if self.definition.hf_metadata is None:
            raise AttributeError(f"Scenario {self.scenario_id!r} does not come from a Hugging Face dataset.")
        return self.definition.hf_metadata
