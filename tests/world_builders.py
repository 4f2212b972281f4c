"""Builds small worlds (a user, an email app, a clock, and the given events), and reads worlds as ARE records them."""

from __future__ import annotations

import json
from typing import Any

from scenario_corpus import build_event, build_scenario

from adk_agent_sim.scenario import JsonScenarioImporter, ScenarioImportedFromJson, World
from adk_agent_sim.scenario.app_base.app import AppCall

START_TIME = 1000.0


def build_world_event(
    event_id: str,
    kind: str = "AGENT",
    after: tuple[str, ...] = (),
    call: str | None = None,
    *,
    delay: float | None = 1,
    at: float | None = None,
    **arguments: Any,
) -> dict[str, Any]:
    """Build an event; by default the user asks, the agent sends an email, or an email arrives."""
    fields = build_event(event_id, kind, after, event_relative_time=delay, event_time=at)
    if call is None and kind == "AGENT":
        call, arguments = "Emails__send_email", {"recipients": ["a@example.org"], "subject": event_id}
    if call is not None:
        app, _, function = call.partition("__")
        args = [
            {"name": name, "value": _format_argument(each), "value_type": _get_type_name(each)}
            for name, each in arguments.items()
        ]
        fields["action"] |= {"app": app, "function": function, "args": args}
    return fields


def build_reply_event(event_id: str, *after: str, delay: float = 1) -> dict[str, Any]:
    """Build an event in which the agent is expected to send the user a message."""
    return build_world_event(
        event_id, "AGENT", after, "AgentUserInterface__send_message_to_user", delay=delay, content="Done."
    )


def build_scenario_file(*events: dict[str, Any], **definition: Any) -> dict[str, Any]:
    """Build a scenario file."""
    file = build_scenario(*events, **({"start_time": START_TIME} | definition))
    folders: dict[str, Any] = {
        name: {"folder_name": name, "emails": []} for name in ("INBOX", "SENT", "DRAFT", "TRASH")
    }
    file["apps"][1]["app_state"] |= {"folders": folders}
    file["apps"].append({"name": "SystemApp", "class_name": "SystemApp", "app_state": {}})
    return file


def build_world_scenario(*events: dict[str, Any], **definition: Any) -> ScenarioImportedFromJson:
    """Build a scenario."""
    return JsonScenarioImporter().import_from_json(json_str=json.dumps(build_scenario_file(*events, **definition)))[0]


def build_world(*events: dict[str, Any], definition: dict[str, Any] | None = None, **options: Any) -> World:
    """Build a world before its first event."""
    return World(build_world_scenario(*events, **(definition or {})), **options)


def list_happened(world: World) -> list[tuple[float, str]]:
    """Return the time and id of each past event; an agent's action has the tool's name instead of an id."""
    return [
        (
            each.time - START_TIME,
            each.function if each.event_id.startswith("AGENT-") and each.function else each.event_id,
        )
        for each in world.event_log()
    ]


def send_message_to_user(world: World, text: str = "Hello.") -> None:
    """Send a message from the agent to the user."""
    world.call("AgentUserInterface", "send_message_to_user", {"content": text})


def _format_argument(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value) if isinstance(value, list | dict) else str(value)


def _get_type_name(value: Any) -> str | None:
    return None if value is None else type(value).__name__


def list_log_rows(world: World) -> list[list[Any]]:
    """Return the log of a world as ARE's recordings have it, where the agent's events have no ids."""
    start = world.scenario.start_time or 0
    return [
        [
            round(each.time - start, 6),
            each.kind,
            "<agent>" if each.event_id.startswith("AGENT-") else each.event_id,
            f"{each.app}__{each.function}",
            "ok" if each.error is None else "failed",
        ]
        for each in world.event_log()
    ]


def format_call_row(call: AppCall) -> list[str]:
    """Return a call as event type, operation, `App__function`, and "ok" or "failed", as ARE's recordings have it."""
    name = f"{call.app.name}__{call.function}"
    return [call.caller.upper(), call.operation.value, name, "failed" if call.has_failed else "ok"]


def take_notification_rows(world: World) -> list[dict[str, Any]]:
    """Take the notifications of a world, and return them as ARE's recordings have them."""
    return [{"t": each.elapsed_seconds, "type": each.kind, "text": each.text} for each in world.take_notifications()]
