"""Rules that depend on the session's state, its clock and its earlier calls, in ADK's own runs."""

from __future__ import annotations

from typing import Any

import pytest
from google.adk.models.llm_request import LlmRequest
from google.adk.tools import AgentTool, BaseTool, ToolContext
from scripted_agent import build_scripted_agent, run_scripted_agent

from adk_agent_sim import EnvironmentSimulationFactory
from adk_agent_sim.adk.environment.environment_plugin import EnvironmentSimulationPlugin
from adk_agent_sim.environment.rules_file import parse_rules


def get_order(order_id: str = "") -> dict[str, Any]:
    """Look up an order."""
    return {"status": "open"}


def cancel_order(order_id: str, tool_context: ToolContext) -> dict[str, Any]:
    """Cancel an order."""
    tool_context.state["cancelled"] = [*tool_context.state.get("cancelled", []), order_id]
    return {"ok": True}


def _plugin(text: str) -> EnvironmentSimulationPlugin:
    return EnvironmentSimulationFactory.create_plugin(parse_rules(text))


@pytest.mark.parametrize(
    "condition",
    ["state: {cancelled: {contains: A}}", "after: {tool: cancel_order, args: {order_id: A}, result: {ok: true}}"],
)
async def test_a_rule_holds_once_the_state_or_an_earlier_call_says_so(condition: str) -> None:
    plugin = _plugin(f"rules: [{{match: {{tool: get_order, {condition}}}, do: {{respond: {{status: cancelled}}}}}}]")
    agent = build_scripted_agent(
        [get_order, cancel_order],
        [("cancel_order", {"order_id": "B"})],
        [("get_order", {})],
        [("cancel_order", {"order_id": "A"})],
        [("get_order", {})],
    )

    answers = await run_scripted_agent(agent, plugin)

    assert [answer["status"] for answer in answers if "status" in answer] == ["open", "cancelled"]


async def test_an_order_is_cancelled_only_for_the_same_id() -> None:
    match = "{tool: get_order, after: {tool: cancel_order, same: order_id}}"
    plugin = _plugin(f"rules: [{{match: {match}, do: {{respond: {{status: gone}}}}}}]")
    agent = build_scripted_agent(
        [get_order, cancel_order],
        [("cancel_order", {"order_id": "A"})],
        [("get_order", {"order_id": "B"}), ("get_order", {"order_id": "A"})],
    )

    assert (await run_scripted_agent(agent, plugin))[1:] == [{"status": "open"}, {"status": "gone"}]


class _SelfOfferingTool(BaseTool):
    """A tool that declares itself only in the request, as tools of third parties do."""

    def _get_declaration(self) -> None:
        raise NotImplementedError

    async def process_llm_request(self, *, tool_context: ToolContext, llm_request: LlmRequest) -> None:
        llm_request.tools_dict[self.name] = self

    async def run_async(self, *, args: dict[str, Any], tool_context: ToolContext) -> dict[str, Any]:
        return {"found": args["text"]}


async def test_rules_look_at_the_arguments_of_a_tool_without_a_declaration() -> None:
    plugin = _plugin('rules: [{match: {tool: search, args: {text: a}}, do: {respond: {found: "no {{args.text}}"}}}]')
    tool = _SelfOfferingTool(name="search", description="Search.")
    agent = build_scripted_agent([tool], [("search", {"text": "a"})], [("search", {"text": "b"})])

    assert await run_scripted_agent(agent, plugin) == [{"found": "no a"}, {"found": "b"}]


_RATE_LIMIT = """
rules:
  - name: too many
    match: {tool: get_order, call: {after: 2, within: 1}}
    do: [{delay: 0.6}, {error: {code: 429, message: Slow down.}}]
  - name: usual
    match: {tool: get_order}
    do: [{delay: 0.2}, pass]
"""


async def test_calls_above_a_rate_are_refused_until_the_window_has_passed() -> None:
    agent = build_scripted_agent([get_order], *([("get_order", {"order_id": "A"})] for _ in range(6)))

    answers = await run_scripted_agent(agent, _plugin(_RATE_LIMIT))

    # The calls are made at 0, 0.2, 0.4, 1, 1.6 and 1.8 s.
    assert [answer.get("error_code") for answer in answers] == [None, None, 429, 429, None, 429]


async def test_calls_of_one_turn_share_their_time_and_the_next_turn_begins_after_the_longest() -> None:
    plugin = _plugin(
        "rules:\n"
        "  - {name: slow, match: {tool: get_order, args: {order_id: {regex: '^slow'}}}, do: [{delay: 7}, pass]}\n"
        "  - {match: {tool: get_order, during: {from: 7, to: 8}}, do: {respond: {status: down}}}"
    )
    agent = build_scripted_agent(
        [get_order],
        [("get_order", {"order_id": each}) for each in ("slow 1", "x", "slow 2")],
        [("get_order", {})],
    )

    answers = await run_scripted_agent(agent, plugin)

    assert [answer["status"] for answer in answers] == ["open", "open", "open", "down"]


async def test_the_delays_of_an_agent_that_is_used_as_a_tool_advance_the_clock_of_its_caller() -> None:
    plugin = _plugin(
        "rules:\n"
        "  - {match: {tool: get_order, agent: helper, during: {from: 3, to: 4}}, do: [{delay: 5}, pass]}\n"
        "  - {match: {tool: get_order, agent: shop, args: {order_id: first}}, do: [{delay: 3}, pass]}\n"
        "  - {match: {tool: get_order, agent: shop, during: {from: 8, to: 9}}, do: {respond: {status: late}}}"
    )
    helper = build_scripted_agent([get_order], [("get_order", {})], name="helper")
    agent = build_scripted_agent(
        [get_order, AgentTool(helper)],
        [("get_order", {"order_id": "first"})],
        [("helper", {"request": "x"})],
        [("get_order", {})],
    )

    answers = await run_scripted_agent(agent, plugin)

    assert answers[-1] == {"status": "late"}


async def test_in_real_time_the_clock_is_the_real_one_and_the_report_says_so() -> None:
    plugin = _plugin(
        "time: real\nrules: [{match: {tool: get_order, during: {to: 3600}}, do: {respond: {status: early}}}]"
    )
    agent = build_scripted_agent([get_order], [("get_order", {})])

    assert await run_scripted_agent(agent, plugin) == [{"status": "early"}]
    assert plugin.report().uses_real_time
