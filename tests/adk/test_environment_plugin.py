"""Rules act inside ADK's tool calls, so consent, retries, callbacks, concurrency and nested agents work as for real."""

from __future__ import annotations

import asyncio
from typing import Any
from uuid import uuid4

import pytest
from google.adk.agents import (
    LlmAgent,
    ParallelAgent,  # pyright: ignore[reportDeprecated] - users still have them
)
from google.adk.apps import App
from google.adk.plugins import BasePlugin, ReflectAndRetryToolPlugin
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.adk.tools import AgentTool, FunctionTool, ToolContext
from google.adk.tools.base_toolset import BaseToolset
from google.adk.tools.environment_simulation import EnvironmentSimulationFactory as AdkFactory
from google.adk.tools.environment_simulation.environment_simulation_config import (
    EnvironmentSimulationConfig,
    InjectionConfig,
    ToolSimulationConfig,
)
from google.genai import types
from polling import wait_until
from scripted_agent import ModelCalls, build_scripted_agent, collect_events, get_function_responses, run_scripted_agent
from scripted_model import ScriptedModel, call_response, text_response

from adk_agent_sim import EnvironmentSimulationFactory, RunFailed, Simulation, ToolErrorPlugin
from adk_agent_sim.adk.environment import environment_registry
from adk_agent_sim.adk.environment.environment_plugin import EnvironmentSimulationPlugin
from adk_agent_sim.adk.steps.steps import Confirmation, ModelTurn
from adk_agent_sim.environment.actions import Delay, Error, ErrorResponse, Respond
from adk_agent_sim.environment.rules_file import parse_rules
from adk_agent_sim.errors import InvalidTransition, NotFound, PluginRequired, RealToolRefused
from adk_agent_sim.timeline.clock import VirtualSleeper
from adk_agent_sim.timeline.events import EnvironmentDecided, Player, ToolFailed, ToolFinished, ToolStarted
from adk_agent_sim.timeline.history import ToolError, ToolOutput


def lookup(key: str = "", limit: int = 10) -> dict[str, Any]:
    """Look up."""
    return {"key": key, "limit": limit, "items": [1, 2, 3], "text": "abcdef"}


def create_order(sku: str = "") -> dict[str, Any]:
    """Create an order."""
    return {"order_id": "ORD-1"}


def _plugin(text: str, **settings: Any) -> EnvironmentSimulationPlugin:
    return EnvironmentSimulationFactory.create_plugin(parse_rules(text), **settings)


def _rule(match: str, do: str, head: str = "") -> EnvironmentSimulationPlugin:
    return _plugin(f"{head}\nrules:\n  - match: {{tool: lookup{match}}}\n    do: {do}")


_RAISES = "{raise: {type: ConnectionError, message: connection lost}}"


async def test_a_raised_error_reaches_error_callbacks_as_the_tools_own() -> None:
    seen: list[BaseException] = []

    async def on_error(tool: Any, args: Any, tool_context: Any, error: Exception) -> dict[str, Any]:
        seen.append(error)
        return {"handled": str(error)}

    shop = build_scripted_agent([lookup], [("lookup", {})], on_tool_error_callback=on_error)

    assert await run_scripted_agent(shop, _rule("", _RAISES)) == [{"handled": "connection lost"}]
    assert type(seen[0]) is ConnectionError


async def test_a_raised_error_makes_a_retry_plugin_fire_and_the_second_try_is_real() -> None:
    shop = build_scripted_agent([lookup], [("lookup", {"key": "a"})], [("lookup", {"key": "a"})])

    first, second = await run_scripted_agent(
        shop, _rule(", call: {first: 1}", _RAISES), ReflectAndRetryToolPlugin(max_retries=3)
    )

    assert first["error_type"] == "ConnectionError"
    assert first["retry_count"] == 1
    assert second == lookup("a")


async def test_a_raised_error_that_nobody_handles_ends_the_run() -> None:
    with pytest.raises(ConnectionError, match="connection lost"):
        await run_scripted_agent(build_scripted_agent([lookup], [("lookup", {})]), _rule("", _RAISES))


async def test_registered_exceptions_can_be_raised_and_others_not() -> None:
    class QuotaExceeded(Exception):
        pass

    text = "rules: [{match: {tool: lookup}, do: {raise: QuotaExceeded}}]"
    rules = parse_rules(text, exceptions={"QuotaExceeded": QuotaExceeded})

    with pytest.raises(QuotaExceeded):
        await run_scripted_agent(
            build_scripted_agent([lookup], [("lookup", {})]),
            EnvironmentSimulationFactory.create_plugin(rules, exceptions={"QuotaExceeded": QuotaExceeded}),
        )


