"""Parallel agents: three researchers write into different keys of the state, and the merger reads all of them."""

from __future__ import annotations

from google.adk.agents import (
    LlmAgent,
    ParallelAgent,  # pyright: ignore[reportDeprecated] - users still have them
    SequentialAgent,  # pyright: ignore[reportDeprecated]
)

_LIBRARY = {
    "solar": "Solar grew by 24 percent.",
    "wind": "Wind grew by 8 percent.",
    "storage": "Storage doubled.",
}


def read_report(topic: str) -> str:
    """Read the report about a topic."""
    return _LIBRARY[topic]


def build_researcher(topic: str) -> LlmAgent:
    """Return the researcher of a topic."""
    return LlmAgent(
        name=f"{topic}_researcher",
        model="gemini-2.5-flash",
        instruction=f"Read the report about {topic} and summarize it.",
        tools=[read_report],
        output_key=f"{topic}_summary",
    )


researchers = ParallelAgent(  # pyright: ignore[reportDeprecated]
    name="researchers", sub_agents=[build_researcher(topic) for topic in _LIBRARY]
)
merger = LlmAgent(
    name="merger",
    model="gemini-2.5-flash",
    instruction="Merge: {solar_summary} {wind_summary} {storage_summary}",
    output_key="report",
)

root_agent = SequentialAgent(  # pyright: ignore[reportDeprecated]
    name="parallel_research", description="Reports on energy.", sub_agents=[researchers, merger]
)
