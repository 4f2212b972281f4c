"""Every field and example of the environment simulation spec, with ADK's own config objects."""

from __future__ import annotations

import asyncio
import inspect
import json
from collections.abc import Sequence
from typing import Any

import pytest
from google.adk.agents import LlmAgent
from google.adk.apps import App
from google.adk.plugins import BasePlugin
from google.adk.tools import AgentTool
from google.adk.tools.environment_simulation import environment_simulation_config as adk
from google.adk.tools.environment_simulation.environment_simulation_config import (
    EnvironmentSimulationConfig,
    InjectedError,
    InjectionConfig,
    MockStrategy,
    ToolSimulationConfig,
)
from pydantic import ValidationError
from scripted_agent import ModelCalls, build_scripted_agent, run_scripted_agent

from adk_agent_sim import EnvironmentSimulationFactory
from adk_agent_sim.adk.environment.environment_plugin import EnvironmentSimulationPlugin
from adk_agent_sim.errors import InvalidRules
from adk_agent_sim.timeline.clock import VirtualSleeper

_REAL = {"result": "real"}


def search(query: str = "", item_id: str = "", limit: int | None = None, flag: bool | None = None) -> str:
    """Search."""
    return "real"


def other() -> str:
    """Do something else."""
    return "real"


def _config(*injections: InjectionConfig, tool: str = "search", **fields: Any) -> EnvironmentSimulationConfig:
    return EnvironmentSimulationConfig(
        tool_simulation_configs=[ToolSimulationConfig(tool_name=tool, injection_configs=list(injections), **fields)]
    )


async def _answers(config: EnvironmentSimulationConfig, *turns: Sequence[tuple[str, dict[str, Any]]]) -> list[Any]:
    """The responses to the calls, which must be the same with the plugin and with the callback."""
    by_plugin = await run_scripted_agent(
        build_scripted_agent([search, other], *turns), EnvironmentSimulationFactory.create_plugin(config)
    )
    callback = EnvironmentSimulationFactory.create_callback(config)
    by_callback = await run_scripted_agent(build_scripted_agent([search, other], *turns, before_tool_callback=callback))
    assert by_plugin == by_callback
    return by_plugin


def _responds(value: dict[str, Any], **fields: Any) -> InjectionConfig:
    return InjectionConfig(injected_response=value, **fields)


def _fails(code: int, message: str, **fields: Any) -> InjectionConfig:
    error = InjectedError(injected_http_error_code=code, error_message=message)
    return InjectionConfig(injected_error=error, **fields)


@pytest.mark.req("002/intercept", "002/offline", "002/order-3")
async def test_a_call_is_answered_without_a_change_to_the_agent_and_other_tools_run() -> None:
    answers = await _answers(_config(_responds({"found": 1})), [("search", {"query": "x"})], [("other", {})])

    assert answers == [{"found": 1}, _REAL]


@pytest.mark.req("002/order-1", "002/injection-first-match", "002/ToolSimulationConfig.injection_configs")
async def test_the_first_injection_that_matches_answers_at_once() -> None:
    config = _config(
        _responds({"by": "chance"}, injection_probability=0.0),
        _responds({"by": "query"}, match_args={"query": "x"}),
        _responds({"by": "all"}),
        _responds({"by": "never"}),
    )

    assert await _answers(config, [("search", {"query": "x"})], [("search", {"query": "y"})]) == [
        {"by": "query"},
        {"by": "all"},
    ]


@pytest.mark.req("002/injection-pass-through", "002/MockStrategy.MOCK_STRATEGY_UNSPECIFIED")
async def test_a_call_that_no_injection_matches_goes_on() -> None:
    config = _config(
        _responds({"by": "x"}, match_args={"query": "x"}), _responds({"by": "y"}, match_args={"query": "y"})
    )

    assert await _answers(config, [("search", {"query": "y"})], [("search", {"query": "z"})]) == [{"by": "y"}, _REAL]


@pytest.mark.req("002/create_callback")
def test_the_callback_is_async_and_takes_what_before_tool_callback_gets() -> None:
    callback = EnvironmentSimulationFactory.create_callback(_config(_responds({"a": 1})))

    assert inspect.iscoroutinefunction(callback)
    assert list(inspect.signature(callback).parameters) == ["tool", "args", "tool_context"]


