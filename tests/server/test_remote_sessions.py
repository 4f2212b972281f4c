"""Sessions of agents in other processes: everything is read from the timeline, and turns are decided on it."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import httpx
import pytest
from api_client import NO_TLS, ApiClient, bearer_headers, serve_sessions
from timeline_builders import ask_turn, build_request_blocks, user_content

from adk_agent_sim.server.agents.agent_catalog import AgentCatalog
from adk_agent_sim.server.sessions.session_services import SessionServices
from adk_agent_sim.timeline.events import CancelAsked, UserSpoke
from adk_agent_sim.timeline.submissions import EventBatch
from adk_agent_sim.timeline.timeline import Timeline


@asynccontextmanager
async def _serve(timeline: Timeline) -> AsyncGenerator[ApiClient]:
    sessions = SessionServices(AgentCatalog([]), timeline, allow_remote_agents=True)
    async with serve_sessions(sessions) as server:
        address = f"http://127.0.0.1:{server.port}"
        async with httpx.AsyncClient(verify=NO_TLS, base_url=address, headers=bearer_headers(server)) as client:
            yield ApiClient(server, client)


@pytest.fixture
def timeline() -> Timeline:
    return Timeline()


@pytest.fixture
async def browser(timeline: Timeline) -> AsyncGenerator[ApiClient]:
    async with _serve(timeline) as client:
        yield client


async def test_a_turn_is_read_and_decided(browser: ApiClient, timeline: Timeline) -> None:
    session_id = (await timeline.create_session("remote math")).session_id
    await ask_turn(timeline, session_id, "turn-1", build_request_blocks([user_content("2+2?")]))
    session = await browser.get(f"/sessions/{session_id}")
    briefing = await browser.get(f"/sessions/{session_id}/briefing", turn_id="turn-1")
    await browser.call_tools(session_id, ("add", {"a": 2, "b": 2}))
    decided = await timeline.wait_for_decision(session_id, "turn-1")

    assert (session["status"], session["agent_key"], session["name"]) == ("waiting", "", "remote math")
    assert (briefing["instruction"], briefing["tools"][0]["name"], briefing["model"]) == ("Be kind.", "add", "")
    assert decided.player == "human"
    assert (await browser.wait_for_status(session_id, "running"))["running_since"] == decided.timestamp
    assert [(row["kind"], row["summary"]) for row in await browser.get_rows(session_id)] == [("call", "a=2 b=2")]


async def test_arguments_are_checked_against_the_request(browser: ApiClient, timeline: Timeline) -> None:
    session_id = (await timeline.create_session("remote math")).session_id
    await ask_turn(timeline, session_id, "turn-1")
    body = {"decision_id": "decision-1", "calls": [{"name": "add", "arguments": '{"a": 1}'}]}
    refusal = await browser.post_refused(f"/sessions/{session_id}/turns/turn-1/decision", body, 422)

    assert [(one["path"], one["call_index"]) for one in refusal["problems"]] == [("b", 0)]


async def test_actions_that_need_the_agent_itself_are_refused(browser: ApiClient, timeline: Timeline) -> None:
    session_id = (await timeline.create_session("remote math")).session_id
    await ask_turn(timeline, session_id, "turn-1")
    for path in ("stop", "turns/turn-1/suggestion", "turns/turn-1/own-model"):
        refusal = await browser.post_refused(f"/sessions/{session_id}/{path}", None, 409)
        assert refusal["error"] == "AgentNotLocal"
    await browser.post_refused(f"/sessions/{session_id}/messages", {"text": "x"}, 409)


async def test_a_note_is_put_on_a_row_and_removed_also_after_the_end(browser: ApiClient, timeline: Timeline) -> None:
    session_id = (await timeline.create_session("remote math")).session_id
    await timeline.append(EventBatch(session_id, [UserSpoke(content=user_content("2+2?"))]))
    note = f"/sessions/{session_id}/rows/0/note"
    async with browser.open_tab() as tab:
        await tab.follow(session_id)
        answer = await browser.post(note, {"text": " why?\n"})
        async for _ in tab.iter_updates():
            if tab.rows.get(0, {}).get("note"):
                break
    await timeline.close_session(session_id, "done")

    (row, *_) = await browser.get_rows(session_id)
    assert (row["note"], row["updated_seq"], tab.rows[0]) == ("why?", answer["revision"], row)
    await browser.post(note, {"text": " "})
    assert (await browser.get_rows(session_id))[0]["note"] == ""
    assert (await browser.get(f"/sessions/{session_id}"))["status"] == "closed"
    refusal = await browser.post_refused(f"/sessions/{session_id}/rows/7/note", {"text": "x"}, 404)
    assert refusal["message"] == "There is no row 7; the session has 2 rows."
    await browser.post_refused("/sessions/other/rows/0/note", {"text": "x"}, 404)
    await browser.post_refused(note, {"text": "x" * 4_001}, 422)
    headers = {"Authorization": ""}
    assert (await browser.client.post(f"/api{note}", json={"text": "x"}, headers=headers)).status_code == 401


async def test_a_cancellation_is_recorded_and_a_name_is_stored(browser: ApiClient, timeline: Timeline) -> None:
    session_id = (await timeline.create_session("remote math")).session_id
    await browser.post(f"/sessions/{session_id}/calls/c1/cancel")
    await browser.client.patch(f"/api/sessions/{session_id}", json={"name": "sums"})

    assert [event.payload for event in await timeline.read_events(session_id)] == [CancelAsked(call_id="c1")]
    assert (await timeline.get_session(session_id)).description == "sums"


async def test_the_list_counts_turns_that_waited_before_the_server_started(timeline: Timeline) -> None:
    session_id = (await timeline.create_session("remote math")).session_id
    await ask_turn(timeline, session_id, "turn-1")
    async with _serve(timeline) as browser:
        async with browser.open_tab() as tab:
            assert (await tab.wait_for_update(type="sessions"))["pending_count"] == 1
        await browser.post(f"/sessions/{session_id}/close")
        assert (await browser.get(f"/sessions/{session_id}"))["status"] == "closed"
