"""Structured responses of agents with tools over the API: for agents of this process, and for those of others."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from api_client import NO_TLS, ApiClient, bearer_headers, serve_agents, serve_sessions
from google.adk.agents import LlmAgent
from google.adk.evaluation.eval_set import EvalSet
from pydantic import BaseModel, Field, field_validator

from adk_agent_sim import Simulation
from adk_agent_sim.server.agents.agent_catalog import AgentCatalog
from adk_agent_sim.server.sessions.session_services import SessionServices


class Rating(BaseModel):
    """A rating."""

    title: str
    stars: int = Field(ge=1, le=5)

    @field_validator("title")
    @classmethod
    def _refuse_todo(cls, value: str) -> str:
        if "TODO" in value:
            raise ValueError("it must not contain TODO")
        return value


TOO_MANY = json.dumps({"title": "Tea", "stars": 6})
UNFINISHED = json.dumps({"title": "TODO", "stars": 5})
GOOD = json.dumps({"title": "Tea", "stars": 5})


def look_up(name: str) -> str:
    """Look up a name."""
    return name


def rater() -> LlmAgent:
    return LlmAgent(name="rater", model="gemini-1.5-pro", tools=[look_up], output_schema=Rating)


async def test_constraints_and_validators_are_checked_before_a_response_counts(tmp_path: Path) -> None:
    async with serve_agents(tmp_path, rater()) as browser:
        session_id = await browser.start_session("rater", "Rate it")
        turn_id = await browser.wait_for_turn(session_id)
        briefing = await browser.get(f"/sessions/{session_id}/briefing", turn_id=turn_id)
        assert briefing["output_schema"]["properties"]["stars"]["maximum"] == 5
        request = await browser.get(f"/sessions/{session_id}/turns/{turn_id}/request")
        assert "response_arguments_schema" not in request["request"]

        for data, path in ((TOO_MANY, "stars"), (UNFINISHED, "title")):
            form = {"target": "answer", "value": data}
            checked = await browser.client.post(
                f"/api/sessions/{session_id}/check", json=form, params={"turn_id": turn_id}
            )
            refusal = await _refuse(browser, session_id, turn_id, json_text=data)
            by_name = await _refuse(
                browser, session_id, turn_id, calls=[{"name": "set_model_response", "arguments": data}]
            )
            assert [problem["path"] for problem in checked.json()] == [path]
            assert refusal["can_override"]
            assert [problem["path"] for problem in refusal["problems"]] == [path]
            assert [problem["path"] for problem in by_name["problems"]] == [path]

        await browser.decide(session_id, json_text=GOOD)
        await browser.wait_for_status(session_id, "done")


async def test_what_only_python_detects_in_a_remote_agent_is_a_rejected_response(tmp_path: Path) -> None:
    async with Simulation(rater()) as sim, _serve_remote(sim) as browser:
        await sim.send("Rate it")
        session_id = sim.session_id
        turn_id = await browser.wait_for_turn(session_id)
        refusal = await _refuse(browser, session_id, turn_id, json_text=TOO_MANY)
        assert [problem["path"] for problem in refusal["problems"]] == ["stars"]

        await browser.decide(session_id, json_text=UNFINISHED)
        await sim.next()
        await browser.decide(session_id, json_text=GOOD)
        await browser.wait_for_status(session_id, "done")

        rows = [row for row in await browser.get_rows(session_id) if row["kind"] == "call"]
        assert [row["status"] for row in rows] == ["failed", "done"]
        assert "must not contain TODO" in rows[0]["result"]
        sim.export(tmp_path / "rater.evalset.json")

    (case,) = EvalSet.model_validate_json((tmp_path / "rater.evalset.json").read_text()).eval_cases
    data: Any = (case.conversation or [])[0].intermediate_data
    assert [call.args for call in data.tool_uses] == [json.loads(GOOD)]


@pytest.mark.req("000/GoldenTraceBuilder", "001/FR-029", "001/SC-005")
async def test_an_export_leaves_rejected_responses_out_unless_they_are_requested(tmp_path: Path) -> None:
    async with serve_agents(tmp_path, rater()) as browser:
        session_id = await browser.start_session("rater", "Rate it")
        await browser.decide(session_id, json_text=UNFINISHED, force=True)
        await browser.decide(session_id, json_text=GOOD)
        await browser.wait_for_status(session_id, "done")

        clean = await browser.post(f"/sessions/{session_id}/export", {"format": "evalset"})
        whole = await browser.post(
            f"/sessions/{session_id}/export", {"format": "evalset", "again": True, "include_rejected": True}
        )

    assert "TODO" not in clean["text"]
    assert "TODO" in whole["text"]
    assert [note for note in clean["left_out"] if "1 structured response was left out" in note]
    assert not [note for note in whole["left_out"] if "left out" in note]


async def _refuse(browser: ApiClient, session_id: str, turn_id: str, **decision: Any) -> Any:
    body = {"decision_id": "decision-1", **decision}
    return await browser.post_refused(f"/sessions/{session_id}/turns/{turn_id}/decision", body, 422)


@asynccontextmanager
async def _serve_remote(sim: Simulation) -> AsyncGenerator[ApiClient]:
    """Serve the timeline of a simulation without its agent, as for an agent in another process."""
    sessions = SessionServices(AgentCatalog([]), sim.timeline, allow_remote_agents=True)
    async with serve_sessions(sessions) as server:
        address = f"http://127.0.0.1:{server.port}"
        async with httpx.AsyncClient(verify=NO_TLS, base_url=address, headers=bearer_headers(server)) as client:
            yield ApiClient(server, client)