@pytest.mark.req("002/create_plugin")
def test_the_plugin_is_a_plugin_of_adk() -> None:
    plugin = EnvironmentSimulationFactory.create_plugin(_config(_responds({"a": 1})))

    assert isinstance(plugin, EnvironmentSimulationPlugin)
    assert isinstance(plugin, BasePlugin)
    assert plugin.name == "EnvironmentSimulation"


@pytest.mark.req("002/EnvironmentSimulationConfig.tool_simulation_configs")
def test_an_empty_or_repeated_tool_list_is_refused_however_it_was_made() -> None:
    one = ToolSimulationConfig(tool_name="search", injection_configs=[_responds({"a": 1})])
    for wrong in ([], [one, one]):
        with pytest.raises(ValidationError):
            EnvironmentSimulationConfig(tool_simulation_configs=wrong)
        config = EnvironmentSimulationConfig(tool_simulation_configs=[one])
        config.tool_simulation_configs = wrong  # ADK does not validate assignments
        with pytest.raises(InvalidRules, match="tool_simulation_configs"):
            EnvironmentSimulationFactory.create_plugin(config)
        with pytest.raises(InvalidRules, match="tool_simulation_configs"):
            EnvironmentSimulationFactory.create_callback(config)


@pytest.mark.req("002/ToolSimulationConfig.tool_name")
async def test_the_tool_name_must_equal_the_registered_one() -> None:
    with pytest.raises(ValidationError):
        ToolSimulationConfig.model_validate({"injection_configs": [_responds({"a": 1})]})
    for near in ("searc", "Search", "search_all"):
        assert await _answers(_config(_responds({"a": 1}), tool=near), [("search", {})]) == [_REAL]
    for pattern in ("search*", "", "two words"):
        with pytest.raises(InvalidRules, match="registered name exactly"):
            EnvironmentSimulationFactory.create_plugin(_config(_responds({"a": 1}), tool=pattern))


@pytest.mark.req("002/MockStrategy.MOCK_STRATEGY_UNSPECIFIED")
def test_a_tool_without_injections_needs_a_strategy() -> None:
    tool = ToolSimulationConfig(tool_name="search", injection_configs=[_responds({"a": 1})])
    assert tool.mock_strategy_type is MockStrategy.MOCK_STRATEGY_UNSPECIFIED
    config = EnvironmentSimulationConfig(tool_simulation_configs=[tool])
    tool.injection_configs = []
    config.tool_simulation_configs = [tool]

    with pytest.raises(InvalidRules, match="neither an injection nor a mock strategy"):
        EnvironmentSimulationFactory.create_plugin(config)


@pytest.mark.req("002/InjectionConfig.exactly-one")
def test_an_injection_sets_either_an_error_or_a_response() -> None:
    error = InjectedError(injected_http_error_code=1, error_message="m")
    both: dict[str, Any] = {"injected_error": error, "injected_response": {"a": 1}}
    for wrong in ({}, both):
        with pytest.raises(ValidationError):
            InjectionConfig(**wrong)
        config = _config(_responds({"a": 1}))
        config.tool_simulation_configs[0].injection_configs = [InjectionConfig.model_construct(**wrong)]
        with pytest.raises(InvalidRules, match="either injected_error or injected_response"):
            EnvironmentSimulationFactory.create_plugin(config)


@pytest.mark.req(
    "002/InjectionConfig.injected_error",
    "002/InjectedError.injected_http_error_code",
    "002/InjectedError.error_message",
    "002/example-injecting-errors",
)
async def test_the_payment_example_answers_402() -> None:
    config = EnvironmentSimulationConfig(
        tool_simulation_configs=[
            ToolSimulationConfig(
                tool_name="charge_payment",
                injection_configs=[
                    InjectionConfig(
                        injected_error=InjectedError(injected_http_error_code=402, error_message="Payment declined.")
                    )
                ],
            )
        ]
    )

    def charge_payment(amount: float) -> str:
        """Charge."""
        raise AssertionError("the real tool must not run")

    shop = build_scripted_agent([charge_payment], [("charge_payment", {"amount": 5.0})])
    (answer,) = await run_scripted_agent(shop, EnvironmentSimulationFactory.create_plugin(config))

    assert answer == {"error_code": 402, "error_message": "Payment declined."}


