"""Generates scenarios, call sequences and agent steps from a seed, using values of the corpus's universe."""

from __future__ import annotations

import json
from collections.abc import Iterator
from random import Random
from typing import Any, cast

from adk_agent_sim.scenario.app_base.app import APP, ENV, Argument, Tool
from adk_agent_sim.scenario.apps.registry import find_app_class

START = 1728975600.0

_STATE_KEYS: dict[str, tuple[str, ...]] = {
    "user_id": ("participant_ids",),
    "user_ids": ("participant_ids",),
    "sender_id": ("participant_ids",),
    "recipients": ("email", "sender"),
    "cc": ("email",),
    "folder": ("folder_name",),
    "source_folder_name": ("folder_name",),
    "dest_folder_name": ("folder_name",),
    "city": ("city_living",),
    "query": ("first_name", "title", "name"),
    "start_location": ("address", "location"),
    "end_location": ("address", "location"),
    "path": ("name",),
    "product_name": ("name",),
    "who_add": ("first_name",),
}
"""The state keys with values for an argument, if they are named differently."""

_PLAIN: dict[str, list[Any]] = {
    "str": [
        "",
        "Oslo",
        "lunch",
        "2024-10-16 12:00:00",
        "2024-10-15 06:00:00",
        "Default",
        "INBOX",
        "a@example.org",
        "ü",
    ],
    "int": [0, 1, 2, 5, 100, -1],
    "float": [0.0, 1.5, 100.0, -2.0],
    "bool": [True, False],
    "dict": [{}, {"job": "Pilot"}, {"a": 1}],
    "list": [[], ["Oslo"], ["a@example.org", "b@example.org"]],
}


_AGENT_TOOLS = frozenset({
    "send_email", "reply_to_email", "move_email", "delete_email", "add_calendar_event", "send_message",
    "delete_calendar_event", "create_group_conversation", "add_new_contact", "edit_contact", "delete_contact",
    "add_to_cart", "remove_from_cart", "save_apartment",
})  # fmt: skip
"""Tools that the agent calls in generated scenarios."""

_ENV_TOOLS = frozenset({
    "create_and_add_email", "send_email_to_user_only", "reply_to_email_from_user", "create_and_add_message",
    "add_new_apartment", "update_apartment", "add_product", "add_discount_code", "add_calendar_event_by_attendee",
    "delete_calendar_event_by_attendee",
})  # fmt: skip
"""Tools that ENV events call in generated scenarios."""


