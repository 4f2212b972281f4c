"""Model turns that rules changed are in no export, whoever writes it."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

from google.adk.agents import LlmAgent
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from processes import invoke_adksim
from scripted_model import call_response, text_response

from adk_agent_sim import Simulation
from adk_agent_sim.environment.rules import Rules
from adk_agent_sim.environment.rules_file import parse_rules
from adk_agent_sim.golden.session import SimulatedAgentConfig
from adk_agent_sim.persistence.database_store import open_store
from adk_agent_sim.timeline import jsonl
from adk_agent_sim.timeline.store import MemoryStore
from adk_agent_sim.timeline.timeline import Timeline
from adk_agent_sim.use_cases.export_records import ExportRequest
from adk_agent_sim.use_cases.exports import export_session

CALLS_WRONG_TOOL = "rules: [{name: fault, seat: model, match: {call: {first: 1}}, do: {unknown_tool: search}}]"


def lookup(key: str = "") -> dict[str, Any]:
    """Look up."""
    return {"key": key}


def answer(request: LlmRequest) -> LlmResponse:
    """Call the tool until it has answered."""
    parts = [part.function_response for content in request.contents for part in content.parts or ()]
    has_result = any(response and response.name == "lookup" for response in parts)
    return LlmResponse.model_validate(text_response("Done.") if has_result else call_response(("lookup", {"key": "a"})))


async def play(rules: Rules | None, path: Path) -> LlmAgent:
    """Play a session; write its fixture, and its timeline beside it."""
    agent = LlmAgent(name="shop", model="gemini-2.5-flash", tools=[lookup])
    async with Simulation(agent, model=answer, environment=rules) as sim:
        await sim.send("go")
        sim.export_adk_test(path)
        await sim.export_jsonl(path.with_suffix(".jsonl"))
    return agent


def read_messages(path: Path) -> list[Any]:
    """Return what the events of a fixture say, call and answer, without ids."""
    parts = [
        part for event in json.loads(path.read_text(encoding="utf-8"))["events"] for part in event["content"]["parts"]
    ]
    return [[part.get("text"), *(part[kind]["name"] for kind in part if kind.startswith("function"))] for part in parts]


async def test_a_fixture_is_the_same_from_python_the_command_and_the_browser(tmp_path: Path) -> None:
    fixtures = tmp_path / "tests"
    await play(None, fixtures / "plain.json")
    agent = await play(parse_rules(CALLS_WRONG_TOOL), fixtures / "python.json")
    timeline = fixtures / "python.jsonl"
    async with open_store(tmp_path / "kept.db") as store:
        await jsonl.load_session(timeline, store)

    export = ["export", "last", "--db", tmp_path / "kept.db", "--format", "adk-test", "--force"]
    done = await asyncio.to_thread(invoke_adksim, *export, "--out", fixtures / "command.json")
    config = SimulatedAgentConfig(name="shop", agent=agent, eval_set_path=tmp_path / "shop.evalset.json")
    restored = Timeline(store := MemoryStore())
    session = await jsonl.load_session(timeline, store)
    request = ExportRequest(format="adk-test", finished_only=True)
    browser = Path((await export_session(restored, session.session_id, request, config, is_confined=True)).path)

    assert done.exit_code == 0, done.output
    assert '"search"' in timeline.read_text(encoding="utf-8")
    expected = [["go"], [None, "lookup"], [None, "lookup"], ["Done."]]
    written = (fixtures / "plain.json", fixtures / "python.json", fixtures / "command.json", browser)
    assert [read_messages(path) for path in written] == [expected] * 4