@pytest.mark.req("002/InjectionConfig.injected_response", "002/example-fixed-response")
async def test_the_fixed_response_example_answers_its_payload_and_each_call_gets_a_copy() -> None:
    response: dict[str, Any] = {"status": "ok", "order_id": "ORD-9999", "lines": [1]}
    config = _config(InjectionConfig(injected_response=response))
    seen: list[Any] = []

    def spoil(tool: Any, args: Any, tool_context: Any, tool_response: dict[str, Any]) -> None:
        seen.append(dict(tool_response))
        tool_response["lines"].append(2)
        tool_response["status"] = "changed"

    shop = build_scripted_agent([search], [("search", {})], [("search", {})], after_tool_callback=spoil)
    await run_scripted_agent(shop, EnvironmentSimulationFactory.create_plugin(config))

    assert [each["order_id"] for each in seen] == ["ORD-9999", "ORD-9999"]
    assert seen[1]["status"] == "ok"
    assert response == {"status": "ok", "order_id": "ORD-9999", "lines": [1]}


@pytest.mark.req("002/InjectionConfig.injection_probability")
@pytest.mark.parametrize("probability", [-0.1, 1.1, float("nan")])
def test_a_probability_outside_0_to_1_is_refused(probability: float) -> None:
    config = _config(_responds({"a": 1}, injection_probability=probability))

    with pytest.raises(InvalidRules, match="injection_probability"):
        EnvironmentSimulationFactory.create_plugin(config)


@pytest.mark.req("002/InjectionConfig.injection_probability")
async def test_0_never_fires_1_always_does_and_is_the_default() -> None:
    assert InjectionConfig(injected_response={"a": 1}).injection_probability == 1.0
    turns: list[ModelCalls] = [[("search", {})]] * 5

    assert await _answers(_config(_responds({"a": 1}, injection_probability=0.0)), *turns) == [_REAL] * 5
    assert await _answers(_config(_responds({"a": 1}, injection_probability=1.0)), *turns) == [{"a": 1}] * 5


@pytest.mark.req("002/InjectionConfig.match_args")
async def test_all_pairs_must_be_there_with_their_types() -> None:
    config = _config(_responds({"hit": 1}, match_args={"limit": 1, "query": "x"}))
    turns = [
        [("search", {"limit": 1, "query": "x", "flag": True})],
        [("search", {"limit": 1})],
        [("search", {"limit": True, "query": "x"})],
        [("search", {"limit": 1.0, "query": "x"})],
    ]

    # JSON has one type of number: whether a model's 1 arrives as 1.0 depends on the library that parsed it.
    assert await _answers(config, *turns) == [{"hit": 1}, _REAL, _REAL, {"hit": 1}]


@pytest.mark.req("002/InjectionConfig.match_args")
async def test_nested_values_are_compared_with_their_types_and_a_dot_is_no_path() -> None:
    def deep(where: dict[str, Any]) -> str:
        """Look."""
        return "real"

    config = _config(
        _responds({"hit": 1}, match_args={"where": {"a": [1, {"b": True}]}}),
        _responds({"path": 1}, match_args={"where.a": 1}),
        tool="deep",
    )
    plugin = EnvironmentSimulationFactory.create_plugin(config)
    turns = [[("deep", {"where": value})] for value in ({"a": [1, {"b": True}]}, {"a": [1, {"b": 1}]}, {"a": 1})]

    assert await run_scripted_agent(build_scripted_agent([deep], *turns), plugin) == [{"hit": 1}, _REAL, _REAL]


@pytest.mark.req("002/InjectionConfig.match_args")
async def test_an_argument_without_a_name_is_not_the_whole_object() -> None:
    config = _config(_responds({"hit": 1}, match_args={"": {"limit": 1}}))

    assert await _answers(config, [("search", {"limit": 1})]) == [_REAL]


@pytest.mark.req("002/InjectionConfig.injected_latency_seconds")
@pytest.mark.parametrize("latency", [-1.0, 120.5, float("nan")])
def test_a_latency_below_0_or_above_120_seconds_is_refused(latency: float) -> None:
    config = _config(_responds({"a": 1}))
    config.tool_simulation_configs[0].injection_configs[0].injected_latency_seconds = latency

    with pytest.raises(InvalidRules, match="injected_latency_seconds"):
        EnvironmentSimulationFactory.create_plugin(config)


