"""A travel desk whose helpers are called like tools, in the session of the desk: sub-agents in single-turn mode."""

from __future__ import annotations

from google.adk.agents import LlmAgent
from pydantic import BaseModel

_RATES = {"EUR/JPY": 160.0, "EUR/USD": 1.1}


class Amount(BaseModel):
    """An amount of money."""

    amount: float
    currency: str


def get_rate(pair: str) -> float:
    """Return the exchange rate of a pair such as EUR/JPY."""
    return _RATES[pair]


def read_calendar(month: str) -> list[str]:
    """List the festivals of a month."""
    return [f"Lantern festival in {month}"]


converter = LlmAgent(
    name="converter",
    model="gemini-2.5-flash",
    mode="single_turn",
    description="Converts money.",
    instruction="Convert the amount.",
    tools=[get_rate],
    output_schema=Amount,
)
festival_guide = LlmAgent(
    name="festival_guide",
    model="gemini-2.5-flash",
    mode="single_turn",
    description="Knows festivals.",
    instruction="Find a festival.",
    tools=[read_calendar],
)

root_agent = LlmAgent(
    name="single_turn_desk",
    model="gemini-2.5-flash",
    description="Answers questions of travellers.",
    instruction="Ask the helpers, then answer.",
    sub_agents=[converter, festival_guide],
)
