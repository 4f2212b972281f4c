"""The report is one fold: it is equal live, from the timeline, from an exported file, and without a timeline."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from google.adk.agents import (
    LlmAgent,
    ParallelAgent,  # pyright: ignore[reportDeprecated] - users still have them
)
from google.adk.plugins import BasePlugin
from google.adk.tools import AgentTool, FunctionTool
from google.adk.tools.environment_simulation.environment_simulation_config import (
    EnvironmentSimulationConfig,
    InjectionConfig,
    MockStrategy,
    ToolSimulationConfig,
)
from polling import wait_until
from scripted_agent import build_scripted_agent, collect_events
from scripted_model import ScriptedModel, call_response

from adk_agent_sim import EnvironmentSimulationFactory, Simulation, ToolErrorPlugin
from adk_agent_sim.adk.steps.steps import Confirmation, ModelTurn
from adk_agent_sim.environment.actions import Error, ErrorResponse
from adk_agent_sim.environment.environment_report import EnvironmentReport
from adk_agent_sim.environment.recorded_report import build_recorded_report
from adk_agent_sim.environment.rules import Rules
from adk_agent_sim.environment.rules_file import parse_rules
from adk_agent_sim.persistence.row_codec import decode_event, encode_event
from adk_agent_sim.timeline import jsonl
from adk_agent_sim.timeline.events import EnvironmentDecided, Event


def lookup(key: str = "", limit: int = 10) -> dict[str, Any]:
    """Look up."""
    return {"key": key, "limit": limit, "items": [1, 2, 3]}


def create_order(sku: str = "") -> dict[str, Any]:
    """Create an order."""
    if sku == "bad":
        raise ValueError("no such sku")
    return {"order_id": "ORD-1"}


@dataclass(frozen=True)
class _Scripted:
    """A session in which a scripted model plays."""

    name: str
    rules: str | Rules | EnvironmentSimulationConfig
    build: Callable[[], Any]


def _lookups(*keys: str) -> list[tuple[str, dict[str, Any]]]:
    return [("lookup", {"key": key}) for key in keys]


def _shop(*turns: Any) -> Callable[[], Any]:
    return lambda: build_scripted_agent([lookup, create_order], *turns)


def _shop_with_helper() -> LlmAgent:
    helper = build_scripted_agent([lookup], _lookups("a", "b"), name="helper")
    return build_scripted_agent([AgentTool(helper), create_order], [("helper", {"request": "x"})], _lookups("c"))


def _shop_with_sub_agent() -> LlmAgent:
    helper = build_scripted_agent([lookup], _lookups("a", "z"), name="helper")
    return LlmAgent(
        name="shop",
        model=ScriptedModel(script=[call_response(("transfer_to_agent", {"agent_name": "helper"}))]),
        tools=[create_order],
        sub_agents=[helper],
    )


def _parallel_agents() -> Any:
    agents = [build_scripted_agent([lookup], _lookups("a", "b"), _lookups("c", "a"), name=name) for name in "xy"]
    return ParallelAgent(name="shop", sub_agents=list(agents))  # pyright: ignore[reportDeprecated]


_SCRIPTED = [
    _Scripted("no rules", Rules(rules=[]), _shop(_lookups("a"), [("create_order", {})])),
    _Scripted(
        "responses, errors and latency",
        """
        rules:
          - {name: hit, match: {tool: lookup, args: {key: a}}, do: {respond: 1}}
          - {name: slow, match: {tool: lookup, args: {key: b}}, do: [{delay: 2}, {error: {code: 503, message: down}}]}
          - {name: late, match: {tool: create_order}, do: {delay: 2}}
          - {name: never, match: {tool: other}, do: {respond: 1}}
        """,
        _shop(_lookups("a", "b", "c"), [("create_order", {})], _lookups("a")),
    ),
    _Scripted(
        "ADK's own config, with a mock",
        EnvironmentSimulationConfig(
            tool_simulation_configs=[
                ToolSimulationConfig(
                    tool_name="lookup",
                    injection_configs=[
                        InjectionConfig(match_args={"key": "a"}, injected_response={"theirs": 1}),
                        InjectionConfig(match_args={"key": "b"}, injection_probability=0, injected_response={"n": 1}),
                    ],
                    mock_strategy_type=MockStrategy.MOCK_STRATEGY_TOOL_SPEC,
                )
            ]
        ),
        _shop(_lookups("a", "b")),
    ),
    _Scripted(
        "only a tool that no rule names",
        "seed: 3\nrules: [{name: hit, match: {tool: lookup, probability: 0.5}, do: {respond: 1}}]",
        _shop([("create_order", {})]),
    ),
    _Scripted(
        "probability, counts and earlier calls",
        """
        seed: 5
        rules:
          - {name: after, match: {tool: lookup, after: create_order succeeded}, do: {respond: 1}}
          - {name: twice, match: {tool: lookup, call: {first: 2}}, do: {respond: 2}}
          - {name: sometimes, match: {tool: "*", probability: 0.4}, do: {respond: 3}}
        """,
        _shop(_lookups("a", "b", "c", "d", "e"), [("create_order", {})], _lookups("f")),
    ),
    _Scripted(
        "refused calls",
        "unanswered: refuse\nrules: [{name: hit, match: {tool: lookup, args: {key: a}}, do: {respond: 1}}]",
        _shop(_lookups("a", "b"), [("create_order", {}), ("made_up", {})]),
    ),
    _Scripted(
        "failing calls",
        """
        rules:
          - {name: raises, match: {tool: lookup, args: {key: a}}, do: {raise: ConnectionError}}
          - {name: hangs, match: {tool: lookup, args: {key: b}}, do: {timeout: 30}}
          - {name: no patch, match: {tool: lookup, args: {key: c}}, do: {mutate: [{op: remove, path: /gone}]}}
          - {name: cut, match: {tool: create_order}, do: {drop: order_id}}
        """,
        _shop(_lookups("a", "b", "c", "d"), [("create_order", {"sku": "bad"}), ("create_order", {})]),
    ),
    _Scripted(
        "rules that change nothing",
        """
        rules:
          - {name: drop, match: {tool: lookup, args: {key: a}}, do: {drop: [gone, items.9]}}
          - {name: wrong, match: {tool: lookup, args: {key: b}}, do: [pass, {wrong_type: gone}]}
          - {name: cut, match: {tool: lookup, args: {key: c}}, do: {truncate: {items: 9}}}
          - {name: stale, match: {tool: lookup, args: {key: d}}, do: stale}
          - {name: exempt, match: {tool: lookup, args: {key: e}}, do: pass}
          - {name: answers, match: {tool: lookup, args: {key: f}}, do: [{respond: {}}, {drop: gone}]}
        """,
        _shop(_lookups("d", "a", "b", "c"), _lookups("d", "e", "f")),
    ),
    _Scripted(
        "names that the model made up",
        """
        rules:
          - {name: answers, match: {tool: made_up, args: {a: 1}}, do: {respond: 1}}
          - {name: inside, match: {tool: made_up, args: {a: 2}}, do: {raise: ConnectionError}}
        """,
        _shop([("made_up", {"a": 1}), ("made_up", {"a": 2}), ("made_up", {"a": 3}), ("unheard", {})]),
    ),
    _Scripted(
        "an agent used as a tool",
        "rules: [{name: hit, match: {tool: lookup, args: {key: a}}, do: {respond: 1}}]",
        _shop_with_helper,
    ),
    _Scripted(
        "a sub-agent",
        "rules: [{name: hit, match: {tool: '*', args: {key: a}, agent: helper}, do: {respond: 1}}]",
        _shop_with_sub_agent,
    ),
    _Scripted(
        "profiles, of which one is active",
        """
        profile: slow
        profiles: {slow: [crawling, late], outage: [down, late], never: [rare]}
        rules:
          - {name: down, match: {tool: lookup}, do: {raise: ConnectionError}}
          - {name: crawling, match: {tool: lookup, args: {key: a}}, do: [{delay: 9}, {respond: 2}]}
          - {name: late, match: {tool: create_order, call: {after: 9}}, do: {delay: 2}}
          - {name: rare, match: {tool: other}, do: {respond: 3}}
        """,
        _shop(_lookups("a", "b"), [("create_order", {})]),
    ),
    _Scripted(
        "parallel agents",
        "seed: 1\nrules: [{name: some, match: {tool: lookup, probability: 0.5, agent: x}, do: {respond: 1}}]",
        _parallel_agents,
    ),
    _Scripted(
        "parallel calls with real delays",
        """
        time: real
        rules:
          - {name: late, match: {tool: lookup, call: {every: 2}}, do: [{delay: 0.01}, {respond: 1}]}
          - {name: off, match: {tool: lookup}, do: {respond: 2}, enabled: false}
        """,
        _shop(_lookups(*"abcdef"), _lookups(*"abcdef")),
    ),
    _Scripted(
        "texts that are too long to be searched",
        """
        rules:
          - {name: find, match: {tool: lookup, args: {key: {regex: "x(?=y)"}}}, do: {respond: 1}}
          - {name: any, match: {tool: lookup, args: {limit: 1}}, do: {respond: 2}}
        """,
        _shop([("lookup", {"key": "-" * 300 + "xy"}), ("lookup", {"key": "-" * 300 + "xy", "limit": 1})]),
    ),
]


class _HandlesErrors(BasePlugin):
    """Answers calls that ADK itself fails, so that the session goes on."""

    async def on_tool_error_callback(self, *, tool: Any, tool_args: Any, tool_context: Any, error: Any) -> Any:
        return {"handled": type(error).__name__}


async def _compare_reports(sim: Simulation, folder: Path) -> EnvironmentReport:
    """Return the live report, after comparing it with those of the timeline, of a database and of exported files."""
    live = sim.environment_report
    log = sim.log()
    assert build_recorded_report(log) == live
    assert build_recorded_report([decode_event(encode_event(event)) for event in log]) == live
    for redact in (False, True):
        await sim.export_jsonl(folder / "session.jsonl", redact=redact)
        records = [record for record in jsonl.read_records(folder / "session.jsonl") if isinstance(record, Event)]
        assert build_recorded_report(records) == live
    assert str(build_recorded_report(log)) == str(live)
    return live


@pytest.mark.filterwarnings("ignore:ParallelAgent is deprecated")
@pytest.mark.parametrize("session", _SCRIPTED, ids=lambda session: session.name)
async def test_the_recorded_report_is_the_live_one(session: _Scripted, tmp_path: Path) -> None:
    rules = parse_rules(session.rules) if isinstance(session.rules, str) else session.rules
    async with Simulation(session.build(), model="real", environment=rules) as sim:
        await sim.send("go")
        live = await _compare_reports(sim, tmp_path)
    assert sum(tool.calls for tool in live.tools) > 0

    plugin = EnvironmentSimulationFactory.create_plugin(rules)
    await collect_events(session.build(), plugin, ToolErrorPlugin())
    assert plugin.report() == live, "without a timeline"


_FOR_CALLBACKS = (
    *("no rules", "only a tool that no rule names", "probability, counts and earlier calls"),
    *("texts that are too long to be searched", "ADK's own config, with a mock"),
)


@pytest.mark.parametrize(
    "session", [each for each in _SCRIPTED if each.name in _FOR_CALLBACKS], ids=lambda session: session.name
)
async def test_the_report_of_a_callback_is_that_of_the_plugin(session: _Scripted) -> None:
    """The rules of these sessions act before the call, which is what a callback can do."""
    rules = parse_rules(session.rules) if isinstance(session.rules, str) else session.rules
    if isinstance(rules, Rules):
        rules = rules.model_copy(update={"seed": 5})  # each of both would draw its own
    plugin = EnvironmentSimulationFactory.create_plugin(rules)
    await collect_events(session.build(), plugin, ToolErrorPlugin())
    callback = EnvironmentSimulationFactory.create_callback(rules)
    agent = session.build()
    agent.before_tool_callback = callback
    await collect_events(agent, ToolErrorPlugin())
    assert callback.report() == plugin.report()
    assert callback.report().tools

    recording = EnvironmentSimulationFactory.create_callback(rules)
    agent = session.build()
    agent.before_tool_callback = recording
    async with Simulation(agent, model="real") as sim:
        await sim.send("go")
        assert build_recorded_report(sim.log()) == recording.report() == callback.report()


async def test_the_report_of_a_callback_does_not_count_calls_that_wait_for_consent() -> None:
    rules = parse_rules("rules: [{name: hit, match: {tool: lookup}, do: {respond: 1}}]")
    callback = EnvironmentSimulationFactory.create_callback(rules)
    tools = [FunctionTool(each, require_confirmation=True) for each in (lookup, create_order)]
    await collect_events(
        build_scripted_agent(tools, _lookups("a"), [("create_order", {})], before_tool_callback=callback)
    )

    assert (callback.report().tools, callback.report().unused) == ([], ["hit"])


async def _cancel_calls(sim: Simulation) -> None:
    turn = await sim.send("go")
    calling = asyncio.ensure_future(turn.calls([("lookup", {"key": "a"}), ("wait", {}), ("slow_change", {})]))
    await wait_until(lambda: len(sim.running()) == 3)
    for call_id in sim.running():
        assert sim.cancel(call_id)
    await (await calling).respond("done")


async def _stop_run(sim: Simulation) -> None:
    turn = await sim.send("go")
    calling = asyncio.ensure_future(turn.call("lookup", {"key": "a"}))
    await wait_until(lambda: len(sim.running()) == 1)
    await sim.close()
    calling.cancel()


async def _add_faults(sim: Simulation) -> None:
    turn = await sim.send("go")
    turn = await turn.call("lookup", {"key": "b"})
    sim.environment.add_fault("lookup", Error(error=ErrorResponse(code=503, message="down")))
    sim.environment.add_fault("wait", Error(error=ErrorResponse(code=503, message="down")))
    turn = await turn.calls([("lookup", {"key": "b"}), ("wait", {})])
    sim.environment.switch("late", on=False)
    turn = await turn.call("lookup", {"key": "a"})
    await turn.respond("done")


async def _switch_profiles(sim: Simulation) -> None:
    turn = await sim.send("go")
    sim.environment.switch_profile("b")
    turn = await turn.call("lookup", {"key": "b"})
    sim.environment.switch_profile("c")
    sim.environment.switch_profile("d")
    turn = await turn.call("lookup", {"key": "c"})
    await turn.respond("done")
    sim.environment.switch_profile("e")
    await sim.close()


async def _confirm_calls(sim: Simulation) -> None:
    turn = await sim.send("go")
    asked = await turn.call("pay", {})
    while isinstance(asked, ModelTurn):
        asked = await asked.respond("Please confirm")
    assert isinstance(asked, Confirmation)
    await (await asked.approve()).respond("paid")


@pytest.mark.parametrize(
    "play", [_cancel_calls, _stop_run, _add_faults, _switch_profiles, _confirm_calls], ids=lambda play: play.__name__
)
async def test_it_is_so_when_a_person_intervenes(play: Callable[[Simulation], Awaitable[None]], tmp_path: Path) -> None:
    release = asyncio.Event()

    async def wait() -> str:
        """Wait."""
        await release.wait()
        return "done"

    async def slow_change() -> dict[str, int]:
        """Wait."""
        await release.wait()
        return {"a": 1}

    def pay() -> str:
        """Pay."""
        return "paid"

    rules = parse_rules(
        """
        time: real
        profiles: {a: [in a], b: [in b], c: [in c], d: [in d], e: [in e], f: [in f]}
        profile: a
        rules:
          - {name: late, match: {tool: lookup, args: {key: a}}, do: [{delay: 3600}, {respond: 1}]}
          - {name: cut, match: {tool: slow_change}, do: {drop: a}}
          - {name: in a, match: {tool: unheard}, do: {respond: 1}}
          - {name: in b, match: {tool: lookup}, do: {respond: 2}}
          - {name: in c, match: {tool: unheard}, do: {respond: 3}}
          - {name: in d, match: {tool: lookup, args: {key: z}}, do: {respond: 4}}
          - {name: in e, match: {tool: unheard}, do: {respond: 5}}
          - {name: in f, match: {tool: unheard}, do: {respond: 6}}
        """
    )
    tools = [lookup, wait, slow_change, FunctionTool(pay, require_confirmation=True)]
    async with Simulation(LlmAgent(name="shop", model="m", tools=list(tools)), environment=rules) as sim:
        await play(sim)
        live = await _compare_reports(sim, tmp_path)
    assert sum(tool.calls for tool in live.tools) > 0
    if play is _switch_profiles:
        assert live.unused == ["late", "cut", "in a", "in c", "in d", "in e"]
        assert live.inactive == {"in f": ["f"]}
    if play is _confirm_calls:
        (tool,) = live.tools
        assert (tool.tool, tool.calls, tool.real) == ("pay", 1, 1), "a call that waits for consent is not counted twice"


async def _play(rules: str, *turns: Any) -> EnvironmentReport:
    plugin = EnvironmentSimulationFactory.create_plugin(parse_rules(rules))
    agent = build_scripted_agent([lookup, create_order], *turns)
    await collect_events(agent, plugin, ToolErrorPlugin(), _HandlesErrors(name="handles"))
    return plugin.report()


async def test_refused_calls_are_not_reported_as_live() -> None:
    report = await _play(
        "unanswered: refuse\nrules: [{name: hit, match: {tool: lookup, args: {key: a}}, do: {respond: 1}}]",
        _lookups("a", "b"),
        [("create_order", {})],
    )

    assert [(tool.tool, tool.calls, tool.real, tool.refused, tool.uncovered) for tool in report.tools] == [
        ("create_order", 1, 0, 1, 0),
        ("lookup", 2, 0, 1, 0),
    ]
    assert "live" not in str(report)


@pytest.mark.parametrize(
    ("match", "uncovered"),
    [
        ("args: {key: b}", 1),
        ("args: {key: a, limit: 3}", 1),
        ("agent: other", 1),
        ("call: {first: 2}", 0),
        ("call: {nth: 9}", 0),
        ("after: create_order succeeded", 0),
        ("probability: 0.001, seed: 1", 0),
    ],
)
async def test_a_live_call_is_a_surprise_only_if_no_rule_let_it_go(match: str, uncovered: int) -> None:
    turns = [_lookups("a")] * (3 if "first" in match else 1)
    (tool,) = (await _play(f"rules: [{{match: {{tool: lookup, {match}}}, do: {{respond: 1}}}}]", *turns)).tools

    assert (tool.real, tool.uncovered) == (1, uncovered)


async def test_a_pass_rule_and_a_rule_that_is_switched_off_let_a_call_go() -> None:
    passed = await _play("rules: [{name: exempt, match: {tool: lookup}, do: pass}]", _lookups("a"))
    assert (passed.tools[0].uncovered, passed.tools[0].changed) == (0, 1)

    switched_off = await _play(
        "rules: [{name: off, match: {tool: lookup}, do: {respond: 1}, enabled: false}]", _lookups("a")
    )
    assert (switched_off.tools[0].real, switched_off.tools[0].uncovered) == (1, 0)


async def test_the_first_decision_has_the_rules_and_the_seed_of_the_session() -> None:
    rules = parse_rules("rules: [{name: some, match: {tool: lookup, probability: 0.5}, do: {respond: 1}}]")
    async with Simulation(
        build_scripted_agent([lookup, create_order], [("create_order", {})], _lookups("a")),
        model="real",
        environment=rules,
    ) as sim:
        await sim.send("go")
        first, second = (event.payload for event in sim.log() if isinstance(event.payload, EnvironmentDecided))

        assert first.environment["rules"] == [{"name": "some", "tools": ["lookup"]}]
        assert first.environment["draws"]["is_drawn"] is True
        assert (first.tool_name, first.passed_over, second.environment) == ("create_order", [], None)
        seed = sim.environment.randomness.seed
        assert f"such as `seed: {seed}`" in str(build_recorded_report(sim.log()))


async def test_the_report_says_what_every_rule_did() -> None:
    report = await _play(
        """
        seed: 1
        rules:
          - {name: never, match: {tool: lookup, args: {key: z}}, do: {respond: 1}}
          - {name: once, match: {tool: lookup, call: {first: 1}}, do: {respond: 2}}
          - {name: rarely, match: {tool: "look*", probability: 0.001}, do: {respond: 3}}
          - {name: fixed, match: {tool: lookup, args: {key: b}}, do: {respond: 4}}
          - {name: off, match: {tool: lookup, args: {limit: 1}}, do: {respond: 5}, enabled: false}
          - {name: elsewhere, match: {tool: create_order}, do: {respond: 6}}
        """,
        _lookups("a", "b", "c"),
    )

    assert [(each.rule, each.tried, each.fired, dict(each.skipped), each.not_reached) for each in report.coverage] == [
        ("never", 3, 0, {"arguments": 3}, 0),
        ("once", 3, 1, {"call number": 2}, 0),
        ("rarely", 2, 0, {"probability": 2}, 1),
        ("fixed", 2, 1, {"arguments": 1}, 1),
        ("off", 0, 0, {"switched off": 1}, 2),
    ]
    assert report.unused == ["never", "rarely", "off", "elsewhere"]
    assert report.near_misses == [], "a rule let the call go"


async def test_a_rule_whose_profile_was_not_active_is_not_said_to_be_never_used() -> None:
    report = await _play(
        """
        profile: slow
        profiles: {slow: [crawling, late], outage: [down, late, worse], worst: [worse]}
        rules:
          - {name: down, match: {tool: lookup}, do: {respond: 1}}
          - {name: worse, match: {tool: create_order}, do: {respond: 1}}
          - {name: crawling, match: {tool: lookup, args: {key: z}}, do: {respond: 2}}
          - {name: late, match: {tool: create_order}, do: {respond: 3}}
          - {name: always, match: {tool: other}, do: {respond: 4}}
        """,
        _lookups("a"),
    )

    assert report.unused == ["crawling", "late", "always"]
    assert report.inactive == {"down": ["outage"], "worse": ["outage", "worst"]}
    assert str(report).splitlines()[1:3] == [
        "rules never used: crawling, late, always",
        "rules of profiles that were not active: down (outage), worse (outage and worst)",
    ]


async def test_a_live_call_names_the_rule_that_came_closest_and_what_differed() -> None:
    rules = """
    rules:
      - {name: far, match: {tool: lookup, args: {key: x, limit: 9}}, do: {respond: 1}}
      - {name: near, match: {tool: lookup, args: {key: a, limit: {min: 5}}, exactly: true}, do: {respond: 2}}
      - {name: other agent, match: {tool: create_order, agent: [clerk, boss]}, do: {respond: 3}}
      - {name: in, match: {tool: lookup, args: {filter.limit: 3}, agent: boss, exactly: true}, do: {respond: 4}}
    """
    report = await _play(
        rules,
        [("lookup", {"key": "a", "limit": 3})] * 2,
        [("lookup", {"key": "a", "limit": 7, "extra": 1})],
        [("create_order", {})],
    )

    assert [
        (miss.tool, miss.rule, miss.calls, [(each.path, each.expected, each.found) for each in miss.differences])
        for miss in report.near_misses
    ] == [
        ("create_order", "other agent", 1, [("the agent", "clerk or boss", "shop")]),
        ("lookup", "near", 2, [("limit", "5 or more", "3")]),
        ("lookup", "near", 1, [("other arguments", "none", "extra")]),
    ]
    assert "  2 of lookup, near: limit is 3, not 5 or more" in str(report).splitlines()


async def test_the_report_says_that_a_text_was_too_long_to_be_searched() -> None:
    report = await _play(
        'rules: [{name: find, match: {tool: lookup, args: {key: {regex: "x(?=y)"}}}, do: {respond: 1}}]',
        _lookups("-" * 300 + "xy", "xy", "no"),
    )

    assert report.coverage[0].skipped == {"arguments": 1, "text too long": 1}
    assert (
        "1 calls of lookup have a string that is too long for the pattern of find: "
        "it was not searched, and the rule did not match"
    ) in str(report).splitlines()
    assert "a string of 302 characters, which is too long to be searched" in str(report)


async def test_an_action_that_finds_nothing_to_change_has_not_fired() -> None:
    report = await _play(
        """
        rules:
          - {name: nothing, match: {tool: lookup, args: {key: a}}, do: [{drop: gone}, {truncate: {items: 9}}]}
          - {name: something, match: {tool: lookup, args: {key: b}}, do: [{drop: gone}, {wrong_type: limit}]}
          - {name: stale, match: {tool: create_order}, do: stale}
        """,
        _lookups("a", "b"),
        [("create_order", {})],
        [("create_order", {})],
    )

    order, look = report.tools
    assert (look.simulated, look.unchanged, look.changed, look.calls) == ({"something": 1}, {"nothing": 1}, 1, 2)
    assert (order.simulated, order.unchanged) == ({"stale": 1}, {"stale": 1}), "the first call had nothing to repeat"
    assert [(each.rule, each.fired, each.unchanged) for each in report.coverage] == [
        ("stale", 1, 1),
        ("nothing", 0, 1),
        ("something", 1, 0),
    ]
    assert report.unused == []
    assert "  1 real results left as they were: nothing changed nothing" in str(report).splitlines()


async def test_the_report_in_the_documentation_is_a_real_one() -> None:
    def place_order() -> str:
        """Order."""
        return "ORD-1"

    rules = """
    rules:
      - {name: out of stock, match: {tool: lookup, args: {key: a}}, do: {respond: 1}}
      - {name: slow, match: {tool: lookup, args: {key: b}}, do: {delay: 2}}
      - {name: never, match: {tool: lookup, agent: other}, do: {respond: 1}}
      - {name: the first order fails, match: {tool: place_order, call: {first: 1}}, do: {raise: ConnectionError}}
    """
    plugin = EnvironmentSimulationFactory.create_plugin(parse_rules(rules))
    orders: Any = [[("place_order", {})], [("place_order", {})]]
    agent = build_scripted_agent([lookup, place_order], _lookups("a", "b", "a", "c"), *orders)
    await collect_events(agent, plugin, ToolErrorPlugin())

    text = (Path(__file__).parents[2] / "docs" / "environment.md").read_text(encoding="utf-8")
    assert f"```\n{plugin.report()}\n```" in text