@pytest.mark.req("002/InjectionConfig.injected_latency_seconds", "002/example-latency")
async def test_the_latency_example_answers_after_five_seconds() -> None:
    config = _config(InjectionConfig(injected_latency_seconds=5.0, injected_response={"result": "slow but successful"}))
    assert InjectionConfig(injected_response={"a": 1}).injected_latency_seconds == 0.0
    waiting = VirtualSleeper()

    plugin = EnvironmentSimulationFactory.create_plugin(config, sleeper=waiting)

    assert await run_scripted_agent(build_scripted_agent([search], [("search", {})]), plugin) == [
        {"result": "slow but successful"}
    ]
    assert waiting.elapsed == 5.0


@pytest.mark.req("002/InjectionConfig.injected_latency_seconds", "002/InjectionConfig.injected_error")
async def test_an_error_too_is_answered_after_its_latency_of_up_to_120_seconds() -> None:
    config = _config(_fails(504, "Too slow.", injected_latency_seconds=120.0))
    waiting = VirtualSleeper()

    plugin = EnvironmentSimulationFactory.create_plugin(config, sleeper=waiting)

    assert await run_scripted_agent(build_scripted_agent([search], [("search", {})]), plugin) == [
        {"error_code": 504, "error_message": "Too slow."}
    ]
    assert waiting.elapsed == 120.0


@pytest.mark.req("002/InjectionConfig.injected_latency_seconds", "002/example-latency")
async def test_a_latency_is_waited_for_in_real_time_unless_a_sleeper_is_given() -> None:
    config = _config(_responds({"result": "slow but successful"}, injected_latency_seconds=0.05))
    loop = asyncio.get_running_loop()
    begun = loop.time()

    assert await _answers(config, [("search", {})]) == [{"result": "slow but successful"}]
    # Once by the plugin and once by the callback; the loop may run a timer early by the resolution of its clock.
    assert loop.time() - begun >= 0.09


@pytest.mark.req(
    "002/InjectionConfig.injection_probability",
    "002/InjectionConfig.random_seed",
    "002/reproducible",
    "002/example-probabilistic",
)
async def test_the_30_percent_example_fires_in_the_same_calls_of_every_run() -> None:
    config = _config(
        InjectionConfig(
            injection_probability=0.3,
            random_seed=42,
            injected_error=InjectedError(injected_http_error_code=500, error_message="Internal server error."),
        )
    )
    turns = [[("search", {"query": str(number)}) for number in range(turn, turn + 20)] for turn in range(0, 200, 20)]

    first = await run_scripted_agent(
        build_scripted_agent([search], *turns), EnvironmentSimulationFactory.create_plugin(config)
    )
    plugin = EnvironmentSimulationFactory.create_plugin(config)
    second = await run_scripted_agent(build_scripted_agent([search], *turns), plugin)
    third = await run_scripted_agent(build_scripted_agent([search], *turns), plugin)

    assert first == second == third
    error = {"error_code": 500, "error_message": "Internal server error."}
    fired = [number for number, answer in enumerate(first) if answer == error]
    assert 45 <= len(fired) <= 75
    assert fired[:6] == [0, 5, 11, 14, 15, 19], "in another process the same calls too"


@pytest.mark.req("002/InjectionConfig.random_seed")
async def test_another_seed_fires_in_other_calls_and_none_is_the_default() -> None:
    assert InjectionConfig(injected_response={"a": 1}).random_seed is None
    turns: list[ModelCalls] = [[("search", {})] * 20] * 3

    one, two = [
        await run_scripted_agent(
            build_scripted_agent([search], *turns),
            EnvironmentSimulationFactory.create_plugin(
                _config(_responds({"a": 1}, injection_probability=0.5, random_seed=seed))
            ),
        )
        for seed in (1, 2)
    ]

    assert one != two


