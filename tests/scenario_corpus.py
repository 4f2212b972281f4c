"""Recorded data of the ARE package: its tools, its scenarios and its traces."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

ARE_FOLDER = Path(__file__).parent / "corpus" / "are"


def load_manifest() -> dict[str, Any]:
    """Return every app class with its tools, as the package defines them."""
    return json.loads((ARE_FOLDER / "tools_manifest.json").read_text(encoding="utf-8"))


def load_lines(name: str) -> list[Any]:
    """Return the values of a file with one JSON value per line."""
    return [json.loads(line) for line in (ARE_FOLDER / name).read_text(encoding="utf-8").splitlines()]


def load_universe() -> list[Any]:
    """Return the apps of all scenarios."""
    return json.loads((ARE_FOLDER / "universe.json").read_text(encoding="utf-8"))


def load_scenarios() -> dict[str, Any]:
    """Return the scenarios by id, as the package wrote them."""
    return {_get_scenario_id(each): each | {"apps": load_universe()} for each in load_lines("scenarios.jsonl")}


def load_traces() -> dict[str, Any]:
    """Return all traces, of the oracle and of agents, as the package wrote them."""
    oracle = {
        f"{_get_scenario_id(each)}-oracle": each | {"apps": load_universe()}
        for each in load_lines("oracle_traces.jsonl")
    }
    return oracle | {
        f"{each['scenario']}-{each['mutation']}": each["trace"] for each in load_lines("agent_traces.jsonl")
    }


def load_sandbox() -> Any:
    """Return a scenario whose files, orders and rides are not empty."""
    return json.loads((ARE_FOLDER / "universe_sandbox.json").read_text(encoding="utf-8"))


def _get_scenario_id(trace: Any) -> str:
    return trace["metadata"]["definition"]["scenario_id"]


SPEC_EXAMPLE = Path(__file__).parent / "scenario" / "format" / "spec_example.json"
"""The complete example of the format's own description."""


_MAIL_STATE: dict[str, Any] = {"user_email": "me@example.org", "view_limit": 5, "folders": {}}


def build_event(event_id: str, kind: str = "ENV", after: tuple[str, ...] = (), **fields: Any) -> dict[str, Any]:
    """Build an event in which the user asks, the agent answers or an email arrives; `fields` override its fields."""
    app, function, arguments = {
        "USER": ("AgentUserInterface", "send_message_to_agent", {"content": "Please help."}),
        "AGENT": ("AgentUserInterface", "send_message_to_user", {"content": "Done."}),
        "ENV": ("Emails", "send_email_to_user_only", {"sender": "a@example.com"}),
    }[kind]
    args = [{"name": name, "value": value, "value_type": "str"} for name, value in arguments.items()]
    action = {"action_id": f"action-{event_id}", "app": app, "function": function, "operation_type": None, "args": args}
    return {
        "class_name": "OracleEvent" if kind == "AGENT" else "Event",
        "event_type": kind,
        "event_time": None,
        "event_id": event_id,
        "dependencies": list(after),
        "event_relative_time": 1,
        "action": action,
    } | fields


def build_scenario(*events: dict[str, Any], **definition: Any) -> dict[str, Any]:
    """Build a small scenario with a user and an email app."""
    stated: dict[str, Any] = {"scenario_id": "small", "start_time": 1000, "duration": 600}
    return {
        "metadata": {"definition": stated | definition},
        "apps": [
            {"name": "AgentUserInterface", "class_name": "AgentUserInterface", "app_state": {"messages": []}},
            {"name": "Emails", "class_name": "EmailClientV2", "app_state": dict(_MAIL_STATE)},
        ],
        "events": list(events),
        "completed_events": [],
        "version": "are_simulation_v1",
    }


def load_oracle_digests() -> dict[str, Any]:
    """Return the hashed result of every oracle run."""
    return json.loads((ARE_FOLDER / "digests.json").read_text(encoding="utf-8"))
