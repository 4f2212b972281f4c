"""Products, items, cart items and orders as agents see them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, ClassVar

from adk_agent_sim.scenario.app_base.entity import BOOLEAN, NUMBER, TEXT, Entity, Fields, MapOf, get_object


class Item(Entity):
    """A variant of a product that can be bought."""

    fields = ("price", "available", "item_id", "options")
    defaults: ClassVar[Mapping[str, Any]] = {"available": True, "options": {}}


class CartItem(Entity):
    """An item in the cart or an order, with its price at the time it was added."""

    fields = ("item_id", "quantity", "price", "available", "options")
    defaults: ClassVar[Mapping[str, Any]] = {"available": True, "options": {}}


class Product(Entity):
    """A product with its variants."""

    fields = ("name", "product_id", "variants")

    def __init__(self, product: Mapping[str, Any]) -> None:
        """Copy a product and its variants."""
        variants = {item_id: Item(each) for item_id, each in get_object(product, "variants").items()}
        super().__init__(product, variants=variants)


class Order(Entity):
    """An order with its items."""

    fields = ("order_status", "order_date", "order_total", "order_id", "order_items")

    def __init__(self, order: Mapping[str, Any]) -> None:
        """Copy an order and its items."""
        items = {item_id: CartItem(each) for item_id, each in get_object(order, "order_items").items()}
        super().__init__(order, order_items=items)

    def render_field(self, field_name: str) -> str:
        """Print the date as a Python datetime, as ARE does."""
        if field_name != "order_date":
            return super().render_field(field_name)
        try:
            return repr(datetime.fromisoformat(self[field_name]))
        except (TypeError, ValueError):
            return super().render_field(field_name)


_ITEM_FIELDS = {"item_id": TEXT, "price": NUMBER, "available": BOOLEAN, "options": MapOf()}

PRODUCT_SHAPE = Fields(
    {
        "name": TEXT,
        "product_id": TEXT,
        "variants": MapOf(Fields(_ITEM_FIELDS, required=("item_id", "price"))),
    },
    required=("name", "product_id"),
)
"""A product in a scenario file."""

CART_ITEM_SHAPE = Fields({**_ITEM_FIELDS, "quantity": NUMBER}, required=("item_id", "price", "quantity"))
"""An item of the cart or of an order in a scenario file."""

ORDER_SHAPE = Fields(
    {
        "order_id": TEXT,
        "order_status": TEXT,
        "order_date": TEXT,
        "order_total": NUMBER,
        "order_items": MapOf(CART_ITEM_SHAPE),
    },
    required=("order_status",),
)
"""An order in a scenario file."""


def build_cart_item(item: Mapping[str, Any], quantity: int) -> dict[str, Any]:
    """Return an item as it is stored in the cart."""
    item = Item(item)
    return {
        "item_id": item["item_id"],
        "quantity": quantity,
        "price": item["price"],
        "available": item["available"],
        "options": item["options"],
    }
