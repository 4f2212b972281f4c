"""Hypothesis strategies for scenarios with event graphs, and for the steps of an agent in them.

A graph has several turns, events of equal time in any order of their ids, absolute and relative times, calls that fail,
placeholders, conditions and validations.
"""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st
from parity.call_strategies import Draw, build_arguments, collect_values, list_tools, universes
from parity.our_calls import START

from adk_agent_sim.scenario.app_base.app import ENV, USER, Tool

_IDS = [f"{letter}{number}" for number in range(8) for letter in "azAZ_m"]
_DELAYS = [0, 0, 0, 1, 1, 2, 0.5, 4]


class _Graph:
    """The events of a scenario under construction."""

    def __init__(self, draw: Draw, apps: list[Any]) -> None:
        self._draw = draw
        self._known: dict[str, list[Any]] = {}
        for app in apps:
            collect_values(app["app_state"], self._known)
        tools = [each for each in list_tools(apps) if each[0] not in ("AgentUserInterface", "SystemApp")]
        self._agent_tools = [(app, tool) for app, tool, via in tools if via == "agent"]
        self._env_tools = [(app, tool) for app, tool, _ in tools if tool.kinds & {ENV, USER}]
        self._free_ids = list(_IDS)
        self.times: dict[str, float] = {}
        """When each event happens at the earliest."""
        self.events: list[dict[str, Any]] = []
        self.watches: list[dict[str, Any]] = []

    @property
    def has_env_tools(self) -> bool:
        """Whether an ENV event can call anything."""
        return bool(self._env_tools)

    def new_id(self) -> str:
        """Return an unused id; ids are not in the order in which events are made."""
        return self._free_ids.pop(self._draw(st.integers(0, min(11, len(self._free_ids) - 1))))

    def add_call(self, kind: str, parents: list[str]) -> str:
        """Add an event that calls a tool."""
        tools = self._agent_tools if kind == "AGENT" else self._env_tools
        app, tool = self._draw(st.sampled_from(tools))
        return self.add_event(kind, parents, app, tool.name, self._arguments(tool))

    def add_event(
        self,
        kind: str,
        parents: list[str],
        app: str,
        function: str,
        arguments: dict[str, Any],
        *,
        least_time: float | None = None,
    ) -> str:
        """Add an event, at a given time or later; its time is relative to its parents then."""
        event_id = self.new_id()
        args = [
            {"name": name, "value": _format_value(each), "value_type": type(each).__name__}
            for name, each in arguments.items()
            if each is not None and each != ""  # the package refuses to import these
        ]
        action = {"action_id": f"act-{event_id}", "app": app, "function": function, "operation_type": None}
        class_name = "OracleEvent" if kind == "AGENT" else "Event"
        event = self._build_event(class_name, kind, event_id, parents, least_time)
        event["action"] = action | {"args": args}
        self.events.append(event | ({"event_time_comparator": None} if kind == "AGENT" else {}))
        return event_id

    def add_condition(self, parents: list[str]) -> str:
        """Add a condition, which delays the events that depend on it."""
        event_id = self.new_id()
        self.events.append(self._build_event("ConditionCheckEvent", "CONDITION", event_id, parents) | {"action": None})
        timeout = self._draw(st.sampled_from([None, None, 3]))
        self.watches.append({"id": event_id, "kind": "condition", "holds": self._predicate(), "timeout": timeout})
        return event_id

    def add_validation(self, parents: list[str]) -> str:
        """Add a validation, which checks milestones and minefields from then on."""
        event_id = self.new_id()
        self.events.append(self._build_event("ValidationEvent", "VALIDATION", event_id, parents) | {"action": None})
        kinds = ("events", "never")  # without events, time passes only for the package
        milestones = [self._predicate(kinds) for _ in range(self._draw(st.integers(0, 2)))]
        minefields = [self._predicate(kinds) for _ in range(self._draw(st.integers(0, 1)))]
        timeout = self._draw(st.sampled_from([2, 5, 20]))
        self.watches.append(
            {
                "id": event_id,
                "kind": "validation",
                "milestones": milestones,
                "minefields": minefields,
                "timeout": timeout,
            }
        )
        return event_id

    def _build_event(
        self, class_name: str, kind: str, event_id: str, parents: list[str], least_time: float | None = None
    ) -> dict[str, Any]:
        is_absolute = least_time is None and self._draw(st.integers(0, 7)) == 0
        delay = self._draw(st.sampled_from(_DELAYS))
        earliest = max((self.times[each] for each in parents), default=0.0)
        delay += max(0.0, (least_time or 0.0) - earliest)
        self.times[event_id] = earliest + delay
        return {
            "class_name": class_name,
            "event_type": kind,
            "event_time": START + self.times[event_id] if is_absolute else None,
            "event_id": event_id,
            "dependencies": parents,
            "event_relative_time": None if is_absolute else float(delay),
        }

    def _predicate(self, kinds: tuple[str, ...] = ("events", "time", "never")) -> dict[str, Any]:
        kind = self._draw(st.sampled_from(kinds))
        return {"kind": kind, "least": self._draw(st.sampled_from([1, 2, 4]))}

    def _arguments(self, tool: Tool) -> dict[str, Any]:
        arguments = build_arguments(self._draw, tool, self._known, 0, care=99)
        earlier = [each["event_id"] for each in self.events if each["event_type"] in ("AGENT", "ENV", "USER")]
        for name, value in arguments.items():
            # An id is not the same on both sides: as a mode of a file, its letters would decide what happens.
            can_be_id = isinstance(value, str) and "path" not in name and name != "mode"
            if earlier and can_be_id and self._draw(st.integers(0, 5)) == 0:
                suffix = self._draw(st.sampled_from(["", "", "", ".total", ".metadata.total"]))
                arguments[name] = f"{{{{{self._draw(st.sampled_from(earlier))}{suffix}}}}}"
        return arguments


