"""Undo, redo, go back, fork and another player over the API, with real runs of real agents."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from api_client import NO_TLS, ApiClient, bearer_headers, serve_agents, serve_sessions
from google.adk.agents import LlmAgent
from google.adk.agents.callback_context import CallbackContext
from google.adk.models.llm_request import LlmRequest
from scripted_model import ScriptedModel, text_response
from timeline_builders import ask_turn

from adk_agent_sim.server.agents.agent_catalog import AgentCatalog
from adk_agent_sim.server.sessions.session_services import SessionServices
from adk_agent_sim.timeline.timeline import Timeline

RUNS: Counter[str] = Counter()


def add(a: int, b: int) -> int:
    """Add two numbers."""
    RUNS["add"] += 1
    return a + b


def note_time(callback_context: CallbackContext, llm_request: LlmRequest) -> None:
    """Count the model calls in the state: a callback that runs again in a replay."""
    RUNS["callback"] += 1


def stamp_state(callback_context: CallbackContext) -> None:
    """Write another value each time, so that no run happens again as recorded."""
    RUNS["stamps"] += 1
    callback_context.state["stamp"] = RUNS["stamps"]


@pytest.fixture
async def browser(tmp_path: Path) -> AsyncIterator[ApiClient]:
    RUNS.clear()
    agents = [
        LlmAgent(name="adder", model=ScriptedModel(script=[text_response("by the model")]), tools=[add]),
        LlmAgent(name="watched", model="gemini-2.5-flash", tools=[add], before_model_callback=note_time),
        LlmAgent(
            name="stamper",
            model="gemini-2.5-flash",
            instruction="Stamp {stamp?}",
            tools=[add],
            before_agent_callback=stamp_state,
        ),
    ]
    async with serve_agents(tmp_path, *agents) as client:
        yield client


async def _time_travel(browser: ApiClient, session_id: str, action: str, **more: Any) -> Any:
    return await browser.time_travel(session_id, action, **more)


async def _play(browser: ApiClient, agent: str = "adder") -> str:
    """Play a call and an answer."""
    session_id = await browser.start_session(agent, "2+2?")
    await browser.call_tools(session_id, ("add", {"a": 2, "b": 2}))
    await browser.respond(session_id, "five")
    await browser.wait_for_status(session_id, "done")
    return session_id


def _list_counting(rows: list[dict[str, Any]], session: Any) -> list[tuple[str, str]]:
    undone = session["time_travel"]["undone"]
    return [
        (row["kind"], row["summary"])
        for row in rows
        if row["kind"] != "note" and not any(first <= row["seq"] <= last for first, last in undone)
    ]


async def _read_trace(browser: ApiClient, session_id: str) -> Any:
    preview = await browser.post(f"/sessions/{session_id}/export/preview", {})
    return json.loads(preview["text"])["conversation"]


async def test_an_undone_answer_stays_visible_and_is_not_exported(browser: ApiClient) -> None:
    session_id = await _play(browser)
    before = (await browser.get(f"/sessions/{session_id}"))["time_travel"]
    undone = await _time_travel(browser, session_id, "undo")

    assert (before["can_undo"], before["can_redo"], before["undone"]) == (True, False, [])
    assert (undone["session_id"], undone["time_travel"]["can_redo"]) == (session_id, True)
    await browser.respond(session_id, "four")
    session = await browser.wait_for_status(session_id, "done")
    rows = await browser.get_rows(session_id)

    assert [row["summary"] for row in rows if row["kind"] == "answer"] == ["five", "four"]
    assert _list_counting(rows, session) == [("user", "2+2?"), ("call", "a=2 b=2"), ("answer", "four")]
    assert RUNS["add"] == 1
    (turn,) = await _read_trace(browser, session_id)
    assert turn["final_response"]["parts"][0]["text"] == "four"


async def test_undos_are_redone_in_their_order(browser: ApiClient) -> None:
    session_id = await _play(browser)
    await _time_travel(browser, session_id, "undo")
    first = await _time_travel(browser, session_id, "undo")
    refusal = await browser.post_refused(f"/sessions/{session_id}/time-travel", {"action": "undo"}, 409)
    await _time_travel(browser, session_id, "redo")
    await browser.wait_for_turn(session_id)
    await _time_travel(browser, session_id, "redo")
    session = await browser.wait_for_status(session_id, "done")
    nothing = await browser.post_refused(f"/sessions/{session_id}/time-travel", {"action": "redo"}, 409)

    assert not first["time_travel"]["can_undo"]
    assert "nothing to undo" in refusal["message"]
    assert "nothing to redo" in nothing["message"]
    counting = [("user", "2+2?"), ("call", "a=2 b=2"), ("answer", "five")]
    assert _list_counting(await browser.get_rows(session_id), session) == counting
    assert (session["time_travel"]["can_undo"], session["time_travel"]["can_redo"]) == (True, False)
    assert RUNS["add"] == 1


async def test_one_step_goes_back_to_a_turn_and_redo_returns(browser: ApiClient) -> None:
    session_id = await _play(browser)
    call = next(row for row in await browser.get_rows(session_id) if row["kind"] == "call")
    decided = await browser.get(f"/sessions/{session_id}/turns/{call['turn_id']}/decision")
    await _time_travel(browser, session_id, "go_back", row=call["index"])
    waiting = await browser.wait_for_request(session_id, "model")

    assert [(each["name"], json.loads(each["arguments"])) for each in decided["calls"]] == [("add", {"a": 2, "b": 2})]
    assert _list_counting(await browser.get_rows(session_id), waiting) == [("user", "2+2?")]
    await _time_travel(browser, session_id, "redo")
    assert (await browser.wait_for_status(session_id, "done"))["pending"] == []


async def test_an_undone_turn_can_be_gone_back_to_and_forked(browser: ApiClient) -> None:
    session_id = await _play(browser)
    call, answer = (row for row in await browser.get_rows(session_id) if row["kind"] in ("call", "answer"))
    await _time_travel(browser, session_id, "go_back", row=call["index"])
    await browser.respond(session_id, "no idea")
    await browser.wait_for_status(session_id, "done")
    fork = await _time_travel(browser, session_id, "fork", row=answer["index"])
    await _time_travel(browser, session_id, "go_back", row=answer["index"])

    for each in (fork["session_id"], session_id):
        session = await browser.wait_for_request(each, "model")
        rows = await browser.get_rows(each)
        assert _list_counting(rows, session) == [("user", "2+2?"), ("call", "a=2 b=2")]
    assert RUNS["add"] == 1


async def test_going_back_before_a_message_lets_it_be_sent_anew(browser: ApiClient) -> None:
    session_id = await _play(browser)
    await browser.send_message(session_id, "and 3+3?")
    await browser.respond(session_id, "six")
    await browser.wait_for_status(session_id, "done")
    first, second = (row["index"] for row in await browser.get_rows(session_id) if row["kind"] == "user")

    after_one = await _time_travel(browser, session_id, "go_back", row=second)
    assert after_one["status"] == "done"
    assert len(await _read_trace(browser, session_id)) == 1
    at_start = await _time_travel(browser, session_id, "go_back", row=first)
    assert at_start["status"] == "new"
    await browser.send_message(session_id, "1+1?")
    await browser.respond(session_id, "two")
    session = await browser.wait_for_status(session_id, "done")
    rows = await browser.get_rows(session_id)
    assert _list_counting(rows, session) == [("user", "1+1?"), ("answer", "two")]


async def test_a_fork_is_another_session_and_both_link_to_each_other(browser: ApiClient) -> None:
    session_id = await _play(browser)
    answer = next(row for row in await browser.get_rows(session_id) if row["kind"] == "answer")
    fork = await _time_travel(browser, session_id, "fork", row=answer["index"])
    fork_id = fork["session_id"]
    await browser.respond(fork_id, "four")
    await browser.wait_for_status(fork_id, "done")
    source = await browser.get(f"/sessions/{session_id}")

    assert fork_id != session_id
    assert fork["time_travel"]["forked_from"] == {"session_id": session_id, "name": "2+2?"}
    assert source["time_travel"]["forks"] == [{"session_id": fork_id, "name": "Fork of 2+2?"}]
    assert [turn["final_response"]["parts"][0]["text"] for turn in await _read_trace(browser, session_id)] == ["five"]
    assert [turn["final_response"]["parts"][0]["text"] for turn in await _read_trace(browser, fork_id)] == ["four"]
    assert RUNS["add"] == 1


async def test_a_finished_session_is_forked_but_not_rewound(browser: ApiClient) -> None:
    session_id = await _play(browser)
    await browser.post(f"/sessions/{session_id}/close")
    closed = (await browser.get(f"/sessions/{session_id}"))["time_travel"]
    refusal = await browser.post_refused(f"/sessions/{session_id}/time-travel", {"action": "undo"}, 409)
    answer = next(row for row in await browser.get_rows(session_id) if row["kind"] == "answer")
    fork = await _time_travel(browser, session_id, "fork", row=answer["index"])
    await browser.respond(fork["session_id"], "four")
    await browser.wait_for_status(fork["session_id"], "done")

    assert (closed["can_undo"], closed["fork_problem"], closed["rewind_problem"]) == (False, "", refusal["message"])
    assert "Fork it" in refusal["message"]
    assert RUNS["add"] == 1


async def test_the_callbacks_that_run_again_are_named_before(browser: ApiClient) -> None:
    session_id = await _play(browser, "watched")
    plan = await browser.post(f"/sessions/{session_id}/time-travel/plan", {"action": "undo"})

    assert plan["callbacks"] == ["agent 'watched': before_model_callback note_time"]
    assert (plan["replayed_turns"], plan["replayed_calls"]) == (1, 1)
    assert (RUNS["callback"], (await browser.get(f"/sessions/{session_id}"))["status"]) == (2, "done")
    unwatched = await _play(browser)
    assert (await browser.post(f"/sessions/{unwatched}/time-travel/plan", {"action": "undo"}))["callbacks"] == []


async def test_a_run_that_differs_is_continued_only_if_the_person_insists(browser: ApiClient) -> None:
    session_id = await _play(browser, "stamper")
    seq = (await browser.get(f"/sessions/{session_id}"))["last_seq"]
    refusal = await browser.post_refused(f"/sessions/{session_id}/time-travel", {"action": "undo"}, 409)
    unchanged = await browser.get(f"/sessions/{session_id}")

    assert (refusal["error"], refusal["can_override"]) == ("ReplayDiverged", True)
    assert "is different" in refusal["message"]
    assert (unchanged["last_seq"], unchanged["status"]) == (seq, "done")
    await _time_travel(browser, session_id, "undo", force=True)
    await browser.respond(session_id, "four")
    await browser.wait_for_status(session_id, "done")


async def test_the_own_model_or_a_recording_plays_from_a_turn_on(browser: ApiClient) -> None:
    recorded = await _play(browser)
    session_id = await browser.start_session("adder", "2+2?")
    await browser.wait_for_turn(session_id)
    options = await browser.get(f"/sessions/{session_id}/players")
    recording = next(each for each in options if each["kind"] == "recording")
    await browser.client.put(f"/api/sessions/{session_id}/player", json={"player": recording["player"]})
    chosen = await browser.wait_for_status(session_id, "done")

    assert [each["player"] for each in options] == ["human", "real", f"session:{recorded}"]
    assert chosen["time_travel"]["player"] == recording["player"]
    rows = await browser.get_rows(session_id)
    assert [(row["summary"], row["player"]) for row in rows[1:]] == [("a=2 b=2", "recorded"), ("five", "recorded")]
    await browser.client.put(f"/api/sessions/{session_id}/player", json={"player": "real"})
    await browser.send_message(session_id, "Thanks")
    await browser.wait_for_status(session_id, "done")
    assert (await browser.get_rows(session_id))[-1]["player"] == "real"
    undone = await _time_travel(browser, session_id, "undo")
    assert undone["time_travel"]["player"] == "human"


@pytest.mark.parametrize("player", ["replay:/etc/passwd", "/etc/passwd", "session:nothing", "nobody"])
async def test_only_players_that_are_offered_can_be_chosen(browser: ApiClient, player: str) -> None:
    session_id = await browser.start_session("adder")
    answer = await browser.client.put(f"/api/sessions/{session_id}/player", json={"player": player})

    assert answer.status_code == 404
    assert (await browser.get(f"/sessions/{session_id}"))["time_travel"]["player"] == "human"


async def test_the_past_of_agents_in_other_processes_is_refused_with_the_reason() -> None:
    timeline = Timeline()
    services = SessionServices(AgentCatalog([]), timeline, allow_remote_agents=True)
    session_id = (await timeline.create_session("remote math")).session_id
    await ask_turn(timeline, session_id, "turn-1")
    async with (
        serve_sessions(services) as server,
        httpx.AsyncClient(
            verify=NO_TLS, base_url=f"http://127.0.0.1:{server.port}", headers=bearer_headers(server)
        ) as client,
    ):
        browser = ApiClient(server, client)
        info = (await browser.get(f"/sessions/{session_id}"))["time_travel"]
        for action in ("undo", "fork"):
            refusal = await browser.post_refused(f"/sessions/{session_id}/time-travel", {"action": action}, 409)
            assert refusal["message"] == info["rewind_problem"] == info["fork_problem"]
            assert "another process" in refusal["message"]
        assert (await client.put(f"/api/sessions/{session_id}/player", json={"player": "real"})).status_code == 409


async def test_a_corrected_session_is_exported_beside_the_old_case_or_in_its_place(
    browser: ApiClient, tmp_path: Path
) -> None:
    session_id = await _play(browser)
    first = await browser.post(f"/sessions/{session_id}/export", {})
    answer = next(row for row in await browser.get_rows(session_id) if row["kind"] == "answer")
    fork_id = (await _time_travel(browser, session_id, "fork", row=answer["index"]))["session_id"]
    await browser.respond(fork_id, "four")
    await browser.wait_for_status(fork_id, "done")

    def read_cases() -> list[tuple[str, str]]:
        cases = json.loads((tmp_path / "adder.evalset.json").read_text())["eval_cases"]
        return [(case["eval_id"], case["conversation"][0]["final_response"]["parts"][0]["text"]) for case in cases]

    old_id = first["eval_id"]
    preview = await browser.post(f"/sessions/{fork_id}/export/preview", {})
    assert (preview["previous"], preview["replaceable"]["eval_id"]) == (None, old_id)
    fork_case = (await browser.post(f"/sessions/{fork_id}/export", {}))["eval_id"]
    assert read_cases() == [(old_id, "five"), (fork_case, "four")]

    await _time_travel(browser, session_id, "undo")
    await browser.respond(session_id, "4")
    await browser.wait_for_status(session_id, "done")
    replaced = await browser.post(f"/sessions/{session_id}/export/preview", {"replace": True})
    await browser.post(f"/sessions/{session_id}/export", {"replace": True})
    assert replaced["eval_id"] == old_id
    assert read_cases() == [(old_id, "4"), (fork_case, "four")]


async def test_nothing_is_replaced_where_nothing_was_exported(browser: ApiClient) -> None:
    session_id = await _play(browser)
    preview = await browser.post(f"/sessions/{session_id}/export/preview", {})
    refusal = await browser.post_refused(f"/sessions/{session_id}/export", {"replace": True}, 409)

    assert preview["replaceable"] is None
    assert "no earlier export" in refusal["message"]


async def test_a_session_of_an_earlier_process_is_forked_and_stays_linked(tmp_path: Path) -> None:
    RUNS.clear()
    database = tmp_path / "sessions.db"
    agent = LlmAgent(name="adder", model="gemini-2.5-flash", tools=[add])
    async with serve_agents(tmp_path, agent, database=database) as browser:
        session_id = await _play(browser)
        await _time_travel(browser, session_id, "undo")
        await browser.respond(session_id, "four")
        await browser.wait_for_status(session_id, "done")
    async with serve_agents(tmp_path, agent, database=database) as browser:
        before = await browser.get(f"/sessions/{session_id}")
        rows = await browser.get_rows(session_id)
        call = next(row for row in rows if row["kind"] == "call")
        fork_id = (await _time_travel(browser, session_id, "fork", row=call["index"]))["session_id"]
        await browser.respond(fork_id, "no idea")
        await browser.wait_for_status(fork_id, "done")
    async with serve_agents(tmp_path, agent, database=database) as browser:
        source, fork = [(await browser.get(f"/sessions/{each}"))["time_travel"] for each in (session_id, fork_id)]

    assert _list_counting(rows, before) == [("user", "2+2?"), ("call", "a=2 b=2"), ("answer", "four")]
    assert (before["time_travel"]["can_undo"], before["time_travel"]["fork_problem"]) == (False, "")
    assert [link["session_id"] for link in source["forks"]] == [fork_id]
    assert fork["forked_from"]["session_id"] == session_id
    assert RUNS["add"] == 1
