"""A travel concierge: six specialists take over the conversation, and two experts answer in a structure as tools."""

from __future__ import annotations

from typing import Any

from google.adk.agents import LlmAgent
from google.adk.tools import AgentTool
from pydantic import BaseModel, Field

_MODEL = "gemini-2.5-flash"


class Forecast(BaseModel):
    """The weather of a stay."""

    summary: str
    lowest: int = Field(description="In degrees Celsius")
    highest: int = Field(description="In degrees Celsius")


class BudgetQuestion(BaseModel):
    """What the budget is for."""

    city: str
    nights: int = Field(ge=1)


class Budget(BaseModel):
    """What a stay costs."""

    total: float
    currency: str = "EUR"


def list_prices(city: str) -> dict[str, float]:
    """List the average prices of a city."""
    return {"hotel_night": 90.0, "meals_per_day": 45.0}


def search_flights(origin: str, destination: str) -> list[dict[str, Any]]:
    """Find flights."""
    return [{"flight": "XY 12", "from": origin, "to": destination, "price": 140.0}]


def search_hotels(city: str, nights: int) -> list[dict[str, Any]]:
    """Find hotels."""
    return [{"hotel": "Casa Azul", "city": city, "price": 85.0 * nights}]


def book_table(restaurant: str, guests: int) -> dict[str, Any]:
    """Book a table."""
    return {"booking": "T-7", "restaurant": restaurant, "guests": guests}


def list_events(city: str) -> list[str]:
    """List what is on."""
    return [f"Fado night in {city}"]


def open_complaint(text: str) -> dict[str, str]:
    """Write a complaint down."""
    return {"complaint": "K-3", "text": text}


def list_charges() -> list[dict[str, Any]]:
    """List what the guest was charged."""
    return [{"what": "XY 12", "amount": 140.0}, {"what": "XY 12", "amount": 140.0}]


weather_analyst = LlmAgent(
    name="weather_analyst",
    model=_MODEL,
    description="Forecasts the weather of a city.",
    instruction="Forecast from what you know about the climate.",
    output_schema=Forecast,
)
budget_planner = LlmAgent(
    name="budget_planner",
    model=_MODEL,
    description="Calculates what a stay costs.",
    instruction="Look the prices up, then calculate.",
    tools=[list_prices],
    input_schema=BudgetQuestion,
    output_schema=Budget,
)


def build_specialist(name: str, description: str, tool: Any) -> LlmAgent:
    """Return an agent that takes over the conversation."""
    return LlmAgent(
        name=name,
        model=_MODEL,
        description=description,
        instruction=f"{description} Hand everything else over.",
        tools=[tool],
    )


root_agent = LlmAgent(
    name="concierge",
    model=_MODEL,
    description="Plans journeys.",
    instruction="Plan the journey with the specialists.",
    tools=[AgentTool(weather_analyst), AgentTool(budget_planner)],
    sub_agents=[
        build_specialist("flights", "Finds flights.", search_flights),
        build_specialist("hotels", "Finds hotels.", search_hotels),
        build_specialist("dining", "Books tables.", book_table),
        build_specialist("events", "Knows what is on.", list_events),
        build_specialist("complaints", "Listens to complaints.", open_complaint),
        build_specialist("billing", "Explains charges.", list_charges),
    ],
)
