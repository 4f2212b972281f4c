"""A press acts on what it began on, although the page moves meanwhile; moving the pointer away cancels it."""

from playwright.async_api import Locator, Page, expect


async def _press_down(button: Locator) -> tuple[float, float]:
    """Press the mouse on a button, and return where."""
    box = await button.bounding_box()
    assert box
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    await button.page.mouse.move(x, y)
    await button.page.mouse.down()
    return x, y


async def test_a_button_that_moves_while_it_is_pressed_is_pressed(page: Page) -> None:
    button = page.get_by_role("button", name="Play math_agent", exact=True)
    x, y = await _press_down(button)
    await page.mouse.move(x, y - 300)
    await page.mouse.up()
    await expect(page.get_by_role("article", name="math_agent")).to_be_visible()
    assert "/sessions/" not in page.url

    await _press_down(button)
    await button.evaluate("button => { button.style.translate = '0 200px'; }")
    await page.mouse.up()

    await expect(page.locator("header .pill")).to_have_text("Waiting for a message")


async def test_text_in_a_row_can_be_selected(page: Page) -> None:
    description = page.get_by_role("article", name="math_agent").locator("p").first
    box = await description.bounding_box()
    assert box
    await page.mouse.move(box["x"] + 2, box["y"] + box["height"] / 2)
    await page.mouse.down()
    await page.mouse.move(box["x"] + 60, box["y"] + box["height"] / 2, steps=3)
    await page.mouse.up()

    assert await page.evaluate("getSelection().toString().length") > 2
