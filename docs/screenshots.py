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

import browser_pages as browsers  # noqa: E402
import workbench_server  # noqa: E402
from browser_pages import PageWatch, Theme  # noqa: E402
from workbench_user import WorkbenchUser  # noqa: E402

State = Callable[[Page], Awaitable[object]]
THEMES: tuple[Theme, ...] = ("light", "dark")


async def agents(page: Page) -> None:
    """The agents that can be played."""
    await page.get_by_role("article", name="math_agent").wait_for()


async def turn(page: Page) -> WorkbenchUser:
    """A turn that waits for a person, a tool chosen, after an error that is open."""
    player = WorkbenchUser(page)
    await player.start_session("math_agent")
    await player.send_message("What is (17 + 4) * 2, and what is 6 divided by 0?")
    await player.wait_for_turn()
    await player.call_tool("add", a="17", b="4")
    await player.wait_for_turn()
    await player.call_tool("divide", dividend="6", divisor="0")
    await player.wait_for_turn()
    await player.open_row(player.find_rows("Tool Error"))
    await player.choose_tool("multiply")
    await player.find_field("a").fill("21")
    return player


async def form(page: Page) -> None:
    """A form with lists and objects."""
    player = WorkbenchUser(page)
    await player.start_session("shop_agent")
    await player.send_message("Two pairs of headphones to Main Street 1, please.")
    await player.wait_for_turn()
    await player.call_tool("search_products", query="headphones")
    await player.wait_for_turn()
    await player.choose_tool("place_order")


async def exported(page: Page) -> None:
    """A golden trace that was written."""
    player = await turn(page)
    await player.find_field("b").fill("2")
    await player.execute()
    await player.wait_for_turn()
    await player.respond("(17 + 4) * 2 is **42**. 6 divided by 0 has no result.")
    await player.wait_until_done()
    await page.get_by_role("banner").get_by_role("button", name="Export").click()
    await page.get_by_role("dialog").get_by_role("button", name="Write the file").click()
    await page.get_by_text("Written as").wait_for()


async def preview(page: Page) -> None:
    """What an export would write, while the next turn waits."""
    player = await turn(page)
    await player.find_field("b").fill("2")
    await player.execute()
    await player.wait_for_turn()
    await player.respond("(17 + 4) * 2 is **42**.")
    await player.wait_until_done()
    await page.get_by_role("banner").get_by_role("button", name="Export").click()
    await page.get_by_role("dialog").get_by_role("button", name="Write the file").wait_for()


async def rules(page: Page) -> None:
    """The rules beside the timeline."""
    await turn(page)
    await page.get_by_role("button", name="Rules").click()
    await page.get_by_role("region", name="Rules").wait_for()


async def sessions(page: Page) -> None:
    """The list of sessions, one of which waits."""
    await turn(page)
    await page.get_by_role("link", name="Sessions").click()
    await page.get_by_role("row").nth(1).wait_for()


async def queue(page: Page) -> None:
    """The queue of requests that wait for a person."""
    await turn(page)
    await page.get_by_role("link", name="Queue").click()
    await page.get_by_role("row").nth(1).wait_for()


STATES: dict[str, State] = {
    "agents": agents,
    "turn": turn,
    "form": form,
    "rules": rules,
    "preview": preview,
    "exported": exported,
    "sessions": sessions,
    "queue": queue,
}


async def take(browser: Browser, name: str, width: int, theme: Theme, path: Path) -> None:
    """Take one picture, of a workbench that nobody has used before."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        async with workbench_server.run_workbench(
            lambda: workbench_server.build_demo_simulator(Path("evals"))
        ) as server:
            watch = PageWatch(server.url)
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
    async with browsers.launch_browser() as browser:
        for name in sys.argv[1:] or STATES:
            for width in (1280, 900):
                for theme in THEMES:
                    await take(browser, name, width, theme, folder / f"{name}-{width}-{theme}.png")


if __name__ == "__main__":
    asyncio.run(main())
