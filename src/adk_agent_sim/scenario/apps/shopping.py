"""A shop: products with their items, a cart, discount codes and orders."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from adk_agent_sim.scenario.app_base.app import (
    APP,
    DATA,
    ENV,
    HIGH,
    JSON,
    MEDIUM,
    READ,
    WRITE,
    App,
    NotificationTemplate,
    tool,
)
from adk_agent_sim.scenario.app_base.entity import NUMBER, Fields, MapOf, get_object, slice_page
from adk_agent_sim.scenario.app_base.time_and_random import to_datetime
from adk_agent_sim.scenario.app_entities.shop_entities import (
    CART_ITEM_SHAPE,
    ORDER_SHAPE,
    PRODUCT_SHAPE,
    CartItem,
    Order,
    Product,
    build_cart_item,
)

_ORDER_STATUSES = {"processed", "shipped", "delivered", "cancelled"}
_NO_OPTIONS: dict[str, Any] = {}


class ShoppingApp(App):
    """A shop: products with their items, a cart, discount codes and orders."""

    state_keys = ("products", "cart", "discount_codes", "orders")
    empty_state: ClassVar[Mapping[str, Any] | None] = {"products": {}, "cart": {}, "discount_codes": {}, "orders": {}}
    state_shape = Fields(
        {
            "products": MapOf(PRODUCT_SHAPE),
            "cart": MapOf(CART_ITEM_SHAPE),
            "discount_codes": MapOf(MapOf(NUMBER)),
            "orders": MapOf(ORDER_SHAPE),
        }
    )

    def load(self, state: JSON) -> None:
        """Load products, cart, discount codes and orders."""
        super().load(state)
        self._products: dict[str, JSON] = dict(get_object(state, "products"))
        self._cart: dict[str, JSON] = dict(get_object(state, "cart"))
        self._discounts: dict[str, dict[str, float]] = dict(get_object(state, "discount_codes"))
        self._orders: dict[str, JSON] = dict(get_object(state, "orders"))

    def _mutable_state(self) -> JSON:
        return {
            "products": dict(self._products),
            "cart": dict(self._cart),
            "discount_codes": dict(self._discounts),
            "orders": dict(self._orders),
        }

    @tool(APP, DATA, operation=READ, return_type="ProductListResult", type_checked=False)
    def list_all_products(self, offset: int = 0, limit: int = 10) -> Any:
        """List the products by name, a page at a time.

        Returns product ids by name, with the range shown and how many products there are in all.

        Args:
            offset: How many to pass over first.
            limit: How many to return at most.
        """
        # Of products with the same name only the last is listed, but all are counted.
        ids_by_name = {each["name"]: each["product_id"] for each in self._products.values()}
        shown = sorted(ids_by_name.items())[offset : offset + limit]
        total = len(self._products)
        return {
            "products": dict(shown),
            "metadata": {"range": (offset, min(offset + limit, total)), "total": total},
        }

    @tool(APP, DATA, operation=READ, return_type="Product")
    def get_product_details(self, product_id: str) -> Any:
        """Look at one product and its items.

        Returns the name and, by item id, every variant with price, availability and options such as colour.
        Items are what is bought, not products.

        Args:
            product_id: The id of the product.
        """
        return Product(self._get_product(product_id))

    @tool(APP, DATA, operation=READ, return_type="list[Product]")
    def search_product(self, product_name: str, offset: int = 0, limit: int = 10) -> Any:
        """Find products by part of their name.

        Returns every product whose name contains the text, in upper or lower case, with its items.

        Args:
            product_name: The name of the product, or part of it.
            offset: How many to pass over first.
            limit: How many to return at most.
        """
        products = list(self._products.values())
        # Of products with the same name the last is found, once for each of them.
        by_name = {each["name"]: each for each in products}
        found = [by_name[each["name"]] for each in products if product_name.lower() in each["name"].lower()]
        return [Product(each) for each in slice_page(found, offset, limit)[0]]

    @tool(APP, operation=WRITE)
    def add_to_cart(self, item_id: str, quantity: int = 1) -> str:
        """Put an item into the cart.

        Returns the id of the item. It is an error if the item is not available, or if the id is that of a
        product.

        Args:
            item_id: The id of the item, not of its product.
            quantity: How many.
        """
        if quantity <= 0:
            raise ValueError("Quantity cannot be negative or zero")
        item = self._find_item(item_id)
        if item is None:
            raise ValueError("Product does not exist")
        if not item.get("available", True):
            raise ValueError("Product is not available")
        held = self._cart.get(item_id) or build_cart_item(item, 0)
        self._cart[item_id] = held | {"quantity": held["quantity"] + quantity}
        return item_id

    @tool(APP, operation=WRITE)
    def remove_from_cart(self, item_id: str, quantity: int = 1) -> str:
        """Take an item out of the cart.

        Returns the id of the item. It is an error to take out more than there are.

        Args:
            item_id: The id of the item, not of its product.
            quantity: How many.
        """
        if quantity < 0:
            raise ValueError("Quantity cannot be negative")
        if item_id not in self._cart:
            raise ValueError("Product not in cart")
        held = self._cart[item_id]
        if quantity > held["quantity"]:
            raise ValueError("Quantity exceeds available quantity")
        if quantity == held["quantity"]:
            del self._cart[item_id]
        else:
            self._cart[item_id] = held | {"quantity": held["quantity"] - quantity}
        return item_id

    @tool(APP, operation=READ, type_checked=False)
    def list_cart(self) -> dict[str, Any]:
        """List what is in the cart.

        Returns the items by id, each with quantity, price and options.
        """
        return {item_id: CartItem(each) for item_id, each in self._cart.items()}

    @tool(APP, operation=WRITE, type_checked=False)
    def checkout(self, discount_code: str | None = None) -> str:
        """Order what is in the cart.

        Everything in the cart is ordered at once, and the cart is empty then. A discount code must be good for
        every item in the cart. Returns the id of the order.

        Args:
            discount_code: A code that makes it cheaper.
        """
        if not self._cart:
            raise Exception("Cart is empty")
        total = sum(self._compute_price(each, discount_code) for each in self._cart.values())
        order: JSON = {
            "order_status": "processed",
            "order_date": to_datetime(self.context.now()).isoformat(),
            "order_total": total,
            "order_id": self.random.new_id(),
            "order_items": self._cart,
        }
        self._orders[order["order_id"]] = order
        self._cart = {}
        return order["order_id"]

    @tool(APP, operation=READ, type_checked=False)
    def get_discount_code_info(self, discount_code: str = "") -> dict[str, float]:
        """Tell for which items a discount code is good, and how much it takes off.

        Returns what it takes off in percent by item id; nothing if the code is unknown.

        Args:
            discount_code: The code.
        """
        return {item_id: codes[discount_code] for item_id, codes in self._discounts.items() if discount_code in codes}

    @tool(APP, DATA, operation=None, type_checked=False)
    def get_all_discount_codes(self) -> dict[str, list[str]]:
        """List every discount code with its items.

        Returns the ids of the items by code.
        """
        found: dict[str, list[str]] = {}
        for item_id, codes in self._discounts.items():
            for code in codes:
                found.setdefault(code, []).append(item_id)
        return found

    @tool(APP, operation=READ, return_type="dict[str, Order]", type_checked=False)
    def list_orders(self) -> Any:
        """List the orders.

        Returns the orders by id, each with status, date, total and items.
        """
        return {order_id: Order(each) for order_id, each in self._orders.items()}

    @tool(APP, operation=READ, return_type="Order")
    def get_order_details(self, order_id: str) -> Any:
        """Look at one order.

        Returns status, date, total and items; the status is processed, shipped, delivered or cancelled.

        Args:
            order_id: The id of the order.
        """
        return Order(self._get_order(order_id))

    @tool(
        APP,
        ENV,
        operation=WRITE,
        notification=NotificationTemplate(MEDIUM, "Order cancelled with Id {order_id}", notify_own_calls=False),
    )
    def cancel_order(self, order_id: str) -> str:
        """Cancel an order that was not delivered yet.

        Returns the id of the order. It is an error if the order is delivered or cancelled already.

        Args:
            order_id: The id of the order.
        """
        order = self._get_order(order_id)
        if order["order_status"] not in {"processed", "shipped"}:
            raise ValueError(f"Order {order_id} cannot be cancelled, current status: {order['order_status']}")
        self._orders[order_id] = order | {"order_status": "cancelled"}
        return order_id

    @tool(ENV, DATA, operation=WRITE, notification=NotificationTemplate(HIGH, "New product added: {name}"))
    def add_product(self, name: str) -> str:
        """Add a product to the shop.

        Args:
            name: What the product is called.
        """
        product_id = self.random.new_id()
        self._products[product_id] = {"name": name, "product_id": product_id, "variants": {}}
        return product_id

    @tool(
        ENV,
        DATA,
        operation=WRITE,
        notification=NotificationTemplate(HIGH, "New item added to product with Id {product_id}"),
    )
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
        self._get_product(product_id)
        item_id = self.random.new_id()
        self._store_item(
            product_id, {"price": price, "available": available, "item_id": item_id, "options": dict(options)}
        )
        return item_id

    @tool(ENV, DATA, operation=WRITE)
    def update_item(self, item_id: str, new_price: float | None = None, new_availability: bool | None = None) -> str:
        """Change price or availability of an item.

        Args:
            item_id: The id of the item, not of its product.
            new_price: The new price.
            new_availability: Whether it can be bought now; unchanged if left out.
        """
        changes = {"price": new_price, "available": new_availability}
        changes = {name: value for name, value in changes.items() if value is not None}
        if not changes:
            raise ValueError("No update provided")
        item = self._find_item(item_id)
        if item is None:
            raise ValueError(f"Item with id {item_id} does not exist")
        self._store_item(self._find_product_id(item_id), item | changes)
        return item_id

    @tool(
        ENV,
        DATA,
        operation=WRITE,
        notification=NotificationTemplate(HIGH, "New discount code for item with Id {item_id}"),
    )
    def add_discount_code(self, item_id: str, discount_code: dict[str, float]) -> str:
        """Add a discount code to an item.

        Args:
            item_id: The id of the item, not of its product.
            discount_code: Codes, each with what it takes off in percent.
        """
        if self._find_item(item_id) is None:
            raise ValueError(f"Item {item_id} does not exist in the inventory.")
        self._discounts[item_id] = self._discounts.get(item_id, {}) | discount_code
        return "Successfully added the discount code"

    @tool(ENV, operation=WRITE, notification=NotificationTemplate(MEDIUM, "Updated order with Id {order_id}"))
    def update_order_status(self, order_id: str, status: str = "shipped") -> None:
        """Change how an order stands.

        Args:
            order_id: The id of the order.
            status: The new status.
        """
        order = self._get_order(order_id)
        if status not in _ORDER_STATUSES:
            raise ValueError("Invalid status")
        self._orders[order_id] = order | {"order_status": status}

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
        item = self._find_item(item_id)
        if item is None:
            raise ValueError("Item does not exist")
        self._orders[order_id] = {
            "order_status": order_status,
            "order_date": to_datetime(order_date).isoformat(),
            "order_total": order_total,
            "order_id": order_id,
            "order_items": {item_id: build_cart_item(item, quantity)},
        }
        return order_id

    def _get_product(self, product_id: str) -> JSON:
        if product_id not in self._products:
            raise ValueError("Product does not exist")
        return self._products[product_id]

    def _find_product_id(self, item_id: str) -> str:
        return next(
            (each for each, product in self._products.items() if item_id in get_object(product, "variants")), ""
        )

    def _find_item(self, item_id: str) -> JSON | None:
        product_id = self._find_product_id(item_id)
        return self._products[product_id]["variants"][item_id] if product_id in self._products else None

    def _store_item(self, product_id: str, item: JSON) -> None:
        product = self._products[product_id]
        variants: JSON = get_object(product, "variants")
        self._products[product_id] = product | {"variants": variants | {item["item_id"]: item}}

    def _get_order(self, order_id: str) -> JSON:
        if order_id not in self._orders:
            raise ValueError("Order does not exist")
        return self._orders[order_id]

    def _compute_price(self, item: JSON, discount_code: str | None) -> float:
        full = item["price"] * item["quantity"]
        if discount_code is None or len(discount_code) == 0:
            return full * 1.0
        codes = self._discounts.get(item["item_id"])
        if codes is None:
            raise ValueError(f"There is no valid discount codes for the item with id - {item['item_id']}")
        if discount_code not in codes:
            raise ValueError(f"The provided discount code is not valid for the item with id - {item['item_id']}")
        return full * (1 - codes[discount_code] / 100)


class Shopping(ShoppingApp):
    """The same app under its short name."""
