"""The page that the server serves, at both sizes and in both themes, in real Chromium."""

from __future__ import annotations

import pytest
from browser_pages import Theme, get_theme
from playwright.async_api import expect

from .conftest import OpenPage


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 900])
async def test_the_page_opens_without_fault_and_fits_its_width(open_page: OpenPage, width: int, theme: Theme) -> None:
    page = await open_page(width=width, theme=theme)
    await expect(page.locator("#root")).not_to_be_empty()
    assert await get_theme(page) == theme
    assert await page.evaluate("document.documentElement.scrollWidth") <= width