@pytest.mark.req("002/create_callback", "002/example-callback")
async def test_the_callback_example_answers_503() -> None:
    def get_user_profile(user_id: str) -> str:
        """Get a profile."""
        raise AssertionError("the real tool must not run")

    config = EnvironmentSimulationConfig(
        tool_simulation_configs=[
            ToolSimulationConfig(
                tool_name="get_user_profile",
                injection_configs=[
                    InjectionConfig(
                        injected_error=InjectedError(
                            injected_http_error_code=503, error_message="Service temporarily unavailable."
                        )
                    )
                ],
            )
        ]
    )
    my_agent = build_scripted_agent(
        [get_user_profile],
        [("get_user_profile", {"user_id": "u"})],
        name="my_agent",
        before_tool_callback=EnvironmentSimulationFactory.create_callback(config),
    )

    assert await run_scripted_agent(my_agent) == [
        {"error_code": 503, "error_message": "Service temporarily unavailable."}
    ]


@pytest.mark.req("002/example-match-args")
async def test_the_argument_example_answers_404_for_that_item_only() -> None:
    config = _config(_fails(404, "Item not found.", match_args={"item_id": "ITEM-404"}))

    assert await _answers(config, [("search", {"item_id": "ITEM-404"})], [("search", {"item_id": "ITEM-1"})]) == [
        {"error_code": 404, "error_message": "Item not found."},
        _REAL,
    ]


@pytest.mark.req("002/example-combining")
async def test_the_inventory_example_always_answers_one_item_and_fails_a_fifth_of_the_others() -> None:
    def get_inventory(sku: str) -> str:
        """Look it up."""
        return "real"

    config = EnvironmentSimulationConfig(
        tool_simulation_configs=[
            ToolSimulationConfig(
                tool_name="get_inventory",
                injection_configs=[
                    InjectionConfig(
                        match_args={"sku": "OOS-001"}, injected_response={"quantity": 0, "available": False}
                    ),
                    InjectionConfig(
                        injection_probability=0.2,
                        random_seed=7,
                        injected_error=InjectedError(
                            injected_http_error_code=503, error_message="Inventory service unavailable."
                        ),
                    ),
                ],
            )
        ]
    )
    skus = ["OOS-001", *(f"SKU-{number}" for number in range(200)), "OOS-001"]
    turns = [[("get_inventory", {"sku": sku}) for sku in skus[start : start + 20]] for start in range(0, 202, 20)]
    shop = build_scripted_agent([get_inventory], *turns)

    answers = await run_scripted_agent(shop, EnvironmentSimulationFactory.create_plugin(config))

    assert answers[0] == answers[-1] == {"quantity": 0, "available": False}
    failed = sum(answer.get("error_code") == 503 for answer in answers)
    assert 25 <= failed <= 55
    assert answers.count(_REAL) == 200 - failed


@pytest.mark.req(
    "002/order-1",
    "002/injection-pass-through",
    "002/mock-after-injections",
    "002/ToolSimulationConfig.injection_configs",
    "002/ToolSimulationConfig.mock_strategy_type",
)
async def test_a_call_that_no_injection_matches_is_answered_by_the_mock_and_never_by_the_tool() -> None:
    config = _config(
        _responds({"hit": 1}, match_args={"query": "x"}), mock_strategy_type=MockStrategy.MOCK_STRATEGY_TOOL_SPEC
    )

    injected, mocked = await _answers(config, [("search", {"query": "x"})], [("search", {"query": "y"})])

    assert injected == {"hit": 1}
    assert "query y" in mocked["result"]


@pytest.mark.req("002/example-mixing")
async def test_the_notification_example_fails_for_the_invalid_recipient_and_mocks_success_for_all_others() -> None:
    def send_notification(recipient_id: str, text: str = "") -> dict[str, Any]:
        """Send a notification."""
        raise AssertionError("the real tool must not run")

    config = _config(
        _fails(400, "Invalid recipient.", match_args={"recipient_id": "INVALID"}),
        tool="send_notification",
        mock_strategy_type=MockStrategy.MOCK_STRATEGY_TOOL_SPEC,
    )
    calls = [[("send_notification", {"recipient_id": each})] for each in ("INVALID", "U-1")]
    agent = build_scripted_agent([send_notification], *calls)

    invalid, sent = await run_scripted_agent(agent, EnvironmentSimulationFactory.create_plugin(config))

    assert invalid == {"error_code": 400, "error_message": "Invalid recipient."}
    assert sent["recipient_id"] == "U-1"
    assert sent["notification_id"].startswith("NOT-")


