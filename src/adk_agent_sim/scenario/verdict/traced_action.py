"""What happened in a run, read from any trace: the actions that a judge compares, and the turn of each.

completed events -> by time -> without reads and failures -> turns, each ended by a message to the user
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, TypeAlias

from adk_agent_sim.scenario.app_base.app import Tool
from adk_agent_sim.scenario.apps.registry import find_app_class
from adk_agent_sim.scenario.format.call_arguments import ValueDoesNotFit, parse_placeholder, parse_value
from adk_agent_sim.scenario.format.models import ExportedActionArg, ExportedCompletedEvent
from adk_agent_sim.scenario.verdict.checker_table import MESSAGE_TO_USER
from adk_agent_sim.scenario.world.event_log import CompletedEvent
from adk_agent_sim.timeline.strict_json import MAX_DEPTH, InvalidJson, is_too_deep, parse_json

AnyCompletedEvent: TypeAlias = ExportedCompletedEvent | CompletedEvent

_NOISE_MARKS = ("env_expansion", "Noise-ENV-")
"""What the ids of events that noise adds contain: ARE's, and ours."""


class TracedAction:
    """One completed event, as the judge sees it. A class with slots, because a judge makes many."""

    __slots__ = (
        "_arguments",
        "_given",
        "app",
        "class_name",
        "error",
        "event_id",
        "function",
        "is_matched",
        "kind",
        "operation",
        "position",
        "returned",
        "time",
        "tool",
        "turn",
    )

    def __init__(self, event: AnyCompletedEvent, class_names: Mapping[str, str]) -> None:
        self.event_id = event.event_id
        self.turn = 0
        """The number of messages to the user before it."""
        self.position = -1
        """Its place among the judged actions."""
        self.is_matched = False
        if isinstance(event, CompletedEvent):
            self.kind, self.time, self.operation = event.kind, event.time, event.operation
            self.app, self.function = event.app or "", event.function or ""
            self._given: Sequence[ExportedActionArg] = ()
            self._arguments: Mapping[str, Any] | None = event.arguments
            self.returned = event.value
            self.error = None if event.error is None else str(event.error)
        else:
            action, metadata = event.action, event.metadata
            self.kind, self.time = event.event_type, event.event_time
            self.operation = None if action is None else action.operation_type
            self.app = "" if action is None else action.app or ""
            self.function = "" if action is None else action.function or ""
            self._given = () if action is None else action.args or ()
            self._arguments = None
            self.returned = None if metadata is None else metadata.return_value
            self.error = None if metadata is None else metadata.exception
        self.class_name = class_names.get(self.app, self.app)
        self.tool = f"{self.class_name}__{self.function}"
        if self.kind == "AGENT":
            self._apply_exceptions()

    def _apply_exceptions(self) -> None:
        """Treat three tools as the reference does, because they are not what their declaration says."""
        if self.function == "get_quotation" and self.class_name == "CabApp":
            self.operation = "READ"
        elif self.function == "add_email" and self.class_name in ("EmailClientApp", "EmailClientV2"):
            self.kind = "ENV"
        elif self.function == "makedirs" and self.class_name == "SandboxLocalFileSystem":
            self.tool = "SandboxLocalFileSystem__mkdir"

    @property
    def arguments(self) -> Mapping[str, Any]:
        """The arguments as values."""
        # Parsed on demand, because most of what happens in a run is never compared.
        if self._arguments is None:
            self._arguments = {each.name: _parse_argument(each.value, each.value_type) for each in self._given}
        return self._arguments

    @property
    def is_message_to_user(self) -> bool:
        """Whether it ends a turn."""
        return self.kind == "AGENT" and self.tool == MESSAGE_TO_USER

    @property
    def is_write(self) -> bool:
        """Whether the agent changed something."""
        if self.kind != "AGENT" or not self.function:
            return False
        # A session's timeline does not say whether a call writes, and a tool that nobody knows is taken to do so.
        if self.operation is None:
            tool = find_tool_declaration(self.class_name, self.function)
            return tool is None or tool.operation is None or tool.operation.value.upper() == "WRITE"
        return self.operation.upper() == "WRITE"

    @property
    def is_judged(self) -> bool:
        """Whether a judge compares it: what succeeded of the environment, of the user, and of the agent's writes."""
        if self.error is not None:
            return False
        if self.kind in ("ENV", "USER"):
            return not any(mark in self.event_id for mark in _NOISE_MARKS)
        return self.is_write


def find_tool_declaration(class_name: str, function: str) -> Tool | None:
    """Return the declaration of a tool, or None if its app is unknown."""
    app_class = find_app_class(class_name)
    return None if app_class is None else app_class.tools().get(function)


def list_traced_actions(events: Sequence[AnyCompletedEvent], class_names: Mapping[str, str]) -> list[TracedAction]:
    """Return all completed events by time.

    Args:
        events: The completed events, in the order of their file or in the order they happened.
        class_names: The class of each app by its name in the scenario.
    """
    return order_as_are([TracedAction(event, class_names) for event in events])


def assign_turns(actions: Sequence[TracedAction]) -> list[TracedAction]:
    """Return the judged actions, each with its turn and position."""
    judged = [each for each in actions if each.is_judged]
    # Two events of one id are both in the turn of the later one, as in the reference.
    turn, turns = 0, dict[str, int]()
    for position, each in enumerate(judged):
        each.position = position
        turns[each.event_id] = turn
        turn += each.is_message_to_user
    for each in judged:
        each.turn = turns[each.event_id]
    return judged


def order_as_are(actions: list[TracedAction]) -> list[TracedAction]:
    """Return actions by time; if they are not in that order already, equal times are in the order of ARE's heap."""
    # A heap leaves entries in ascending order as they are, so most traces need no detour through one.
    if all(one.time <= other.time for one, other in pairwise(actions)):
        return actions
    heap: list[_TimedEntry] = []
    for each in actions:
        heapq.heappush(heap, _TimedEntry(each))
    return sorted((entry.action for entry in heap), key=lambda each: each.time)


class _TimedEntry:
    """Compares only times, as ARE's log does."""

    __slots__ = ("action",)

    def __init__(self, action: TracedAction) -> None:
        self.action = action

    def __lt__(self, other: _TimedEntry) -> bool:
        return self.action.time < other.action.time


def _parse_argument(text: str | None, value_type: str | None) -> Any:
    if value_type == "str" or value_type is None or text is None or parse_placeholder(text) is not None:
        return text
    if value_type in ("list", "dict"):
        return _parse_json(text)
    try:
        return parse_value(text, value_type)
    except ValueDoesNotFit:
        return text


def _parse_json(text: str) -> Any:
    """Return the value of a text; the text itself if it is no JSON, or is nested too deeply to be shown."""
    try:
        value = parse_json(text, allow_duplicate_keys=True)
    except InvalidJson:
        return text
    # Counting brackets is much cheaper than walking through the value, and nearly always enough.
    is_deep = text.count("[") + text.count("{") > MAX_DEPTH and is_too_deep(value, MAX_DEPTH)
    return text if is_deep else value