@pytest.mark.parametrize(
    ("do", "answer"),
    [
        ("pass", {"key": "k", "limit": 10, "items": [1, 2, 3], "text": "abcdef"}),
        (
            "{mutate: [{op: replace, path: /items/0, value: 9}, {op: add, path: /new, value: null}]}",
            {"key": "k", "limit": 10, "items": [9, 2, 3], "text": "abcdef", "new": None},
        ),
        ("{truncate: {chars: 2, items: 1}}", {"key": "k", "limit": 10, "items": [1], "text": "ab"}),
        ("{drop: [items.0, text, nothing]}", {"key": "k", "limit": 10, "items": [2, 3]}),
        ("{drop: items.*}", {"key": "k", "limit": 10, "items": [], "text": "abcdef"}),
        ("{wrong_type: items.*}", {"key": "k", "limit": 10, "items": ["1", "2", "3"], "text": "abcdef"}),
        ("[{respond: {a: [{b: 1}, {c: 2, b: 3}]}}, {drop: a.*.b}]", {"a": [{}, {"c": 2}]}),
        ("{wrong_type: [limit, text]}", {"key": "k", "limit": "10", "items": [1, 2, 3], "text": ["abcdef"]}),
        ("[pass, {drop: key}, {truncate: {items: 0}}]", {"limit": 10, "items": [], "text": "abcdef"}),
        ("[{respond: {a: [1, 2]}}, {drop: a.0}]", {"a": [2]}),
        ("{respond: {}}", {}),
        ("{respond: [1]}", {"result": [1]}),
        ("{respond: null}", {"result": None}),
    ],
)
async def test_a_real_result_is_changed_and_actions_chain(do: str, answer: dict[str, Any]) -> None:
    assert await run_scripted_agent(build_scripted_agent([lookup], [("lookup", {"key": "k"})]), _rule("", do)) == [
        answer
    ]


async def test_a_patch_that_does_not_fit_fails_the_call_and_names_the_rule() -> None:
    shop = build_scripted_agent([lookup], [("lookup", {})])

    (answer,) = await run_scripted_agent(shop, _rule("", "{mutate: [{op: remove, path: /gone}]}"), ToolErrorPlugin())

    assert answer["error"]["type"] == "RuleFailed"
    assert "'rule 1' cannot answer the call of lookup: the patch does not apply" in answer["error"]["message"]


async def test_a_real_call_is_delayed_and_a_timeout_raises_without_running_the_tool() -> None:
    ran: list[str] = []

    def lookup(key: str) -> str:
        """Look up."""
        ran.append(key)
        return key

    sleeper = VirtualSleeper()
    plugin = _plugin(
        """
        rules:
          - match: {tool: lookup, args: {key: slow}}
            do: {delay: 3}
          - match: {tool: lookup, args: {key: hung}}
            do: {timeout: 30}
        """,
        sleeper=sleeper,
    )

    slow, hung = await run_scripted_agent(
        build_scripted_agent([lookup], [("lookup", {"key": "slow"})], [("lookup", {"key": "hung"})]),
        plugin,
        ToolErrorPlugin(),
    )

    assert slow == {"result": "slow"}
    assert hung == {"error": {"type": "TimeoutError", "message": "lookup did not answer within 30 s"}}
    assert ran == ["slow"]
    assert sleeper.elapsed == 33


async def test_stale_answers_what_the_tool_answered_last_and_runs_it_if_it_has_not() -> None:
    count = 0

    def lookup() -> dict[str, int]:
        """Count."""
        nonlocal count
        count += 1
        return {"count": count}

    turns: list[ModelCalls] = [[("lookup", {})]] * 3

    assert await run_scripted_agent(
        build_scripted_agent([lookup], *turns), _rule(", call: {nth: [1, 3]}", "stale")
    ) == [
        {"count": 1},
        {"count": 2},
        {"count": 2},
    ]


async def test_a_rule_waits_for_what_must_have_happened() -> None:
    text = """
    rules:
      - match: {tool: lookup, after: create_order succeeded}
        do: {respond: {order: there}}
      - match: {tool: lookup, after: create_order failed}
        do: {respond: {order: failed}}
      - match: {tool: create_order, args: {sku: bad}}
        do: {error: {code: 400, message: bad}}
    """
    shop = build_scripted_agent(
        [lookup, create_order],
        [("lookup", {})],
        [("create_order", {"sku": "bad"})],
        [("lookup", {})],
        [("create_order", {"sku": "good"}), ("lookup", {})],
        [("lookup", {})],
    )

    found = await run_scripted_agent(shop, _plugin(text))

    assert found[0] == lookup()
    assert found[2] == {"order": "failed"}
    assert found[4] == {"order": "failed"}, "a call does not see what is made in the same turn"
    assert found[5] == {"order": "there"}


