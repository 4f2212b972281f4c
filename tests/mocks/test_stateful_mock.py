"""Tools that share the resources of a session, in five styles of names and schemas."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from adk_agent_sim.mocks.mocked_call import KeyedDraws, ResourceOperation, ToolSpec
from adk_agent_sim.mocks.resource_store import ResourceStore, declare_role, infer_role, list_created_nouns
from adk_agent_sim.mocks.stateful_mock import StatefulMock

_TEXT = {"type": "string"}
_INTEGER = {"type": "integer"}


def _describe(name: str, *arguments: str, results: dict[str, Any] | None = None, **schemas: Any) -> ToolSpec:
    properties = {**dict.fromkeys(arguments, _TEXT), **schemas}
    return ToolSpec(name=name, parameters={"type": "object", "properties": properties}, results=results)


class _Session:
    """Calls mocked tools."""

    def __init__(self, *specs: ToolSpec, data: Mapping[str, Any] | None = None) -> None:
        self._specs = {spec.name: spec for spec in specs}
        self._mock = StatefulMock(ResourceStore(data), list_created_nouns(specs))
        self._count = 0

    def call(self, tool: str, **args: Any) -> Any:
        self._count += 1
        spec = self._specs[tool]
        role = infer_role(spec, args)
        assert role is not None
        # As in a session: what creates something draws again, what reads does not.
        draws = KeyedDraws(self._count if role.operation is ResourceOperation.CREATE else 0)
        return self._mock.respond(spec, role, args, draws).value


@pytest.mark.parametrize(
    ("spec", "args", "expected"),
    [
        (_describe("get_order", "order_id"), {}, "get order order_id"),
        (_describe("get_orders", "order_id"), {}, "get order order_id"),
        (_describe("get_orders", "status"), {}, "list order "),
        (_describe("listOrders", "customer_id"), {}, "list order "),
        (_describe("cancel_order", "order_id"), {}, "update order order_id"),
        (_describe("orders_create", "lines"), {}, "create order "),
        (_describe("post_orders", "body"), {}, "create order "),
        (_describe("getOrderById", "id"), {}, "get order id"),
        (_describe("patch_orders_id", "id"), {}, "update order id"),
        (_describe("delete_orders_id", "id"), {}, "delete order id"),
        (_describe("github__create_issue", "title"), {}, "create issue "),
        (_describe("find_users", "name"), {}, "search user "),
        (_describe("tickets", "action", "ticket_id"), {"action": "close"}, "update ticket ticket_id"),
        (_describe("manage_tickets", "operation", "id"), {"operation": "list"}, "list ticket "),
        (_describe("add_order_line", "order_id", "sku"), {}, "create order_line "),
        (_describe("place_order", order={"type": "object"}), {}, "create order "),
        (_describe("book_hotel", "hotel_id", "nights"), {}, "create booking "),
        (_describe("book_table", "guests"), {}, "create table "),
        (_describe("send_invoice", "invoice_id"), {}, "update invoice invoice_id"),
        (_describe("register_user", "user_id"), {}, "create user user_id"),
        (_describe("reboot_server", "host"), {}, None),
        (_describe("tickets", "action"), {"action": "juggle"}, None),
        (_describe("cancel_order", "reason"), {}, None),
    ],
)
@pytest.mark.req("002/mock-schema-analysis")
def test_names_and_arguments_say_what_a_tool_does(spec: ToolSpec, args: dict[str, Any], expected: str | None) -> None:
    role = infer_role(spec, args)

    assert (f"{role.operation} {role.noun} {role.id_argument}" if role else None) == expected


def test_what_names_do_not_say_can_be_declared() -> None:
    spec = _describe("stash", "thing", "place")

    assert infer_role(spec) is None
    assert declare_role(spec, {}, ResourceOperation.CREATE, "", "") is not None
    role = declare_role(spec, {}, ResourceOperation.UPDATE, "Things", "thing")
    assert role is not None
    assert (role.operation, role.noun, role.id_argument, role.is_declared) == ("update", "thing", "thing", True)
    assert declare_role(spec, {}, None, "thing", "thing") is None


@pytest.mark.req("002/mock-state-store", "002/mock-generated-id", "002/mock-not-found", "002/mock-consistent")
def test_a_shop_by_verbs() -> None:
    shop = _Session(
        _describe("create_order", "item", "customer", quantity=_INTEGER),
        _describe("get_order", "order_id"),
        _describe("cancel_order", "order_id", "reason"),
        _describe("list_orders", "status", "customer", limit=_INTEGER),
        _describe("pay_invoice", "order_id", "invoice_id"),
        _describe("create_invoice", "order_id"),
    )

    first = shop.call("create_order", item="lamp", customer="Ada", quantity=2)
    second = shop.call("create_order", item="desk", customer="Ben", quantity=1)

    assert first["order_id"] != second["order_id"]
    assert shop.call("get_order", order_id=first["order_id"]) == first
    assert first | {"item": "lamp", "customer": "Ada", "quantity": 2} == first
    cancelled = shop.call("cancel_order", order_id=first["order_id"], reason="late")
    assert cancelled == {**first, "status": "cancelled", "reason": "late"}
    assert shop.call("get_order", order_id=first["order_id"]) == cancelled
    assert shop.call("list_orders", status="cancelled") == {"orders": [cancelled], "total": 1}
    assert shop.call("list_orders", customer="ben") == {"orders": [second], "total": 1}
    assert shop.call("list_orders", limit=1) == {"orders": [cancelled], "total": 2}
    missing = {"error_code": 404, "error_message": "There is no order 'ORD-0'."}
    assert shop.call("get_order", order_id="ORD-0") == missing
    assert shop.call("cancel_order", order_id="ORD-0") == missing
    assert shop.call("create_invoice", order_id="ORD-0") == missing
    assert "invoice_id" in shop.call("create_invoice", order_id=first["order_id"])


def test_a_rest_api() -> None:
    pet = {"type": "object", "properties": {"id": _INTEGER, "name": _TEXT, "tag": _TEXT, "createdAt": _TEXT}}
    page = {"type": "object", "properties": {"data": {"type": "array", "items": pet}, "total_count": _INTEGER}}
    pets = _Session(
        _describe("post_pets", body={"type": "object"}, results=pet),
        _describe("get_pets", "tag", offset=_INTEGER, limit=_INTEGER, results=page),
        _describe("get_pets_by_id", id=_INTEGER, results=pet),
        _describe("put_pets_id", id=_INTEGER, body={"type": "object"}, results=pet),
        _describe("delete_pets_id", id=_INTEGER),
    )

    made = [pets.call("post_pets", body={"name": name, "tag": tag}) for name, tag in (("Rex", "dog"), ("Tom", "cat"))]

    assert [each["name"] for each in made] == ["Rex", "Tom"]
    assert isinstance(made[0]["id"], int)
    assert pets.call("get_pets_by_id", id=made[1]["id"]) == made[1]
    assert pets.call("get_pets", tag="dog") == {"data": [made[0]], "total_count": 1}
    assert pets.call("get_pets", offset=1, limit=5) == {"data": [made[1]], "total_count": 2}
    changed = pets.call("put_pets_id", id=made[0]["id"], body={"name": "Max"})
    assert changed == {**made[0], "name": "Max"}
    assert pets.call("delete_pets_id", id=made[0]["id"]) == {"id": made[0]["id"], "deleted": True}
    assert pets.call("get_pets_by_id", id=made[0]["id"])["error_code"] == 404
    assert pets.call("get_pets") == {"data": [made[1]], "total_count": 1}


def test_one_tool_with_an_action() -> None:
    actions = {"type": "string", "enum": ["create", "get", "list", "close", "delete"]}
    desk = _Session(_describe("tickets", "ticket_id", "title", "status", action=actions))

    made = desk.call("tickets", action="create", title="Broken")

    assert made["title"] == "Broken"
    assert "action" not in made
    closed = desk.call("tickets", action="close", ticket_id=made["ticket_id"])
    assert closed["status"] == "closed"
    assert desk.call("tickets", action="get", ticket_id=made["ticket_id"]) == closed
    assert desk.call("tickets", action="list", status="open") == {"tickets": [], "total": 0}
    assert desk.call("tickets", action="get", ticket_id="none")["error_code"] == 404
    desk.call("tickets", action="delete", ticket_id=made["ticket_id"])
    assert desk.call("tickets", action="list")["total"] == 0


def test_an_mcp_server_with_prefixes_and_nested_results() -> None:
    issue = {"type": "object", "properties": {"number": _INTEGER, "title": _TEXT, "state": _TEXT, "repo": _TEXT}}
    wrapped = {"type": "object", "properties": {"issue": issue, "ok": {"type": "boolean"}}}
    found = {"type": "object", "properties": {"issues": {"type": "array", "items": issue}}}
    server = _Session(
        _describe("github__create_issue", "repo", "title", results=wrapped),
        _describe("github__get_issue", "repo", issue_number=_INTEGER, results=wrapped),
        _describe("github__update_issue", "title", "state", issue_number=_INTEGER, results=wrapped),
        _describe("github__search_issues", "query", results=found),
    )

    made = server.call("github__create_issue", repo="a/b", title="It crashes")
    number = made["issue"]["number"]

    assert made["issue"]["title"] == "It crashes"
    assert server.call("github__get_issue", repo="a/b", issue_number=number)["issue"] == made["issue"]
    server.call("github__update_issue", issue_number=number, state="closed")
    assert server.call("github__search_issues", query="CRASHES")["issues"] == [{**made["issue"], "state": "closed"}]
    assert server.call("github__search_issues", query="slow") == {"issues": []}


def test_what_no_tool_creates_is_generated_and_remembered() -> None:
    users = _Session(
        _describe("get_user_profile", "user_profile_id"),
        _describe("search_products", "query"),
        _describe("get_product", "product_id"),
        _describe("rename_product", "product_id", "name"),
        _describe("remove_product", "product_id"),
    )

    profile = users.call("get_user_profile", user_profile_id="U-1")
    found = users.call("search_products", query="lamp")
    first, second, *_ = found["products"]

    assert profile["user_profile_id"] == "U-1"
    assert users.call("get_product", product_id=first["product_id"]) == first
    users.call("rename_product", product_id=first["product_id"], name="Torch")
    users.call("remove_product", product_id=second["product_id"])
    again = users.call("search_products", query="lamp")["products"]
    assert again[0] == {**first, "name": "Torch"}
    assert second not in again
    assert users.call("get_product", product_id=second["product_id"])["error_code"] == 404


@pytest.mark.req("002/mock-environment-data")
def test_the_store_begins_with_the_environment_data() -> None:
    data: dict[str, Any] = {
        "products": [{"id": "P-1", "name": "Headphones", "price": 80}, {"id": "P-2", "name": "Hub", "price": 35}],
        "customers": {"ada": {"email": "ada@example.com"}},
        "warehouse": "US-WEST-2",
        "limits": {"orders": 5},
    }
    shop = _Session(
        _describe("search_products", "query", max_price=_INTEGER),
        _describe("get_product", "product_id"),
        _describe("get_customer", "customer"),
        _describe("get_warehouse", "warehouse_id"),
        data=data,
    )

    assert shop.call("search_products", query="hub") == {"products": [data["products"][1]], "total": 1}
    assert shop.call("search_products", max_price=50)["products"] == [data["products"][1]]
    assert shop.call("get_product", product_id="P-1") == data["products"][0]
    assert shop.call("get_product", product_id="P-3")["error_code"] == 404
    assert shop.call("get_customer", customer="ada") == {"email": "ada@example.com"}
    assert shop.call("get_warehouse", warehouse_id="W")["warehouse_id"] == "W"


def test_a_chosen_id_is_kept_and_cannot_be_taken_twice() -> None:
    users = _Session(_describe("create_user", "user_id", "email"), _describe("get_user", "user_id"))

    made = users.call("create_user", user_id="ada", email="ada@example.com")

    assert users.call("get_user", user_id="ada") == made
    assert made["email"] == "ada@example.com"
    assert users.call("create_user", user_id="ada", email="x")["error_code"] == 409


def test_thousands_of_resources_have_different_ids() -> None:
    shop = _Session(_describe("create_order", "item"), _describe("list_orders"))

    made = {shop.call("create_order", item="lamp")["order_id"] for _ in range(3_000)}

    assert len(made) == shop.call("list_orders")["total"] == 3_000


@pytest.mark.parametrize(
    "fields",
    [
        {"status_code": {"const": 201}, "message": _TEXT},
        {"status_code": {"type": "integer", "minimum": 201, "maximum": 201}, "message": _TEXT},
        {"priority_code": {"type": "string", "enum": ["P1", "P2"]}, "message": _TEXT},
    ],
    ids=["const", "bounds", "enum"],
)
def test_a_field_that_cannot_vary_is_no_id(fields: dict[str, Any]) -> None:
    results = {"type": "object", "properties": fields, "required": [*fields]}
    desk = _Session(_describe("create_ticket", "title", results=results), _describe("list_tickets"))

    made = [desk.call("create_ticket", title=f"Ticket {number}") for number in range(5)]

    assert all(each.keys() == fields.keys() for each in made)
    found = desk.call("list_tickets")
    assert [each["title"] for each in found["tickets"]] == [f"Ticket {number}" for number in range(5)]


def test_a_field_that_varies_is_the_id_instead_of_one_that_cannot() -> None:
    fields = {"status_code": {"const": 201}, "confirmation_number": _TEXT}
    results = {"type": "object", "properties": fields}
    desk = _Session(
        _describe("create_booking", "guest", results=results), _describe("get_booking", "booking_id", "guest")
    )

    made = [desk.call("create_booking", guest=name) for name in ("Ada", "Ben")]

    found = [desk.call("get_booking", booking_id=each["confirmation_number"]) for each in made]
    assert [each["guest"] for each in found] == ["Ada", "Ben"]


@pytest.mark.parametrize("chosen", [{"enum": ["T-1", "T-2"]}, _TEXT], ids=["enum", "chosen by the caller"])
def test_an_id_that_is_taken_is_refused_if_there_is_no_other(chosen: dict[str, Any]) -> None:
    results = {"type": "object", "properties": {"ticket_id": chosen, "title": _TEXT}}
    desk = _Session(_describe("create_ticket", ticket={"type": "object"}, results=results), _describe("list_tickets"))

    made = [desk.call("create_ticket", ticket={"ticket_id": name, "title": "x"}) for name in ("T-1", "T-2", "T-1")]

    assert [each.get("ticket_id") for each in made] == ["T-1", "T-2", None]
    assert made[2] == {"error_code": 409, "error_message": "There is a ticket 'T-1' already."}
    assert desk.call("list_tickets")["total"] == 2


def test_records_without_an_id_are_restored_one_by_one() -> None:
    fields = {"status_code": {"const": 201}, "priority_code": {"enum": ["P1", "P2"]}}
    spec = _describe("create_ticket", "title", results={"type": "object", "properties": fields})
    role = infer_role(spec)
    assert role is not None
    store = ResourceStore()
    mock = StatefulMock(store, frozenset())

    for number in range(3):
        mock.restore(spec, role, {"title": f"Ticket {number}"}, {"status_code": 201, "priority_code": "P1"})

    assert [each["title"] for each in store.get_collection("ticket")] == ["Ticket 0", "Ticket 1", "Ticket 2"]


def test_records_that_share_a_value_are_not_taken_for_one() -> None:
    rates = [{"currency_code": "USD", "rate": 1}, {"currency_code": "USD", "rate": 2}]
    item = {"type": "object", "properties": {"currency_code": {"const": "EUR"}, "price": {"type": "number"}}}
    shop = _Session(
        _describe("list_rates"),
        _describe(
            "list_offers", results={"type": "object", "properties": {"offers": {"type": "array", "items": item}}}
        ),
        data={"rates": rates},
    )

    assert shop.call("list_rates") == {"rates": rates, "total": 2}
    offers = shop.call("list_offers")["offers"]
    assert len({each["price"] for each in offers}) == len(offers) > 1
