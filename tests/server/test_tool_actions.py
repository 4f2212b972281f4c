"""Tools that a person plays over the API: the call in the queue, the response, and who plays each tool."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from answering_model import AnsweringModel
from api_client import ApiClient, serve_agents
from google.adk.agents import LlmAgent
from google.adk.apps import App

from adk_agent_sim import EnvironmentSimulationFactory, Simulation
from adk_agent_sim.environment.rules_file import parse_rules
from adk_agent_sim.server.composition import ServeSettings, run_services
from adk_agent_sim.timeline.read_model.session_summary import SessionStatus
from adk_agent_sim.timeline.read_model.timeline_row import RowKind, RowStatus


def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


def _build_app(rules: str) -> App:
    plugin = EnvironmentSimulationFactory.create_plugin(parse_rules(rules))
    return App(name="sums", root_agent=LlmAgent(name="sums", model="m", tools=[add]), plugins=[plugin])


_HUMAN = "{rules: [{name: a person, match: {tool: add}, do: {mock: human}}]}"


async def _call_add(client: ApiClient, session_id: str) -> str:
    """Call the tool as the model, and return the id of the request that waits for its response."""
    await client.call_tools(session_id, ("add", {"a": 2, "b": 2}))
    return (await client.wait_for_request(session_id, "tool"))["pending"][0]["request_id"]


def _build_response(**fields: Any) -> dict[str, Any]:
    return {"decision_id": uuid4().hex, **fields}


async def test_a_call_waits_in_the_queue_and_gets_the_response_of_a_person(tmp_path: Path) -> None:
    async with serve_agents(tmp_path, _build_app(_HUMAN)) as client:
        session_id = await client.start_session("sums", "What is 2+2?")
        request_id = await _call_add(client, session_id)
        (item,) = (await client.get("/queue"))["items"]
        assert (item["request"]["kind"], item["request"]["tool_name"]) == ("tool", "add")
        call = await client.get(f"/sessions/{session_id}/tool-calls/{request_id}")
        assert json.loads(call.pop("arguments")) == {"a": 2, "b": 2}
        assert call == {
            "request_id": request_id,
            "tool_name": "add",
            "agent_name": "sums",
            "description": "Add two numbers.",
            "response_schema": {"type": "integer"},
        }
        url = f"/sessions/{session_id}/tool-calls/{request_id}/response"
        check = {"target": "result", "value": '"four"'}
        (problem,) = await client.post(f"/sessions/{session_id}/check?turn_id={request_id}", check)
        refused = await client.post_refused(url, _build_response(result='"four"'), 422)
        assert refused["can_override"]
        assert refused["problems"][0]["message"] == problem["message"]

        await client.post(url, _build_response(result='"four"', force=True))

        await client.wait_for_turn(session_id)
        (row,) = [row for row in await client.get_rows(session_id) if row["kind"] == "call"]
        assert (row["result"], row["responder"], row["rule"], row["status"]) == ("four", "human", "a person", "done")
        detail = await client.get_row_detail(session_id, row["index"])
        assert json.loads(detail["what a person responded"]["text"]) == {"returned": "four", "sent anyway": True}
        again = await client.post_refused(url, _build_response(result="4"), 409)
        assert again["error"] == "ToolAlreadyAnswered"
        gone = await client.client.get(f"/api/sessions/{session_id}/tool-calls/{request_id}")
        assert gone.status_code == 404


async def test_a_person_raises_as_the_tool_and_bad_input_is_refused(tmp_path: Path) -> None:
    async with serve_agents(tmp_path, _build_app(_HUMAN)) as client:
        session_id = await client.start_session("sums", "hi")
        url = f"/sessions/{session_id}/tool-calls/{await _call_add(client, session_id)}/response"
        refused = await client.post_refused(url, _build_response(result="{4"), 422)
        assert "The result" in refused["message"]
        await client.post_refused(url, _build_response(error_type="not a name"), 422)
        missing = await client.post_refused(url.replace("/tool-calls/", "/tool-calls/x"), _build_response(), 404)
        assert missing["error"] == "ToolRequestNotFound"

        await client.post(url, _build_response(error_type="TimeoutError", error_message="no answer"))

        await client.wait_for_turn(session_id)
        (row,) = [row for row in await client.get_rows(session_id) if row["kind"] == "call"]
        assert (row["result"], row["status"]) == ("TimeoutError: no answer", "failed")


async def test_closing_the_session_while_the_tool_waits_ends_the_call(tmp_path: Path) -> None:
    async with serve_agents(tmp_path, _build_app(_HUMAN)) as client:
        session_id = await client.start_session("sums", "hi")
        url = f"/sessions/{session_id}/tool-calls/{await _call_add(client, session_id)}/response"

        await client.post(f"/sessions/{session_id}/close")

        assert (await client.get("/queue"))["items"] == []
        refused = await client.post_refused(url, _build_response(result="4"), 409)
        assert refused["error"] == "SessionClosed"


async def test_a_call_that_waited_when_its_server_was_stopped_is_cancelled_after_the_next_start(tmp_path: Path) -> None:
    database = tmp_path / "sessions.sqlite"
    async with serve_agents(tmp_path, _build_app(_HUMAN), database=database) as client:
        session_id = await client.start_session("sums", "hi")
        request_id = await _call_add(client, session_id)

    async with serve_agents(tmp_path, _build_app(_HUMAN), database=database) as client:
        await _check_that_nobody_waits(client, session_id, request_id)


async def test_a_call_that_waited_when_its_server_was_killed_is_abandoned_after_the_next_start(tmp_path: Path) -> None:
    left, database = tmp_path / "left", tmp_path / "sessions.sqlite"
    async with serve_agents(tmp_path, _build_app(_HUMAN), database=database) as client:
        session_id = await client.start_session("sums", "hi")
        request_id = await _call_add(client, session_id)
        # What a kill leaves: the database with its log, and no word about an end.
        _copy_files(database, left)

    async with serve_agents(tmp_path, _build_app(_HUMAN), database=left / database.name) as client:
        row = await _check_that_nobody_waits(client, session_id, request_id)
        assert row["result"] == "abandoned: the agent's process ended"
        async with client.open_tab() as tab:
            await tab.follow(session_id)
            await tab.wait_for_update(type="session")
            assert tab.rows[row["index"]] == row
        await client.post(f"/sessions/{session_id}/rows/{row['index']}/note", {"text": "?"})
        assert (await client.get_rows(session_id))[row["index"]]["status"] == "cancelled"

    settings = ServeSettings(database=left / database.name, port=0, grpc_port=0)
    async with run_services(settings) as services:
        # A server for agents in other processes knows no process that could still wait.
        assert await services.timeline.list_pending() == []
        summary = await services.timeline.get_summary(session_id)
        assert summary.status is SessionStatus.ABANDONED
        rows = await services.timeline.read_rows(session_id, 0, 100)
        (call,) = [each for each in rows if each.kind is RowKind.CALL]
        assert (call.status, call.result) == (RowStatus.CANCELLED, "abandoned: the agent's process ended")


def _copy_files(database: Path, folder: Path) -> None:
    folder.mkdir()
    for file in database.parent.glob(f"{database.name}*"):
        shutil.copy(file, folder)


async def _check_that_nobody_waits(client: ApiClient, session_id: str, request_id: str) -> dict[str, Any]:
    """Check a session whose server ended while a tool waited, and return the row of the call."""
    detail = await client.get(f"/sessions/{session_id}")
    assert (detail["status"], detail["pending"], detail["running_since"]) == ("interrupted", [], None)
    assert (await client.get("/queue"))["items"] == []
    (row,) = [row for row in await client.get_rows(session_id) if row["kind"] == "call"]
    assert row["status"] == "cancelled"
    await client.get_row_detail(session_id, row["index"])
    url = f"/sessions/{session_id}/tool-calls/{request_id}/response"
    refused = await client.post_refused(url, _build_response(result="4"), 409)
    assert refused["error"] in ("SessionClosed", "AgentNotLocal")
    return row


async def test_each_tool_is_switched_while_the_session_runs(tmp_path: Path) -> None:
    async with serve_agents(tmp_path, LlmAgent(name="sums", model="m", tools=[add])) as client:
        session_id = await client.start_session("sums", "hi")
        url = f"/sessions/{session_id}/environment/tools"
        info = await client.post(url, {"tool_name": "add", "player": "human"})
        assert info["tool_players"] == {"add": "human"}
        request_id = await _call_add(client, session_id)
        await client.post(f"/sessions/{session_id}/tool-calls/{request_id}/response", _build_response(result="5"))
        await client.wait_for_turn(session_id)
        await client.post(url, {"tool_name": "add", "player": "schema"})
        await client.call_tools(session_id, ("add", {"a": 2, "b": 2}))
        await client.wait_for_turn(session_id)
        info = await client.post(url, {"tool_name": "add", "player": "rules"})
        assert info["tool_players"] == {}
        await client.call_tools(session_id, ("add", {"a": 2, "b": 2}))
        await client.wait_for_turn(session_id)

        rows = await client.get_rows(session_id)
        calls = [(row["rule"], row["responder"]) for row in rows if row["kind"] == "call"]
        assert calls == [("choice for add", "human"), ("choice for add", ""), ("", "")]
        assert [row["result"] for row in rows if row["kind"] == "call"][::2] == ["5", "4"]
        assert [row["summary"] for row in rows if row["subject"] == "tool"] == [
            "add: a person responds, from now on",
            "add: mock schema responds, from now on",
            "add: as the rules say, from now on",
        ]


def _answer_six(question: str) -> str:
    return json.dumps({"resources": []} if question.startswith("The declarations") else {"result": 6})


async def _record_five(path: Path) -> None:
    """Record a session in which 2 and 2 are 5."""

    def add(a: int, b: int) -> int:
        """Add two numbers."""
        return a + b + 1

    async with Simulation(LlmAgent(name="sums", model="m", tools=[add])) as sim:
        turn = await (await sim.send("hi")).call("add", {"a": 2, "b": 2})
        await turn.respond("5")
        await sim.export_jsonl(path)


async def test_a_tool_is_switched_to_the_recording_and_the_model_that_the_session_has(tmp_path: Path) -> None:
    await _record_five(tmp_path / "golden.jsonl")
    rules = tmp_path / "rules.yaml"
    rules.write_text("rules: [{match: {tool: other}, enabled: false, do: {mock: replay, from: golden.jsonl}}]")
    model = AnsweringModel.create(_answer_six)
    plugin = EnvironmentSimulationFactory.create_plugin(rules, simulation_model=model)
    agent = LlmAgent(name="sums", model="m", tools=[add])
    async with serve_agents(tmp_path, App(name="sums", root_agent=agent, plugins=[plugin])) as client:
        session_id = await client.start_session("sums", "hi")
        info = await client.get(f"/sessions/{session_id}/environment")
        assert info["configured_mocks"] == {"llm": "simulated-one", "replay": "golden.jsonl"}
        for player in ("replay", "llm"):
            await client.post(f"/sessions/{session_id}/environment/tools", {"tool_name": "add", "player": player})
            await client.call_tools(session_id, ("add", {"a": 2, "b": 2}))
            await client.wait_for_turn(session_id)

        rows = await client.get_rows(session_id)
        assert [row["result"] for row in rows if row["kind"] == "call"] == ['{"result": 5}', "6"]
        assert [row["summary"] for row in rows if row["subject"] == "tool"] == [
            "add: mock replay responds, from now on",
            "add: mock llm responds, from now on",
        ]


async def test_a_session_without_a_model_or_recording_offers_neither_and_refuses_both(tmp_path: Path) -> None:
    async with serve_agents(tmp_path, _build_app(_HUMAN)) as client:
        session_id = await client.start_session("sums", "hi")
        assert (await client.get(f"/sessions/{session_id}/environment"))["configured_mocks"] == {}
        url = f"/sessions/{session_id}/environment/tools"
        for player, needed in (("llm", "model"), ("replay", "recording")):
            refused = await client.post_refused(url, {"tool_name": "add", "player": player}, 409)
            assert f"the rules of this session name no {needed}. Add a rule" in refused["message"]
        named = {"tool_name": "add", "player": "replay", "from": "/etc/passwd"}
        await client.post_refused(url, named, 422)


async def test_a_chosen_player_stays_after_an_undo_in_forks_and_after_the_next_start(tmp_path: Path) -> None:
    database, agent = tmp_path / "sessions.sqlite", LlmAgent(name="sums", model="m", tools=[add])
    async with serve_agents(tmp_path, agent, database=database) as client:
        session_id = await client.start_session("sums", "hi")
        await client.call_tools(session_id, ("add", {"a": 2, "b": 2}))
        await client.wait_for_turn(session_id)
        await client.post(f"/sessions/{session_id}/environment/tools", {"tool_name": "add", "player": "schema"})
        await client.call_tools(session_id, ("add", {"a": 2, "b": 3}))
        await client.wait_for_turn(session_id)
        await client.post(f"/sessions/{session_id}/time-travel", {"action": "undo"})
        undone = await client.get(f"/sessions/{session_id}/environment")
        await client.call_tools(session_id, ("add", {"a": 2, "b": 4}))
        await client.wait_for_turn(session_id)
        fork = await client.post(f"/sessions/{session_id}/time-travel", {"action": "fork"})
        forked = await client.get(f"/sessions/{fork['session_id']}/environment")
        environments: list[Any] = []
        for turn in (1, 2):
            fork = await client.post(f"/sessions/{session_id}/time-travel", {"action": "fork", "turn": turn})
            environments.append(await client.get(f"/sessions/{fork['session_id']}/environment"))
        await client.respond(session_id, "done")
        await client.wait_for_status(session_id, "done")

    async with serve_agents(tmp_path, agent, database=database) as client:
        fork = await client.post(f"/sessions/{session_id}/time-travel", {"action": "fork", "turn": 3})
        restarted = await client.get(f"/sessions/{fork['session_id']}/environment")
        await client.call_tools(fork["session_id"], ("add", {"a": 2, "b": 5}))
        await client.wait_for_turn(fork["session_id"])
        calls = [row for row in await client.get_rows(fork["session_id"]) if row["kind"] == "call"]

    players = [each["tool_players"] for each in (undone, forked, *environments, restarted)]
    # The player was chosen while the second turn waited.
    assert players == [{"add": "schema"}, {"add": "schema"}, {}, {"add": "schema"}, {"add": "schema"}]
    assert [row["rule"] for row in calls] == ["", "choice for add", "choice for add"]


@pytest.mark.parametrize(
    ("tool", "player", "status", "reason"),
    [("ad", "human", 404, "Write 'add' instead"), ("add", "real", 409, "unanswered: refuse")],
)
async def test_a_switch_that_is_impossible_is_refused(
    tmp_path: Path, tool: str, player: str, status: int, reason: str
) -> None:
    async with serve_agents(
        tmp_path, _build_app("{unanswered: refuse, rules: [{match: {tool: add}, do: {mock: schema}}]}")
    ) as client:
        session_id = await client.start_session("sums")
        url = f"/sessions/{session_id}/environment/tools"
        refused = await client.post_refused(url, {"tool_name": tool, "player": player}, status)
        assert reason in refused["message"]
        assert (await client.get(f"/sessions/{session_id}/environment"))["refuses_real_tools"]