async def test_arguments_match_with_the_tools_defaults_if_asked_for() -> None:
    shop = build_scripted_agent([lookup], [("lookup", {})], [("lookup", {"limit": 3})])

    assert await run_scripted_agent(shop, _rule(", args: {limit: 10}, defaults: true", "{respond: {hit: 1}}")) == [
        {"hit": 1},
        lookup(limit=3),
    ]
    assert (await run_scripted_agent(shop, _rule(", args: {limit: 10}", "{respond: {hit: 1}}")))[0] == lookup()


async def test_rules_see_the_arguments_as_callbacks_left_them_and_later_plugins_are_asked() -> None:
    class Changes(BasePlugin):
        async def before_tool_callback(self, *, tool: Any, tool_args: dict[str, Any], tool_context: Any) -> None:
            tool_args["key"] = "changed"

    plugin = _rule(", args: {key: changed}", "{respond: {hit: 1}}")

    assert await run_scripted_agent(
        build_scripted_agent([lookup], [("lookup", {"key": "a"})]), plugin, Changes(name="changes")
    ) == [{"hit": 1}]


@pytest.mark.parametrize("how", ["plugin", "callback"])
async def test_a_call_is_answered_only_after_consent_is_given(how: str) -> None:
    def pay(amount: int) -> str:
        """Pay."""
        raise AssertionError("the real tool must not run")

    rules = parse_rules("rules: [{match: {tool: pay, call: {nth: 1}}, do: {respond: {paid: true}}}]")
    tool = FunctionTool(pay, require_confirmation=True)
    callback = EnvironmentSimulationFactory.create_callback(rules) if how == "callback" else None
    shop = LlmAgent(name="shop", model="m", tools=[tool], before_tool_callback=callback)

    async with Simulation(shop, environment=rules if how == "plugin" else None) as sim:
        turn = await sim.send("pay")
        asked = await turn.call("pay", {"amount": 5})
        while isinstance(asked, ModelTurn):
            asked = await asked.respond("Please confirm")
        assert isinstance(asked, Confirmation)
        turn = await asked.approve()
        await turn.respond("paid")

        results = [entry for entry in sim.history() if isinstance(entry, ToolOutput)]
        assert [entry.response for entry in results] == [{"paid": True}]


async def test_without_consent_no_rule_answers() -> None:
    tool = FunctionTool(create_order, require_confirmation=True)
    plugin = _plugin("rules: [{match: {tool: create_order}, do: {respond: {done: true}}}]")

    (answer,) = await run_scripted_agent(build_scripted_agent([tool], [("create_order", {})]), plugin)

    assert "requires confirmation" in answer["error"]
    assert plugin.report().tools == []


async def test_a_callback_refuses_rules_that_act_inside_the_call_and_names_the_plugin() -> None:
    for do in ("pass", "{delay: 1}", _RAISES, "{timeout: 1}", "stale", "{drop: a}", "[{respond: 1}, {drop: a}]"):
        with pytest.raises(PluginRequired, match="create_plugin"):
            EnvironmentSimulationFactory.create_callback(parse_rules(f"rules: [{{match: {{tool: lookup}}, do: {do}}}]"))
    with pytest.raises(PluginRequired, match="unanswered: refuse"):
        EnvironmentSimulationFactory.create_callback(
            parse_rules("unanswered: refuse\nrules: [{match: {tool: lookup}, do: {respond: 1}}]")
        )


async def test_a_callback_answers_what_is_no_object_as_adk_would() -> None:
    callback = EnvironmentSimulationFactory.create_callback(
        parse_rules("rules: [{match: {tool: lookup}, do: {respond: null}}]")
    )

    assert await run_scripted_agent(
        build_scripted_agent([lookup], [("lookup", {})], before_tool_callback=callback)
    ) == [{"result": None}]


async def test_where_nothing_may_run_for_real_an_unanswered_call_is_an_error_and_the_run_steers_itself() -> None:
    plugin = _rule(", args: {key: a}", "{respond: {hit: 1}}", head="unanswered: refuse")
    helper = build_scripted_agent([], name="helper")
    shop = build_scripted_agent(
        [lookup, create_order, AgentTool(helper)],
        [("lookup", {"key": "a"}), ("create_order", {}), ("helper", {"request": "x"})],
    )

    found = await run_scripted_agent(shop, plugin, ToolErrorPlugin())

    assert found[0] == {"hit": 1}
    assert found[1]["error"]["type"] == RealToolRefused.__name__
    assert found[2] == {"result": "done"}