@st.composite
def graph_cases(draw: Draw, *, with_watches: bool = True) -> dict[str, Any]:
    """Build a scenario with events, and the conditions and validations in it."""
    apps = draw(universes())
    graph = _Graph(draw, apps)
    before: list[str] = []
    for turn in range(draw(st.integers(1, 3))):
        content = {"content": f"Ask {turn}"}
        user = graph.add_event("USER", before, "AgentUserInterface", "send_message_to_agent", content, least_time=0)
        members = _add_turn(draw, graph, user, with_watches=with_watches)
        said = {"content": f"Turn {turn}"}
        last = max(graph.times[each] for each in members)
        # The package computes the time of the message without events of absolute time that it does not depend on.
        is_absolute = any(each["event_time"] for each in graph.events if each["event_id"] in members)
        parents = members if is_absolute else _sample(draw, members)
        before = [
            graph.add_event("AGENT", parents, "AgentUserInterface", "send_message_to_user", said, least_time=last)
        ]
    return {"apps": apps, "events": graph.events, "watches": graph.watches}


def _add_turn(draw: Draw, graph: _Graph, user: str, *, with_watches: bool) -> list[str]:
    """Add the events of a turn and return those that others can depend on.

    An ENV event depends on one event of the environment, as the package requires; conditions come in addition.
    """
    members, outside, conditions = [user], [user], list[str]()
    for _ in range(draw(st.integers(0, 6))):
        kinds = ["AGENT", "AGENT", "AGENT", "CONDITION", "VALIDATION", *(["ENV"] * 2 if graph.has_env_tools else [])]
        kind = draw(st.sampled_from(kinds))
        parents = _sample(draw, outside)[:1] if kind == "ENV" else _sample(draw, members)
        if conditions and draw(st.booleans()):
            parents.append(draw(st.sampled_from(conditions)))
        if kind == "CONDITION" and with_watches:
            conditions.append(graph.add_condition(parents))
        elif kind == "VALIDATION" and with_watches:
            graph.add_validation(parents)
        else:
            members.append(graph.add_call("ENV" if kind == "ENV" else "AGENT", parents))
            outside += members[-1:] if kind == "ENV" else []
    return members


_HAPPENINGS: dict[str, tuple[str, dict[str, Any]]] = {
    "Emails": ("send_email_to_user_only", {"sender": "a@example.org", "subject": "News"}),
    "Shopping": ("add_product", {"name": "Lamp"}),
    "Calendar": ("add_calendar_event_by_attendee", {"who_add": "Ada", "title": "Lunch"}),
    "City": ("add_crime_rate", {"zip_code": "12345", "violent_crime_rate": 1.5, "property_crime_rate": 2.5}),
}
"""Calls of ENV events that succeed in every universe: for an agent, the package requires a clean oracle run."""


@st.composite
def agent_cases(draw: Draw) -> dict[str, Any]:
    """Build a scenario that the package can rewire for an agent, and the steps of an agent in it."""
    apps = draw(universes())
    graph = _Graph(draw, apps)
    happenings = [(each["name"], *_HAPPENINGS[each["name"]]) for each in apps if each["name"] in _HAPPENINGS]
    before: list[str] = []
    for turn in range(draw(st.integers(1, 3))):
        asked, said = {"content": f"Ask {turn}"}, {"content": f"Turn {turn}"}
        user = graph.add_event("USER", before, "AgentUserInterface", "send_message_to_agent", asked, least_time=0)
        for _ in range(draw(st.integers(0, 3)) if happenings else 0):
            app, function, arguments = draw(st.sampled_from(happenings))
            graph.add_event("ENV", [user], app, function, arguments, least_time=0)
        end = graph.times[user] + 10
        talk = ("AgentUserInterface", "send_message_to_user", said)
        before = [graph.add_event("AGENT", [user], *talk, least_time=end)]
    steps = [draw(_steps()) for _ in range(draw(st.integers(2, 12)))]
    level = draw(st.sampled_from(["LOW", "MEDIUM", "HIGH"]))
    return {"apps": apps, "events": graph.events, "steps": steps, "level": level}


@st.composite
def _steps(draw: Draw) -> dict[str, Any]:
    kind = draw(st.sampled_from(["wait", "sleep", "say", "call"]))
    if kind == "sleep":
        return {"op": "sleep", "seconds": draw(st.integers(1, 8))}
    if kind == "wait":
        args = {"timeout": draw(st.sampled_from([0, 1, 3, 30, 100]))}
        return {"op": "call", "app": "SystemApp", "fn": "wait_for_notification", "args": args}
    if kind == "say":
        return {"op": "say", "app": "AgentUserInterface", "fn": "send_message_to_user", "args": {"content": "x"}}
    return {"op": "call", "app": "SystemApp", "fn": "get_current_time", "args": {}}


def _sample(draw: Draw, ids: list[str]) -> list[str]:
    chosen = draw(st.lists(st.sampled_from(range(len(ids))), min_size=1, max_size=2, unique=True))
    return [ids[index] for index in chosen]


def _format_value(value: Any) -> str:
    return json.dumps(value) if isinstance(value, list | dict) else str(value)
