"""The agents of an app before it runs, and the keys of the state that agents inside workflows need."""

from __future__ import annotations

import pytest
from google.adk.agents import LlmAgent
from google.adk.apps import App
from google.adk.tools import AgentTool
from google.adk.workflow import START, BaseNode, Workflow, node

from adk_agent_sim import RunFailed, Simulation
from adk_agent_sim.adk.loading.agent_tree import collect_agent_names, iter_agents, list_callbacks, may_run_side_by_side
from adk_agent_sim.adk.loading.tool_catalog import build_tool_catalog, list_tool_names
from adk_agent_sim.adk.runs.briefing import find_instruction_keys
from adk_agent_sim.adk.steps.steps import Done, ModelTurn
from adk_agent_sim.errors import StateKeyMissing
from adk_agent_sim.timeline.events import Event, UserSpoke


def clean_up(node_input: str) -> str:
    """Remove spaces."""
    return node_input.strip()


def _create_agent(name: str, instruction: str = "") -> LlmAgent:
    return LlmAgent(name=name, model="none", instruction=instruction)


def _create_workflow() -> Workflow:
    helper = _create_agent("helper", "Know {topic}.")
    reader = LlmAgent(name="reader", model="none", instruction="Be {mood}.", tools=[AgentTool(helper)])
    inner = Workflow(name="inner", edges=[(START, _create_agent("writer", "Write like {user:style}."))])
    worker = node(_create_agent("worker", "One of {many}."), parallel_worker=True)
    return Workflow(name="outer", edges=[(START, clean_up, reader, inner, worker)])


def test_the_agents_of_workflows_are_found_at_any_depth() -> None:
    workflow = _create_workflow()
    assert sorted(agent.name for agent in iter_agents(workflow)) == ["helper", "reader", "worker", "writer"]
    assert find_instruction_keys(workflow) == {
        "mood": ["reader"],
        "topic": ["helper"],
        "user:style": ["writer"],
        "many": ["worker"],
    }
    # Its functions may run more agents, so the names of all of them are not known.
    assert collect_agent_names(workflow) == set()
    assert may_run_side_by_side(workflow)


def test_the_agents_of_a_workflow_used_as_a_tool_are_found() -> None:
    lookup = Workflow(
        name="lookup", description="Looks up.", input_schema=str, edges=[(START, _create_agent("finder"))]
    )
    root = LlmAgent(name="root", model="none", sub_agents=[_create_agent("child")], tools=[lookup])  # pyright: ignore[reportArgumentType]
    assert collect_agent_names(root) == {"root", "child", "finder"}


def test_a_workflow_that_returns_to_an_earlier_node_is_searched_once() -> None:
    writer, critic = _create_agent("writer", "{draft}"), _create_agent("critic", "{draft}")
    workflow = Workflow(name="loop", edges=[(START, writer, critic), (critic, {"again": writer})])
    assert [agent.name for agent in iter_agents(workflow)] == ["writer", "critic"]
    assert find_instruction_keys(workflow) == {"draft": ["writer", "critic"]}


async def test_what_an_agent_in_a_parallel_worker_can_do_is_listed() -> None:
    def note(callback_context: object, llm_request: object) -> None:
        """Do nothing."""

    worker = LlmAgent(name="worker", model="none", tools=[clean_up], before_model_callback=note)
    workflow = Workflow(name="flow", edges=[(START, node(worker, parallel_worker=True))])
    app = App(name="parallel", root_agent=workflow)
    said = Event(event_id="e", seq=1, timestamp=1.0, session_id="s", payload=UserSpoke(content={}), agent_name="worker")

    assert "clean_up" in (list_tool_names(app) or ())
    assert "clean_up" in (await build_tool_catalog(app)).tools
    assert list_callbacks(workflow, app.plugins, [said]) == ["agent 'worker': before_model_callback note"]


@pytest.mark.parametrize("node", [_create_agent("tone", "Be {mood}, and {style}."), None])
async def test_an_agent_in_a_workflow_names_all_keys_that_are_missing(node: BaseNode | None) -> None:
    tone = node or Workflow(name="inner", edges=[(START, _create_agent("tone", "Be {mood}, and {style}."))])
    async with Simulation(Workflow(name="outer", edges=[(START, clean_up, tone)])) as sim:
        assert await sim.find_missing_keys() == ["mood", "style"]
        with pytest.raises(RunFailed, match=r"has no keys 'mood', 'style', which the instruction of 'tone'") as failed:
            await sim.send("Hello")
        assert isinstance(failed.value.__cause__, StateKeyMissing)
        await sim.set_state({"mood": "calm", "style": "brief"})
        assert await sim.find_missing_keys() == []
        turn = await sim.send("Hello")
        assert isinstance(turn, ModelTurn)
        assert "Be calm, and brief." in turn.instruction
        assert isinstance(await turn.respond("Hi"), Done)
