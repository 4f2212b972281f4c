"""What the timeline says about responses of a model, and that asking it is no turn of the agent."""

from __future__ import annotations

import asyncio
import json
import re
from typing import Any

from answering_model import ORDER_CONNECTIONS, AnsweringModel, answer_orders
from google.adk.agents import LlmAgent
from google.adk.apps import App
from polling import wait_until
from scripted_agent import build_scripted_agent

from adk_agent_sim import EnvironmentSimulationFactory, Simulation
from adk_agent_sim.adk.steps.steps import ModelTurn
from adk_agent_sim.environment.rules_file import parse_rules
from adk_agent_sim.server.sessions.row_details import build_row_detail
from adk_agent_sim.timeline.events import EnvironmentDecided, ToolFailed, ToolFinished, ToolStarted, TurnAsked
from adk_agent_sim.timeline.read_model.timeline_row import RowKind

_RULES = "{rules: [{name: shop, match: {tool: '*'}, do: {mock: llm}}]}"


def create_order(item: str) -> dict[str, Any]:
    """Order an item."""
    raise AssertionError("the real tool must not run")


def get_order(order_id: str) -> dict[str, Any]:
    """Look up an order."""
    raise AssertionError("the real tool must not run")


_TOOLS = [create_order, get_order]


def _build_app(model: Any, *others: LlmAgent, rules: str = _RULES, agent_model: Any = None) -> App:
    agent = build_scripted_agent(_TOOLS, name="shop", sub_agents=list(others))
    if agent_model is not None:
        agent.model = agent_model
    plugin = EnvironmentSimulationFactory.create_plugin(parse_rules(rules), simulation_model=model)
    return App(name="shop", root_agent=agent, plugins=[plugin])


async def _read_payloads(sim: Simulation) -> list[Any]:
    return [event.payload for event in await sim.timeline.read_events(sim.session_id)]


async def _show_call(sim: Simulation) -> dict[str, str]:
    """Return what the browser shows about the first call."""
    events = {event.seq: event for event in await sim.timeline.read_events(sim.session_id)}
    rows = await sim.timeline.read_rows(sim.session_id, 0, 100)
    row = next(each for each in rows if each.kind is RowKind.CALL)
    sources = [(events[source.seq], source.part_index) for source in row.sources]
    detail = await build_row_detail(
        row, sources, lambda block: sim.timeline.read_block(sim.session_id, block), url="", full=True
    )
    return {value.label: value.text for value in detail.values}


async def test_the_timeline_says_what_was_asked_and_answered_and_no_turn_is_made_of_it() -> None:
    model = AnsweringModel.create(answer_orders)
    rules = """
    rules:
      - {name: no model, seat: model, match: {}, do: {api_error: 500}}
      - {name: shop, match: {tool: "*"}, do: {mock: llm}}
    """
    async with Simulation(_build_app(model, rules=rules, agent_model=model)) as sim:
        turn = await sim.send("hello")
        turn = await turn.call("create_order", {"item": "lamp"})
        turn = await turn.call("get_order", {"order_id": "ORD-9"})
        await turn.respond("done")
        log = await _read_payloads(sim)
        shown = await _show_call(sim)

    assert len([each for each in log if isinstance(each, TurnAsked)]) == 3
    decided = [each for each in log if isinstance(each, EnvironmentDecided) and each.call_id]
    assert [(each.rule, each.actions) for each in decided] == [
        ("shop", ["mock llm: simulated-one; the connections of the tools are not analysed yet"]),
        ("shop", ["mock llm: simulated-one; the tool does: get order by order_id"]),
    ]
    made, missing = [each.mocked for each in log if isinstance(each, ToolFinished)]
    keys = [each["key"] for each in made["asked"]]
    assert made == {
        "mock": "llm",
        "model": "simulated-one",
        "connections": ["create order by order_id"],
        "reason": "the model responded",
        "error": "",
        "asked": [
            {"about": "(connections)", "key": keys[0], "source": "model", "answer": json.dumps(ORDER_CONNECTIONS)},
            {
                "about": "create_order",
                "key": keys[1],
                "source": "model",
                "answer": '{"result": {"order_id": "ORD-1", "item": "lamp", "status": "open"}}',
            },
        ],
    }
    assert len(set(keys)) == 2
    assert json.loads(shown["mock"]) == made, "the browser shows it with the call"
    assert (missing["asked"], missing["reason"]) == ([], "there is no order 'ORD-9' in this session or in the data")


