"""Takes the pictures in docs/screenshots: the workbench's main states, at both sizes, light and dark.

Run by `make screenshots`. Each state is a function that brings a page there as a person would.
"""

from __future__ import annotations

import asyncio
import contextlib
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
from playing import Player  # noqa: E402

State = Callable[[Page], Awaitable[object]]
THEMES: tuple[Theme, ...] = ("light", "dark")


async def agents(page: Page) -> None:
    """The agents that can be played."""
    await page.get_by_role("article", name="math_agent").wait_for()


async def turn(page: Page) -> Player:
    """A turn that waits for a person, a tool chosen, after an error that is open."""
    player = Player(page)
    await player.choose("math_agent")
    await player.say("What is (17 + 4) * 2, and what is 6 divided by 0?")
    await player.my_turn()
    await player.call("add", a="17", b="4")
    await player.my_turn()
    await player.call("divide", dividend="6", divisor="0")
    await player.my_turn()
    await player.open(player.row("Tool Error"))
    await player.pick("multiply")
    await player.field("a").fill("21")
    return player


async def form(page: Page) -> None:
    """A form with lists and objects."""
    player = Player(page)
    await player.choose("shop_agent")
    await player.say("Two pairs of headphones to Main Street 1, please.")
    await player.my_turn()
    await player.call("search_products", query="headphones")
    await player.my_turn()
    await player.pick("place_order")


async def exported(page: Page) -> None:
    """A golden trace that was written."""
    player = await turn(page)
    await player.field("b").fill("2")
    await player.execute()
    await player.my_turn()
    await player.answer("(17 + 4) * 2 is **42**. 6 divided by 0 has no result.")
    await player.done()
    await page.get_by_role("banner").get_by_role("button", name="Export").click()
    await page.get_by_role("dialog").get_by_role("button", name="Write the case").click()
    await page.get_by_text("Written as").wait_for()


STATES: dict[str, State] = {"agents": agents, "turn": turn, "form": form, "exported": exported}


async def take(browser: Browser, name: str, width: int, theme: Theme, path: Path) -> None:
    """Take one picture, of a workbench that nobody has used before."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        async with workbench.running(lambda: workbench.demo(Path("evals"))) as server:
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
