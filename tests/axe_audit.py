"""Audits what a page shows with axe-core, a development dependency of the browser app."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from browser_pages import Theme, get_theme, set_theme
from playwright.async_api import Page

AXE = Path(__file__).parent.parent / "web" / "node_modules" / "axe-core" / "axe.min.js"

_RUN = """
async (rules) => {
  const options = { resultTypes: ["violations"], ...(rules ? { runOnly: { type: "rule", values: rules } } : {}) };
  const { violations } = await axe.run(document, options);
  return violations;
}
"""


async def audit_page(page: Page) -> None:
    """Fail on any violation of axe's rules in what the page shows, and of its contrasts in the other theme.

    The themes differ only in their colours, so one run of all rules serves both.
    """
    theme = await get_theme(page)
    other: Theme = "light" if theme == "dark" else "dark"
    found = await _find_violations(page, None)
    await set_theme(page, other)
    found += await _find_violations(page, ["color-contrast"])
    await set_theme(page, theme)
    assert found == [], found


async def _find_violations(page: Page, rules: list[str] | None) -> list[str]:
    """Run axe through the DevTools protocol, which the page's content policy does not concern."""
    if not await page.evaluate("'axe' in window"):
        await page.evaluate(AXE.read_text("utf-8"))
    violations: list[dict[str, Any]] = await page.evaluate(_RUN, rules)
    theme = await get_theme(page)
    return [
        f"{theme}: {violation['id']}: {violation['help']}: {node['html']} {node['failureSummary']}"
        for violation in violations
        for node in violation["nodes"]
    ]