async def test_the_timeline_of_a_callback_says_what_was_asked() -> None:
    callback = EnvironmentSimulationFactory.create_callback(
        parse_rules(_RULES), simulation_model=AnsweringModel.create(answer_orders)
    )
    agent = build_scripted_agent(_TOOLS, name="shop", before_tool_callback=callback)
    async with Simulation(App(name="shop", root_agent=agent)) as sim:
        turn = await sim.send("hello")
        turn = await turn.call("create_order", {"item": "lamp"})
        await turn.respond("done")
        log = await _read_payloads(sim)

    (decided,) = [each for each in log if isinstance(each, EnvironmentDecided)]
    assert decided.actions[0] == "mock llm: simulated-one; the tool does: create order by order_id"
    assert re.fullmatch(r"asked \(connections\) \w{16}, create_order \w{16}; the model responded", decided.actions[1])


async def test_an_answer_that_cannot_be_used_is_on_the_timeline_with_the_reason() -> None:
    model = AnsweringModel.create(
        lambda question: answer_orders(question) if question.startswith("The declarations") else "no " * 10_000
    )
    async with Simulation(_build_app(model)) as sim:
        turn = await sim.send("hello")
        turn = await turn.call("create_order", {"item": "lamp"})
        await turn.respond("done")
        log = await _read_payloads(sim)

    (mocked,) = [each.mocked for each in log if isinstance(each, ToolFinished)]
    assert [each.get("problem", "") for each in mocked["asked"]] == ["", *["the answer has no JSON object"] * 2]
    assert mocked["error"].startswith("The simulated create_order has no response: simulated-one was asked twice")
    assert len(mocked["asked"][1]["answer"]) == 20_001


async def test_a_call_can_be_cancelled_while_the_model_is_asked() -> None:
    release = asyncio.Event()

    async def wait() -> None:
        await release.wait()

    model = AnsweringModel.create(answer_orders, before=wait)
    async with Simulation(_build_app(model)) as sim:
        turn = await sim.send("hello")
        calling = asyncio.create_task(turn.call("create_order", {"item": "lamp"}))
        await wait_until(lambda: bool(model.requests))
        started = [each for each in await _read_payloads(sim) if isinstance(each, ToolStarted)]
        assert sim.cancel(started[0].call_id)
        turn = await calling
        release.set()
        turn = await turn.call("create_order", {"item": "lamp"})
        await turn.respond("done")
        log = await _read_payloads(sim)

    (failed,) = [each for each in log if isinstance(each, ToolFailed)]
    assert failed.error_type == "Cancelled"
    assert [each["about"] for each in failed.mocked["asked"]] == ["(connections)"]
    (finished,) = [each for each in log if isinstance(each, ToolFinished)]
    assert finished.result["item"] == "lamp"
    assert len(model.analyses) == 2, "the first one was cancelled"


async def test_a_fork_asks_nothing_again_and_knows_what_exists() -> None:
    model = AnsweringModel.create(answer_orders)
    async with Simulation(_build_app(model)) as sim:
        turn = await sim.send("hello")
        turn = await turn.call("create_order", {"item": "lamp"})
        await turn.respond("done")
        asked_count = len(model.requests)
        forked = await sim.fork(2)
        turn = await forked.next()
        assert len(model.requests) == asked_count
        assert isinstance(turn, ModelTurn)
        turn = await turn.call("get_order", {"order_id": "ORD-1"})
        assert isinstance(turn, ModelTurn)
        await turn.respond("done")
        log = await _read_payloads(forked)
        await forked.close()

    made, found = [each for each in log if isinstance(each, ToolFinished)]
    assert found.result == made.result == {"order_id": "ORD-1", "item": "lamp", "status": "open"}
    assert made.mocked["asked"], "what was asked is copied"
    assert len(model.analyses) == 1
