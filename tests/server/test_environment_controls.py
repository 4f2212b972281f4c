"""The simulated environment over the API: rules with their conditions, and faults that are added, changed, removed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from api_client import ApiClient, serve_agents
from google.adk.agents import LlmAgent
from google.adk.apps import App
from scripted_model import ScriptedModel, call_response, text_response

from adk_agent_sim import EnvironmentSimulationFactory
from adk_agent_sim.environment.rules_file import parse_rules

PROFILES = """
profile: slow
profiles: {slow: [late], outage: [down]}
rules:
  - {name: down, match: {tool: add}, do: {error: {code: 503, message: down}}}
  - {name: late, match: {tool: add}, do: {delay: 2}}
"""


def add(a: int, b: int) -> int:
    """Add."""
    return a + b


async def add_model_fault(client: ApiClient, session_id: str, action: str) -> Any:
    return await client.post(f"/sessions/{session_id}/environment/faults", {"seat": "model", "action": action})


async def add_fault(client: ApiClient, session_id: str, action: str, tool: str = "add") -> Any:
    return await client.post(f"/sessions/{session_id}/environment/faults", {"tool_name": tool, "action": action})


async def test_a_fault_is_changed_and_removed_while_it_is_pending(tmp_path: Path) -> None:
    async with serve_agents(tmp_path, LlmAgent(name="sums", model="m", tools=[add])) as client:
        session_id = await client.start_session("sums")
        info = await add_fault(client, session_id, '{"error": {"code": 418, "message": "tea"}}')
        (fault,) = info["faults"]
        assert fault["description"] == "error 418"
        assert fault["action"] == '{"error":{"code":418,"message":"tea"}}'
        url = f"/api/sessions/{session_id}/environment/faults/{fault['fault_id']}"
        changed = await client.client.put(url, json={"tool_name": "add", "action": '{"raise": "KeyError"}'})
        assert changed.json()["faults"][0]["description"] == "raise KeyError"
        removed = await client.client.delete(url)
        assert removed.json()["faults"] == []
        gone = await client.client.put(url, json={"tool_name": "add", "action": '{"raise": "KeyError"}'})
        assert gone.status_code == 404
        assert "no longer pending" in gone.json()["message"]


@pytest.mark.parametrize(
    ("tool", "action", "status", "reason"),
    [
        ("ad", '{"timeout": 1}', 404, "Write 'add' instead"),
        ("add", '{"raise": "ConectionError"}', 422, "Write 'ConnectionError' instead"),
        ("add", '{"error": {"code": "x", "message": "m"}}', 422, "error.error.code"),
        ("add", '{"mock": "replay", "from": "/etc/passwd"}', 422, "recordings are read for rules files on disk"),
        ("add", '{"timeout": -1}', 422, "greater than"),
        ("add", '{"empty": true}', 422, "acts in the model's seat"),
        ("add", '{"respond": "{{arg.a}}"}', 422, "Write 'args' instead"),
    ],
)
async def test_a_fault_that_cannot_happen_is_rejected_when_it_is_entered(
    tmp_path: Path, tool: str, action: str, status: int, reason: str
) -> None:
    async with serve_agents(tmp_path, LlmAgent(name="sums", model="m", tools=[add])) as client:
        session_id = await client.start_session("sums")
        path = f"/sessions/{session_id}/environment/faults"
        refused = await client.post_refused(path, {"tool_name": tool, "action": action}, status)
        assert reason in refused["message"]
        info = await client.get(f"/sessions/{session_id}/environment")
        assert info["faults"] == []
        assert "ConnectionError" in info["exceptions"]


async def test_a_profile_is_switched_from_the_next_call_on_and_the_timeline_says_so(tmp_path: Path) -> None:
    agent = LlmAgent(name="sums", model="m", tools=[add])
    plugin = EnvironmentSimulationFactory.create_plugin(parse_rules(PROFILES))
    async with serve_agents(tmp_path, App(name="sums", root_agent=agent, plugins=[plugin])) as client:
        session_id = await client.start_session("sums", "go")
        url = f"/sessions/{session_id}/environment"
        info = await client.get(url)
        assert (info["profile"], info["profiles"]) == ("slow", ["slow", "outage"])
        assert [(rule["profiles"], rule["enabled"]) for rule in info["rules"]] == [
            (["outage"], False),
            (["slow"], True),
        ]
        await client.wait_for_turn(session_id)
        info = await client.post(f"{url}/profile", {"profile": "outage"})
        assert info["profile"] == "outage"
        assert [rule["enabled"] for rule in info["rules"]] == [True, False]
        note = (await client.get_rows(session_id))[-1]
        assert (note["kind"], note["subject"], note["summary"]) == ("note", "profile", "outage is active")
        assert await client.get_row_detail(session_id, note["index"]) == {"media": []}
        await client.call_tools(session_id, ("add", {"a": 1, "b": 2}))
        await client.wait_for_turn(session_id)
        assert (await client.get_rows(session_id))[-1]["rule"] == "down"
        info = await client.post(f"{url}/profile", {"profile": None})
        assert [rule["enabled"] for rule in info["rules"]] == [False, False]
        assert (await client.get_rows(session_id))[-1]["summary"] == "no profile is active"


@pytest.mark.parametrize(
    ("rules", "advice"),
    [
        (PROFILES, "Write 'outage' instead"),
        ("rules: [{name: down, match: {tool: add}, do: pass}]", "The rules have no profiles"),
    ],
)
async def test_a_profile_that_does_not_exist_is_refused(tmp_path: Path, rules: str, advice: str) -> None:
    agent = LlmAgent(name="sums", model="m", tools=[add])
    plugin = EnvironmentSimulationFactory.create_plugin(parse_rules(rules))
    async with serve_agents(tmp_path, App(name="sums", root_agent=agent, plugins=[plugin])) as client:
        session_id = await client.start_session("sums")
        path = f"/sessions/{session_id}/environment/profile"
        refused = await client.post_refused(path, {"profile": "outtage"}, 404)
        assert refused["message"] == f"There is no profile 'outtage'. {advice}."


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        ({"action": '{"api_error": 200}'}, "greater than or equal to 400"),
        ({"action": '{"api_error": 429}', "tool_name": "add"}, "leave it out"),
        ({"action": '{"error": {"code": 503, "message": "m"}}'}, "acts in the tool's seat"),
        ({"action": '{"unknown_tool": "add"}'}, "'add' is a tool of the agents"),
        ({"action": '{"cut_text": -1}'}, "greater than or equal to 0"),
        ({"action": '{"raise": "ConectionError"}'}, "Write 'ConnectionError' instead"),
    ],
)
async def test_a_fault_for_the_model_is_checked_when_it_is_entered(
    tmp_path: Path, fault: dict[str, str], reason: str
) -> None:
    async with serve_agents(tmp_path, LlmAgent(name="sums", model="m", tools=[add])) as client:
        session_id = await client.start_session("sums")
        path = f"/sessions/{session_id}/environment/faults"
        refused = await client.post_refused(path, {"seat": "model", **fault}, 422)
        assert reason in refused["message"]
        info = await client.post(path, {"seat": "model", "action": '{"api_error": 429}'})
        assert [(one["seat"], one["tool_name"], one["description"]) for one in info["faults"]] == [
            ("model", "", "api_error 429")
        ]
        assert info["is_played_by_person"] is True


async def test_a_fault_for_the_model_meets_the_next_turn_that_is_left_to_the_model(tmp_path: Path) -> None:
    model = ScriptedModel(script=[call_response(("add", {"a": 1, "b": 2})), text_response("It is three.")])
    async with serve_agents(tmp_path, LlmAgent(name="sums", model=model, tools=[add])) as client:
        session_id = await client.start_session("sums", "go")
        await client.wait_for_turn(session_id)
        await add_model_fault(client, session_id, '{"unknown_tool": "subtract"}')
        await client.call_tools(session_id, ("add", {"a": 4, "b": 5}))
        turn_id = await client.wait_for_turn(session_id)
        assert "subtract" not in str(await client.get_rows(session_id)), "a person's decision is not changed"

        await client.post(f"/sessions/{session_id}/turns/{turn_id}/own-model")
        turn_id = await client.wait_for_turn(session_id)
        rows = await client.get_rows(session_id)
        assert [(row["subject"], row["rule"]) for row in rows[-2:]] == [
            ("model fault", "fault for the model"),
            ("subtract", ""),
        ]
        assert (rows[-1]["player"], rows[-1]["is_unknown_tool"]) == ("simulated", True)
        assert (await client.get(f"/sessions/{session_id}/environment"))["faults"] == []

        await add_model_fault(client, session_id, '{"api_error": {"code": 429, "message": "slow down"}}')
        await client.post(f"/sessions/{session_id}/turns/{turn_id}/own-model")
        failed = await client.wait_for_status(session_id, "failed")
        assert "429 RESOURCE_EXHAUSTED" in failed["failure"]
        await client.send_message(session_id, "again")
        turn_id = await client.wait_for_turn(session_id)
        await client.post(f"/sessions/{session_id}/turns/{turn_id}/own-model")
        await client.wait_for_status(session_id, "done")
        assert (await client.get_rows(session_id))[-1]["summary"] == "It is three."


async def test_a_turn_stays_a_persons_if_the_model_that_a_fault_asks_cannot_be_reached(tmp_path: Path) -> None:
    async with serve_agents(tmp_path, LlmAgent(name="sums", model="no-such-model", tools=[add])) as client:
        session_id = await client.start_session("sums", "go")
        turn_id = await client.wait_for_turn(session_id)
        await add_model_fault(client, session_id, '{"max_tokens": 3}')
        path = f"/sessions/{session_id}/turns/{turn_id}/own-model"
        assert "no-such-model" in (await client.post_refused(path, None, 502))["message"]
        await client.respond(session_id, "three")
        await client.wait_for_status(session_id, "done")
        exported = await client.post(f"/sessions/{session_id}/export/preview", {"format": "evalset"})
        assert "three" in exported["text"], "a person's turn is not left out"