async def test_a_tool_that_the_model_made_up_can_be_answered() -> None:
    plugin = _plugin("rules: [{match: {tool: made_up}, do: {respond: {hit: 1}}}]")

    assert await run_scripted_agent(build_scripted_agent([lookup], [("made_up", {})]), plugin) == [{"hit": 1}]


async def test_two_environments_in_one_app_are_refused() -> None:
    one, two = (
        _plugin("rules: [{match: {tool: lookup}, do: {respond: 1}}]", name=name) for name in ("first", "second")
    )

    with pytest.raises(RuntimeError, match="Two environment plugins"):
        await run_scripted_agent(build_scripted_agent([lookup], [("lookup", {})]), one, two)


async def test_calls_of_one_turn_are_counted_in_the_order_in_which_the_model_asked() -> None:
    """A plugin before ours delays the first calls, so they arrive last."""

    class Reorders(BasePlugin):
        def __init__(self) -> None:
            super().__init__(name="reorders")
            self.waiting: list[asyncio.Event] = []

        async def before_tool_callback(self, *, tool: Any, tool_args: dict[str, Any], tool_context: Any) -> None:
            mine = asyncio.Event()
            self.waiting.append(mine)
            if len(self.waiting) == 5:
                for event in reversed(self.waiting):
                    event.set()
                    await asyncio.to_thread(int)
            await mine.wait()

    shop = build_scripted_agent([lookup], [("lookup", {"key": str(number)}) for number in range(5)])
    plugin = _plugin(
        """
        seed: 3
        rules:
          - match: {tool: lookup, call: {first: 2}}
            do: {respond: {first: true}}
          - match: {tool: lookup, probability: 0.5}
            do: {respond: {chance: true}}
        """
    )

    assert await run_scripted_agent(shop, Reorders(), plugin) == await run_scripted_agent(shop, plugin)


@pytest.mark.filterwarnings("ignore:ParallelAgent is deprecated")
async def test_parallel_agents_and_sessions_decide_as_if_they_ran_alone() -> None:
    text = "seed: 5\nrules: [{match: {tool: lookup, probability: 0.5}, do: {respond: {hit: 1}}}]"

    def shop() -> ParallelAgent:  # pyright: ignore[reportDeprecated]
        turns = [[("lookup", {"key": str(turn)})] * 3 for turn in range(4)]
        agents = [build_scripted_agent([lookup], *turns, name=name) for name in ("a", "b")]
        return ParallelAgent(name="shop", sub_agents=list(agents))  # pyright: ignore[reportDeprecated]

    def by_agent(found: Any) -> dict[str, list[Any]]:
        return {name: get_function_responses([event for event in found if event.author == name]) for name in ("a", "b")}

    alone = by_agent(await collect_events(shop(), _plugin(text)))
    shared = _plugin(text)
    together = await asyncio.gather(*(collect_events(shop(), shared) for _ in range(6)))

    assert [by_agent(found) for found in together] == [alone] * 6
    assert alone["a"] != alone["b"], "agents have chances of their own"


async def test_an_agent_used_as_a_tool_has_chances_of_its_own_in_each_call() -> None:
    text = "seed: 1\nrules: [{match: {tool: lookup, probability: 0.5}, do: {respond: {hit: 1}}}]"
    seen: list[tuple[str, bool]] = []

    async def note(tool: Any, args: dict[str, Any], tool_context: ToolContext, tool_response: Any) -> None:
        seen.append((args["key"], tool_response == {"hit": 1}))

    def shop() -> LlmAgent:
        inner = [call_response(*[("lookup", {"key": f"{helper}{number}"}) for number in range(8)]) for helper in "xyz"]
        script = [step for turn in inner for step in (turn, text_response("done"))]
        helper = LlmAgent(name="helper", model=ScriptedModel(script=script), tools=[lookup], after_tool_callback=note)
        return build_scripted_agent([AgentTool(helper)], *([("helper", {"request": "go"})] for _ in "xyz"))

    plugin = _plugin(text)
    await run_scripted_agent(shop(), plugin)
    first, seen = dict(seen), []
    await run_scripted_agent(shop(), plugin)

    assert dict(seen) == first
    chances = ["".join(str(int(first[f"{helper}{number}"])) for number in range(8)) for helper in "xyz"]
    assert len(set(chances)) == 3
    assert plugin.report().tools[0].tool == "helper"


