"""Builds the JSON Schema of a rules file, for editors; `adksim env schema` prints it."""

from __future__ import annotations

from typing import Any

from adk_agent_sim.environment.rules import Rules


def build_rules_schema() -> dict[str, Any]:
    """Returns the schema; `docs/environment.schema.json` is a copy, and a test compares them."""
    schema = Rules.model_json_schema(by_alias=True, mode="validation")
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Rules for simulated tools (adk-agent-sim)",
        **{key: value for key, value in schema.items() if key != "title"},
    }
