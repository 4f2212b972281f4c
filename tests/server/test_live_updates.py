"""Browser tabs that follow sessions over a WebSocket."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path

import httpx
import pytest
import uvicorn
from api_client import NO_TLS, ApiClient, LiveTab, serve_agents, serve_sessions
from google.adk.agents import LlmAgent
from polling import MAX_WAIT_SECONDS, wait_until
from stores import GatedStore
from websockets.exceptions import ConnectionClosed

from adk_agent_sim.server.agents.agent_catalog import AgentCatalog
from adk_agent_sim.server.sessions.session_services import SessionServices
from adk_agent_sim.timeline.timeline import Timeline


def add(a: int, b: int) -> int:
    """Add."""
    return a + b


def big(size: int) -> str:
    """Much text."""
    return "x" * size


@pytest.fixture
def no_keepalive(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the server keep a socket however long its other end is silent, as it may be on a busy machine."""
    monkeypatch.setattr(uvicorn, "Config", partial(uvicorn.Config, ws_ping_interval=None))


@pytest.fixture
async def browser(tmp_path: Path) -> AsyncIterator[ApiClient]:
    async with serve_agents(tmp_path, LlmAgent(name="agent", model="gemini-2.5-flash", tools=[add, big])) as client:
        yield client


async def _play_turns(browser: ApiClient, turns: int) -> str:
    session_id = await browser.start_session("agent", "go")
    for number in range(turns):
        await browser.call_tools(session_id, ("add", {"a": number, "b": 1}))
    await browser.respond(session_id, "done")
    await browser.wait_for_status(session_id, "done")
    return session_id


class TestASession:
    async def test_two_tabs_see_the_same_rows_as_they_come(self, browser: ApiClient) -> None:
        session_id = await browser.start_session("agent")
        async with browser.open_tab() as first, browser.open_tab() as second:
            for tab in (first, second):
                await tab.follow(session_id)
            await browser.send_message(session_id, "1+1?")
            for tab in (first, second):
                await tab.wait_for_update(status="waiting")
            await browser.call_tools(session_id, ("add", {"a": 1, "b": 1}))
            await browser.respond(session_id, "2")
            for tab in (first, second):
                await tab.wait_for_update(status="done")

        assert list(first.rows.values()) == list(second.rows.values()) == await browser.get_rows(session_id)

    async def test_a_tab_that_comes_back_gets_what_it_missed_and_no_more(self, browser: ApiClient) -> None:
        session_id = await browser.start_session("agent", "go")
        await browser.wait_for_turn(session_id)
        async with browser.open_tab() as tab:
            await tab.follow(session_id)
            await tab.wait_for_update(status="waiting")
        seen, before = tab.seq, dict(tab.rows)
        await browser.call_tools(session_id, ("add", {"a": 1, "b": 1}))
        await browser.respond(session_id, "2")
        await browser.wait_for_status(session_id, "done")
        async with browser.open_tab() as back:
            await back.follow(session_id, after_seq=seen)
            update = await back.wait_for_update(status="done")

        assert [row["index"] for row in update["rows"]] == [1, 2]
        assert [*(before | back.rows).values()] == await browser.get_rows(session_id)

    async def test_at_first_only_the_last_rows_are_sent(self, browser: ApiClient) -> None:
        session_id = await _play_turns(browser, 4)
        async with browser.open_tab() as tab:
            await tab.follow(session_id, tail=2)
            update = await tab.wait_for_update(type="session")

        assert (update["session"]["row_count"], [row["index"] for row in update["rows"]]) == (6, [4, 5])

    async def test_a_seq_of_another_server_starts_over(self, browser: ApiClient) -> None:
        session_id = await _play_turns(browser, 1)
        async with browser.open_tab() as tab:
            await tab.follow(session_id, after_seq=10_000)
            update = await tab.wait_for_update(type="session")

        assert len(update["rows"]) == 3

    async def test_an_unknown_session_is_reported_as_gone(self, browser: ApiClient) -> None:
        async with browser.open_tab() as tab:
            await tab.follow("nothing")
            gone = await tab.wait_for_update(type="gone")

        assert gone["session_id"] == "nothing"

    async def test_a_tab_follows_one_session_at_a_time(self, browser: ApiClient) -> None:
        first, second = await browser.start_session("agent"), await browser.start_session("agent")
        async with browser.open_tab() as tab:
            await tab.follow(first)
            await tab.wait_for_update(session_id=first)
            await tab.follow(second)
            await tab.wait_for_update(session_id=second)
            await browser.send_message(first, "to the first")
            await browser.wait_for_turn(first)
            await browser.send_message(second, "to the second")
            update = await tab.wait_for_update(type="session")

        assert update["session"]["session_id"] == second

    @pytest.mark.usefixtures("no_keepalive")
    async def test_a_slow_tab_is_sent_only_the_current_state(self, browser: ApiClient) -> None:
        """It reads nothing during hundreds of events; what is queued for it is bounded by its socket."""
        session_id = await browser.start_session("agent", "go")
        async with browser.open_tab() as slow:
            await slow.follow(session_id)
            await slow.wait_for_update(status="waiting")
            slow.socket.transport.pause_reading()
            for number in range(20):
                await browser.call_tools(session_id, *[("big", {"size": 400 + number})] * 36)
            await browser.respond(session_id, "done")
            await browser.wait_for_status(session_id, "done")
            slow.socket.transport.resume_reading()
            messages = 0
            async for update in slow.iter_updates():
                messages += update["type"] == "session"
                if update.get("session", {}).get("status") == "done":
                    break

        assert list(slow.rows.values()) == await browser.get_rows(session_id)
        assert len(slow.rows) == 1 + 20 * 36 + 1
        assert messages < (await browser.get(f"/sessions/{session_id}"))["last_seq"]


