"""The sessions and the queue as tables: all of them can be reached, found, filtered and watched."""

from __future__ import annotations

import re
from urllib.parse import urljoin

from browser_pages import CONTRASTS, THEMES, OpenPage, PageWatch, hold_requests, route_requests, set_theme, set_width
from playwright.async_api import Locator, Page, Route, WebSocketRoute, expect
from workbench_user import WorkbenchUser

_CREATE = """
async ([agentKey, names]) => {
  const send = async (method, path, body) => {
    const headers = { "Content-Type": "application/json" };
    const response = await fetch(path, { method, headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(await response.text());
    return response.json();
  };
  const created = [];
  for (const name of names) {
    const { session_id: id } = await send("POST", "/api/sessions", { agent_key: agentKey });
    if (name) await send("PATCH", `/api/sessions/${id}`, { name });
    created.push(id);
  }
  return created;
}
"""

_SEND = """
async ([sessionId, text]) => {
  const headers = { "Content-Type": "application/json" };
  await fetch(`/api/sessions/${sessionId}/messages`, { method: "POST", headers, body: JSON.stringify({ text }) });
}
"""


async def create_sessions(page: Page, agent: str, names: list[str]) -> list[str]:
    """Create sessions of an agent over the API, with the page's cookie; one without a name keeps its own."""
    keys: dict[str, str] = await page.evaluate(
        "async () => Object.fromEntries((await (await fetch('/api/agents')).json()).map((a) => [a.name, a.key]))"
    )
    created: list[str] = await page.evaluate(_CREATE, [keys[agent], names])
    return created


async def send_message(page: Page, session_id: str, text: str) -> None:
    await page.evaluate(_SEND, [session_id, text])


async def go_to(page: Page, name: str) -> Locator:
    """Go to a page by its tab; returns the rows of its table."""
    await page.get_by_role("navigation").get_by_role("link", name=re.compile(f"^{name}")).click()
    return list_rows(page, name)


def list_rows(page: Page, name: str) -> Locator:
    return page.get_by_role("table", name=name).locator("tbody tr")


async def scroll_to_end(rows: Locator, count: int) -> None:
    """Scroll down until so many rows are there, as a person does: to the last row, again and again."""
    shown = 0
    while shown < count:
        await rows.last.scroll_into_view_if_needed()
        await expect(rows.nth(shown)).to_be_attached()
        shown = await rows.count()


async def test_a_turn_of_an_old_session_is_in_the_queue_however_many_sessions_are_newer(page: Page) -> None:
    (old,) = await create_sessions(page, "math_agent", ["The old one"])
    await create_sessions(page, "shop_agent", [""] * 205)
    await send_message(page, old, "What is 2+2?")
    await page.reload()
    queue = page.get_by_role("navigation").get_by_role("link", name="Queue")
    await expect(queue.locator(".badge")).to_have_text("1")
    rows = await go_to(page, "Queue")
    await expect(rows).to_have_count(1)
    await expect(rows).to_contain_text("math_agent")
    await expect(rows).to_contain_text("Model turn")
    await expect(rows).to_contain_text("The old one")
    await page.keyboard.press("Enter")
    player = WorkbenchUser(page)
    await player.wait_for_turn()
    await player.respond("4")
    await player.wait_until_done()
    await page.goto(urljoin(page.url, "/queue"))
    await expect(page.get_by_role("main", name="Queue")).to_contain_text("No turns are waiting.")
    await expect(queue.locator(".badge")).to_have_count(0)


async def test_scrolling_loads_all_sessions(page: Page) -> None:
    await create_sessions(page, "shop_agent", [f"Session {number}" for number in range(120)])
    rows = await go_to(page, "Sessions")
    await expect(rows).to_have_count(50)
    await expect(rows.first).to_contain_text("Session 119")
    await scroll_to_end(rows, 120)
    await expect(page.locator(".paged-end")).to_have_text("120 sessions")
    links = await rows.get_by_role("link").all_inner_texts()
    assert links == [f"Session {number}" for number in reversed(range(120))]

    await rows.nth(60).get_by_role("link").click()
    await expect(WorkbenchUser(page).status).to_be_visible()
    await page.go_back()
    await expect(rows).to_have_count(120)
    await expect(rows.nth(60)).to_be_in_viewport()


async def test_a_page_that_does_not_load_is_told_and_tried_again(page: Page, watch: PageWatch) -> None:
    watch.allow_fault("500")
    await create_sessions(page, "shop_agent", [""] * 60)
    body = '{"error": "DatabaseBusy", "message": "The database is locked."}'

    async def refuse(route: Route) -> None:
        await route.fulfill(status=500, content_type="application/json", body=body)

    await route_requests(page, re.compile(r"/api/sessions\?cursor="), refuse)
    rows = await go_to(page, "Sessions")
    await expect(rows).to_have_count(50)
    await rows.last.scroll_into_view_if_needed()
    end = page.locator(".paged-end")
    await expect(end).to_contain_text("50 sessions shown. The rest could not be loaded: The database is locked.")
    await page.unroute_all()
    await end.get_by_role("button", name="Try again").click()
    await expect(rows).to_have_count(60)


