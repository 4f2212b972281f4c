"""Small worlds: a user, a mail box, a clock, and the events that a test names."""

from __future__ import annotations

import json
from typing import Any

from scenario_corpus import event, scenario

from adk_agent_sim.scenario import JsonScenarioImporter, ScenarioImportedFromJson, World

START = 1000.0


def does(
    event_id: str,
    kind: str = "AGENT",
    after: tuple[str, ...] = (),
    call: str | None = None,
    *,
    delay: float | None = 1,
    at: float | None = None,
    **arguments: Any,
) -> dict[str, Any]:
    """An event; without a call, the user asks, the agent sends a mail, or a mail arrives."""
    fields = event(event_id, kind, after, event_relative_time=delay, event_time=at)
    if call is None and kind == "AGENT":
        call, arguments = "Emails__send_email", {"recipients": ["a@example.org"], "subject": event_id}
    if call is not None:
        app, _, function = call.partition("__")
        args = [{"name": name, "value": _text(each), "value_type": _type(each)} for name, each in arguments.items()]
        fields["action"] |= {"app": app, "function": function, "args": args}
    return fields


def says(event_id: str, *after: str, delay: float = 1) -> dict[str, Any]:
    """The agent is expected to say something to the user."""
    return does(event_id, "AGENT", after, "AgentUserInterface__send_message_to_user", delay=delay, content="Done.")


def file_of(*events: dict[str, Any], **definition: Any) -> dict[str, Any]:
    """A scenario file."""
    file = scenario(*events, **({"start_time": START} | definition))
    folders: dict[str, Any] = {
        name: {"folder_name": name, "emails": []} for name in ("INBOX", "SENT", "DRAFT", "TRASH")
    }
    file["apps"][1]["app_state"] |= {"folders": folders}
    file["apps"].append({"name": "SystemApp", "class_name": "SystemApp", "app_state": {}})
    return file


def scenario_of(*events: dict[str, Any], **definition: Any) -> ScenarioImportedFromJson:
    """A scenario."""
    return JsonScenarioImporter().import_from_json(json_str=json.dumps(file_of(*events, **definition)))[0]


def world_of(*events: dict[str, Any], definition: dict[str, Any] | None = None, **options: Any) -> World:
    """A world at rest."""
    return World(scenario_of(*events, **(definition or {})), **options)


def seen(world: World) -> list[tuple[float, str]]:
    """What has happened: when, and the id; what an agent did has the tool's name instead."""
    return [
        (each.time - START, each.function if each.event_id.startswith("AGENT-") and each.function else each.event_id)
        for each in world.happened()
    ]


def say(world: World, text: str = "Hello.") -> None:
    """Let the agent say something to the user."""
    world.call("AgentUserInterface", "send_message_to_user", {"content": text})


def _text(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value) if isinstance(value, list | dict) else str(value)


def _type(value: Any) -> str | None:
    return None if value is None else type(value).__name__
