"""Forms made from schemas: every kind of field, what is sent and what is not, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import kitchen_sink_agents
import pytest
from browser_pages import PageWatch
from playwright.async_api import Page, expect
from workbench_user import WorkbenchUser

from adk_agent_sim import AgentSimulator


@pytest.fixture
def simulator(tmp_path: Path) -> Callable[[], AgentSimulator]:
    return lambda: AgentSimulator(
        [kitchen_sink_agents.build_agent_config(kitchen_sink_agents.build_kitchen_agent(), tmp_path)]
    )


async def start_turn(page: Page) -> WorkbenchUser:
    """Send a message, and return the player whose turn it is."""
    player = WorkbenchUser(page)
    await player.send_message("Do something")
    await player.wait_for_turn()
    return player


async def raw(player: WorkbenchUser) -> Any:
    """What the form would send, as "Edit as JSON" shows it."""
    await player.composer.get_by_role("button", name="Edit as JSON").click()
    text = await player.composer.get_by_label("JSON", exact=True).input_value()
    await player.composer.get_by_role("button", name="Edit as JSON").click()
    return json.loads(text)


@pytest.mark.req("001/FR-003", "001/FR-004", "001/SC-003", "001/US1.2")
async def test_a_default_is_shown_and_not_sent_unless_touched(page: Page) -> None:
    player = await start_turn(page)
    await player.choose_tool("search")
    await expect(player.find_field("limit")).to_have_attribute("placeholder", "default 10")
    await expect(player.find_field("limit")).to_have_attribute("inputmode", "numeric")
    await expect(player.find_field_frame("limit")).not_to_contain_text("*")
    await expect(player.find_field_frame("query")).to_contain_text("*")
    await expect(player.find_field_frame("query").locator("textarea")).to_have_count(1)
    assert await player.composer.locator(".sf-label").all_inner_texts() == ["query", "limit"]
    await player.find_field("query").fill("tea")
    assert await raw(player) == {"query": "tea"}
    await player.execute()
    await player.wait_for_turn()
    await expect(player.find_rows("search", "query=tea", "tea:10:int")).to_have_count(1)


@pytest.mark.req("001/US1.3")
async def test_a_literal_is_a_choice(page: Page) -> None:
    player = await start_turn(page)
    await player.choose_tool("convert")
    group = player.composer.get_by_role("radiogroup", name="format")
    options = [await option.inner_text() for option in await group.locator("label").all()]
    assert options == ["json", "xml"]
    await player.find_field("text").fill("a")
    await group.get_by_role("radio", name="xml").check()
    await player.execute()
    await player.wait_for_turn()
    await expect(player.find_rows("convert", "xml:a")).to_have_count(1)


@pytest.mark.req("001/FR-003", "001/FR-004", "001/SC-003")
async def test_a_field_of_every_kind(page: Page) -> None:
    player = await start_turn(page)
    await player.choose_tool("order")
    form = player.composer
    for text in ("tea", "junk", "cake"):
        await player.find_field_frame("items").get_by_role("button", name="+ item").click()
        await page.keyboard.type(text)
    await form.get_by_role("button", name="Remove items[1]").click()
    await expect(player.find_field_frame("address", "street")).to_contain_text("Street and number")
    await expect(form.get_by_role("group", name="address").locator("textarea")).to_have_count(2)
    await expect(player.find_field("weight")).to_have_attribute("inputmode", "decimal")
    await player.find_field("street").fill("Main Street 1")
    await form.get_by_label("payment: variant").select_option("Cash")
    await player.find_field("amount").fill("2.50")
    await form.get_by_role("radiogroup", name="colour").get_by_role("radio", name="blue").check()
    await form.get_by_role("radiogroup", name="level").get_by_role("radio", name="3").check()
    await form.get_by_role("radiogroup", name="gift").get_by_role("radio", name="true").check()
    await player.find_field("weight").fill("5.0")
    await player.find_field("when").fill("2026-12-24")
    assert await player.find_field("size").locator("option").all_inner_texts() == [
        *("unset (M)", "XXS", "XS", "S", "M", "L", "XL", "XXL")
    ]
    await player.find_field("size").select_option("XL")
    sent = await raw(player)
    assert sent == {
        "items": ["tea", "cake"],
        "address": {"street": "Main Street 1"},
        "payment": {"kind": "cash", "amount": 2.5},
        "colour": "blue",
        "level": 3,
        "gift": True,
        "weight": 5.0,
        "when": "2026-12-24",
        "size": "XL",
    }
    assert isinstance(sent["level"], int)
    assert list(sent) == ["items", "address", "payment", "colour", "level", "gift", "weight", "when", "size"]
    await player.execute()
    await player.wait_for_turn()
    inside = await player.open_row(player.find_rows("order"))
    await expect(inside).to_contain_text("Main Street 1")


@pytest.mark.req("001/FR-005")
async def test_a_description_stands_at_its_field_and_that_of_items_and_values_once_above_them(page: Page) -> None:
    player = await start_turn(page)
    await player.choose_tool("order")
    for _ in range(2):
        await player.find_field_frame("items").get_by_role("button", name="+ item").click()
    descriptions = {
        ("items",): "What to buy. Each item: A product or a service",
        ("address",): "Where to.",
        ("address", "street"): "Street and number",
        ("payment",): "A card.",
        ("colour",): "A colour.",
        ("level",): "How much.",
        ("weight",): "In kilograms",
        ("notes",): "Each value: Marks out of ten",
        ("code",): "The code of the shop",
    }
    for path, description in descriptions.items():
        note = player.find_field_frame(*path).locator("> .sf-notes > .sf-note")
        await expect(note).to_have_text(description)
    await expect(player.composer.get_by_text("A product or a service")).to_have_count(1)


@pytest.mark.req("001/FR-006")
async def test_a_missing_field_is_named_at_its_place_and_can_be_sent_anyway(page: Page, watch: PageWatch) -> None:
    watch.allow_fault("422")
    player = await start_turn(page)
    await player.choose_tool("search")
    await player.execute()
    await expect(player.find_field_frame("query")).to_contain_text("missing")
    await expect(player.composer).to_contain_text("1 problem")
    await expect(player.find_rows("search")).to_have_count(0)
    await player.composer.get_by_role("button", name="Send anyway").click()
    await player.wait_for_turn()
    await expect(player.find_rows("search")).to_have_count(1)


async def test_a_value_out_of_range_is_told_when_the_field_is_left(page: Page) -> None:
    player = await start_turn(page)
    await player.choose_tool("order")
    await player.find_field("weight").fill("51")
    await player.find_field("weight").blur()
    await expect(player.find_field_frame("weight")).to_contain_text("50")
    await expect(player.find_field("weight")).to_have_attribute("aria-invalid", "true")


async def test_json_and_form_go_back_and_forth_without_loss(page: Page) -> None:
    player = await start_turn(page)
    await player.choose_tool("count_bits")
    toggle = player.composer.get_by_role("button", name="Edit as JSON")
    await toggle.click()
    await player.composer.get_by_label("JSON", exact=True).fill('{"number": 123456789012345678901234567890}')
    await toggle.click()
    await expect(player.find_field("number")).to_have_value("123456789012345678901234567890")
    await player.execute()
    await player.wait_for_turn()
    await expect(player.find_rows("123456789012345678901234567890 int")).to_have_count(1)


async def test_json_that_cannot_be_read_stays_and_says_where(page: Page) -> None:
    player = await start_turn(page)
    await player.choose_tool("search")
    toggle = player.composer.get_by_role("button", name="Edit as JSON")
    await toggle.click()
    editor = player.composer.get_by_label("JSON", exact=True)
    await editor.fill('{"query": ')
    await toggle.click()
    await expect(editor).to_have_value('{"query": ')
    await expect(player.composer).to_contain_text("line 1")


@pytest.mark.req("001/edge-nested")
async def test_a_schema_that_refers_to_itself_opens_level_by_level(page: Page) -> None:
    player = await start_turn(page)
    await player.choose_tool("tidy")
    await player.find_field("name").fill("root")
    inside: tuple[str | int, ...] = ("folder", "folders")
    for name in ("inner", "innermost"):
        await player.find_field_frame(*inside).get_by_role("button", name="set").click()
        await player.find_field_frame(*inside).get_by_role("button", name="+ item").click()
        await page.keyboard.type(name)
        inside = (*inside, 0, "folders")
    innermost = {"name": "innermost"}
    assert await raw(player) == {"folder": {"name": "root", "folders": [{"name": "inner", "folders": [innermost]}]}}


@pytest.mark.req("001/edge-concurrent")
async def test_several_calls_are_one_turn(page: Page) -> None:
    player = await start_turn(page)
    for query in ("tea", "milk"):
        await player.choose_tool("search")
        await player.find_field("query").fill(query)
        await player.composer.get_by_role("button", name="Add to turn").click()
        await expect(player.composer.get_by_role("list", name="Calls of this turn")).to_contain_text(query)
    await player.composer.get_by_role("button", name="Edit search").first.click()
    await expect(player.find_field("query")).to_have_value("tea")
    await player.execute("Execute 2 calls")
    await player.wait_for_turn()
    await expect(player.find_rows("search", "milk:10:int")).to_have_count(1)
    await expect(player.find_rows("search", "tea:10:int")).to_have_count(1)


async def test_the_keyboard_is_enough(page: Page) -> None:
    player = await start_turn(page)
    for query in ("tea", "no bread"):
        await expect(player.composer.get_by_role("combobox", name="Find a tool")).to_be_focused()
        await page.keyboard.type("sear")
        await page.keyboard.press("Enter")
        await expect(player.find_field("query")).to_be_focused()
        await page.keyboard.type(query)
        await page.keyboard.press("Control+Enter")
        await expect(player.find_rows(f"{query}:10:int")).to_have_count(1)
    await expect(page.get_by_role("article")).to_have_count(3)


async def test_a_confirmation_is_approved_or_denied(page: Page) -> None:
    player = await start_turn(page)
    for button, words in (("Approve", "refunded 5"), ("Deny", "denied")):
        await player.call_tool("refund", amount="5")
        await expect(player.status).to_have_text("Needs consent")
        await expect(player.find_rows("refund").last).to_contain_text("needs consent")
        await player.composer.get_by_role("button", name=button).click()
        await player.wait_for_turn()
        await expect(player.find_rows("refund", words).first).to_be_visible()
        await expect(player.timeline.locator("[data-status=denied]")).to_have_count(0 if button == "Approve" else 1)