async def test_sessions_are_found_by_name_status_and_agent(page: Page) -> None:
    await create_sessions(page, "math_agent", ["Sum of the bill"])
    (waiting,) = await create_sessions(page, "shop_agent", ["Cables"])
    await create_sessions(page, "shop_agent", [f"Session {number}" for number in range(60)])
    await send_message(page, waiting, "hello")
    rows = await go_to(page, "Sessions")
    await expect(rows).to_have_count(50)
    await page.keyboard.press("/")
    await page.keyboard.type("of the BILL")
    await expect(rows).to_have_count(1)
    await expect(rows).to_contain_text("Sum of the bill")
    find = page.get_by_label("Find a session")
    await find.fill("math_ag")
    await expect(rows).to_have_count(1)
    await expect(rows).to_contain_text("Sum of the bill")
    await expect(page).to_have_url(re.compile(r"/sessions\?q=math_ag$"))
    await page.reload()
    await expect(find).to_have_value("math_ag")
    await expect(rows).to_have_count(1)

    await find.fill("no such thing")
    main = page.get_by_role("main", name="Sessions")
    await expect(main).to_contain_text("No session has “no such thing” in its name or an agent's name.")
    await main.get_by_role("button", name="Show all sessions").click()
    await expect(find).to_have_value("")
    await expect(rows).to_have_count(50)
    await page.get_by_label("Status").select_option("Waiting for you")
    await expect(rows).to_have_count(1)
    await expect(rows).to_contain_text("Your turn")
    await page.reload()
    await expect(rows).to_have_count(1)
    await page.get_by_label("Agent").select_option("math_agent")
    await expect(main).to_contain_text("No session has the status “Waiting for you”, and the agent math_agent.")
    await page.get_by_label("Status").select_option("")
    await expect(rows).to_contain_text(["Sum of the bill"])


async def test_a_search_shows_the_rows_until_the_matches_are_there(page: Page) -> None:
    await create_sessions(page, "shop_agent", ["Tea", "Milk"])
    rows = await go_to(page, "Sessions")
    await expect(rows).to_have_count(2)
    held = await hold_requests(page, re.compile(r"/api/sessions\?.*q=tea"))
    await page.get_by_label("Find a session").fill("tea")
    await held.wait_for_request()
    await expect(rows).to_have_count(2)
    held.release()
    await expect(rows).to_have_count(1)


async def test_the_lists_follow_what_happens_elsewhere(page: Page, open_page: OpenPage) -> None:
    first, second = await create_sessions(page, "shop_agent", ["First", "Second"])
    rows = await go_to(page, "Sessions")
    await expect(rows).to_contain_text(["Second", "First"])
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    queue_page = await open_page(urljoin(page.url, "/queue"))
    waiting = list_rows(queue_page, "Queue")
    await expect(queue_page.get_by_role("main", name="Queue")).to_contain_text("No turns are waiting.")

    await create_sessions(queue_page, "shop_agent", ["Third"])
    await expect(rows).to_contain_text(["Third", "Second", "First"])
    await send_message(queue_page, second, "hello")
    await expect(rows.nth(1)).to_contain_text("Your turn")
    await send_message(queue_page, first, "hello")
    await expect(rows.nth(2)).to_contain_text("Your turn")
    await expect(waiting).to_contain_text(["Second", "First"])
    badge = page.get_by_role("navigation").locator(".badge")
    await expect(badge).to_have_text("2")
    await queue_page.evaluate("async (id) => fetch(`/api/sessions/${id}`, { method: 'DELETE' })", second)
    await expect(rows).to_contain_text(["Third", "First"])
    await expect(waiting).to_contain_text(["First"])
    await expect(badge).to_have_text("1")
    assert requests == []


async def test_a_filtered_list_follows_too(page: Page, open_page: OpenPage) -> None:
    one, other = await create_sessions(page, "shop_agent", ["One", "Other"])
    await send_message(page, one, "hello")
    await page.goto(urljoin(page.url, "/sessions?status=waiting"))
    rows = list_rows(page, "Sessions")
    await expect(rows).to_contain_text(["One"])
    elsewhere = await open_page(urljoin(page.url, "/agents"))
    await send_message(elsewhere, other, "hello")
    await expect(rows).to_contain_text(["Other", "One"])
    await elsewhere.evaluate("async (id) => fetch(`/api/sessions/${id}/close`, { method: 'POST' })", one)
    await expect(rows).to_contain_text(["Other"])


