"""The math agent."""

from __future__ import annotations

import threading

from google.adk.agents import LlmAgent
from google.adk.apps import App

from adk_agent_sim.adk.seats.tool_errors import ToolErrorPlugin


def add(a: float, b: float) -> float:
    """Add two numbers."""
    return a + b


async def multiply(a: float, b: float) -> float:
    """Multiply two numbers."""
    return a * b


def divide(dividend: float, divisor: float) -> float:
    """Divide a number by another; fails when the divisor is 0."""
    return dividend / divisor


def count_slowly(to: int, seconds_each: float = 1.0) -> list[int]:
    """Count from 1, resting after each number: something to wait for, or to cancel."""
    counted: list[int] = []
    for number in range(1, to + 1):
        threading.Event().wait(seconds_each)
        counted.append(number)
    return counted


root_agent = LlmAgent(
    name="math_agent",
    model="gemini-2.5-flash",
    description="Calculates with tools, step by step.",
    instruction=(
        "You are a careful calculator. Never calculate in your head: call a tool for every step, and say the result in "
        "one short sentence. If a tool fails, tell the user why."
    ),
    tools=[add, multiply, divide, count_slowly],
)

app = App(name="math_agent", root_agent=root_agent, plugins=[ToolErrorPlugin()])
