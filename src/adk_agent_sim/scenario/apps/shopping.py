"""A shop: products with their items, a cart, discount codes and orders."""

from __future__ import annotations

from typing import Any

from adk_agent_sim.scenario.apps.app import App
from adk_agent_sim.scenario.apps.tool import APP, DATA, ENV, HIGH, MEDIUM, READ, WRITE, Notice, tool

_NO_OPTIONS: dict[str, Any] = {}


class ShoppingApp(App):
    """A shop: products with their items, a cart, discount codes and orders."""

    state_keys = ("products", "cart", "discount_codes", "orders")

    @tool(APP, DATA, operation=READ, returns="ProductListResult", type_checked=False)
    def list_all_products(self, offset: int = 0, limit: int = 10) -> Any:
        """List the products by name, a page at a time.

        Args:
            offset: How many to pass over first.
            limit: How many to return at most.
        """
        raise NotImplementedError

    @tool(APP, DATA, operation=READ, returns="Product")
    def get_product_details(self, product_id: str) -> Any:
        """Look at one product and its items.

        Args:
            product_id: The id of the product.
        """
        raise NotImplementedError

    @tool(APP, DATA, operation=READ, returns="list[Product]")
    def search_product(self, product_name: str, offset: int = 0, limit: int = 10) -> Any:
        """Find products by part of their name.

        Args:
            product_name: The name of the product, or part of it.
            offset: How many to pass over first.
            limit: How many to return at most.
        """
        raise NotImplementedError

    @tool(APP, operation=WRITE)
    def add_to_cart(self, item_id: str, quantity: int = 1) -> str:
        """Put an item into the cart.

        Args:
            item_id: The id of the item, not of its product.
            quantity: How many.
        """
        raise NotImplementedError

    @tool(APP, operation=WRITE)
    def remove_from_cart(self, item_id: str, quantity: int = 1) -> str:
        """Take an item out of the cart.

        Args:
            item_id: The id of the item, not of its product.
            quantity: How many.
        """
        raise NotImplementedError

    @tool(APP, operation=READ, type_checked=False)
    def list_cart(self) -> dict[str, Any]:
        """List what is in the cart."""
        raise NotImplementedError

    @tool(APP, operation=WRITE, type_checked=False)
    def checkout(self, discount_code: str | None = None) -> str:
        """Order what is in the cart.

        Args:
            discount_code: A code that makes it cheaper.
        """
        raise NotImplementedError

    @tool(APP, operation=READ, type_checked=False)
    def get_discount_code_info(self, discount_code: str = "") -> dict[str, float]:
        """Tell for which items a discount code is good, and how much it takes off.

        Args:
            discount_code: The code.
        """
        raise NotImplementedError

    @tool(APP, DATA, operation=None, type_checked=False)
    def get_all_discount_codes(self) -> dict[str, list[str]]:
        """List every discount code with its items."""
        raise NotImplementedError

    @tool(APP, operation=READ, returns="dict[str, Order]", type_checked=False)
    def list_orders(self) -> Any:
        """List the orders."""
        raise NotImplementedError

    @tool(APP, operation=READ, returns="Order")
    def get_order_details(self, order_id: str) -> Any:
        """Look at one order.

        Args:
            order_id: The id of the order.
        """
        raise NotImplementedError

    @tool(APP, ENV, operation=WRITE, notice=Notice(MEDIUM, "Order cancelled with Id {order_id}", own_calls=False))
    def cancel_order(self, order_id: str) -> str:
        """Cancel an order that was not delivered yet.

        Args:
            order_id: The id of the order.
        """
        raise NotImplementedError

    @tool(ENV, DATA, operation=WRITE, notice=Notice(HIGH, "New product added: {name}"))
    def add_product(self, name: str) -> str:
        """Add a product to the shop.

        Args:
            name: What the product is called.
        """
        raise NotImplementedError

    @tool(ENV, DATA, operation=WRITE, notice=Notice(HIGH, "New item added to product with Id {product_id}"))
    def add_item_to_product(
        self, product_id: str, price: float, options: dict[str, Any] = _NO_OPTIONS, available: bool = True
    ) -> str:
        """Add a variant of a product that can be bought.

        Args:
            product_id: The id of the product.
            price: What it costs.
            options: What makes this variant different, such as its colour.
            available: Whether it can be bought.
        """
        raise NotImplementedError

    @tool(ENV, DATA, operation=WRITE)
    def update_item(self, item_id: str, new_price: float | None = None, new_availability: bool | None = None) -> str:
        """Change price or availability of an item.

        Args:
            item_id: The id of the item, not of its product.
            new_price: The new price.
            new_availability: Whether it can be bought now; unchanged if left out.
        """
        raise NotImplementedError

    @tool(ENV, DATA, operation=WRITE, notice=Notice(HIGH, "New discount code for item with Id {item_id}"))
    def add_discount_code(self, item_id: str, discount_code: dict[str, float]) -> str:
        """Add a discount code to an item.

        Args:
            item_id: The id of the item, not of its product.
            discount_code: Codes, each with what it takes off in percent.
        """
        raise NotImplementedError

    @tool(ENV, operation=WRITE, notice=Notice(MEDIUM, "Updated order with Id {order_id}"))
    def update_order_status(self, order_id: str, status: str = "shipped") -> None:
        """Change how an order stands.

        Args:
            order_id: The id of the order.
            status: The new status.
        """
        raise NotImplementedError

    @tool(DATA, operation=None)
    def add_order(
        self, order_id: str, order_status: str, order_date: float, order_total: float, item_id: str, quantity: int
    ) -> str:
        """Put an order into the history.

        Args:
            order_id: The id of the order.
            order_status: How the order stands.
            order_date: When it was ordered, as Unix time.
            order_total: What it cost in all.
            item_id: The id of the item, not of its product.
            quantity: How many.
        """
        raise NotImplementedError


class Shopping(ShoppingApp):
    """The same shop under its short name."""
