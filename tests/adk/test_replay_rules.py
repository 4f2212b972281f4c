"""Rules that answer calls from a recording, in real runs of ADK."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from google.adk.agents import LlmAgent
from google.adk.apps import App
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.genai import types
from scripted_agent import ModelCalls, build_scripted_agent, get_function_responses, run_scripted_agent

from adk_agent_sim import EnvironmentSimulationFactory, Simulation
from adk_agent_sim.environment import Match, Mock, Rule, Rules
from adk_agent_sim.environment.recorded_report import build_recorded_report
from adk_agent_sim.environment.rules_file import check_rules_file, check_rules_text, load_rules
from adk_agent_sim.errors import InvalidRules
from adk_agent_sim.timeline.events import EnvironmentDecided

_IDS = iter(range(1, 1_000))


def create_order(item: str, quantity: int = 1) -> dict[str, Any]:
    """Create an order."""
    return {"order_id": f"ORD-{next(_IDS):03}", "item": item}


def get_order(order_id: str) -> dict[str, Any]:
    """Look up an order."""
    return {"order_id": order_id, "status": "paid"}


def fail(reason: str) -> dict[str, Any]:
    """Fail."""
    raise ConnectionError(reason)


_REPLAYED = "rules: [{name: as recorded, match: {tool: '*'}, do: {mock: replay, from: golden.jsonl}}]"


def _refuse(tool: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(tool)
    def refuse(*_: Any, **__: Any) -> Any:
        raise AssertionError("the real tool must not run")

    return refuse


async def _record(folder: Path) -> str:
    """Record a session with the real tools; returns the id of the order."""
    agent = LlmAgent(name="shop", model="m", tools=[create_order, get_order, fail])
    async with Simulation(agent) as sim:
        turn = await sim.send("hello")
        turn = await turn.call("create_order", {"item": "lamp"})
        (created,) = [each.response for each in sim.history() if each.type == "tool_output"]
        turn = await turn.call("get_order", {"order_id": (created or {})["order_id"]})
        turn = await turn.call("fail", {"reason": "no route"})
        await turn.respond("done")
        sim.export(folder / "golden.evalset.json")
        sim.export_adk_test(folder / "golden.test.json", force=True)
        await sim.export_jsonl(folder / "golden.jsonl")
        return (created or {})["order_id"]


def _write_rules(folder: Path, rules: str = _REPLAYED) -> Path:
    path = folder / "rules.yaml"
    path.write_text(rules)
    return path


async def _run(rules: Path, *turns: ModelCalls) -> list[dict[str, Any]]:
    agent = build_scripted_agent([_refuse(tool) for tool in (create_order, get_order, fail)], *turns)
    return await run_scripted_agent(agent, EnvironmentSimulationFactory.create_plugin(rules))


@pytest.mark.parametrize("name", ["golden.jsonl", "golden.evalset.json", "golden.test.json"])
async def test_a_session_is_replayed_without_its_tools(tmp_path: Path, name: str) -> None:
    order_id = await _record(tmp_path)
    rules = _write_rules(tmp_path, _REPLAYED.replace("golden.jsonl", name))

    created, found = await _run(rules, [("create_order", {"item": "lamp"})], [("get_order", {"order_id": order_id})])

    assert created == {"order_id": order_id, "item": "lamp"}
    assert found == {"order_id": order_id, "status": "paid"}


async def test_a_model_cassette_is_replayed_without_the_tools(tmp_path: Path) -> None:
    turns: list[ModelCalls] = [[("create_order", {"item": "lamp"})]]
    cassette = tmp_path / "golden.cassette.json"
    async with Simulation(build_scripted_agent([create_order], *turns), model=f"record:{cassette}") as sim:
        await sim.send("hello")
        recorded = [each.response for each in sim.history() if each.type == "tool_output"]
    rules = _write_rules(tmp_path, _REPLAYED.replace("golden.jsonl", cassette.name))

    assert await _run(rules, *turns) == recorded


async def test_a_default_that_is_written_out_is_the_same_argument(tmp_path: Path) -> None:
    await _record(tmp_path)
    agent = build_scripted_agent([create_order], [("create_order", {"item": "lamp", "quantity": 1.0})])
    plugin = EnvironmentSimulationFactory.create_plugin(_write_rules(tmp_path))

    (created,) = await run_scripted_agent(agent, plugin)

    assert created["item"] == "lamp"
    assert plugin.report().tools[0].real == 0


async def test_an_exception_is_raised_again(tmp_path: Path) -> None:
    await _record(tmp_path)

    with pytest.raises(ConnectionError, match="no route"):
        await _run(_write_rules(tmp_path), [("fail", {"reason": "no route"})])


async def test_a_call_that_was_not_recorded_fails_with_the_closest_one(tmp_path: Path) -> None:
    await _record(tmp_path)

    with pytest.raises(Exception, match='"desk", not "lamp"') as refused:
        await _run(_write_rules(tmp_path), [("create_order", {"item": "desk"})])

    assert "Rule 'as recorded' cannot answer the call of create_order: golden.jsonl has no such call" in str(
        refused.value
    )


async def test_ids_that_a_real_tool_makes_are_renamed_and_the_report_lists_what_nobody_asked_for(
    tmp_path: Path,
) -> None:
    recorded_id = await _record(tmp_path)
    rules = _write_rules(
        tmp_path,
        "profile: recorded\nprofiles: {recorded: [orders are found]}\n"
        "rules: [{name: orders are found, match: {tool: [get_order, fail]}, do: {mock: replay, from: golden.jsonl}}]",
    )
    agent = LlmAgent(name="shop", model="m", tools=[create_order, _refuse(get_order), _refuse(fail)])
    async with Simulation(agent, environment=rules) as sim:
        turn = await sim.send("hello")
        turn = await turn.call("create_order", {"item": "lamp"})
        (created,) = [each.response or {} for each in sim.history() if each.type == "tool_output"]
        turn = await turn.call("get_order", {"order_id": created["order_id"]})
        await turn.respond("done")
        found = [each.response or {} for each in sim.history() if each.type == "tool_output"][-1]
        report = sim.environment_report
        timeline = await sim.timeline.read_events(sim.session_id)

    assert created["order_id"] != recorded_id
    assert found == {"order_id": created["order_id"], "status": "paid"}
    assert report is not None
    assert [(each.call, each.tool, each.args) for each in report.unused_responses] == [
        ("golden.jsonl: call 3", "fail", {"reason": "no route"})
    ]
    assert "recorded responses never used:\n  golden.jsonl: call 3, fail {'reason': 'no route'}" in str(report)
    assert build_recorded_report(timeline) == report
    decided = [event.payload for event in timeline if isinstance(event.payload, EnvironmentDecided)]
    assert [{*(each.environment or {})} & {"profile", "used_responses"} for each in decided] == [
        {"profile"},
        {"used_responses"},
    ]
    assert json.loads(json.dumps(report.to_json()))["unused_responses"][0]["tool"] == "fail"


async def test_a_session_that_another_plugin_continues_goes_on_where_it_was(tmp_path: Path) -> None:
    def poll() -> dict[str, int]:
        """Poll."""
        return {"count": next(_IDS)}

    async with Simulation(LlmAgent(name="shop", model="m", tools=[poll])) as sim:
        turn = await sim.send("hello")
        turn = await turn.call("poll", {})
        turn = await turn.call("poll", {})
        await turn.respond("done")
        await sim.export_jsonl(tmp_path / "golden.jsonl")
        recorded = [each.response for each in sim.history() if each.type == "tool_output"]
    sessions = InMemorySessionService()
    session = await sessions.create_session(app_name="shop", user_id="user")
    replayed: list[Any] = []
    unused: list[Any] = []
    for _ in range(2):
        plugin = EnvironmentSimulationFactory.create_plugin(_write_rules(tmp_path))
        agent = build_scripted_agent([_refuse(poll)], [("poll", {})])
        runner = Runner(app=App(name="shop", root_agent=agent, plugins=[plugin]), session_service=sessions)
        message = types.Content(role="user", parts=[types.Part(text="go")])
        events = [event async for event in runner.run_async(user_id="user", session_id=session.id, new_message=message)]
        replayed += get_function_responses(events)
        unused.append([each.call for each in plugin.report().unused_responses])
        await runner.close()

    assert replayed == recorded
    assert unused == [["golden.jsonl: call 2"], []]


async def test_rules_in_python_name_a_file_too(tmp_path: Path) -> None:
    order_id = await _record(tmp_path)
    mock = Mock(mock="replay", source=str(tmp_path / "golden.evalset.json"))
    rules = Rules(rules=[Rule(match=Match(tool=["*"]), do=[mock])])

    (created,) = await run_scripted_agent(
        build_scripted_agent([create_order], [("create_order", {"item": "lamp"})]),
        EnvironmentSimulationFactory.create_plugin(rules),
    )

    assert created["order_id"] == order_id


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "there is no such file"),
        ("{}", "it is none of: an EvalSet"),
        ('{"app_name": "a", "user_id": "u", "id": "s", "events": []}', "has no tool call with a response"),
    ],
)
def test_a_file_that_is_no_recording_is_a_finding(tmp_path: Path, content: str | None, message: str) -> None:
    if content is not None:
        (tmp_path / "golden.jsonl").write_text(content)

    (finding,) = check_rules_file(_write_rules(tmp_path)).findings

    assert (finding.code, finding.severity) == ("bad-recording", "error")
    assert message in finding.message


@pytest.mark.parametrize(
    ("action", "message"),
    [
        ("{mock: replay}", "needs `from: FILE`"),
        ("{mock: schema, from: x.json}", "needs `from: FILE`, and no other mock has it"),
        ("{mock: schema, case: x}", "case belongs to `mock: replay`"),
    ],
)
def test_a_recording_belongs_to_replay(action: str, message: str) -> None:
    (finding,) = check_rules_text(f"rules: [{{match: {{tool: x}}, do: {action}}}]").findings

    assert message in finding.message


async def test_rules_that_come_as_a_text_read_no_file(tmp_path: Path) -> None:
    await _record(tmp_path)
    text = _REPLAYED.replace("golden.jsonl", str(tmp_path / "golden.jsonl"))

    (finding,) = check_rules_text(text).findings

    assert "recordings are read for rules files on disk and in Python only" in finding.message
    with pytest.raises(InvalidRules):
        load_rules(_write_rules(tmp_path, text.replace("golden.jsonl", "other.jsonl")))


async def test_a_report_lists_what_was_not_as_the_rules_expect(tmp_path: Path) -> None:
    await _record(tmp_path)
    rules = _write_rules(
        tmp_path,
        "unanswered: refuse\n"
        "rules: [{name: lamps, match: {tool: create_order, args: {item: lamp}}, do: {respond: 1}},"
        "{name: found, match: {tool: get_order}, do: {mock: replay, from: golden.jsonl}}]",
    )
    async with Simulation(LlmAgent(name="shop", model="m", tools=[create_order]), environment=rules) as sim:
        turn = await sim.send("hello")
        turn = await turn.call("create_order", {"item": "desk"})
        await turn.respond("done")
        report = sim.environment_report

    assert report is not None
    assert report.list_deviations() == [
        "create_order: 1 refused, because no rule answered",
        "create_order, lamps: item is 'desk', not 'lamp'",
        "lamps was never used",
        "found was never used",
        "golden.jsonl: call 2, get_order, was never used",
    ]