async def test_the_timeline_says_which_rule_answered_and_why_the_earlier_ones_did_not() -> None:
    rules = parse_rules(
        """
        time: virtual
        rules:
          - {name: other item, match: {tool: lookup, args: {key: b}}, do: {respond: 1}}
          - {name: second call, match: {tool: "look*", call: {nth: 2}}, do: [{delay: 2}, {respond: {hit: 1}}]}
          - {name: down, match: {tool: lookup, args: {limit: 1}}, do: {raise: ConnectionError}}
        """
    )
    async with Simulation(LlmAgent(name="shop", model="m", tools=[lookup]), environment=rules) as sim:
        turn = await sim.send("go")
        for args in ({"key": "a"}, {"key": "a"}, {"key": "c", "limit": 1}):
            turn = await turn.call("lookup", args)
        await turn.respond("done")

        decided = [event for event in sim.log() if isinstance(event.payload, EnvironmentDecided)]
        first, second, third = (event.payload for event in decided)
        assert isinstance(first, EnvironmentDecided)
        assert isinstance(second, EnvironmentDecided)
        assert isinstance(third, EnvironmentDecided)
        assert first.rule == ""
        assert first.passed_over == [
            {"rule": "other item", "why": "key is 'a', not 'b'", "reason": "arguments"},
            {"rule": "second call", "why": "it is call 1, not nth 2", "reason": "call number"},
            {"rule": "down", "why": "limit is nothing, not 1", "reason": "arguments"},
        ]
        assert (second.rule, second.actions) == ("second call", ["delay 2 s", "respond"])
        assert second.passed_over == [{"rule": "other item", "why": "key is 'a', not 'b'", "reason": "arguments"}]
        assert (third.rule, third.actions) == ("down", ["raise ConnectionError"])
        players = [
            event.player for event in sim.log() if isinstance(event.payload, ToolStarted | ToolFinished | ToolFailed)
        ]
        assert players == [Player.REAL] * 2 + [Player.SIMULATED] * 4
        assert [type(entry) for entry in sim.history() if isinstance(entry, ToolOutput | ToolError)] == [
            ToolOutput,
            ToolOutput,
            ToolError,
        ]


async def test_a_fault_for_a_tool_that_the_agents_lack_is_refused_unless_a_toolset_may_have_it() -> None:
    class Tools(BaseToolset):
        async def get_tools(self, readonly_context: Any = None) -> list[Any]:
            return [FunctionTool(create_order)]

    helper = build_scripted_agent([create_order], name="helper")
    fault = Error(error=ErrorResponse(code=503, message="down"))
    async with Simulation(LlmAgent(name="shop", model="m", tools=[lookup, AgentTool(helper)])) as sim:
        for known in ("lookup", "helper", "create_order", "transfer_to_agent"):
            sim.environment.add_fault(known, fault)
        with pytest.raises(NotFound, match="no tool 'lokup'"):
            sim.environment.add_fault("lokup", fault)
    async with Simulation(LlmAgent(name="shop", model="m", tools=[lookup, Tools()])) as sim:
        sim.environment.add_fault("create_order", fault)


async def test_a_person_switches_rules_and_puts_a_fault_on_the_next_call_mid_run() -> None:
    rules = parse_rules("rules: [{name: fixed, match: {tool: lookup}, do: {respond: {fixed: 1}}}]")
    async with Simulation(LlmAgent(name="shop", model="m", tools=[lookup, create_order]), environment=rules) as sim:
        environment = sim.environment
        turn = await sim.send("go")
        turn = await turn.call("lookup")
        environment.switch("fixed", on=False)
        turn = await turn.call("lookup")
        environment.switch("fixed", on=True)
        environment.add_fault("lookup", Error(error=ErrorResponse(code=503, message="down")))
        environment.add_fault("create_order", Delay(delay=0.0), Respond(respond={"fault": 1}))
        assert environment.pending_faults == {"lookup": 1, "create_order": 1}
        turn = await turn.calls([("lookup", {}), ("create_order", {})])
        turn = await turn.calls([("lookup", {}), ("create_order", {})])
        await turn.respond("done")

        found = [entry.response for entry in sim.history() if isinstance(entry, ToolOutput)]
        assert found == [
            {"fixed": 1},
            lookup(),
            {"error_code": 503, "error_message": "down"},
            {"fault": 1},
            {"fixed": 1},
            {"order_id": "ORD-1"},
        ]
        (state,) = environment.rules
        assert (state.name, state.enabled, state.tried_count, state.fired_count) == ("fixed", True, 2, 2)
        decided = [event.payload for event in sim.log() if isinstance(event.payload, EnvironmentDecided)]
        assert decided[1].passed_over == [{"rule": "fixed", "why": "it is switched off", "reason": "switched off"}]
        assert decided[2].rule == "fault for lookup"


