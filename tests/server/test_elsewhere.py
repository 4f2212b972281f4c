"""Sessions of agents that run elsewhere: everything is read from the timeline, and turns are decided on it."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager

import httpx
import pytest
from serving import Browser, bearer
from timelines import ask, model_request, user

from adk_agent_sim.server.agents import Agents
from adk_agent_sim.server.sessions import Sessions
from adk_agent_sim.server.web_server import start_web
from adk_agent_sim.timeline.events import CancelAsked
from adk_agent_sim.timeline.timeline import Timeline


@asynccontextmanager
async def _serving(timeline: Timeline) -> AsyncGenerator[Browser]:
    sessions = Sessions(Agents([]), timeline, elsewhere=True)
    async with await start_web(sessions, AsyncExitStack(), host="127.0.0.1", port=0) as server:
        address = f"http://127.0.0.1:{server.port}"
        async with httpx.AsyncClient(base_url=address, headers=bearer(server)) as client:
            yield Browser(server, client)


@pytest.fixture
def timeline() -> Timeline:
    return Timeline()


@pytest.fixture
async def browser(timeline: Timeline) -> AsyncGenerator[Browser]:
    async with _serving(timeline) as found:
        yield found


async def test_a_turn_is_read_and_decided(browser: Browser, timeline: Timeline) -> None:
    session_id = (await timeline.create_session("remote math")).session_id
    await ask(timeline, session_id, "turn-1", model_request([user("2+2?")]))
    session = await browser.get(f"/sessions/{session_id}")
    briefing = await browser.get(f"/sessions/{session_id}/briefing", turn_id="turn-1")
    await browser.call(session_id, ("add", {"a": 2, "b": 2}))
    decided = await timeline.decision(session_id, "turn-1")

    assert (session["status"], session["agent"], session["name"]) == ("your_turn", "", "remote math")
    assert (briefing["instruction"], briefing["tools"][0]["name"], briefing["model"]) == ("Be kind.", "add", "")
    assert decided.player == "human"
    assert (await browser.until(session_id, "running"))["running_since"] == decided.timestamp
    assert [(row["kind"], row["summary"]) for row in await browser.rows(session_id)] == [("call", "a=2 b=2")]


async def test_arguments_are_checked_against_the_request(browser: Browser, timeline: Timeline) -> None:
    session_id = (await timeline.create_session("remote math")).session_id
    await ask(timeline, session_id, "turn-1")
    body = {"decision_id": "decision-1", "calls": [{"name": "add", "arguments": '{"a": 1}'}]}
    refusal = await browser.refused(f"/sessions/{session_id}/turns/turn-1/decision", body, 422)

    assert [(one["path"], one["call"]) for one in refusal["problems"]] == [("b", 0)]


async def test_what_needs_the_agent_itself_is_refused(browser: Browser, timeline: Timeline) -> None:
    session_id = (await timeline.create_session("remote math")).session_id
    await ask(timeline, session_id, "turn-1")
    for path in ("stop", "turns/turn-1/suggestion", "turns/turn-1/own-model"):
        refusal = await browser.refused(f"/sessions/{session_id}/{path}", None, 409)
        assert refusal["error"] == "NotHere"
    await browser.refused(f"/sessions/{session_id}/messages", {"text": "x"}, 409)


async def test_a_cancel_is_passed_on_and_a_name_is_kept(browser: Browser, timeline: Timeline) -> None:
    session_id = (await timeline.create_session("remote math")).session_id
    await browser.post(f"/sessions/{session_id}/calls/c1/cancel")
    await browser.client.patch(f"/api/sessions/{session_id}", json={"name": "sums"})

    assert [event.payload for event in await timeline.events(session_id)] == [CancelAsked(call_id="c1")]
    assert (await timeline.session(session_id)).description == "sums"


async def test_the_list_counts_turns_that_waited_before_the_server_began(timeline: Timeline) -> None:
    session_id = (await timeline.create_session("remote math")).session_id
    await ask(timeline, session_id, "turn-1")
    async with _serving(timeline) as browser:
        async with browser.tab() as tab:
            assert (await tab.until(type="sessions"))["your_turns"] == 1
        assert (await browser.post(f"/sessions/{session_id}/close"))["status"] == "closed"