@pytest.mark.req("002/example-plugin")
async def test_the_plugin_example_mocks_the_search_across_the_app() -> None:
    def search_products(query: str) -> dict[str, Any]:
        """Find products."""
        raise AssertionError("the real tool must not run")

    config = _config(tool="search_products", mock_strategy_type=MockStrategy.MOCK_STRATEGY_TOOL_SPEC)
    helper = build_scripted_agent([search_products], [("search_products", {"query": "cable"})], name="helper")
    agent = build_scripted_agent(
        [search_products, AgentTool(helper)],
        [("search_products", {"query": "lamp"})],
        [("helper", {"request": "cables"})],
    )
    plugin = EnvironmentSimulationFactory.create_plugin(config)

    found, _ = await run_scripted_agent(agent, plugin)

    assert all("lamp" in product["name"] for product in found["products"])
    assert found["total"] == len(found["products"]) > 0
    assert [(each.tool, dict(each.simulated)) for each in plugin.report().tools if each.simulated] == [
        ("search_products", {"search_products, mock": 2})
    ]


def create_order(item: str, quantity: int = 1) -> dict[str, Any]:
    """Create an order."""
    raise AssertionError("the real tool must not run")


def get_order(order_id: str) -> dict[str, Any]:
    """Look up an order."""
    raise AssertionError("the real tool must not run")


def cancel_order(order_id: str) -> dict[str, Any]:
    """Cancel an order."""
    raise AssertionError("the real tool must not run")


@pytest.mark.req("002/example-mock-strategy", "002/mock-generated-id", "002/mock-not-found", "002/mock-state-store")
async def test_the_order_example_creates_gets_and_cancels_an_order_consistently() -> None:
    config = EnvironmentSimulationConfig(
        tool_simulation_configs=[
            ToolSimulationConfig(tool_name=name, mock_strategy_type=MockStrategy.MOCK_STRATEGY_TOOL_SPEC)
            for name in ("create_order", "get_order", "cancel_order")
        ]
    )
    tools = [create_order, get_order, cancel_order]
    create: ModelCalls = [("create_order", {"item": "lamp"})]
    (made,) = await run_scripted_agent(
        build_scripted_agent(tools, create), EnvironmentSimulationFactory.create_plugin(config)
    )
    order = {"order_id": made["order_id"]}
    turns: list[ModelCalls] = [
        *(create, [("get_order", order)], [("cancel_order", order)], [("get_order", order)]),
        [("get_order", {"order_id": "never made"})],
    ]

    responses = await run_scripted_agent(
        build_scripted_agent(tools, *turns), EnvironmentSimulationFactory.create_plugin(config)
    )

    assert responses[:2] == [made, made]
    assert made | {"item": "lamp", "quantity": 1} == made
    assert responses[2] == responses[3] == {**made, "status": "cancelled"}
    assert responses[4] == {"error_code": 404, "error_message": "There is no order 'never made'."}
    callback = EnvironmentSimulationFactory.create_callback(config)
    assert await run_scripted_agent(build_scripted_agent(tools, *turns, before_tool_callback=callback)) == responses


@pytest.mark.req(
    "002/EnvironmentSimulationConfig.environment_data", "002/mock-environment-data", "002/example-environment-data"
)
async def test_the_snapshot_example_answers_with_its_names_prices_and_stock() -> None:
    def search_products(query: str = "", max_price: float | None = None) -> dict[str, Any]:
        """Find products."""
        raise AssertionError("the real tool must not run")

    products = [
        {"id": "P-001", "name": "Wireless Headphones", "price": 79.99, "stock": 12},
        {"id": "P-002", "name": "USB-C Hub {{vars.x}}", "price": 34.99, "stock": 0},
    ]
    config = _config(tool="search_products", mock_strategy_type=MockStrategy.MOCK_STRATEGY_TOOL_SPEC)
    config.environment_data = json.dumps({"products": products, "warehouse_location": "US-WEST-2"})
    turns: list[ModelCalls] = [[("search_products", {})], [("search_products", {"query": "hub", "max_price": 50})]]

    responses = await run_scripted_agent(
        build_scripted_agent([search_products], *turns), EnvironmentSimulationFactory.create_plugin(config)
    )

    assert responses == [{"products": products, "total": 2}, {"products": products[1:], "total": 1}]


