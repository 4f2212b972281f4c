"""One agent of each kind found in practice is played through ADK's Runner to its end, and exported."""

from __future__ import annotations

from pathlib import Path

import pytest
from agent_scripts import (
    AGENTS,
    KINDS,
    ExpectedRun,
    cut_texts,
    load_agent,
    play_conversation,
    read_agent_script,
    summarize_run,
)
from google.adk.evaluation.eval_case import EvalCase, get_all_tool_calls_with_responses
from google.adk.evaluation.eval_set import EvalSet
from polling import wait_until

from adk_agent_sim import Simulation, SimulatorPlugin
from adk_agent_sim.timeline.events import Event
from adk_agent_sim.timeline.history import ToolError
from adk_agent_sim.timeline.jsonl import read_records

pytestmark = pytest.mark.filterwarnings("ignore:(Sequential|Parallel|Loop)Agent is deprecated:DeprecationWarning")

_PROCESSES = {"mcp_shelf"}
"""The kinds that start a process."""

each_kind = pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=pytest.mark.process if kind in _PROCESSES else ()) for kind in KINDS]
)


def test_every_agent_has_a_script() -> None:
    assert sorted(path.parent.name for path in AGENTS.glob("*/agent.py")) == list(KINDS)
    assert len(KINDS) == 12


@each_kind
async def test_an_agent_of_each_kind_can_be_played_and_exported(kind: str, tmp_path: Path) -> None:
    script, eval_set = read_agent_script(kind), tmp_path / "played.evalset.json"
    async with Simulation(load_agent(kind), state=script.state) as sim:
        await play_conversation(sim, script)
        assert await summarize_run(sim) == script.expected
        case = sim.export(eval_set, eval_id_style="selectable")
    await sim.export_jsonl(tmp_path / "played.jsonl")

    assert EvalSet.model_validate_json(eval_set.read_text()).eval_cases == [case]
    _check_case(case, script.expected)
    assert [record for record in read_records(tmp_path / "played.jsonl") if isinstance(record, Event)] == sim.log()


async def test_two_agents_that_are_used_as_tools_at_once_both_wait_for_a_decision() -> None:
    async with Simulation(load_agent("concierge")) as sim:
        turn = await sim.send("Plan a weekend in Lisbon.")
        await turn.calls([("weather_analyst", {"request": "May"}), ("budget_planner", {"city": "Lisbon", "nights": 2})])
        await wait_until(lambda: len(sim.pending()) == 2)

        assert [turn.agent_name for turn in sim.pending()] == ["weather_analyst", "budget_planner"]


async def test_no_plugin_is_recommended_for_a_tool_error_that_the_app_answers_itself(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    app, script = load_agent("plugin_app"), read_agent_script("plugin_app")
    others = [plugin for plugin in app.plugins if not isinstance(plugin, SimulatorPlugin)]
    async with Simulation(app.model_copy(update={"plugins": others})) as sim:
        await play_conversation(sim, script)
        sim.export(tmp_path / "played.evalset.json")

    assert any(isinstance(entry, ToolError) for entry in sim.history())
    assert "ToolErrorPlugin" not in caplog.text


def _check_case(case: EvalCase, expected: ExpectedRun) -> None:
    conversation = case.conversation or []
    assert len(conversation) == len(expected.turns)
    for invocation, turn in zip(conversation, expected.turns, strict=True):
        found = [
            (call.name, call.args, cut_texts(response.response) if response else None)
            for call, response in get_all_tool_calls_with_responses(invocation.intermediate_data)
        ]
        assert found == [(call.call, call.args, call.response) for call in turn.calls]
        parts = (invocation.final_response.parts if invocation.final_response else None) or []
        assert "".join(part.text or "" for part in parts) == turn.response
    assert case.final_session_state == expected.state
