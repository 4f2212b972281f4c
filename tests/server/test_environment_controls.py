"""The simulated environment over the API: rules with their conditions, and faults that are added, changed, removed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from api_client import ApiClient, serve_agents
from google.adk.agents import LlmAgent


def add(a: int, b: int) -> int:
    """Add."""
    return a + b


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
        assert "not pending any more" in gone.json()["message"]


@pytest.mark.parametrize(
    ("tool", "action", "status", "reason"),
    [
        ("ad", '{"timeout": 1}', 404, "Write 'add' instead"),
        ("add", '{"raise": "ConectionError"}', 422, "Write 'ConnectionError' instead"),
        ("add", '{"error": {"code": "x", "message": "m"}}', 422, "error.error.code"),
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
