"""A travel expense agent: the approval of a manager is a long-running tool, whose answer is a later message."""

from __future__ import annotations

from typing import Any

from google.adk.agents import LlmAgent
from google.adk.tools import LongRunningFunctionTool, ToolContext


def look_up_limit(kind: str) -> int:
    """Return up to which amount no approval is needed."""
    return {"train": 100, "flight": 0}[kind]


def ask_manager(purpose: str, amount: int, tool_context: ToolContext) -> dict[str, Any]:
    """Ask the manager for approval, which takes hours."""
    tool_context.state["ticket"] = "A-17"
    return {"status": "pending", "ticket": "A-17", "amount": amount}


def pay_out(amount: int, tool_context: ToolContext) -> dict[str, Any]:
    """Pay the employee."""
    tool_context.state["paid"] = tool_context.state.get("paid", 0) + amount
    return {"status": "paid", "amount": amount}


root_agent = LlmAgent(
    name="long_running_approval",
    model="gemini-2.5-flash",
    description="Pays travel expenses.",
    instruction="Pay at once below the limit; otherwise ask the manager and wait. The ticket is {ticket?}.",
    tools=[look_up_limit, LongRunningFunctionTool(ask_manager), pay_out],
)
