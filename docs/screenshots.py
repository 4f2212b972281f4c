"""Takes the pictures in docs/screenshots: the workbench's main states, at both sizes, light and dark.

Run by `make screenshots`. Each state is a function that brings a page there as a person would.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path

from playwright.async_api import Browser, Page

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tests"))

import browser as browsers  # noqa: E402
import workbench  # noqa: E402
from browser import Theme, Watch  # noqa: E402

State = Callable[[Page], Awaitable[None]]
THEMES: tuple[Theme, ...] = ("light", "dark")


async def agents(page: Page) -> None:
    """The agents that can be played."""
    await page.locator("#root > *").first.wait_for()


STATES: dict[str, State] = {"agents": agents}


async def take(browser: Browser, name: str, width: int, theme: Theme, path: Path) -> None:
    """Take one picture, of a workbench that nobody has used before."""
    with tempfile.TemporaryDirectory() as folder:
        async with workbench.running(lambda: workbench.demo(Path(folder))) as server:
            watch = Watch(server.url)
            context = await browsers.new_context(browser)
            page = await browsers.open_page(context, server.url, watch, width=width, theme=theme)
            await STATES[name](page)
            await page.screenshot(path=path, animations="disabled", caret="hide")
            await context.close()
    if watch.faults:
        raise SystemExit(f"{path.name}: the page is not clean:\n" + "\n".join(watch.faults))
    print(path.relative_to(HERE.parent))


async def main() -> None:
    """Take the pictures of the states named on the command line, or of all."""
    folder = HERE / "screenshots"
    folder.mkdir(exist_ok=True)
    async with browsers.running() as browser:
        for name in sys.argv[1:] or STATES:
            for width in (1280, 900):
                for theme in THEMES:
                    await take(browser, name, width, theme, folder / f"{name}-{width}-{theme}.png")


if __name__ == "__main__":
    asyncio.run(main())