_TRACE = [
    {
        "invocation_id": "inv-001",
        "user_content": {"role": "user", "parts": [{"text": "Search for high-end headphones"}]},
        "intermediate_data": {
            "tool_uses": [
                {
                    "name": "search_products",
                    "args": {"query": "high-end headphones"},
                    "response": {"products": [{"id": "P-123", "name": "Premium Wireless ANC Headphones"}]},
                }
            ]
        },
    }
]


@pytest.mark.req("002/EnvironmentSimulationConfig.tracing", "002/mock-tracing", "002/example-tracing")
@pytest.mark.req("002/MockStrategy.MOCK_STRATEGY_TRACING")
@pytest.mark.parametrize("strategy", [MockStrategy.MOCK_STRATEGY_TOOL_SPEC, MockStrategy.MOCK_STRATEGY_TRACING])
@pytest.mark.filterwarnings("ignore:.*MOCK_STRATEGY_TRACING is deprecated")
async def test_the_traces_example_answers_as_the_trace_and_other_searches_in_its_manner(strategy: MockStrategy) -> None:
    def search_products(query: str) -> dict[str, Any]:
        """Find products."""
        raise AssertionError("the real tool must not run")

    def get_product(product_id: str) -> dict[str, Any]:
        """Look up a product."""
        raise AssertionError("the real tool must not run")

    names = ("search_products", "get_product")
    config = EnvironmentSimulationConfig(
        tool_simulation_configs=[ToolSimulationConfig(tool_name=name, mock_strategy_type=strategy) for name in names],
        tracing=json.dumps(_TRACE),
    )
    turns: list[ModelCalls] = [
        [("search_products", {"query": query})] for query in ("high-end headphones", "wireless", "lamp")
    ]
    turns += [[("get_product", {"product_id": "P-123"})]]

    responses = await run_scripted_agent(
        build_scripted_agent([search_products, get_product], *turns), EnvironmentSimulationFactory.create_plugin(config)
    )

    product = {"id": "P-123", "name": "Premium Wireless ANC Headphones"}
    assert responses == [
        {"products": [product]},
        {"products": [product], "total": 1},
        {"products": [], "total": 0},
        product,
    ]


@pytest.mark.req("002/MockStrategy.MOCK_STRATEGY_TRACING")
def test_the_deprecated_strategy_warns() -> None:
    config = _config(mock_strategy_type=MockStrategy.MOCK_STRATEGY_TRACING)

    with pytest.warns(DeprecationWarning, match="MOCK_STRATEGY_TOOL_SPEC"):
        EnvironmentSimulationFactory.create_plugin(config)


@pytest.mark.req("002/EnvironmentSimulationConfig.environment_data", "002/EnvironmentSimulationConfig.tracing")
@pytest.mark.req("002/mock-environment-data", "002/mock-tracing")
def test_data_and_traces_that_mocks_cannot_read_are_reported(caplog: pytest.LogCaptureFixture) -> None:
    config = _config(_responds({"a": 1}))
    for text in ("The shop sells lamps.", "[1, 2]"):
        caplog.clear()
        config.environment_data = config.tracing = text
        EnvironmentSimulationFactory.create_plugin(config)
        assert "environment_data is not used" in caplog.text
        assert "tracing is not used" in caplog.text


def test_a_whole_app_takes_the_plugin_as_the_spec_shows_it() -> None:
    config = _config(_responds({"a": 1}))
    my_agent = LlmAgent(name="my_agent", model="gemini-flash-latest", tools=[search])

    app = App(name="my_app", root_agent=my_agent, plugins=[EnvironmentSimulationFactory.create_plugin(config)])

    assert [plugin.name for plugin in app.plugins] == ["EnvironmentSimulation"]


def test_every_field_of_adks_objects_is_known_here() -> None:
    """Fails when ADK adds a field, which would be ignored silently otherwise."""
    assert set(InjectionConfig.model_fields) == {
        "injection_probability",
        "match_args",
        "injected_latency_seconds",
        "random_seed",
        "injected_error",
        "injected_response",
    }
    assert set(ToolSimulationConfig.model_fields) == {"tool_name", "injection_configs", "mock_strategy_type"}
    assert set(adk.EnvironmentSimulationConfig.model_fields) == {
        "tool_simulation_configs",
        "simulation_model",
        "simulation_model_configuration",
        "tracing",
        "environment_data",
    }
