"""The customer service of a garden shop: the customer, the discount rules and the cart live in the session state."""

from __future__ import annotations

from typing import Any

from google.adk.agents import LlmAgent
from google.adk.agents.callback_context import CallbackContext
from google.adk.tools import BaseTool, ToolContext

_CUSTOMERS: dict[str, dict[str, Any]] = {
    "C-100": {"name": "Nora", "tier": "gold", "largest_free_discount": 10},
    "C-200": {"name": "Emil", "tier": "basic", "largest_free_discount": 0},
}
_PRICES = {"POT-1": 12.5, "SOIL-5": 9.0, "ROSE-3": 24.0}
_COSTS = {"POT-1": 7.0, "SOIL-5": 4.0, "ROSE-3": 11.0}


def load_customer(callback_context: CallbackContext) -> None:
    """Put the customer into the state before the agent runs, because its instruction needs the name."""
    state = callback_context.state
    customer = _CUSTOMERS[state["customer_id"]]
    state["customer_name"], state["customer_tier"] = customer["name"], customer["tier"]
    state["visits"] = state.get("visits", 0) + 1


def check_call(tool: BaseTool, args: dict[str, Any], tool_context: ToolContext) -> dict[str, Any] | None:
    """Refuse calls for other customers, and grant small discounts without the tool."""
    customer_id = tool_context.state["customer_id"]
    if args.get("customer_id", customer_id) != customer_id:
        return {"error": f"Customer {args['customer_id']} is not the one who is asking."}
    if tool.name == "approve_discount" and args["percent"] <= _CUSTOMERS[customer_id]["largest_free_discount"]:
        tool_context.state["discount"] = args["percent"]
        return {"status": "granted", "percent": args["percent"]}
    return None


def hide_costs(
    tool: BaseTool, args: dict[str, Any], tool_context: ToolContext, tool_response: dict[str, Any]
) -> dict[str, Any] | None:
    """Count the calls of each tool, and remove what the customer must not see."""
    counts: dict[str, int] = tool_context.state.get("call_counts", {})
    tool_context.state["call_counts"] = {**counts, tool.name: counts.get(tool.name, 0) + 1}
    if "cost" not in tool_response:
        return None
    return {key: value for key, value in tool_response.items() if key != "cost"}


def find_product(sku: str) -> dict[str, Any]:
    """Look a product up by its number."""
    return {"sku": sku, "price": _PRICES[sku], "cost": _COSTS[sku]}


def add_to_cart(customer_id: str, sku: str, quantity: int, tool_context: ToolContext) -> dict[str, Any]:
    """Put a product into the customer's cart."""
    cart: dict[str, int] = tool_context.state.get("cart", {})
    cart = {**cart, sku: cart.get(sku, 0) + quantity}
    tool_context.state["cart"] = cart
    return {"cart": cart, "total": sum(_PRICES[each] * count for each, count in cart.items())}


def approve_discount(percent: int) -> dict[str, str]:
    """Ask a manager for a discount."""
    return {"status": "refused", "reason": f"{percent} percent is more than a manager may grant."}


root_agent = LlmAgent(
    name="customer_service",
    model="gemini-2.5-flash",
    description="Serves the customers of a garden shop.",
    instruction="You serve {customer_name}, a {customer_tier} customer. The cart is: {cart?}.",
    tools=[find_product, add_to_cart, approve_discount],
    before_agent_callback=load_customer,
    before_tool_callback=check_call,
    after_tool_callback=hide_costs,
)
