"""Responses that are generated from the schema of a tool's results, its name and the arguments of a call."""

from __future__ import annotations

import datetime
import json
import re
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adk_agent_sim.errors import MockImpossible
from adk_agent_sim.mocks.mocked_call import KeyedDraws, ToolSpec
from adk_agent_sim.mocks.schema_mock import SchemaMock


def _respond(
    results: dict[str, Any] | None, args: dict[str, Any] | None = None, *, name: str = "get_order", bits: int = 7
) -> Any:
    spec = ToolSpec(name=name, results=results, results_origin="output schema")
    return SchemaMock(spec).respond(args or {}, KeyedDraws(bits)).value


def _check(value: Any, schema: dict[str, Any]) -> None:
    validator: Any = jsonschema.Draft202012Validator(schema, format_checker=jsonschema.FormatChecker())
    validator.validate(value)


def _build_object(**fields: Any) -> dict[str, Any]:
    return {"type": "object", "properties": fields, "required": [*fields]}


_TEXT = {"type": "string"}
_NUMBER = {"type": "number"}
_INTEGER = {"type": "integer"}


@st.composite
def _draw_object(draw: st.DrawFn, children: st.SearchStrategy[dict[str, Any]]) -> dict[str, Any]:
    names = st.sampled_from(["id", "order_id", "name", "price", "created_at", "total", "items", "error", "email", "x"])
    fields = draw(st.dictionaries(names, children, max_size=4))
    required = draw(st.lists(st.sampled_from([*fields]), unique=True)) if fields else []
    return {"type": "object", "properties": fields, "required": required}


@st.composite
def _draw_container(draw: st.DrawFn, children: st.SearchStrategy[dict[str, Any]]) -> dict[str, Any]:
    each = draw(children)
    return draw(
        st.sampled_from(
            [
                {"type": "array", "items": each},
                {"type": "array", "items": each, "minItems": 4},
                {"anyOf": [each, {"type": "null"}]},
                {"oneOf": [each, {"const": {"unlike": "any other"}}]},
            ]
        )
    )


