"""Pydantic models of the scenario file as ARE writes it. Unknown keys are preserved.

Values keep their form: a number written as 5 stays 5, and an absent key stays absent.
"""

from __future__ import annotations

from typing import Annotated, Any, cast

from pydantic import BaseModel, ConfigDict, Discriminator, Tag

FORMAT_VERSION = "are_simulation_v1"
"""The only version that ARE reads."""

Number = int | float


class _ScenarioModel(BaseModel):
    model_config = ConfigDict(strict=True, extra="allow", protected_namespaces=())


class ExportedEventMetadata(_ScenarioModel):
    """The outcome of an event."""

    return_value: str | None = None
    return_value_type: str | None = None
    exception: str | None = None
    exception_stack_trace: str | None = None


class ExportedActionArg(_ScenarioModel):
    """An argument; its value is text that is parsed according to its type."""

    name: str
    value: str | None = None
    value_type: str | None = None


class ExportedAction(_ScenarioModel):
    """A call of a tool."""

    action_id: str
    app: str | None = None
    """The name of the app in this scenario, not of its class."""
    function: str | None = None
    operation_type: str | None = None
    args: list[ExportedActionArg] | None = None


class ExportedEvent(_ScenarioModel):
    """A planned event."""

    class_name: str
    event_type: str
    """AGENT, ENV or USER; in traces also CONDITION and the like."""
    event_time: Number | None
    event_id: str
    dependencies: list[str]
    event_relative_time: Number | None
    """Seconds after the last dependency. Takes precedence over `event_time` if both are given."""
    action: ExportedAction | None = None


class ExportedOracleEvent(ExportedEvent):
    """An action that is expected of the agent."""

    event_time_comparator: str | None = None


class ExportedCompletedEvent(_ScenarioModel):
    """A completed event."""

    class_name: str
    event_type: str
    event_time: Number
    event_id: str
    dependencies: list[str]
    event_relative_time: Number | None
    action: ExportedAction | None = None
    metadata: ExportedEventMetadata | None = None


class ExportedHint(_ScenarioModel):
    """A hint for whoever plays the agent."""

    hint_type: str
    content: str
    associated_event_id: str
    """Empty if the hint belongs to no event."""


class ExportedHuggingFaceMetadata(_ScenarioModel):
    """The origin of a scenario in a Hugging Face dataset."""

    dataset: str
    split: str
    revision: str | None = None


class ExportedTraceDefinitionMetadata(_ScenarioModel):
    """The definition of the scenario."""

    scenario_id: str
    seed: int | None = None
    duration: Number | None = None
    time_increment_in_seconds: int | None = None
    start_time: Number | None = None
    run_number: int | None = None
    # Pydantic copies default values that can change, so models do not share this list.
    hints: list[ExportedHint] = []
    config: str | None = None
    has_a2a_augmentation: bool = False
    has_tool_augmentation: bool = False
    has_env_events_augmentation: bool = False
    has_exception: bool = False
    exception_type: str | None = None
    exception_message: str | None = None
    tags: list[str] | None = None
    hf_metadata: ExportedHuggingFaceMetadata | None = None


class ExportedTraceSimulationMetadata(_ScenarioModel):
    """Who played the agent."""

    agent_id: str | None = None
    model_id: str | None = None


class ExportedTraceAnnotationMetadata(_ScenarioModel):
    """The annotation of a reviewer."""

    annotation_id: str | None = None
    annotator: str | None = None
    validation_decision: str | None = None
    comment: str | None = None
    date: Number = 0.0


class ExportedTraceMetadata(_ScenarioModel):
    """All metadata of the scenario."""

    definition: ExportedTraceDefinitionMetadata
    simulation: ExportedTraceSimulationMetadata | None = None
    annotation: ExportedTraceAnnotationMetadata | None = None
    execution: dict[str, Any] | None = None
    runner_config: dict[str, Any] | None = None


class ExportedApp(_ScenarioModel):
    """An app and its initial state."""

    name: str
    class_name: str | None = None
    app_state: dict[str, Any] | None = None


def _discriminate_event(event: object) -> str:
    if isinstance(event, dict):
        fields = cast("dict[str, Any]", event)
        oracle = "event_time_comparator" in fields or fields.get("class_name") == "OracleEvent"
    else:
        oracle = isinstance(event, ExportedOracleEvent)
    return "oracle" if oracle else "event"


AnyEvent = Annotated[
    Annotated[ExportedEvent, Tag("event")] | Annotated[ExportedOracleEvent, Tag("oracle")],
    Discriminator(_discriminate_event),
]


class ExportedTraceBase(_ScenarioModel):
    """A scenario or trace without its metadata."""

    world_logs: list[str] = []
    apps: list[ExportedApp] = []
    events: list[AnyEvent] = []
    completed_events: list[ExportedCompletedEvent] = []
    version: str
    context: str | None = None
    augmentation: dict[str, Any] | None = None


class ExportedTrace(ExportedTraceBase):
    """A scenario file."""

    metadata: ExportedTraceMetadata


def to_json_value(value: Any) -> Any:
    """Return a model as JSON values with exactly the keys it was given. Untyped values are not copied."""
    if isinstance(value, BaseModel):
        names = [name for name in type(value).model_fields if name in value.model_fields_set]
        return {name: to_json_value(getattr(value, name)) for name in names} | (value.__pydantic_extra__ or {})
    if isinstance(value, list):
        return [to_json_value(each) for each in cast("list[Any]", value)]
    return value