async def test_switching_a_rule_that_is_not_there_names_those_that_are() -> None:
    rules = parse_rules("rules: [{name: fixed, match: {tool: lookup}, do: {respond: 1}}]")
    async with Simulation(LlmAgent(name="shop", model="m", tools=[lookup]), environment=rules) as sim:
        with pytest.raises(Exception, match="no rule 'fixt'; the rules are: fixed"):
            sim.environment.switch("fixt", on=False)


async def test_a_delayed_call_can_be_cancelled() -> None:
    rules = parse_rules("{time: real, rules: [{match: {tool: lookup}, do: [{delay: 3600}, {respond: 1}]}]}")
    async with Simulation(LlmAgent(name="shop", model="m", tools=[lookup]), environment=rules) as sim:
        turn = await sim.send("go")
        calling = asyncio.ensure_future(turn.call("lookup"))
        await wait_until(lambda: bool(sim.running()))
        assert sim.cancel(sim.running()[0])
        await calling

        (failed,) = [entry for entry in sim.history() if isinstance(entry, ToolError)]
        assert failed.error_type == "Cancelled"


_LOOKUP: dict[str, Any] = {"tool": "lookup", "unchanged": 0, "not_reached": 0}


async def test_the_report_shows_what_happened_to_all_calls() -> None:
    plugin = _plugin(
        """
        rules:
          - {name: hit, match: {tool: lookup, args: {key: a}}, do: {respond: 1}}
          - {name: cut, match: {tool: lookup, args: {key: b}}, do: {drop: text}}
          - {name: never, match: {tool: lookup, args: {key: z}}, do: {respond: 1}}
        """
    )
    keys = ["a", "a", "b", "c"]
    shop = build_scripted_agent(
        [lookup, create_order], [("lookup", {"key": key}) for key in keys], [("create_order", {})]
    )
    await run_scripted_agent(shop, plugin)

    report = plugin.report()

    assert report.to_json() == {
        "tools": [
            {
                "tool": "create_order",
                "calls": 1,
                "real": 1,
                "simulated": {},
                "unchanged": {},
                "changed": 0,
                "human": 0,
                "uncovered": 0,
                "refused": 0,
                "unknown": 0,
            },
            {
                "tool": "lookup",
                "calls": 4,
                "real": 1,
                "simulated": {"hit": 2, "cut": 1},
                "unchanged": {},
                "changed": 1,
                "human": 0,
                "uncovered": 1,
                "refused": 0,
                "unknown": 0,
            },
        ],
        "unused": ["never"],
        "inactive": {},
        "coverage": [
            {**_LOOKUP, "rule": "hit", "tried": 4, "fired": 2, "skipped": {"arguments": 2}},
            {**_LOOKUP, "rule": "cut", "tried": 2, "fired": 1, "skipped": {"arguments": 1}, "not_reached": 2},
            {**_LOOKUP, "rule": "never", "tried": 1, "fired": 0, "skipped": {"arguments": 1}, "not_reached": 3},
        ],
        "near_misses": [
            {
                "tool": "lookup",
                "rule": "hit",
                "differences": [{"path": "key", "expected": "'a'", "found": "'c'"}],
                "calls": 1,
            }
        ],
        "near_misses_left_out": 0,
        "unused_responses": [],
        "seeds": [],
        "uses_real_time": False,
    }
    assert str(report).splitlines() == [
        "create_order: 1 calls, 1 real, 0 simulated",
        "lookup: 4 calls, 1 real, 3 simulated",
        "  2 by hit",
        "  1 by cut",
        "  in 1 of them the tool's own code ran too",
        "  1 ran for real although rules name the tool",
        "rules never used: never",
        "what the rules did:",
        "  tool    rule   tried  fired  otherwise",
        "  lookup  hit        4      2  2 arguments",
        "  lookup  cut        2      1  1 arguments, 2 not reached",
        "  lookup  never      1      0  1 arguments, 3 not reached",
        "calls that no rule answered, and the rule that came closest:",
        "  1 of lookup, hit: key is 'c', not 'a'",
    ]


async def test_an_app_that_has_the_plugin_itself_needs_nothing_more() -> None:
    app = App(
        name="shop",
        root_agent=LlmAgent(name="shop", model="m", tools=[lookup]),
        plugins=[_plugin("rules: [{match: {tool: lookup}, do: {respond: {hit: 1}}}]")],
    )
    async with Simulation(app) as sim:
        turn = await sim.send("go")
        turn = await turn.call("lookup")
        await turn.respond("done")

        assert sim.environment.rules[0].fired_count == 1
        assert sim.environment_report.unused == []


