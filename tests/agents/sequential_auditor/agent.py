"""An auditor of answers: one agent extracts the claims, one verifies them, one corrects the text."""

from __future__ import annotations

from typing import Any

from google.adk.agents import (
    LlmAgent,
    SequentialAgent,  # pyright: ignore[reportDeprecated] - users still have them
)
from google.adk.tools import ToolContext

_FACTS = {"height of the tower": "330 m", "year of completion": "1889"}


def look_up_fact(topic: str, tool_context: ToolContext) -> dict[str, Any]:
    """Look a fact up, and remember that it was used."""
    tool_context.state["sources"] = [*tool_context.state.get("sources", []), topic]
    return {"topic": topic, "fact": _FACTS.get(topic)}


extractor = LlmAgent(
    name="extractor",
    model="gemini-2.5-flash",
    instruction="List the claims of the text.",
    output_key="claims",
)
verifier = LlmAgent(
    name="verifier",
    model="gemini-2.5-flash",
    instruction="Verify these claims: {claims}",
    tools=[look_up_fact],
    output_key="findings",
)
editor = LlmAgent(
    name="editor",
    model="gemini-2.5-flash",
    instruction="Correct the text. The claims were: {claims}. The findings are: {findings}",
    output_key="corrected",
)

root_agent = SequentialAgent(  # pyright: ignore[reportDeprecated]
    name="sequential_auditor", description="Audits a text.", sub_agents=[extractor, verifier, editor]
)
