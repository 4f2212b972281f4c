"""Conversion of the specification's dialect to ARE's: flat metadata, dotted class names, missing keys. Only shapes
change here; `exporter` replaces apps that ARE does not have.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from adk_agent_sim.scenario.format.call_arguments import format_value, get_value_type
from adk_agent_sim.scenario.format.models import FORMAT_VERSION
from adk_agent_sim.timeline.canonical_json import Json

_METADATA_SECTIONS = ("definition", "simulation", "annotation", "execution", "runner_config")

_HINT_TYPES = {
    "task": "TASK_HINT",
    "context": "ENVIRONMENT_HINT",
    "environment": "ENVIRONMENT_HINT",
    "warning": "ENVIRONMENT_HINT",
    "tip": "ENVIRONMENT_HINT",
}

_OLD_VERSIONS = ("1.0", "2.0")


class DialectAdapter:
    """Converts one file to ARE's shape and lists each kind of change once."""

    def __init__(self) -> None:
        self._changes: dict[str, int] = {}

    @property
    def changes(self) -> tuple[str, ...]:
        """The changes that were made."""
        return tuple(what if times == 1 else f"{what} ({times} times)" for what, times in self._changes.items())

    def adapt(self, file: Json) -> Json:
        """Return the file in ARE's shape. Anything unknown is left unchanged for the models to reject."""
        if not isinstance(file, dict):
            return file
        made = dict(cast("dict[str, Any]", file))
        if made.get("version") in _OLD_VERSIONS:
            self._count_change(f"version {made['version']!r} is written as {FORMAT_VERSION!r}")
            made["version"] = FORMAT_VERSION
        if "metadata" in made:
            made["metadata"] = self._adapt_metadata(made["metadata"])
        for name, change in (
            ("apps", self._adapt_app),
            ("events", self._adapt_event),
            ("completed_events", self._adapt_event),
        ):
            if name in made:
                made[name] = self._adapt_each(made[name], change)
        return made

    def _count_change(self, change: str) -> None:
        self._changes[change] = self._changes.get(change, 0) + 1

    def _adapt_each(self, values: Json, adapt_one: Callable[[dict[str, Any]], dict[str, Any]]) -> Json:
        if not isinstance(values, list):
            return values
        entries = cast("list[Any]", values)
        return [adapt_one(dict(cast("dict[str, Any]", each))) if isinstance(each, dict) else each for each in entries]

    def _adapt_metadata(self, metadata: Json) -> Json:
        if not isinstance(metadata, dict):
            return metadata
        made = dict(cast("dict[str, Any]", metadata))
        if "definition" not in made and "scenario_id" in made:
            self._count_change("flat metadata is written under metadata.definition")
            definition = {name: made.pop(name) for name in list(made) if name not in _METADATA_SECTIONS}
            made = {"definition": definition} | made
        if isinstance(definition := made.get("definition"), dict) and "hints" in definition:
            made["definition"] = definition | {"hints": self._adapt_each(definition["hints"], self._adapt_hint)}
        return made

    def _adapt_hint(self, hint: dict[str, Any]) -> dict[str, Any]:
        kind = hint.get("hint_type")
        if isinstance(kind, str) and kind in _HINT_TYPES:
            self._count_change(f"hint_type {kind!r} is written as {_HINT_TYPES[kind]!r}")
            hint["hint_type"] = _HINT_TYPES[kind]
        if hint.get("associated_event_id") is None:
            self._count_change("a hint without an event gets the associated_event_id ''")
            hint["associated_event_id"] = ""
        return hint

    def _adapt_app(self, app: dict[str, Any]) -> dict[str, Any]:
        name = app.get("class_name")
        if isinstance(name, str) and "." in name:
            bare = name.rpartition(".")[2]
            self._count_change(f"class_name {name!r} is written as {bare!r}")
            app["class_name"] = bare
        return app

    def _adapt_event(self, event: dict[str, Any]) -> dict[str, Any]:
        if event.get("class_name") == "ScheduledEvent":
            self._count_change("class_name 'ScheduledEvent' is written as 'Event'")
            event["class_name"] = "Event"
        for key in ("event_time", "event_relative_time"):
            if key not in event:
                self._count_change(f"an event without {key} gets it as null")
                event[key] = None
        action = event.get("action")
        if isinstance(action, dict) and "args" in action:
            event["action"] = action | {"args": self._adapt_each(action["args"], self._adapt_argument)}
        return event

    def _adapt_argument(self, argument: dict[str, Any]) -> dict[str, Any]:
        if "type" in argument and "value_type" not in argument:
            self._count_change("an argument's 'type' is written as 'value_type'")
            argument = {"value_type" if name == "type" else name: value for name, value in argument.items()}
        value = argument.get("value")
        if value is not None and not isinstance(value, str):
            self._count_change("an argument's value that is not text is written as text")
            argument["value"] = format_value(value)
            if argument.get("value_type") is None:
                argument["value_type"] = get_value_type(value)
        return argument
