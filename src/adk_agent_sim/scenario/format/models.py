"""Pydantic models of the scenario file as ARE writes it, and the graph of its events. Unknown keys are preserved.

Values keep their form: a number written as 5 stays 5, and an absent key stays absent. The graph has the order of
events, their expected times, turns and cycles.

How strictly an expected argument is compared with the agent's is its key `strictness`. ARE ignores unknown keys, so the
file also works there. Without it, the judge compares an argument according to its kind: ids exactly, and long texts by
their meaning if a model judges.

    exact     the same value
    contains  the agent's value contains the expected text, or all expected items
    any       any value of the agent; the expected value is only used in oracle runs
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from itertools import islice
from typing import Annotated, Any, Literal, TypeAlias, cast, get_args

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


_MAX_LISTED = 10
"""The most ids that advice lists."""


class EventGraph:
    """The dependency graph of a scenario's events. If an id occurs twice, its first event counts."""

    def __init__(self, trace: ExportedTrace) -> None:
        definition = trace.metadata.definition
        self.start = definition.start_time or 0
        self.end = None if definition.duration is None else self.start + definition.duration
        self.events: dict[str, AnyEvent] = {}
        self.positions: dict[str, int] = {}
        for position, event in enumerate(trace.events):
            self.events.setdefault(event.event_id, event)
            self.positions.setdefault(event.event_id, position)
        self.parents = {
            name: [each for each in dict.fromkeys(event.dependencies) if each in self.events]
            for name, event in self.events.items()
        }
        self.children: dict[str, list[str]] = {name: [] for name in self.events}
        for name, parents in self.parents.items():
            for parent in parents:
                self.children[parent].append(name)
        self.order = self._sort_topologically()
        """The events that do not depend on a cycle in topological order, breadth first."""
        self.times: dict[str, float] = {}
        """When each event of `order` is expected."""
        self.levels: dict[str, int] = {}
        """The length of the longest chain of events before each event of `order`."""
        for name in self.order:
            parents = self.parents[name]
            self.levels[name] = 1 + max((self.levels[each] for each in parents), default=-1)
            self.times[name] = self._compute_time(self.events[name], [self.times[each] for each in parents])

    def describe_ids(self) -> str:
        """Return a sentence with the ids of the first events, for advice."""
        shown = [name[:40] for name in islice(self.events, _MAX_LISTED)]
        more = ", ..." if len(self.events) > _MAX_LISTED else ""
        return f"Its events are: {', '.join(shown) or 'none'}{more}"

    def find_cycles(self) -> list[list[str]]:
        """Return the cycles as lists of ids; events that only depend on a cycle are in none."""
        # What a topological sort leaves over is in a cycle or depends on one. Walking up its parents ends in a cycle.
        unsorted = set(self.events) - set(self.order)
        found: list[list[str]] = []
        seen: set[str] = set()
        for name in self.events:
            walk: dict[str, int] = {}
            at: str | None = name if name in unsorted else None
            while at is not None and at not in seen and at not in walk:
                walk[at] = len(walk)
                at = next((each for each in self.parents[at] if each in unsorted), None)
            if at is not None and at in walk:
                found.append(list(walk)[walk[at] :][::-1])
            seen.update(walk)
        return found

    def compute_turns(self) -> dict[str, int]:
        """Return the turn of each event of `order`: the number of messages to the user before it."""
        turns: dict[str, int] = {}
        for name in self.order:
            before = self.parents[name]
            turns[name] = max((turns[each] + is_message_to_user(self.events[each]) for each in before), default=0)
        return turns

    def _sort_topologically(self) -> list[str]:
        open_counts = {name: len(parents) for name, parents in self.parents.items()}
        ready = deque(name for name, count in open_counts.items() if not count)
        order: list[str] = []
        while ready:
            order.append(ready.popleft())
            for child in self.children[order[-1]]:
                open_counts[child] -= 1
                if not open_counts[child]:
                    ready.append(child)
        return order

    def _compute_time(self, event: AnyEvent, parent_times: list[float]) -> float:
        latest = max(parent_times, default=self.start)
        if event.event_relative_time is not None:
            return latest + event.event_relative_time
        return latest if event.event_time is None else max(latest, event.event_time)


def is_message_to_user(event: AnyEvent) -> bool:
    """Return whether the event is a message of the agent to the user, which ends its turn."""
    action = event.action
    return event.event_type == "AGENT" and action is not None and action.function == "send_message_to_user"


Strictness: TypeAlias = Literal["exact", "any", "contains"]

STRICTNESS_LEVELS: tuple[Strictness, ...] = get_args(Strictness)

STRICTNESS_KEY = "strictness"


def get_strictness(argument: ExportedActionArg) -> object:
    """Return the strictness that an argument specifies, or None."""
    return (argument.model_extra or {}).get(STRICTNESS_KEY)


def with_strictness(
    trace: ExportedTrace, strictness_by_argument: Mapping[str, Strictness]
) -> tuple[ExportedTrace, frozenset[str]]:
    """Return the scenario with strictness set on arguments of its expected actions.

    Args:
        trace: The scenario.
        strictness_by_argument: The strictness by argument, such as `Emails__send_email.content`.

    Returns:
        The scenario, and the given arguments that no expected action has.
    """
    used: set[str] = set()
    events = [_apply_strictness(event, strictness_by_argument, used) for event in trace.events]
    return trace.model_copy(update={"events": events}), frozenset(strictness_by_argument) - used


def _apply_strictness(event: AnyEvent, strictness_by_argument: Mapping[str, Strictness], used: set[str]) -> AnyEvent:
    action = event.action
    if event.event_type != "AGENT" or action is None:
        return event
    args: list[ExportedActionArg] = []
    for each in action.args or ():
        name = f"{action.app}__{action.function}.{each.name}"
        if name in strictness_by_argument:
            used.add(name)
        args.append(
            each.model_copy(update={STRICTNESS_KEY: strictness_by_argument[name]})
            if name in strictness_by_argument
            else each
        )
    return event.model_copy(update={"action": action.model_copy(update={"args": args})})