def _draw_compound(children: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
    return _draw_object(children) | _draw_container(children)


_SCHEMAS = st.recursive(
    st.sampled_from(
        [
            _TEXT,
            {"type": "string", "minLength": 12, "maxLength": 14},
            {"type": "string", "maxLength": 3},
            {"type": "string", "pattern": "^[A-Z]{3}-[0-9]{2,5}(x|yy)?$"},
            {"type": "string", "format": "date"},
            {"type": "string", "format": "date-time"},
            {"type": "string", "format": "uuid"},
            {"type": "string", "enum": ["a", "b"]},
            _INTEGER,
            {"type": "integer", "minimum": 1000, "maximum": 1003},
            {"type": "integer", "multipleOf": 7, "minimum": 3},
            {"type": "number", "exclusiveMinimum": 0, "maximum": 0.5},
            _NUMBER,
            {"type": "boolean"},
            {"type": ["string", "null"]},
            {"const": {"a": 1}},
        ]
    ),
    _draw_compound,
    max_leaves=8,
)


@settings(max_examples=50, deadline=None)
@given(_SCHEMAS, st.integers(0, 2**64 - 1), st.dictionaries(st.sampled_from(["id", "name", "x"]), st.just("5")))
@pytest.mark.req("002/mock-consistent")
def test_a_response_fits_the_schema_and_is_the_same_again(
    schema: dict[str, Any], bits: int, args: dict[str, Any]
) -> None:
    value = _respond(schema, args, bits=bits)

    _check(value, schema)
    assert _respond(schema, args, bits=bits) == value


def test_other_draws_give_other_values_and_a_new_field_changes_no_other() -> None:
    schema = _build_object(order_id=_TEXT, price=_NUMBER)

    first, other = _respond(schema, bits=1), _respond(schema, bits=2)
    longer = _respond(_build_object(color=_TEXT, **schema["properties"]), bits=1)

    assert first["order_id"] != other["order_id"]
    assert {"color": longer["color"], **first} == longer


@pytest.mark.parametrize(
    ("field", "pattern"),
    [
        ("email", r"[a-z]+\.[a-z]+@example\.com"),
        ("orderId", r"ORD-\d{5}"),
        ("customer_name", r"[A-Z][a-z]+ [A-Z][a-z]+"),
        ("city", r"[A-Z][a-z]+"),
        ("created_at", r"2026-\d\d-\d\dT\d\d:\d\d:00Z"),
        ("delivery_date", r"202[67]-\d\d-\d\d"),
        ("currency", r"[A-Z]{3}"),
        ("phone_number", r"\+1-555-01\d\d"),
        ("zip_code", r"\d{5}"),
        ("image_url", r"https://example\.com/\S+"),
        ("product_name", r"[A-Z][a-z]+ product"),
        ("country_code", r"[A-Z]{2}"),
        ("sku", r"SKU-\d{5}"),
    ],
)
def test_the_name_of_a_field_decides_what_its_text_looks_like(field: str, pattern: str) -> None:
    for bits in range(20):
        assert re.fullmatch(pattern, _respond(_build_object(**{field: _TEXT}), bits=bits)[field])


@pytest.mark.parametrize(
    ("field", "low", "high"),
    [("price", 5, 500), ("rating", 1, 5), ("latitude", -60, 70), ("confidence", 0, 1), ("age", 18, 80)],
)
def test_the_name_of_a_field_decides_how_large_its_number_is(field: str, low: float, high: float) -> None:
    values = {_respond(_build_object(**{field: _NUMBER}), bits=bits)[field] for bits in range(50)}

    assert len(values) > 5
    assert low <= min(values) <= max(values) <= high


def test_fields_of_one_object_belong_together() -> None:
    date = {"type": "string", "format": "date"}
    schema = _build_object(first_name=_TEXT, email=_TEXT, check_in=date, check_out=date, city=_TEXT, airport=_TEXT)
    airports = {"Berlin": "BER", "Lisbon": "LIS", "Toronto": "YYZ", "Osaka": "KIX", "Nairobi": "NBO", "Austin": "AUS"}

    for bits in range(30):
        found = _respond(schema, bits=bits)
        assert found["email"].startswith(found["first_name"].lower())
        begin, end = map(datetime.date.fromisoformat, (found["check_in"], found["check_out"]))
        assert begin < end
        assert airports.get(found["city"], found["airport"]) == found["airport"]


def test_given_ids_and_attributes_come_back_if_they_fit() -> None:
    schema = _build_object(id=_TEXT, quantity=_INTEGER, address=_build_object(city=_TEXT), status=_TEXT)
    mock = SchemaMock(ToolSpec(name="get_order", results=schema, results_origin="output schema"))

    response = mock.respond({"order_id": "ORD-1", "quantity": "two", "to": {"city": "Oslo"}}, KeyedDraws(1))

    assert response.value["id"] == "ORD-1"
    assert response.value["address"] == {"city": "Oslo"}
    assert isinstance(response.value["quantity"], int)
    assert response.used_arguments == ("order_id", "to.city")
    assert response.origin == "output schema"


def test_lists_respect_the_filters_and_the_limit_and_totals_count_them() -> None:
    item = _build_object(id=_INTEGER, title=_TEXT, price=_NUMBER, category=_TEXT, rating=_NUMBER)
    schema = _build_object(products={"type": "array", "items": item}, total=_INTEGER)
    args = {"query": "lamp", "category": "home", "max_price": 30, "min_rating": 4.5, "limit": 2, "id": 9}

    for bits in range(20):
        found = _respond(schema, args, name="search_products", bits=bits)
        assert found["total"] == len(found["products"]) == 2
        for product in found["products"]:
            assert product["category"] == "home"
            assert product["title"].endswith(" lamp")
            assert product["price"] <= 30
            assert product["rating"] >= 4.5
        assert len({product["id"] for product in found["products"]}) == 2
    assert _respond(schema, {"limit": 0}, name="search_products") == {"products": [], "total": 0}


def test_a_response_reports_no_error() -> None:
    failure = {"title": "Failure", **_build_object(error=_TEXT)}
    success = _build_object(order_id=_TEXT, error_code=_INTEGER)
    success["properties"] |= {"error": _TEXT, "success": {"type": "boolean"}}
    schema = {"anyOf": [failure, success]}

    for bits in range(10):
        found = _respond(schema, bits=bits)
        assert {"order_id", "error_code", "success"} == found.keys()
        assert (found["error_code"], found["success"]) == (0, True)


def test_a_schema_that_contains_itself_comes_to_an_end() -> None:
    node = _build_object(name=_TEXT, children={"type": "array", "items": {"$ref": "#/$defs/Node"}})
    schema = {"$ref": "#/$defs/Node", "$defs": {"Node": node}}

    found = _respond(schema)

    _check(found, schema)
    assert found["children"]


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "properties": {"self": {"$ref": "#"}}, "required": ["self"]},
        {"type": "array", "minItems": 10**9, "items": _TEXT},
        {"type": "array", "minItems": 1, "items": {"$ref": "#"}},
        {"type": "array", "minItems": 99, "items": {"type": "array", "minItems": 999, "items": _TEXT}},
        {"type": "string", "minLength": 10**9},
    ],
)
def test_a_schema_without_a_reasonable_value_is_refused_at_once(schema: dict[str, Any]) -> None:
    with pytest.raises(MockImpossible, match=r"without end|too long|too many"):
        _respond(schema)


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": "object", "properties": ["a"]}, dict),
        ({"type": "array", "minItems": "3", "items": _TEXT}, list),
        (_INTEGER | {"minimum": "low"}, int),
        ({"anyOf": 5}, str),
        ({"type": 5}, str),
        (_build_object(error=True), dict),
        ({"type": "object", "properties": {"a": False}}, dict),
    ],
)
def test_malformed_parts_of_a_schema_are_ignored(schema: dict[str, Any], expected: type) -> None:
    assert isinstance(_respond(schema), expected)