async def test_an_unhandled_fault_fails_a_simulation_only_if_the_app_says_so() -> None:
    rules = parse_rules("rules: [{match: {tool: lookup}, do: {raise: ConnectionError}}]")

    class Strict(BasePlugin):
        async def on_tool_error_callback(self, *, tool: Any, tool_args: Any, tool_context: Any, error: Any) -> None:
            raise error

    app = App(name="shop", root_agent=LlmAgent(name="shop", model="m", tools=[lookup]), plugins=[Strict(name="strict")])
    async with Simulation(app, environment=rules) as sim:
        turn = await sim.send("go")
        with pytest.raises(RunFailed):
            await turn.call("lookup")


async def test_evicted_sessions_stay_in_the_report(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(environment_registry, "_MAX_SESSIONS", 2)
    plugin = _rule("", "{respond: 1}")

    for _ in range(5):
        await run_scripted_agent(build_scripted_agent([lookup], [("lookup", {})]), plugin)

    assert plugin.report().tools[0].simulated == {"rule 1": 5}


async def test_a_fault_needs_no_rules_and_real_calls_are_counted() -> None:
    async with Simulation(LlmAgent(name="shop", model="m", tools=[lookup])) as sim:
        turn = await sim.send("go")
        turn = await turn.call("lookup")
        sim.environment.add_fault("lookup", Error(error=ErrorResponse(code=503, message="down")))
        turn = await turn.call("lookup")
        turn = await turn.call("lookup")
        await turn.respond("done")

        results = [entry.response for entry in sim.history() if isinstance(entry, ToolOutput)]
        assert results == [lookup(), {"error_code": 503, "error_message": "down"}, lookup()]
        (report,) = sim.environment_report.tools
        assert (report.calls, report.real, report.uncovered) == (3, 2, 0)
        decided = [event.payload.rule for event in sim.log() if isinstance(event.payload, EnvironmentDecided)]
        assert decided == ["fault for lookup", ""]


async def test_a_simulation_that_is_not_open_has_no_environment_yet() -> None:
    with pytest.raises(InvalidTransition, match="not open"):
        _ = Simulation(LlmAgent(name="shop", model="m")).environment


async def test_an_app_with_adks_own_plugin_can_be_simulated_too() -> None:
    config = EnvironmentSimulationConfig(
        tool_simulation_configs=[
            ToolSimulationConfig(
                tool_name="lookup", injection_configs=[InjectionConfig(injected_response={"theirs": 1})]
            )
        ]
    )
    app = App(
        name="shop",
        root_agent=LlmAgent(name="shop", model="m", tools=[lookup]),
        plugins=[AdkFactory.create_plugin(config)],
    )
    async with Simulation(app) as sim:
        turn = await sim.send("go")
        turn = await turn.call("lookup")
        await turn.respond("done")

        assert [entry.response for entry in sim.history() if isinstance(entry, ToolOutput)] == [{"theirs": 1}]


async def _find_failing_sessions(plugin: EnvironmentSimulationPlugin, messages: list[str]) -> list[str]:
    """Returns the messages of the sessions in which the rule answered the call."""
    failing: list[str] = []
    for message in messages:
        shop = build_scripted_agent([lookup], [("lookup", {})])
        (response,) = await run_scripted_agent(shop, plugin, message=message)
        if response == {"down": True}:
            failing.append(message)
    return failing


async def test_sessions_that_begin_differently_fail_independently_and_the_same_ones_again() -> None:
    def create() -> EnvironmentSimulationPlugin:
        return _rule(", probability: 0.3", "{respond: {down: true}}", "seed: 5")

    messages = [f"order {number}" for number in range(40)]
    first = await _find_failing_sessions(create(), messages)
    again = await _find_failing_sessions(create(), [*reversed(messages)])

    assert 4 <= len(first) <= 22  # 12 expected, give or take 3.5 standard deviations
    assert sorted(again) == sorted(first)


async def test_sessions_that_begin_alike_share_their_draws_and_the_report_says_so() -> None:
    plugin = _rule(", probability: 0.5", "{respond: {down: true}}", "seed: 5")
    failing = await _find_failing_sessions(plugin, ["order 1"] * 6)

    assert len(failing) in (0, 6)
    assert "6 sessions start the same way, or have the same label, and share their random draws" in str(plugin.report())


async def test_an_unseeded_session_reports_the_seed_that_repeats_it() -> None:
    plugin = _rule(", probability: 0.5", "{respond: {down: true}}")
    turns: list[ModelCalls] = [[("lookup", {})] * 30]
    first = await run_scripted_agent(build_scripted_agent([lookup], *turns), plugin)
    second = await run_scripted_agent(build_scripted_agent([lookup], *turns), plugin)
    assert first != second, "each session draws a seed of its own"

    seeds = plugin.report().seeds
    assert [each.is_drawn for each in seeds] == [True, True]
    assert f"such as `seed: {seeds[0].seed}`" in str(plugin.report())
    for expected, each in ((first, seeds[0]), (second, seeds[1])):
        repeating = _rule(", probability: 0.5", "{respond: {down: true}}", f"seed: {each.seed}")
        assert await run_scripted_agent(build_scripted_agent([lookup], *turns), repeating) == expected


async def test_the_initial_state_is_part_of_how_a_session_begins_but_later_changes_are_not() -> None:
    def note_visit(callback_context: Any) -> None:
        callback_context.state["visits"] = str(uuid4())

    async def play(state: dict[str, Any]) -> list[dict[str, Any]]:
        plugin = _rule(", probability: 0.5", "{respond: {down: true}}", "seed: 1")
        turn: ModelCalls = [("lookup", {}) for _ in range(30)]
        shop = build_scripted_agent([lookup], turn, before_agent_callback=note_visit)
        sessions = InMemorySessionService()
        runner = Runner(app=App(name="shop", root_agent=shop, plugins=[plugin]), session_service=sessions)
        session = await sessions.create_session(app_name="shop", user_id="user", state=state)
        content = types.Content(role="user", parts=[types.Part(text="go")])
        events = [event async for event in runner.run_async(user_id="user", session_id=session.id, new_message=content)]
        await runner.close()
        return get_function_responses(events)

    gold = await play({"tier": "gold", "app:visitors": 1})
    assert gold == await play({"tier": "gold", "app:visitors": 2})
    assert gold != await play({"tier": "silver", "app:visitors": 1})


async def test_a_wildcard_does_not_mean_the_tools_by_which_adk_steers_a_run() -> None:
    helper = LlmAgent(
        name="helper", model=ScriptedModel(script=[call_response(("lookup", {})), text_response("Helped.")])
    )
    helper.tools = [lookup]
    shop = LlmAgent(
        name="shop",
        model=ScriptedModel(script=[call_response(("transfer_to_agent", {"agent_name": "helper"}))]),
        sub_agents=[helper],
    )
    plugin = _plugin('rules: [{match: {tool: "*"}, do: {respond: {down: true}}}]')
    events = await collect_events(shop, plugin)

    assert get_function_responses(events)[-1] == {"down": True}
    assert events[-1].author == "helper"
    assert [(tool.tool, tool.real) for tool in plugin.report().tools] == [("lookup", 0), ("transfer_to_agent", 1)]


async def test_a_rule_that_names_a_steering_tool_answers_it() -> None:
    helper = LlmAgent(name="helper", model=ScriptedModel(script=[text_response("Helped.")]))
    shop = LlmAgent(
        name="shop",
        model=ScriptedModel(
            script=[call_response(("transfer_to_agent", {"agent_name": "helper"})), text_response("I do it myself.")]
        ),
        sub_agents=[helper],
    )
    plugin = _plugin("rules: [{match: {tool: transfer_to_agent}, do: {error: {code: 503, message: busy}}}]")

    assert (await collect_events(shop, plugin))[-1].author == "shop"


async def test_each_session_has_a_clock_of_its_own() -> None:
    plugin = _rule("", "[{delay: 60}, {respond: 1}]")
    services = InMemorySessionService()
    for times in (1, 2):
        turn: ModelCalls = [("lookup", {}) for _ in range(times)]
        shop = build_scripted_agent([lookup], turn)
        runner = Runner(app=App(name="shop", root_agent=shop, plugins=[plugin]), session_service=services)
        session = await services.create_session(app_name="shop", user_id="user", session_id=str(times))
        content = types.Content(role="user", parts=[types.Part(text="go")])
        async for _ in runner.run_async(user_id="user", session_id=session.id, new_message=content):
            pass
        sleeper = plugin.get_environment(session).sleeper
        assert isinstance(sleeper, VirtualSleeper)
        assert sleeper.elapsed == 60 * times
    assert not plugin.report().uses_real_time


def test_the_report_says_that_real_time_is_not_reproducible() -> None:
    assert "so the run is not reproducible" in str(_rule("", "[{delay: 60}, {respond: 1}]", "time: real").report())
    assert "real time" not in str(_rule("", "{respond: 1}", "time: real").report())