async def test_arrow_keys_move_between_rows_and_enter_opens_one(page: Page) -> None:
    await create_sessions(page, "shop_agent", ["A", "B", "C"])
    rows = await go_to(page, "Sessions")
    await expect(rows).to_have_count(3)  # a key before that has nowhere to go
    await page.get_by_label("Find a session").focus()
    for key, name in (("ArrowDown", "C"), ("ArrowDown", "B"), ("ArrowUp", "C"), ("End", "A"), ("ArrowUp", "B")):
        await page.keyboard.press(key)
        await expect(rows.get_by_role("link", name=name, exact=True)).to_be_focused()
    await page.keyboard.press("Enter")
    await expect(page.get_by_title("Rename the session")).to_have_text("B")


async def test_a_click_anywhere_on_a_row_opens_it(page: Page) -> None:
    await create_sessions(page, "shop_agent", ["A"])
    rows = await go_to(page, "Sessions")
    await rows.locator(".column-agent").click()
    await expect(page.get_by_title("Rename the session")).to_have_text("A")


async def test_after_a_lost_connection_only_what_changed_is_loaded(page: Page, watch: PageWatch) -> None:
    watch.allow_fault("WebSocket")
    first, _ = await create_sessions(page, "shop_agent", ["First", "Second"])
    lists: list[str] = []
    sockets: list[WebSocketRoute] = []

    def connect(socket: WebSocketRoute) -> None:
        socket.connect_to_server()
        sockets.append(socket)

    await page.route_web_socket("**/api/live", connect)
    await page.reload()
    rows = await go_to(page, "Sessions")
    await expect(rows).to_have_count(2)
    # A new tab loads its list again after its first live message, which comes before any other one.
    await create_sessions(page, "shop_agent", ["Third"])
    await expect(rows).to_have_count(3)
    await page.wait_for_load_state("networkidle")
    page.on("request", lambda request: lists.append(request.url) if "/api/sessions?" in request.url else None)
    await sockets[-1].close(code=4000, reason="test")
    await expect(page.get_by_role("alert")).to_contain_text("Lost the connection")
    await expect(page.get_by_role("alert")).to_have_count(0)
    await send_message(page, first, "hello")
    await expect(rows.nth(2)).to_contain_text("Your turn")
    assert lists == []


async def test_long_names_neither_widen_nor_heighten_the_tables(page: Page) -> None:
    names = ["A very long name " * 11, "Verylongnamewithoutspaces" * 7, "C"]
    created = await create_sessions(page, "shop_agent", names)
    for session_id in created:
        await send_message(page, session_id, "hello")
    for name in ("Sessions", "Queue"):
        rows = await go_to(page, name)
        await expect(rows.filter(has_text="Your turn" if name == "Sessions" else "Model turn")).to_have_count(3)
        for width in (1280, 900):
            await set_width(page, width)
            heights = [(await row.bounding_box() or {}).get("height") for row in await rows.all()]
            assert len(set(heights)) == 1, heights
            assert await page.evaluate("document.documentElement.scrollWidth") <= width
            assert await page.locator(".paged").evaluate("box => box.scrollWidth <= box.clientWidth")
            for theme in THEMES:
                await set_theme(page, theme)
                assert await page.evaluate(CONTRASTS) == []


async def test_the_actions_of_the_last_row_are_in_the_window(page: Page) -> None:
    await create_sessions(page, "shop_agent", [f"Session {number}" for number in range(30)])
    rows = await go_to(page, "Sessions")
    await expect(rows).to_have_count(30)
    await rows.last.scroll_into_view_if_needed()
    await rows.last.get_by_role("button").click()
    await expect(page.get_by_role("menu")).to_be_in_viewport(ratio=1)
    await page.get_by_role("menuitem", name="Close session").click()
    await expect(rows.last).to_contain_text("Closed")


async def test_a_rename_that_fails_says_so_in_its_dialog_and_can_be_repeated(page: Page, watch: PageWatch) -> None:
    watch.allow_fault("ERR_FAILED")
    await create_sessions(page, "math_agent", ["Sums"])
    rows = await go_to(page, "Sessions")
    await rows.filter(has_text="Sums").get_by_role("button").click()
    await page.get_by_role("menuitem", name="Rename").click()
    dialog = page.get_by_role("dialog")
    name = dialog.get_by_label("Name of the session")
    await route_requests(page, "**/api/sessions/*", lambda route: route.abort())

    await name.fill("Products")
    await name.press("Enter")
    await expect(dialog.get_by_role("alert")).to_be_visible()
    await expect(name).to_have_value("Products")

    await page.unroute("**/api/sessions/*")
    await name.press("Enter")
    await expect(dialog).to_be_hidden()
    await expect(rows.filter(has_text="Products")).to_have_count(1)
