"""Responses that refer to the call: its arguments, its session's state and the results of earlier calls."""

from __future__ import annotations

from typing import Any

from google.adk.agents import LlmAgent
from google.adk.tools import ToolContext
from google.adk.tools.environment_simulation.environment_simulation_config import (
    EnvironmentSimulationConfig,
    InjectedError,
    InjectionConfig,
    ToolSimulationConfig,
)
from scripted_agent import build_scripted_agent, run_scripted_agent

from adk_agent_sim import EnvironmentSimulationFactory, Simulation, ToolErrorPlugin
from adk_agent_sim.adk.environment.environment_plugin import EnvironmentSimulationPlugin
from adk_agent_sim.environment.call_recorder import build_rules, extract_recorded_calls
from adk_agent_sim.environment.rules_file import parse_rules
from adk_agent_sim.environment.yaml_document import render_yaml
from adk_agent_sim.timeline.events import EnvironmentDecided
from adk_agent_sim.timeline.history import ToolError, ToolOutput

_BRACES = "{{args.id}} {{'{{'}} {{vars.x}} {{"


def pay(order: str = "", limit: int = 10, note: Any = None) -> dict[str, Any]:
    """Pay."""
    return {"real": True}


def create(tool_context: ToolContext) -> dict[str, Any]:
    """Create an order."""
    tool_context.state["user:plan"] = "gold"
    return {"order": {"id": "ORD-1", "lines": [1, 2]}}


def _plugin(do: str) -> EnvironmentSimulationPlugin:
    return EnvironmentSimulationFactory.create_plugin(
        parse_rules(f"rules: [{{name: echo, match: {{tool: pay}}, do: {do}}}]")
    )


async def test_a_response_uses_the_arguments_the_state_and_earlier_results() -> None:
    plugin = _plugin(
        "{respond: {order: '{{args.order}}', limit: '{{args.limit}}', note: '{{args.note}}', n: '{{call.number}}',"
        " text: '{{call.agent}} {{call.tool}} {{results.create.order.id}}', lines: '{{results.create.order.lines}}',"
        " plan: '{{state.user:plan}}'}}"
    )
    agent = build_scripted_agent(
        [pay, create], [("create", {})], [("pay", {"order": "A", "note": {"deep": [1]}})], [("pay", {"note": "{{x}}"})]
    )

    _, first, second = await run_scripted_agent(agent, plugin, ToolErrorPlugin())

    assert first == {
        "order": "A",
        "limit": 10,
        "note": {"deep": [1]},
        "n": 1,
        "text": "shop pay ORD-1",
        "lines": [1, 2],
        "plan": "gold",
    }
    assert (second["order"], second["note"], second["n"]) == ("", "{{x}}", 2)


async def test_errors_exceptions_and_patches_use_the_call_too() -> None:
    for do, expected in (
        ("{error: {code: 404, message: 'No {{args.order}}.'}}", {"error_code": 404, "error_message": "No A."}),
        ("{mutate: [{op: add, path: /order, value: '{{args.order}}'}]}", {"real": True, "order": "A"}),
    ):
        agent = build_scripted_agent([pay], [("pay", {"order": "A"})])
        assert await run_scripted_agent(agent, _plugin(do)) == [expected]
    agent = build_scripted_agent([pay], [("pay", {"order": "A"})])
    (raised,) = await run_scripted_agent(
        agent, _plugin("{raise: {type: ValueError, message: 'bad {{args.order}}'}}"), ToolErrorPlugin()
    )
    assert raised["error"]["message"] == "bad A"


async def test_a_value_that_the_call_does_not_have_fails_it_and_the_decision_says_why() -> None:
    rules = parse_rules("rules: [{name: echo, match: {tool: pay}, do: {respond: {a: '{{results.create.order}}'}}}]")
    async with Simulation(LlmAgent(name="shop", model="m", tools=[pay]), environment=rules) as sim:
        turn = await sim.send("go")
        await turn.call("pay", {})
        events = await sim.timeline.read_events(sim.session_id)

    (decided,) = [event.payload for event in events if isinstance(event.payload, EnvironmentDecided)]
    reason = "{{results.create.order}} has no value: no earlier result of create has 'order'"
    assert decided.actions == [f"respond, which fails: {reason}"]
    agent = build_scripted_agent([pay], [("pay", {})])
    (answer,) = await run_scripted_agent(agent, EnvironmentSimulationFactory.create_plugin(rules), ToolErrorPlugin())
    assert answer["error"]["message"] == f"Rule 'echo' cannot answer the call of pay: {reason}."


async def test_what_a_call_inserts_is_limited() -> None:
    texts = ", ".join(["'{{args.order}}'"] * 11)
    agent = build_scripted_agent([pay], [("pay", {"order": "x" * 100_000})])

    (answer,) = await run_scripted_agent(agent, _plugin(f"{{respond: [{texts}]}}"), ToolErrorPlugin())

    assert "more than 1,000,000 characters" in answer["error"]["message"]


async def test_braces_in_adks_config_are_no_references() -> None:
    for injection, expected in (
        (InjectionConfig(injected_response={"a": [_BRACES]}), {"a": [_BRACES]}),
        (
            InjectionConfig(injected_error=InjectedError(injected_http_error_code=1, error_message=_BRACES)),
            {"error_code": 1, "error_message": _BRACES},
        ),
    ):
        injection.match_args = {"order": _BRACES}
        config = EnvironmentSimulationConfig(
            tool_simulation_configs=[ToolSimulationConfig(tool_name="pay", injection_configs=[injection])]
        )
        agent = build_scripted_agent([pay], [("pay", {"order": _BRACES})])
        assert await run_scripted_agent(agent, EnvironmentSimulationFactory.create_plugin(config)) == [expected]


async def test_braces_in_a_recording_are_no_references() -> None:
    def echo(text: str) -> dict[str, Any]:
        """Echo."""
        if text == "fail":
            raise ValueError(_BRACES)
        return {"text": text}

    agent = LlmAgent(name="echoing", model="m", tools=[echo])

    async def play(sim: Simulation) -> list[Any]:
        turn = await sim.send("go")
        turn = await turn.calls([("echo", {"text": _BRACES}), ("echo", {"text": "fail"})])
        await turn.respond("done")
        return [
            entry.response if isinstance(entry, ToolOutput) else entry.error_message
            for entry in sim.history()
            if isinstance(entry, ToolOutput | ToolError)
        ]

    async with Simulation(agent) as sim:
        recorded = await play(sim)
        rules = build_rules(extract_recorded_calls(await sim.timeline.read_events(sim.session_id)))
    async with Simulation(agent, environment=parse_rules(render_yaml(rules))) as sim:
        assert await play(sim) == recorded
        assert sim.environment_report.tools[0].real == 0
    assert {"text": _BRACES} in recorded
    assert _BRACES in recorded
