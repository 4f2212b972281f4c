"""The page that the server serves, at both sizes and in both themes, in real Chromium."""

from __future__ import annotations

import pytest
from browser_pages import Theme, get_theme, set_width
from playwright.async_api import expect

from .conftest import OpenPage


@pytest.mark.parametrize("theme", ["light", "dark"])
async def test_the_page_opens_without_fault_and_fits_its_width(open_page: OpenPage, theme: Theme) -> None:
    page = await open_page(width=1280, theme=theme)
    await expect(page.locator("#root")).not_to_be_empty()
    assert await get_theme(page) == theme
    assert await page.evaluate("document.documentElement.scrollWidth") <= 1280
    await set_width(page, 900)
    assert await page.evaluate("document.documentElement.scrollWidth") <= 900
