"""The graph of a session in a scenario's world: what happened, failed and is due, and what a person must not see."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from api_client import ApiClient, serve_simulator
from world_builders import build_reply_event, build_world_event, build_world_scenario
from world_runs import MAIL, SEND_A, WAIT

from adk_agent_sim import AgentSimulator
from adk_agent_sim.scenario.format.exporter import serialize_trace
from adk_agent_sim.server.scenarios.scenario_catalog import ScenarioCatalog

SAY = "AgentUserInterface__send_message_to_agent"
SCENARIO = build_world_scenario(
    build_world_event("ask", "USER", delay=0, call=SAY, content="Wait for the mail"),
    build_world_event("mail", "ENV", ("ask",), "Emails__create_and_add_email", delay=10, sender="b@example.org"),
    build_world_event("one", "AGENT", ("mail",), MAIL, recipients=["a@example.org"], subject="one"),
    build_reply_event("told", "one"),
    build_world_event("again", "USER", ("told",), SAY, delay=5, content="Second"),
    build_world_event("two", "AGENT", ("again",), MAIL, recipients=["c@example.org"], subject="two"),
    build_reply_event("told again", "two"),
    hints=[
        {"hint_type": "TASK_HINT", "content": "Be polite", "associated_event_id": ""},
        {"hint_type": "ENVIRONMENT_HINT", "content": "The mail names the recipient", "associated_event_id": "mail"},
        {"hint_type": "TASK_HINT", "content": "Answer with one mail", "associated_event_id": "one"},
        {"hint_type": "TASK_HINT", "content": "Now write to c", "associated_event_id": "two"},
    ],
)
BROKEN = ("Emails__reply_to_email", {"email_id": "nowhere", "content": "Hi"})
WRONG = (MAIL, {"recipients": ["x@example.org"], "subject": "two"})
KEY = "small"


@pytest.fixture
async def browser(tmp_path: Path) -> AsyncIterator[ApiClient]:
    file = tmp_path / "small.json"
    file.write_text(serialize_trace(SCENARIO.trace), encoding="utf-8")
    async with serve_simulator(AgentSimulator([], scenarios=ScenarioCatalog([file]))) as client:
        yield client


async def start(browser: ApiClient) -> str:
    session_id: str = (await browser.post(f"/scenarios/{KEY}/runs"))["session_id"]
    await browser.wait_for_turn(session_id)
    return session_id


async def list_states(browser: ApiClient, session_id: str) -> list[tuple[str, str, float | None]]:
    """Return name, state and time of each event when the session waits for its turn."""
    await browser.wait_for_turn(session_id)
    graph = await browser.get(f"/sessions/{session_id}/world/graph")
    return [(_get_name(each), each["state"], each["seconds"]) for each in graph["events"]]


def _get_name(event: Any) -> str:
    return event["function"] if event["kind"] == "agent" else event["event_id"]


async def test_a_person_sees_what_happened_what_failed_and_what_is_due_and_nothing_of_the_answer(
    browser: ApiClient,
) -> None:
    session_id = await start(browser)
    assert await list_states(browser, session_id) == [("ask", "happened", 0), ("mail", "due", 10)]
    [ask, mail] = (await browser.get(f"/sessions/{session_id}/world/graph"))["events"]
    assert "Wait for the mail" in ask["summary"]
    assert (mail["function"], mail["summary"], mail["depends_on"]) == ("create_and_add_email", "", [ask["index"]])

    await browser.call_tools(session_id, (WAIT, {"timeout": 60}))
    happened = [("ask", "happened", 0), ("mail", "happened", 10)]
    assert await list_states(browser, session_id) == happened
    await browser.call_tools(session_id, BROKEN)
    happened.append(("reply_to_email", "failed", 11))
    assert await list_states(browser, session_id) == happened
    await browser.call_tools(session_id, SEND_A)
    assert await list_states(browser, session_id) == [*happened, ("send_email", "happened", 12)]
    await browser.respond(session_id, "Done.")
    await browser.wait_for_turn(session_id)
    text = (await browser.client.get(f"/api/sessions/{session_id}/world/graph")).text

    assert '"hides_answer":true' in text.replace(" ", "")
    assert "oracle" not in text
    assert "c@example.org" not in text
    assert "told" not in text
    events = {_get_name(each): each for each in (await browser.get(f"/sessions/{session_id}/world/graph"))["events"]}
    # The user's second message follows from the answer of the agent, in the place of what is hidden.
    assert events["again"]["depends_on"] == [events["send_message_to_user"]["index"]]
    assert "nowhere" in events["reply_to_email"]["note"]


@pytest.mark.req("004/hint-task", "004/hint-environment")
async def test_a_person_sees_a_hint_when_its_event_happens_or_its_action_is_due(browser: ApiClient) -> None:
    session_id = await start(browser)

    async def list_hints() -> list[str]:
        await browser.wait_for_turn(session_id)
        hints: list[str] = (await browser.get(f"/sessions/{session_id}/world"))["hints"]
        return hints

    shown = [await list_hints()]
    # The mail arrives after 10 s and ends the second wait; the answer to it is due a second later.
    for seconds in (5, 60, 5):
        await browser.call_tools(session_id, (WAIT, {"timeout": seconds}))
        shown.append(await list_hints())

    polite, mail, answer = "Be polite", "The mail names the recipient", "Answer with one mail"
    assert shown == [[polite], [polite], [polite, mail], [polite, mail, answer]]


async def test_an_undo_takes_back_what_happened_and_a_fork_has_a_graph_of_its_own(browser: ApiClient) -> None:
    session_id = await start(browser)
    before = await list_states(browser, session_id)
    await browser.call_tools(session_id, (WAIT, {"timeout": 60}))
    waited = await list_states(browser, session_id)
    [call] = [each for each in await browser.get_rows(session_id) if each["kind"] == "call"]
    forked = await browser.post(f"/sessions/{session_id}/time-travel", {"action": "fork", "row": call["index"]})
    assert await list_states(browser, forked["session_id"]) == before
    await browser.post(f"/sessions/{session_id}/time-travel", {"action": "undo"})
    assert await list_states(browser, session_id) == before
    assert waited != before


async def test_the_answer_is_shown_when_the_run_is_over(browser: ApiClient) -> None:
    session_id = await start(browser)
    await browser.call_tools(session_id, (WAIT, {"timeout": 60}))
    await browser.call_tools(session_id, SEND_A)
    await browser.respond(session_id, "Done.")
    await browser.call_tools(session_id, WRONG)
    await browser.respond(session_id, "Done.")
    await browser.wait_for_status(session_id, "closed")
    graph = await browser.get(f"/sessions/{session_id}/world/graph")

    assert (graph["is_over"], graph["hides_answer"]) == (True, False)
    states = {_get_name(each): each["state"] for each in graph["events"]}
    expected = {"ask", "mail", "one", "told", "again"}
    assert {name for name, state in states.items() if state == "happened"} >= expected
    assert states["two"] == "failed"
    [two] = [each for each in graph["events"] if each["event_id"] == "two"]
    assert "x@example.org" in two["note"]
    # What the agent did instead is there too, after what happened before it.
    [own] = [each for each in graph["events"] if each["kind"] == "agent" and each["function"] == "send_email"]
    [again] = [each for each in graph["events"] if each["event_id"] == "again"]
    assert own["depends_on"] == [again["index"]]


async def test_the_scenario_hides_its_answer_until_the_person_who_plays_it_is_judged(browser: ApiClient) -> None:
    page = f"/scenarios/{KEY}"
    whole = await browser.get(page)
    session_id = await start(browser)

    hidden = await browser.get(page)
    assert (whole["hides_answer"], hidden["hides_answer"]) == (False, True)
    assert [each["event_id"] for each in hidden["events"]] == ["ask", "mail", "again"]
    [ask, mail, again] = hidden["events"]
    # What follows from what is hidden follows from what came before it.
    assert [each["depends_on"] for each in (ask, mail, again)] == [[], [ask["index"]], [mail["index"]]]
    [oracle, *_] = [each["index"] for each in whole["events"] if each["kind"] == "oracle"]
    refused = await browser.client.get(f"/api{page}/events/{oracle}")
    assert (refused.status_code, "Show the answer" in refused.json()["message"]) == (409, True)

    # Whoever asks for the answer gets it.
    assert (await browser.get(page, answer=True))["events"] == whole["events"]
    assert (await browser.get(f"{page}/events/{oracle}", answer=True))["event_id"] == "one"
    await browser.respond(session_id, "Done.")
    await browser.wait_for_status(session_id, "closed")
    graph = await browser.get(f"/sessions/{session_id}/world/graph")
    states = {each["event_id"]: each["state"] for each in graph["events"]}
    assert (states["one"], states["again"], states["two"]) == ("failed", "missed", "missed")
    assert (await browser.get(page))["events"] == whole["events"]
    assert (await browser.client.get("/api/sessions/nothing/world/graph")).status_code == 404