def test_a_schema_that_branches_at_each_level_has_a_response_of_reasonable_size() -> None:
    names = [f"field_{number}" for number in range(12)]
    node = {"type": "object", "properties": {name: {"$ref": "#"} for name in names}}
    lists = {"type": "object", "properties": {name: {"type": "array", "items": {"$ref": "#"}} for name in names}}

    for schema in (node, lists):
        assert len(json.dumps(_respond(schema))) < 2_000_000


@pytest.mark.parametrize("pattern", [r"^(?=a)b$", r"^(a)\1$", r"\p{Lu}", "[", "^a{9999}$"])
def test_what_cannot_be_generated_is_refused_with_its_path(pattern: str) -> None:
    with pytest.raises(MockImpossible, match=r"lines.\*.code: no text can be made for the pattern"):
        _respond(_build_object(lines={"type": "array", "items": _build_object(code=_TEXT | {"pattern": pattern})}))


@pytest.mark.parametrize(
    ("name", "args", "expected"),
    [
        ("get_order", {"order_id": "ORD-1"}, {"order_id": "ORD-1", "status": ...}),
        ("cancelOrder", {"orderId": "7"}, {"order_id": "7", "orderId": "7", "status": "cancelled"}),
        ("delete_order", {"order_id": "7"}, {"order_id": "7", "deleted": True}),
        ("ping", {}, {"status": "ok"}),
        ("search_products", {"query": "lamp"}, {"products": ..., "total": ...}),
        ("list-all-people", {}, {"people": ..., "total": ...}),
    ],
)
def test_without_a_schema_the_name_suggests_the_shape(
    name: str, args: dict[str, Any], expected: dict[str, Any]
) -> None:
    parameters = {"type": "object", "properties": dict.fromkeys(args, _TEXT)}
    mock = SchemaMock(ToolSpec(name=name, parameters=parameters))

    response = mock.respond(args, KeyedDraws(3))

    assert response.origin == "name"
    assert {key: ... if expected.get(key) is ... else value for key, value in response.value.items()} == expected


def test_a_tool_that_responds_with_a_text_says_what_was_asked_for() -> None:
    assert _respond(_TEXT, {"city": "Oslo"}, name="get_weather").startswith("Weather (city Oslo): ")
