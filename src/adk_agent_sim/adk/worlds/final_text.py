"""Finds the text with which an agent ended its turn."""

from __future__ import annotations

from collections.abc import Sequence

from google.adk.events import Event as AdkEvent

from adk_agent_sim.timeline.framework_calls import ENVIRONMENT_AUTHOR


def find_final_text(events: Sequence[AdkEvent]) -> str:
    """Return the final response since the user's last message; empty if there is none, or if it has no text."""
    for event in reversed(events):
        if event.author == "user":
            return ""
        if event.author != ENVIRONMENT_AUTHOR and event.is_final_response() and event.content and event.content.parts:
            return "".join(part.text for part in event.content.parts if part.text and not part.thought)
    return ""
