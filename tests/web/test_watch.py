"""The watch over the browser sees what it must: else every journey could pass over a broken page."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import browser_pages as browsers
import pytest
import pytest_asyncio
from browser_pages import PageWatch
from playwright.async_api import Browser, Page
from polling import wait_until

POLICY = "default-src 'none'; script-src 'self'; img-src 'self'; connect-src *"


class _Handler(BaseHTTPRequestHandler):
    pages: dict[str, tuple[str, str]]

    def do_GET(self) -> None:
        kind, text = self.pages.get(self.path, ("", ""))
        self.send_response(200 if kind else 404)
        self.send_header("Content-Type", kind or "text/plain")
        self.send_header("Content-Security-Policy", POLICY)
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        return


@pytest.fixture
def pages() -> Iterator[tuple[str, dict[str, tuple[str, str]]]]:
    """A server of pages that a test fills, and its address."""
    filled: dict[str, tuple[str, str]] = {}
    handler = type("Handler", (_Handler,), {"pages": filled})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}", filled
        server.shutdown()
        thread.join()


@pytest_asyncio.fixture(loop_scope="session")
async def tab(browser: Browser) -> AsyncIterator[Page]:
    context = await browsers.new_context(browser)
    yield await context.new_page()
    await context.close()


async def faults_of(script: str, tab: Page, pages: tuple[str, dict[str, tuple[str, str]]], body: str = "") -> PageWatch:
    address, filled = pages
    filled["/"] = ("text/html", f"<!doctype html><link rel=icon href=/icon><script src=/s.js></script>{body}")
    filled["/icon"] = ("image/svg+xml", "<svg xmlns='http://www.w3.org/2000/svg'/>")
    filled["/s.js"] = ("text/javascript", f"{script}; document.title = 'done'")
    watch = PageWatch(address)
    watch.watch_page(tab)
    await tab.goto(address)
    return watch


async def test_a_page_without_fault_is_clean(tab: Page, pages: tuple[str, dict[str, tuple[str, str]]]) -> None:
    script = "console.log('hello'); console.warn('careful'); fetch('/icon')"
    watch = await faults_of(script, tab, pages)
    await tab.wait_for_load_state("networkidle")
    assert await tab.title() == "done"
    assert watch.faults == []


@pytest.mark.parametrize(
    ("script", "body", "words"),
    [
        ("console.error('broken')", "", "broken"),
        ("null.x", "", "TypeError"),
        ("Promise.reject(new Error('unheard'))", "", "unheard"),
        ("fetch('/missing')", "", "404"),
        ("0", "<script>window.evil = 1</script>", "Content Security Policy"),
        ("0", "<p style='color: red'>", "Content Security Policy"),
        ("0", "<img src='data:image/gif;base64,R0lGODlhAQABAAAAACw='>", "Content Security Policy"),
        ("fetch('http://example.com/x').catch(() => 0)", "", "another origin: http://example.com/x"),
        ("new WebSocket('ws://example.com/x')", "", "another origin: ws://example.com/x"),
        ("0", "<img src='http://example.com/x.png'>", "http://example.com/x.png"),
    ],
)
async def test_every_kind_of_fault_is_seen(
    script: str, body: str, words: str, tab: Page, pages: tuple[str, dict[str, tuple[str, str]]]
) -> None:
    watch = await faults_of(script, tab, pages, body)
    await wait_until(lambda: words in "\n".join(watch.faults))


async def test_a_fault_that_the_test_provokes_is_allowed_by_name(
    tab: Page, pages: tuple[str, dict[str, tuple[str, str]]]
) -> None:
    watch = await faults_of("fetch('/missing'); console.error('broken')", tab, pages)
    await wait_until(lambda: len(watch.faults) == 2)
    watch.allow_fault("404")
    assert ["broken" in fault for fault in watch.faults] == [True]
