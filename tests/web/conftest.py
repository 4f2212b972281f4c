"""Chromium, the workbench it opens, and pages that are watched."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Generator
from pathlib import Path

import browser_pages as browsers
import pytest
import pytest_asyncio
import workbench_server
from browser_pages import OpenPage, PageWatch, Theme
from playwright.async_api import Browser, Page, expect
from workbench_server import Simulator, WorkbenchServer

_PASSED = pytest.StashKey[bool]()

expect.set_options(timeout=browsers.MAX_WAIT_MS)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the tests of this folder on one loop: starting Chromium for each would double their time."""
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents and pytest_asyncio.is_async_test(item):
            item.add_marker(pytest.mark.asyncio(loop_scope="session"), append=False)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Tell the fixtures how the test went."""
    report = yield
    if report.when == "call":
        item.stash[_PASSED] = report.passed
    return report


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser() -> AsyncIterator[Browser]:
    """One Chromium for all tests; each opens pages of its own."""
    async with browsers.launch_browser() as chromium:
        yield chromium


@pytest.fixture
def simulator(tmp_path: Path) -> Callable[[], Simulator]:
    """What the workbench of a test runs: both demo agents. A module with other agents has a fixture of this name."""
    return lambda: workbench_server.build_demo_simulator(tmp_path)


@pytest_asyncio.fixture(loop_scope="session")
async def server(simulator: Callable[[], Simulator]) -> AsyncIterator[WorkbenchServer]:
    """A workbench, running."""
    async with workbench_server.run_workbench(simulator) as running:
        yield running


@pytest.fixture
def watch(server: WorkbenchServer) -> PageWatch:
    """What goes wrong in the test's pages."""
    return PageWatch(server.url)


@pytest_asyncio.fixture(loop_scope="session")
async def open_page(
    browser: Browser, server: WorkbenchServer, watch: PageWatch, request: pytest.FixtureRequest, tmp_path: Path
) -> AsyncIterator[OpenPage]:
    """Opens tabs of one browser; afterwards fails the test if anything went wrong in one of them."""
    contexts = [await browsers.new_context(browser)]

    async def open_tab(
        address: str = "", *, width: int = 1280, height: int = 720, theme: Theme = "light", apart: bool = False
    ) -> Page:
        address = address or server.url  # each has a code that works once
        if apart:
            contexts.append(await browsers.new_context(browser))
        whose = contexts[-1 if apart else 0]
        return await browsers.open_page(whose, address, watch, width=width, height=height, theme=theme)

    yield open_tab
    pages = [page for one in contexts for page in one.pages]
    if watch.faults or not request.node.stash.get(_PASSED, False):
        await _picture(pages, tmp_path)
    for one in contexts:
        await one.close()
    if watch.faults:
        pytest.fail("In the browser:\n" + "\n".join(watch.faults))


@pytest_asyncio.fixture(loop_scope="session")
async def page(open_page: OpenPage) -> Page:
    """The workbench in a tab of 1280x720, light."""
    return await open_page()


async def _picture(pages: list[Page], folder: Path) -> None:
    for number, page in enumerate(pages, start=1):
        path = folder / f"page-{number}.png"
        await page.screenshot(path=path)
        print(f"What page {number} showed ({page.url}): {path}")
