"""A loop: the writer drafts, the critic counts the words and ends the loop when the draft is short enough."""

from __future__ import annotations

from google.adk.agents import (
    LlmAgent,
    LoopAgent,  # pyright: ignore[reportDeprecated] - users still have them
)
from google.adk.tools import ToolContext, exit_loop


def count_words(text: str, tool_context: ToolContext) -> int:
    """Count the words of a text."""
    count = len(text.split())
    tool_context.state["word_counts"] = [*tool_context.state.get("word_counts", []), count]
    return count


writer = LlmAgent(
    name="writer",
    model="gemini-2.5-flash",
    instruction="Write a slogan. What the critic said about the last one: {criticism?}",
    output_key="slogan",
)
critic = LlmAgent(
    name="critic",
    model="gemini-2.5-flash",
    instruction="Criticize the slogan {slogan}, or end the loop if it has at most four words.",
    tools=[count_words, exit_loop],
    output_key="criticism",
)

root_agent = LoopAgent(  # pyright: ignore[reportDeprecated]
    name="writing_loop", description="Writes slogans.", max_iterations=5, sub_agents=[writer, critic]
)