class TestTheList:
    async def test_tabs_are_notified_when_it_changes_and_how_many_turns_wait(self, browser: ApiClient) -> None:
        async with browser.open_tab() as tab:
            assert (await tab.wait_for_update(type="sessions"))["pending_count"] == 0
            session_id = await browser.start_session("agent")
            await tab.wait_for_update(type="sessions")
            await browser.send_message(session_id, "go")
            assert (await tab.wait_for_update(pending_count=1))["type"] == "sessions"
            await browser.respond(session_id, "done")
            assert (await tab.wait_for_update(pending_count=0))["type"] == "sessions"

    async def test_a_new_name_is_sent_to_tabs_that_follow(self, browser: ApiClient) -> None:
        session_id = await browser.start_session("agent")
        async with browser.open_tab() as tab:
            await tab.follow(session_id)
            await tab.wait_for_update(type="session")
            await browser.client.patch(f"/api/sessions/{session_id}", json={"name": "Mine"})
            assert (await tab.wait_for_update(name="Mine"))["rows"] == []

    async def test_a_tab_that_disconnects_while_it_reads_loses_no_update_for_others(self) -> None:
        store = GatedStore()
        timeline = Timeline(store)
        sessions = SessionServices(AgentCatalog([]), timeline, allow_remote_agents=True)
        async with (
            serve_sessions(sessions) as server,
            httpx.AsyncClient(verify=NO_TLS) as client,
            AsyncExitStack() as tabs,
        ):
            browser = ApiClient(server, client)
            async with browser.open_tab() as leaving:
                await leaving.wait_for_update(type="sessions")
                store.gate.clear()
                await timeline.create_session("remote")
                await wait_until(lambda: store.waiting_count == 1)
                staying = await tabs.enter_async_context(browser.open_tab())
                before = await staying.wait_for_update(type="sessions")
            await wait_until(lambda: store.waiting_count == 1)
            store.gate.set()

            update = await staying.wait_for_update(type="sessions")
            assert update["revision"] > before["revision"]
            assert [session["name"] for session in update["sessions"]] == ["remote"]


class TestMessages:
    @pytest.mark.parametrize("message", ["", "{", "[]", '{"session_id": 5}', '{"other": 1}', b"\x00"])
    async def test_a_message_that_is_not_a_follow_request_closes_the_socket(
        self, browser: ApiClient, message: str | bytes
    ) -> None:
        async with browser.open_tab() as tab:
            await tab.socket.send(message)
            with pytest.raises(ConnectionClosed) as closed:
                await _drain(tab)

        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 1008
        assert (await browser.list_sessions()) == []

    @pytest.mark.parametrize(
        ("after_seq", "tail"),
        [(2**63, 200), (2**70, 200), (-1, 200), (-(2**70), 200), (0, -1), (0, 2**70), (0, -(2**70))],
    )
    async def test_numbers_that_no_session_has_start_the_tab_over(
        self, browser: ApiClient, after_seq: int, tail: int
    ) -> None:
        session_id = await browser.start_session("agent", "go")
        await browser.wait_for_turn(session_id)
        async with browser.open_tab() as strange, browser.open_tab() as usual:
            await strange.follow(session_id, after_seq, tail)
            await usual.follow(session_id)
            for tab in (strange, usual):
                await tab.wait_for_update(status="waiting")
            await browser.respond(session_id, "done")
            for tab in (strange, usual):
                await tab.wait_for_update(status="done")

        assert strange.seq == usual.seq

    async def test_a_message_that_is_too_long_closes_the_socket(self, browser: ApiClient) -> None:
        async with browser.open_tab() as tab:
            await tab.socket.send(json.dumps({"session_id": "x" * 100_000}))
            with pytest.raises(ConnectionClosed):
                await _drain(tab)

    async def test_the_server_stops_although_tabs_are_open(self, tmp_path: Path) -> None:
        async with (
            serve_agents(tmp_path, LlmAgent(name="agent", model="gemini-2.5-flash")) as browser,
            browser.open_tab() as tab,
        ):
            await tab.wait_for_update(type="sessions")
            async with asyncio.timeout(MAX_WAIT_SECONDS):
                await browser.server.stop()
            with pytest.raises(ConnectionClosed):
                await _drain(tab)


async def _drain(tab: LiveTab) -> None:
    async with asyncio.timeout(MAX_WAIT_SECONDS):
        while True:
            await tab.socket.recv()
