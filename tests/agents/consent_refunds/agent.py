"""A refund agent: refunds above a limit, and closing an account at all, need the user's consent."""

from __future__ import annotations

from typing import Any

from google.adk.agents import LlmAgent
from google.adk.tools import FunctionTool, ToolContext

_LIMIT = 50


def find_order(order_id: str) -> dict[str, Any]:
    """Look an order up."""
    return {"order_id": order_id, "amount": {"O-1": 20, "O-2": 180}[order_id]}


def refund(order_id: str, amount: int, tool_context: ToolContext) -> dict[str, Any]:
    """Give money back."""
    tool_context.state["refunds"] = {**tool_context.state.get("refunds", {}), order_id: amount}
    return {"order_id": order_id, "refunded": amount}


def is_large(order_id: str, amount: int, tool_context: ToolContext) -> bool:
    """Return whether a refund needs consent."""
    return amount > _LIMIT


def close_account(reason: str, tool_context: ToolContext) -> str:
    """Close the account of the user."""
    tool_context.state["closed"] = True
    return f"closed: {reason}"


root_agent = LlmAgent(
    name="consent_refunds",
    model="gemini-2.5-flash",
    description="Refunds orders.",
    instruction="Look the order up, then refund it.",
    tools=[
        find_order,
        FunctionTool(refund, require_confirmation=is_large),
        FunctionTool(close_account, require_confirmation=True),
    ],
)
