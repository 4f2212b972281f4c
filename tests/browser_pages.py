"""The browser that tests drive, and a watch that fails a test on any error in a page.

A page that logs an error, throws, breaks its own content policy or asks anything of another origin fails its test, even
if what the test looked at was right.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Literal
from urllib.parse import urlsplit

import chromium
import polling
from playwright.async_api import Browser, BrowserContext, ConsoleMessage, Error, Page, Route, async_playwright
from polling import MAX_WAIT_SECONDS

Theme = Literal["light", "dark"]
THEMES: tuple[Theme, ...] = ("light", "dark")
OFFLINE_FLAG = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"
"""No host name resolves, so a page that requests another host is detected without reaching it."""

MAX_WAIT_MS = MAX_WAIT_SECONDS * 1_000
"""How long an action or an expectation waits for its page."""

CONTRASTS = """
() => {
  const parse = (colour) => (colour.match(/[\\d.]+/g) ?? []).map(Number);
  const light = ([r, g, b]) => {
    const part = [r, g, b].map((v) => { v /= 255; return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; });
    return 0.2126 * part[0] + 0.7152 * part[1] + 0.0722 * part[2];
  };
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = parse(getComputedStyle(at).backgroundColor);
      if (colour.length === 3 || colour[3] > 0.9) return colour;
    }
    return [255, 255, 255];
  };
  const found = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const element = texts.currentNode.parentElement;
    if (!texts.currentNode.textContent.trim() || !element.checkVisibility()) continue;
    if (element.closest(":disabled, .sr-only")) continue;
    const style = getComputedStyle(element);
    const [one, other] = [light(parse(style.color)), light(behind(element))].sort((a, b) => b - a);
    const ratio = (one + 0.05) / (other + 0.05);
    if (ratio < 4.5) found.push(`${texts.currentNode.textContent.trim().slice(0, 40)}: ${ratio.toFixed(2)}`);
  }
  return found;
}
"""
"""A script that returns the texts of a page whose contrast is too low to read."""

_PROBE_ADDRESS = re.compile(r"/\?intercepted$")

OpenPage = Callable[..., Awaitable[Page]]
"""`await open_page(address, width=1280, height=720, theme="light", apart=False)`; `apart`: in another's browser."""


@asynccontextmanager
async def launch_browser() -> AsyncGenerator[Browser]:
    """Run Chromium for as long as the block."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=chromium.find_chromium(playwright.chromium.executable_path),
            args=[*chromium.FLAGS, OFFLINE_FLAG],
        )
        try:
            yield browser
        finally:
            await browser.close()


async def new_context(browser: Browser) -> BrowserContext:
    """Open a browser context for one person: its tabs share cookies and storage. Animations are disabled."""
    context = await browser.new_context(locale="en-US", timezone_id="UTC", reduced_motion="reduce")
    context.set_default_timeout(MAX_WAIT_MS)
    return context


async def open_page(
    context: BrowserContext,
    address: str,
    watch: PageWatch,
    *,
    width: int = 1280,
    height: int = 720,
    theme: Theme = "light",
) -> Page:
    """Open a tab of this size and theme, watched from its first request."""
    page = await context.new_page()
    watch.watch_page(page)
    await page.set_viewport_size({"width": width, "height": height})
    await page.emulate_media(color_scheme=theme)
    await page.goto(address)
    return page


async def get_theme(page: Page) -> Theme:
    """Return the theme that the page has."""
    return await page.evaluate("document.documentElement.dataset.theme")


async def set_theme(page: Page, theme: Theme) -> None:
    """Prefer a theme, as the system's settings do, and wait until the page has it."""
    await page.emulate_media(color_scheme=theme)
    await page.wait_for_function("(theme) => document.documentElement.dataset.theme === theme", arg=theme)


async def set_width(page: Page, width: int) -> None:
    """Change the width of the window, and wait until the page was painted in it."""
    await page.set_viewport_size({"width": width, "height": 720})
    await page.evaluate(
        """(width) => new Promise((done) => {
             const check = () => (innerWidth === width ? requestAnimationFrame(() => setTimeout(done)) : next());
             const next = () => requestAnimationFrame(check);
             next();
           })""",
        width,
    )