class ScenarioGenerator:
    """Generates test inputs at random; the same seed gives the same inputs."""

    def __init__(self, apps: list[dict[str, Any]], seed: int) -> None:
        self.random = Random(seed)  # noqa: S311 - test data
        self.apps = apps
        self.known_values: dict[str, list[Any]] = {}
        for app in apps:
            _collect_values(app["app_state"], self.known_values)
        self.tools = list(_tools(apps))

    def calls(self, count: int) -> list[dict[str, Any]]:
        """Return calls of arbitrary agent tools, many of which fail."""
        made: list[dict[str, Any]] = []
        t = 0.0
        for _ in range(count):
            t += self.random.choice((0, 1, 60))
            app, tool = self.random.choice([each for each in self.tools if APP in each[1].kinds])
            made.append({"t": t, "app": app, "fn": tool.name, "args": self._arguments(tool)})
        return made

    def oracle(self, number: int) -> dict[str, Any]:
        """Return a scenario of some turns, in which many events can have the same time."""
        events: list[dict[str, Any]] = []
        before = ""
        for turn in range(self.random.randint(1, 3)):
            user = self._event(
                "USER", [before] if before else [], events, "AgentUserInterface", "send_message_to_agent"
            )
            done = [user]
            for _ in range(self.random.randint(0, 6)):
                parents = self.random.sample(done, min(len(done), self.random.choice((1, 1, 2))))
                app, tool = self._pick_agent_tool()
                done.append(self._event("AGENT", parents, events, app, tool.name, self._arguments(tool, fitting=True)))
            for _ in range(self.random.randint(0, 3)):
                app, tool = self._pick_env_tool()
                self._event("ENV", [user], events, app, tool.name, self._arguments(tool, fitting=True), most=4)
            before = self._event(
                "AGENT",
                done,
                events,
                "AgentUserInterface",
                "send_message_to_user",
                {"content": f"Turn {turn}"},
                least=20,
            )
        return self._file(f"made_{number}", events)

    def steps(self) -> list[dict[str, Any]]:
        """Return the steps of an agent that waits, lets time pass, sends messages and calls tools."""
        made: list[dict[str, Any]] = []
        for _ in range(self.random.randint(3, 12)):
            kind = self.random.choice(("wait", "sleep", "say", "call"))
            if kind == "sleep":
                made.append({"op": "sleep", "seconds": self.random.randint(1, 8)})
            elif kind == "wait":
                args = {"timeout": self.random.choice((0, 1, 3, 30, 100))}
                made.append({"op": "call", "app": "SystemApp", "fn": "wait_for_notification", "args": args})
            elif kind == "say":
                call = {"app": "AgentUserInterface", "fn": "send_message_to_user", "args": {"content": "x"}}
                made += [{"op": "call", **call}, {"op": "sleep", "seconds": 1}]
            else:
                args = {"recipients": ["a@example.org"], "subject": "x"}
                made.append({"op": "call", "app": "Emails", "fn": "send_email", "args": args})
        return made

    def _pick_agent_tool(self) -> tuple[str, Tool]:
        return self.random.choice([each for each in self.tools if each[1].name in _AGENT_TOOLS])

    def _pick_env_tool(self) -> tuple[str, Tool]:
        return self.random.choice([each for each in self.tools if each[1].name in _ENV_TOOLS and ENV in each[1].kinds])

    def _event(
        self,
        kind: str,
        parents: list[str],
        events: list[dict[str, Any]],
        app: str,
        function: str,
        arguments: dict[str, Any] | None = None,
        *,
        least: int = 0,
        most: int = 4,
    ) -> str:
        """Add an event. Its random id puts events of equal time into any order."""
        event_id = f"{self.random.choice('abcXYZ')}{len(events)}"
        given = {"content": f"Please do {event_id}."} if arguments is None else arguments
        args: list[dict[str, Any]] = [
            {"name": name, "value": _format_value(each), "value_type": type(each).__name__}
            for name, each in given.items()
            if each is not None and each != ""
        ]
        made = {
            "class_name": "OracleEvent" if kind == "AGENT" else "Event",
            "event_type": kind,
            "event_time": None,
            "event_id": event_id,
            "dependencies": parents,
            "event_relative_time": float(least + self.random.choice((0, 0, 1, 1, 2, most))),
            "action": {
                "action_id": f"act-{event_id}",
                "app": app,
                "function": function,
                "operation_type": None,
                "args": args,
            },
        }
        events.append(made | ({"event_time_comparator": None} if kind == "AGENT" else {}))
        return event_id

    def _file(self, scenario_id: str, events: list[dict[str, Any]]) -> dict[str, Any]:
        stated: dict[str, Any] = {"scenario_id": scenario_id, "seed": 0, "start_time": START, "duration": 1000.0}
        metadata = {"definition": stated | {"time_increment_in_seconds": 1}}
        return {"version": "are_simulation_v1", "metadata": metadata, "apps": self.apps, "events": events}

    def _arguments(self, tool: Tool, *, fitting: bool = False) -> dict[str, Any]:
        given: dict[str, Any] = {}
        for each in tool.arguments:
            if each.variadic or (not each.required and self.random.random() < 0.5):
                continue
            if not fitting and self.random.random() < 0.03:
                continue
            given[each.name] = self._value(each, fitting=fitting)
        if not fitting and self.random.random() < 0.02:
            given["nonsense"] = 1
        return given

    def _value(self, argument: Argument, *, fitting: bool) -> Any:
        kind = argument.annotation.partition(" | ")[0]
        base = kind.partition("[")[0]
        if not fitting and self.random.random() < 0.04:
            return self.random.choice([5, "5", None, ["x"], {"a": "b"}, 2.5])
        keys = (argument.name, *_STATE_KEYS.get(argument.name, ()))
        known = [value for key in keys for value in self.known_values.get(key, ())]
        wanted = {"str": str, "int": int, "float": float, "bool": bool, "list": str, "dict": dict}.get(base, str)
        is_path = argument.name.startswith("path")
        known = [cast("Any", value) for value in known if type(value) is wanted]
        if is_path:  # an empty path is the root, which ARE would remove
            known = [value for value in known if value]
        plain = _PLAIN.get(base, _PLAIN["str"])
        if known and (fitting or self.random.random() < 0.8):
            return (
                [self.random.choice(known) for _ in range(self.random.randint(1, 2))]
                if base == "list"
                else self.random.choice(known)
            )
        return self.random.choice(plain[1:] if fitting or is_path else plain)


def _tools(apps: list[dict[str, Any]]) -> Iterator[tuple[str, Tool]]:
    for app in apps:
        made = find_app_class(app["class_name"])
        for tool in made.tools().values() if made else ():
            if app["name"] != "SystemApp" and tool.operation is not None:
                yield app["name"], tool


def _collect_values(value: Any, found: dict[str, list[Any]]) -> None:
    """Collect every value in a state by its key."""
    if isinstance(value, dict):
        for key, held in cast("dict[str, Any]", value).items():
            for each in cast("list[Any]", held) if isinstance(held, list) else [held]:
                if isinstance(each, str | int | float | bool):
                    found.setdefault(key, []).append(each)
            _collect_values(held, found)
    elif isinstance(value, list):
        for each in cast("list[Any]", value):
            _collect_values(each, found)


def _format_value(value: Any) -> str:
    return json.dumps(value) if isinstance(value, list | dict) else str(value)
