"""The shop agent and its refund desk."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Literal

from google.adk.agents import LlmAgent
from google.adk.agents.context_cache_config import ContextCacheConfig
from google.adk.apps import App
from google.adk.tools import ToolContext
from google.genai import types
from pydantic import BaseModel, Field

from adk_agent_sim.adk.seats.tool_errors import ToolErrorPlugin


class Category(StrEnum):
    """What the shop sells."""

    AUDIO = "audio"
    CABLES = "cables"
    STANDS = "stands"


class Address(BaseModel):
    """Where an order goes."""

    name: str
    street: str
    city: str
    postcode: str = Field(pattern=r"^[0-9]{5}$", description="Five digits")


class OrderLine(BaseModel):
    """One product of an order."""

    sku: str = Field(description="The product's number, as SKU-101")
    quantity: int = Field(ge=1, le=20)
    gift_wrap: bool = False


class OrderRequest(BaseModel):
    """What a customer orders."""

    lines: list[OrderLine] = Field(min_length=1)
    address: Address
    note: str | None = Field(default=None, description="For the parcel service")


class RefundDecision(BaseModel):
    """What the refund desk decides."""

    order_id: str
    granted: bool
    amount: float = Field(ge=0, description="In euros; 0 if not granted")
    reason: str


_PRODUCTS: list[dict[str, Any]] = [
    {"sku": "SKU-101", "name": "Wireless headphones", "category": "audio", "price": 79.0, "stock": 12},
    {"sku": "SKU-102", "name": "Desk microphone", "category": "audio", "price": 119.0, "stock": 3},
    {"sku": "SKU-201", "name": "USB-C cable, 2 m", "category": "cables", "price": 9.5, "stock": 240},
    {"sku": "SKU-301", "name": "Monitor stand", "category": "stands", "price": 49.0, "stock": 0},
]


def search_products(
    query: str, category: Category | None = None, max_price: float | None = None, limit: int = 10
) -> dict[str, Any]:
    """Find products by words in their name."""
    words = query.lower().split()
    found = [
        product
        for product in _PRODUCTS
        if all(word in str(product["name"]).lower() for word in words)
        and category in (None, product["category"])
        and (max_price is None or product["price"] <= max_price)
    ]
    return {"products": found[:limit], "total": len(found)}


async def place_order(
    order: OrderRequest, tool_context: ToolContext, shipping: Literal["standard", "express"] = "standard"
) -> dict[str, Any]:
    """Place an order; saves a receipt and remembers the order for this session."""
    prices = {product["sku"]: product["price"] for product in _PRODUCTS}
    unknown = [line.sku for line in order.lines if line.sku not in prices]
    if unknown:
        raise LookupError(f"There is no product {', '.join(unknown)}.")
    orders: dict[str, Any] = dict(tool_context.state.get("orders", {}))
    order_id = f"ORD-{len(orders) + 1:04d}"
    goods = sum(prices[line.sku] * line.quantity for line in order.lines)
    total = round(goods + (9.9 if shipping == "express" else 0.0), 2)
    orders[order_id] = {"total": total, "city": order.address.city, "lines": len(order.lines)}
    tool_context.state["orders"] = orders
    receipt = f"Receipt {order_id}\n{order.address.name}, {order.address.city}\nTotal: {total:.2f} EUR\n"
    version = await tool_context.save_artifact(
        f"{order_id}.txt", types.Part.from_bytes(data=receipt.encode(), mime_type="text/plain")
    )
    return {"order_id": order_id, "total": total, "receipt": f"{order_id}.txt", "receipt_version": version}


def get_order(order_id: str, tool_context: ToolContext) -> dict[str, Any]:
    """Look up an order of this session."""
    orders: dict[str, Any] = tool_context.state.get("orders", {})
    if order_id not in orders:
        raise LookupError(f"There is no order {order_id!r} in this session.")
    return {"order_id": order_id, **orders[order_id]}


refund_agent = LlmAgent(
    name="refund_agent",
    model="gemini-2.5-flash",
    description="Decides on refunds.",
    instruction="You are the refund desk. Look up the order, then decide. Refund only an order that exists.",
    tools=[get_order],
    output_schema=RefundDecision,
    output_key="refund",
)

root_agent = LlmAgent(
    name="shop_agent",
    model="gemini-2.5-flash",
    description="Sells headphones, cables and stands.",
    instruction=(
        "You work for a small shop. Find what the customer wants, place orders, and hand refunds over to "
        "refund_agent. Never promise what is out of stock. Known about the customer: {customer?}"
    ),
    tools=[search_products, place_order, get_order],
    sub_agents=[refund_agent],
)

app = App(
    name="shop_agent",
    root_agent=root_agent,
    plugins=[ToolErrorPlugin()],
    # ADK warns about agents that hand over to each other without a cache.
    context_cache_config=ContextCacheConfig(),
)