class PageWatch:
    """Records the errors in the pages of a test, including any request to another host than the server."""

    def __init__(self, server_url: str) -> None:
        self._servers = {urlsplit(server_url).netloc}
        self._faults: list[str] = []
        self._allowed: list[re.Pattern[str]] = []

    def watch_page(self, page: Page) -> None:
        """Start to watch a page."""
        page.on("console", self._on_console)
        page.on("pageerror", self._on_page_error)
        page.on("request", lambda request: self._on_request(request.url))
        page.on("websocket", lambda socket: self._on_request(socket.url))
        page.on("crash", lambda _: self._faults.append("The page crashed."))

    def allow_server(self, server_url: str) -> None:
        """Allow requests to another server of the test too, such as a restarted one."""
        self._servers.add(urlsplit(server_url).netloc)

    def allow_fault(self, pattern: str) -> None:
        """Allow matching errors in a part of the test: the browser's console reports a rejected request as an error."""
        self._allowed.append(re.compile(pattern))

    @property
    def faults(self) -> list[str]:
        """Return the errors that were not allowed."""
        return [fault for fault in self._faults if not any(allowed.search(fault) for allowed in self._allowed)]

    def _on_console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "assert"):
            place = message.location
            self._faults.append(f"The console says: {message.text} ({place['url']}:{place['lineNumber']})")

    def _on_page_error(self, error: Error) -> None:
        self._faults.append(f"The page threw: {error.stack or error.message}")

    def _on_request(self, url: str) -> None:
        address = urlsplit(url.removeprefix("blob:"))
        if address.scheme != "data" and address.netloc not in self._servers:
            self._faults.append(f"The page asked another origin: {url}")


async def route_requests(
    page: Page, address: str | re.Pattern[str], handle_route: Callable[[Route], Awaitable[None]]
) -> None:
    """Pass every request to an address to a handler from now on; tests use this instead of `page.route`.

    Chromium applies an interception a moment after Playwright says so: a key that was pressed at once sent its request
    past it in 11 of 1,200 pages. So this waits until a request of the page has been intercepted.
    """
    await page.route(address, handle_route)
    await page.route(_PROBE_ADDRESS, lambda route: route.fulfill(body="intercepted"))
    async with asyncio.timeout(MAX_WAIT_SECONDS):
        while await page.evaluate("fetch('/?intercepted').then((response) => response.text())") != "intercepted":
            await polling.pause()
    await page.unroute(_PROBE_ADDRESS)


class HeldRequests:
    """Requests of the page that have not reached the server yet."""

    def __init__(self) -> None:
        self._released = asyncio.Event()
        self._has_request = asyncio.Event()

    async def handle_route(self, route: Route) -> None:
        """Keep a request until all are released."""
        self._has_request.set()
        await self._released.wait()
        await route.continue_()

    async def wait_for_request(self) -> None:
        """Wait until the page has sent a request."""
        async with asyncio.timeout(MAX_WAIT_SECONDS):
            await self._has_request.wait()

    def release(self) -> None:
        """Let the requests reach the server, those that follow too."""
        self._released.set()


async def hold_requests(page: Page, address: str | re.Pattern[str]) -> HeldRequests:
    """Keep the requests to an address from reaching the server until they are released."""
    held = HeldRequests()
    await route_requests(page, address, held.handle_route)
    return held


class HeldResponses:
    """Responses of the server that the page has not got yet."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._released = asyncio.Event()
        self._waiting: list[Route] = []
        self._has_response = asyncio.Event()

    async def handle_route(self, route: Route) -> None:
        """Let a request reach the server, and keep the response."""
        self._waiting.append(route)
        response = await route.fetch()
        self._has_response.set()
        await self._released.wait()
        await route.fulfill(response=response)
        self._waiting.remove(route)

    async def wait_for_response(self) -> None:
        """Wait until the server has responded to a request."""
        async with asyncio.timeout(MAX_WAIT_SECONDS):
            await self._has_response.wait()

    async def release(self) -> None:
        """Give the page its responses, and wait until it was painted with them."""
        self._released.set()
        await polling.wait_until(lambda: not self._waiting)
        await self._page.evaluate("() => new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
        self._released.clear()


async def hold_responses(page: Page, address: str | re.Pattern[str]) -> HeldResponses:
    """Keep the responses from an address from the page until they are released; the requests reach the server."""
    held = HeldResponses(page)
    await route_requests(page, address, held.handle_route)
    return held
