"""The dialect of the format's own description, brought into the shape that ARE writes: flat metadata, dotted class
names, missing keys. Only shapes change here; apps that ARE does not have are the business of `are.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from adk_agent_sim.scenario.format.models import VERSION
from adk_agent_sim.scenario.format.values import text_of, type_of
from adk_agent_sim.timeline.canonical import Json

_PARTS = ("definition", "simulation", "annotation", "execution", "runner_config")

_HINT_TYPES = {
    "task": "TASK_HINT",
    "context": "ENVIRONMENT_HINT",
    "environment": "ENVIRONMENT_HINT",
    "warning": "ENVIRONMENT_HINT",
    "tip": "ENVIRONMENT_HINT",
}

_OLD_VERSIONS = ("1.0", "2.0")


class Adapter:
    """Brings one file into ARE's shape; what was changed is listed, each kind of change once."""

    def __init__(self) -> None:
        self._changes: dict[str, int] = {}

    @property
    def changes(self) -> tuple[str, ...]:
        """What was changed."""
        return tuple(what if times == 1 else f"{what} ({times} times)" for what, times in self._changes.items())

    def adapted(self, file: Json) -> Json:
        """The file in ARE's shape; what is not understood is left as it is, for the models to refuse."""
        if not isinstance(file, dict):
            return file
        made = dict(cast("dict[str, Any]", file))
        if made.get("version") in _OLD_VERSIONS:
            self._note(f"version {made['version']!r} is written as {VERSION!r}")
            made["version"] = VERSION
        if "metadata" in made:
            made["metadata"] = self._metadata(made["metadata"])
        for name, change in (("apps", self._app), ("events", self._event), ("completed_events", self._event)):
            if name in made:
                made[name] = self._each(made[name], change)
        return made

    def _note(self, what: str) -> None:
        self._changes[what] = self._changes.get(what, 0) + 1

    def _each(self, values: Json, change: Callable[[dict[str, Any]], dict[str, Any]]) -> Json:
        if not isinstance(values, list):
            return values
        entries = cast("list[Any]", values)
        return [change(dict(cast("dict[str, Any]", each))) if isinstance(each, dict) else each for each in entries]

    def _metadata(self, metadata: Json) -> Json:
        if not isinstance(metadata, dict):
            return metadata
        made = dict(cast("dict[str, Any]", metadata))
        if "definition" not in made and "scenario_id" in made:
            self._note("flat metadata is written under metadata.definition")
            definition = {name: made.pop(name) for name in list(made) if name not in _PARTS}
            made = {"definition": definition} | made
        if isinstance(definition := made.get("definition"), dict) and "hints" in definition:
            made["definition"] = definition | {"hints": self._each(definition["hints"], self._hint)}
        return made

    def _hint(self, hint: dict[str, Any]) -> dict[str, Any]:
        kind = hint.get("hint_type")
        if isinstance(kind, str) and kind in _HINT_TYPES:
            self._note(f"hint_type {kind!r} is written as {_HINT_TYPES[kind]!r}")
            hint["hint_type"] = _HINT_TYPES[kind]
        if hint.get("associated_event_id") is None:
            self._note("a hint without event has the associated_event_id ''")
            hint["associated_event_id"] = ""
        return hint

    def _app(self, app: dict[str, Any]) -> dict[str, Any]:
        name = app.get("class_name")
        if isinstance(name, str) and "." in name:
            bare = name.rpartition(".")[2]
            self._note(f"class_name {name!r} is written as {bare!r}")
            app["class_name"] = bare
        return app

    def _event(self, event: dict[str, Any]) -> dict[str, Any]:
        if event.get("class_name") == "ScheduledEvent":
            self._note("class_name 'ScheduledEvent' is written as 'Event'")
            event["class_name"] = "Event"
        for key in ("event_time", "event_relative_time"):
            if key not in event:
                self._note(f"an event without {key} has it as null")
                event[key] = None
        action = event.get("action")
        if isinstance(action, dict) and "args" in action:
            event["action"] = action | {"args": self._each(action["args"], self._argument)}
        return event

    def _argument(self, argument: dict[str, Any]) -> dict[str, Any]:
        if "type" in argument and "value_type" not in argument:
            self._note("an argument's 'type' is written as 'value_type'")
            argument = {"value_type" if name == "type" else name: value for name, value in argument.items()}
        value = argument.get("value")
        if value is not None and not isinstance(value, str):
            self._note("an argument's value that is not text is written as text")
            argument["value"] = text_of(value)
            if argument.get("value_type") is None:
                argument["value_type"] = type_of(value)
        return argument
