"""Tools that a model simulates: what it is asked, how its answers are checked, and what the timeline says."""

from __future__ import annotations

import asyncio
import inspect
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from answering_model import (
    ORDER_CONNECTIONS,
    AnsweringModel,
    answer_orders,
    parse_question,
    read_instruction,
    read_question,
)
from google.adk.agents import LlmAgent
from google.adk.apps import App
from google.adk.models.registry import LLMRegistry
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.adk.tools import AgentTool, BaseTool
from google.adk.tools.environment_simulation.environment_simulation_config import (
    EnvironmentSimulationConfig,
    InjectedError,
    InjectionConfig,
    MockStrategy,
    ToolSimulationConfig,
)
from google.genai import types
from scripted_agent import ModelCalls, build_scripted_agent, collect_events, get_function_responses, run_scripted_agent
from scripted_model import ScriptedModel, text_response

from adk_agent_sim import EnvironmentSimulationFactory
from adk_agent_sim.adk.environment.environment_config import read_llm_setup
from adk_agent_sim.adk.environment.environment_plugin import EnvironmentSimulationPlugin
from adk_agent_sim.adk.environment.llm_mock_models import SimulationModel
from adk_agent_sim.adk.seats.model_seat import copy_with_seat
from adk_agent_sim.environment.actions import Mock
from adk_agent_sim.environment.environment import Environment
from adk_agent_sim.environment.rulebook import Rulebook
from adk_agent_sim.environment.rules_file import check_rules_text, parse_rules
from adk_agent_sim.errors import InvalidFault, InvalidRules

_RULES = "{rules: [{name: shop, match: {tool: '*'}, do: {mock: llm}}]}"


def create_order(item: str) -> dict[str, Any]:
    """Order an item."""
    raise AssertionError("the real tool must not run")


def get_order(order_id: str) -> dict[str, Any]:
    """Look up an order."""
    raise AssertionError("the real tool must not run")


def cancel_order(order_id: str) -> dict[str, Any]:
    """Cancel an order."""
    raise AssertionError("the real tool must not run")


def list_orders() -> dict[str, Any]:
    """List all orders."""
    raise AssertionError("the real tool must not run")


_TOOLS = [create_order, get_order, cancel_order, list_orders]


def _create_plugin(model: Any, rules: str = _RULES) -> EnvironmentSimulationPlugin:
    return EnvironmentSimulationFactory.create_plugin(parse_rules(rules), simulation_model=model)


async def _run(model: Any, *turns: ModelCalls, rules: str = _RULES, tools: Any = _TOOLS) -> list[dict[str, Any]]:
    return await run_scripted_agent(build_scripted_agent(tools, *turns), _create_plugin(model, rules))


class _RegisteredModel(AnsweringModel):
    """A model that ADK finds by its name."""

    @classmethod
    def supported_models(cls) -> list[str]:
        return ["simulated-.*"]


@pytest.fixture
def registered(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[_RegisteredModel]]:
    """The models that are created by a name that begins with `simulated-`."""
    created: list[_RegisteredModel] = []

    class Registered(_RegisteredModel):
        def model_post_init(self, context: Any, /) -> None:
            super().model_post_init(context)
            self._answer = answer_orders
            created.append(self)

    from google.adk.models import registry

    monkeypatch.setattr(registry, "_llm_registry_dict", dict(vars(registry)["_llm_registry_dict"]))
    LLMRegistry.register(Registered)
    yield created
    LLMRegistry.resolve.cache_clear()


def _mock_tools(*names: str, **settings: Any) -> EnvironmentSimulationConfig:
    return EnvironmentSimulationConfig(
        tool_simulation_configs=[
            ToolSimulationConfig(tool_name=name, mock_strategy_type=MockStrategy.MOCK_STRATEGY_TOOL_SPEC)
            for name in names
        ],
        **settings,
    )


@pytest.mark.req(
    "002/order-2",
    "002/EnvironmentSimulationConfig.simulation_model",
    "002/MockStrategy.MOCK_STRATEGY_TOOL_SPEC",
    "002/mock-schema-analysis",
    "002/mock-state-store",
    "002/mock-not-found",
    "002/mock-generated-id",
)
async def test_the_model_of_adks_config_simulates_the_order_example(registered: list[_RegisteredModel]) -> None:
    config = _mock_tools("create_order", "get_order", "cancel_order", "list_orders", simulation_model="simulated-x")
    agent = build_scripted_agent(
        _TOOLS,
        [("create_order", {"item": "lamp"})],
        [("get_order", {"order_id": "ORD-1"}), ("get_order", {"order_id": "ORD-9"})],
        [("cancel_order", {"order_id": "ORD-1"})],
        [("get_order", {"order_id": "ORD-1"}), ("list_orders", {})],
    )

    responses = await run_scripted_agent(agent, EnvironmentSimulationFactory.create_plugin(config))

    placed = {"order_id": "ORD-1", "item": "lamp", "status": "open"}
    cancelled = {**placed, "status": "cancelled"}
    missing = {"error_code": 404, "error_message": "The order 'ORD-9' does not exist."}
    assert responses == [placed, placed, missing, cancelled, cancelled, {"orders": [cancelled]}]
    (model,) = registered
    assert model.model == "simulated-x"
    assert len(model.analyses) == 1
    analysis = read_question(model.analyses[0])
    for tool in _TOOLS:
        assert f'"{tool.__name__}"' in analysis
        assert all(f'"{name}"' in analysis for name in inspect.signature(tool).parameters)
    assert all('"arguments_schema"' in read_question(each) for each in model.requests[1:])
    assert len(model.requests) == 6, "the model is not asked about an order that does not exist"


@pytest.mark.req("002/EnvironmentSimulationConfig.simulation_model_configuration")
async def test_the_settings_of_adks_config_reach_the_model_and_thinking_is_on_by_default(
    registered: list[_RegisteredModel],
) -> None:
    chosen = types.GenerateContentConfig(temperature=0.1, system_instruction="Be brief.")
    configs = [
        _mock_tools("create_order", simulation_model="simulated-x"),
        _mock_tools("create_order", simulation_model="simulated-y", simulation_model_configuration=chosen),
    ]

    for config in configs:
        agent = build_scripted_agent(_TOOLS, [("create_order", {"item": "lamp"})])
        await run_scripted_agent(agent, EnvironmentSimulationFactory.create_plugin(config))

    thinking, plain = [[request.config for request in model.requests] for model in registered]
    assert all(each.thinking_config and each.thinking_config.thinking_budget for each in thinking)
    assert [(each.temperature, each.thinking_config) for each in plain] == [(0.1, None)] * 2
    assert all(read_instruction(each).endswith("\nBe brief.") for each in plain)
    assert {each.response_mime_type for each in (*thinking, *plain)} == {"application/json"}
    assert read_instruction(chosen) == "Be brief.", "the user's object is not changed"


@pytest.mark.req(
    "002/EnvironmentSimulationConfig.simulation_model", "002/order-2", "002/MockStrategy.MOCK_STRATEGY_TOOL_SPEC"
)
async def test_without_a_chosen_model_adks_config_needs_no_key_and_no_network() -> None:
    agent = build_scripted_agent(_TOOLS, [("create_order", {"item": "lamp"})])

    (response,) = await run_scripted_agent(
        agent, EnvironmentSimulationFactory.create_plugin(_mock_tools("create_order"))
    )

    assert response["item"] == "lamp"


@pytest.mark.req("002/EnvironmentSimulationConfig.simulation_model")
def test_settings_or_recorded_answers_alone_choose_the_default_model_of_adk() -> None:
    settings = types.GenerateContentConfig(temperature=0.1)
    default = EnvironmentSimulationConfig.model_fields["simulation_model"].default

    assert read_llm_setup(_mock_tools("create_order")).model is None
    assert read_llm_setup(_mock_tools("create_order"), answers=Path("answers.json")).model == default
    chosen = read_llm_setup(_mock_tools("create_order", simulation_model_configuration=settings))
    assert (chosen.model, chosen.config) == (default, settings)


async def test_a_model_object_beside_adks_config_is_chosen_and_works_in_a_callback() -> None:
    model = AnsweringModel.create(answer_orders)
    callback = EnvironmentSimulationFactory.create_callback(_mock_tools("create_order"), simulation_model=model)
    agent = build_scripted_agent(_TOOLS, [("create_order", {"item": "lamp"})], before_tool_callback=callback)

    assert await run_scripted_agent(agent) == [{"order_id": "ORD-1", "item": "lamp", "status": "open"}]


async def test_nothing_is_asked_before_an_injection_that_answers() -> None:
    model = AnsweringModel.create(answer_orders)
    error = InjectionConfig(injected_error=InjectedError(injected_http_error_code=503, error_message="Try later."))
    tool = ToolSimulationConfig(
        tool_name="create_order",
        injection_configs=[error],
        mock_strategy_type=MockStrategy.MOCK_STRATEGY_TOOL_SPEC,
    )
    agent = build_scripted_agent(_TOOLS, [("create_order", {"item": "lamp"})])
    config = EnvironmentSimulationConfig(tool_simulation_configs=[tool])

    (response,) = await run_scripted_agent(
        agent, EnvironmentSimulationFactory.create_plugin(config, simulation_model=model)
    )

    assert response["error_code"] == 503
    assert model.requests == []


async def test_calls_at_the_same_time_share_one_analysis_and_sessions_do_too_but_not_what_exists() -> None:
    model = AnsweringModel.create(answer_orders)
    plugin = _create_plugin(model)

    async def run(*turns: ModelCalls) -> list[dict[str, Any]]:
        return await run_scripted_agent(build_scripted_agent(_TOOLS, *turns), plugin)

    first = await run([("create_order", {"item": str(number)}) for number in range(5)])
    (other,) = await run([("get_order", {"order_id": "ORD-1"})])

    assert [each["order_id"] for each in first] == [f"ORD-{number}" for number in range(1, 6)]
    assert len(model.analyses) == 1
    assert other["error_code"] == 404
    endings = [parse_question(read_question(each))["new_id_ending"] for each in model.requests[1:]]
    assert len(set(endings)) == 5, "calls that do not see each other can still make different ids"


@pytest.mark.req("002/EnvironmentSimulationConfig.environment_data", "002/EnvironmentSimulationConfig.tracing")
@pytest.mark.req("002/mock-environment-data", "002/mock-schema-analysis", "002/mock-tracing")
async def test_any_text_about_the_world_reaches_the_model_and_what_it_names_exists() -> None:
    model = AnsweringModel.create(answer_orders)
    trace = [{"name": "get_order", "args": {"order_id": "ORD-70"}, "response": {"status": "lost"}}]
    config = _mock_tools(
        "create_order", "get_order", environment_data="Ada has the order ORD-60.", tracing=json.dumps(trace)
    )
    agent = build_scripted_agent(
        _TOOLS, [("get_order", {"order_id": each}) for each in ("ORD-60", "ORD-70", "ORD-6", "ORD-7")]
    )

    responses = await run_scripted_agent(
        agent, EnvironmentSimulationFactory.create_plugin(config, simulation_model=model)
    )

    assert [each.get("error_code") for each in responses] == [None, None, 404, 404]
    (analysis,) = map(read_question, model.analyses)
    assert all(f'"{tool.__name__}"' in analysis for tool in _TOOLS), "also the tools that are not simulated"
    instruction = read_instruction(model.requests[-1].config)
    assert "<world>\nAda has the order ORD-60.\n</world>" in instruction
    assert f"<traces>\n{json.dumps(trace)}\n</traces>" in instruction


async def test_the_environment_data_of_rules_reaches_the_model() -> None:
    model = AnsweringModel.create(answer_orders)
    rules = "{environment_data: {orders: [{order_id: ORD-60}]}, rules: [{match: {tool: '*'}, do: {mock: llm}}]}"

    (response,) = await _run(model, [("get_order", {"order_id": "ORD-60"})], rules=rules)

    assert response == {"order_id": "ORD-60", "status": "shipped"}
    assert '"order_id": "ORD-60"' in read_instruction(model.requests[-1].config)


_ANSWER = json.dumps({"result": {"order_id": "ORD-1"}})


@pytest.mark.parametrize(
    "answer",
    [
        f"```json\n{_ANSWER}\n```",
        f"Sure! Here is {{the}} response:\n```\n{_ANSWER}\n```\nAnything else?",
        '{"result": {"order_id": "ORD-1",},}',
        '\ufeff{"order_id": "ORD-1"}',
    ],
)
async def test_what_models_put_around_their_json_is_removed(answer: str) -> None:
    model = AnsweringModel.create(lambda question: answer if "Respond" in question else answer_orders(question))

    assert await _run(model, [("create_order", {"item": "lamp"})]) == [{"order_id": "ORD-1"}]
    assert len(model.requests) == 2


_BAD_ANSWERS = {
    "": "the answer is empty",
    "I cannot do that.": "the answer has no JSON object",
    "[1, 2]": "the answer must be a JSON object",
    "{'order_id': 'ORD-1'}": "the answer is not JSON that can be read",
    '{"result": {"order_id": NaN}}': "NaN is not a JSON number",
    '{"result": {"a": 1, "a": 2}}': "an object has the key 'a' twice",
    '{"result": ' + "[" * 200 + "]" * 200 + "}": "it has more than 100 levels",
    '{"result": "' + "x" * 200_000 + '"}': "the answer is longer than 200,000 characters",
    '{"result": "ORD-1"}': "`result` must be an object",
    '{"result": {"item": "lamp"}}': "the result has no 'order_id' with the id of the new order",
    '{"error": {"code": "x", "message": ""}}': "`error` must have a `code`, which is a number",
}


@pytest.mark.parametrize("answer", _BAD_ANSWERS, ids=range(len(_BAD_ANSWERS)))
async def test_the_model_gets_one_more_chance_and_then_the_agent_an_error(answer: str) -> None:
    def answer_badly(question: str) -> str:
        return answer_orders(question) if question.startswith("The declarations") else answer

    model = AnsweringModel.create(answer_badly)

    (response,) = await _run(model, [("create_order", {"item": "lamp"})])

    assert response["error_code"] == 502
    assert (
        "The simulated create_order has no response: simulated-one was asked twice for it" in response["error_message"]
    )
    assert _BAD_ANSWERS[answer] in response["error_message"]
    _, first, second = model.requests
    assert [content.role for content in second.contents] == ["user", "model", "user"]
    assert read_question(first) == (second.contents[0].parts or [])[0].text
    assert read_question(second).startswith("This answer cannot be used: ")
    assert _BAD_ANSWERS[answer] in read_question(second)


@pytest.mark.req("002/mock-consistent")
async def test_a_result_fits_the_schema_of_the_tool_or_is_asked_for_again() -> None:
    def count_orders() -> int:
        """Count the orders."""
        raise AssertionError("the real tool must not run")

    answers = iter([json.dumps({"resources": []}), '{"result": "many"}', '{"result": 3}'])
    model = AnsweringModel.create(lambda _: next(answers))

    assert await _run(model, [("count_orders", {})], tools=[count_orders]) == [{"result": 3}]
    assert "result: is 'many', must be an integer" in read_question(model.requests[-1])


async def test_ids_stay_unique_and_answers_are_about_what_was_asked() -> None:
    answers = iter(
        [
            json.dumps(ORDER_CONNECTIONS),
            *('{"order_id": "A"}', '{"order_id": "A"}', '{"order_id": "B"}'),
            *('{"order_id": "B"}', '{"order_id": "A", "status": "open"}'),
            *('{"orders": [{"order_id": "A"}, {"order_id": "C"}]}', '{"orders": [{"order_id": "A"}]}'),
        ]
    )
    model = AnsweringModel.create(lambda _: next(answers))
    lamp: ModelCalls = [("create_order", {"item": "lamp"})]

    responses = await _run(model, lamp, lamp, [("get_order", {"order_id": "A"})], [("list_orders", {})])

    assert responses[:3] == [{"order_id": "A"}, {"order_id": "B"}, {"order_id": "A", "status": "open"}]
    assert responses[3] == {"orders": [{"order_id": "A"}]}
    corrections = [read_question(each) for each in model.requests if len(each.contents) > 1]
    assert "the order 'A' exists already; give the new one another id" in corrections[0]
    assert "the result is about order_id 'B', and the call about 'A'" in corrections[1]
    assert "there is no order 'C'; list only what exists" in corrections[2]


@pytest.mark.parametrize("analysis", ["nothing", "[]", '{"resources": {}}', '{"resources": [{"name": 1}]}'])
async def test_without_an_analysis_the_agent_gets_an_error_and_the_next_call_tries_again(analysis: str) -> None:
    answers = iter([analysis, analysis, json.dumps({"resources": []}), '{"order_id": "ORD-1"}'])
    model = AnsweringModel.create(lambda _: next(answers))
    lamp: ModelCalls = [("create_order", {"item": "lamp"})]

    failed, made = await _run(model, lamp, lamp)

    assert failed["error_code"] == 502
    assert "was asked twice how the tools depend on each other" in failed["error_message"]
    assert made == {"order_id": "ORD-1"}


async def test_an_analysis_of_tools_that_do_not_exist_is_cut_down_to_those_that_do() -> None:
    uses = [
        {"tool": "drop_tables", "operation": "delete", "id": "order_id"},
        {"tool": "get_order", "operation": "get", "id": "password"},
        {"tool": "cancel_order", "operation": "UPDATE", "id": "orderId"},
    ]
    connections = json.dumps({"resources": [{"name": "orders", "uses": uses}]})
    model = AnsweringModel.create(
        lambda question: connections if question.startswith("The declarations") else '{"result": {}}'
    )

    await _run(model, [("cancel_order", {"order_id": "ORD-1"}), ("get_order", {"order_id": "ORD-1"})])

    asked = [parse_question(read_question(each))["uses"] for each in model.requests[1:]]
    assert sorted(asked, key=len) == [[], [{"resource": "order", "operation": "update", "id": "order_id"}]]


async def test_the_model_may_refuse_a_call() -> None:
    refusal = '{"error": {"code": 409, "message": "Out of stock."}}'
    model = AnsweringModel.create(lambda question: refusal if "Respond" in question else answer_orders(question))

    responses = await _run(model, [("create_order", {"item": "lamp"})])

    assert responses == [{"error_code": 409, "error_message": "Out of stock."}]


class _FailsWith(Exception):
    """What a model's client raises."""

    def __init__(self, code: int) -> None:
        super().__init__("no, password=hunter22")
        self.code = code


@pytest.mark.parametrize(
    ("error", "attempts"), [(_FailsWith(429), 2), (_FailsWith(503), 2), (_FailsWith(400), 1), (ValueError("no key"), 1)]
)
async def test_a_model_that_fails_is_asked_again_if_that_may_help(error: Exception, attempts: int) -> None:
    def fail(_: str) -> str:
        raise error

    model = AnsweringModel.create(fail)

    (response,) = await _run(model, [("create_order", {"item": "lamp"})])

    assert response["error_code"] == 502
    assert f"the model failed: {type(error).__name__}: no" in response["error_message"]
    assert "hunter22" not in response["error_message"]
    assert len(model.requests) == attempts


async def test_a_model_that_does_not_answer_in_time_gives_an_error() -> None:
    model = AnsweringModel.create(answer_orders, before=asyncio.Event().wait)  # type: ignore[arg-type]

    (response,) = await _run(
        model, [("create_order", {"item": "lamp"})], rules=_RULES.replace("llm", "llm, deadline: 0.05")
    )

    assert response == {
        "error_code": 504,
        "error_message": "The simulated create_order has no response: it took longer than 0.05 seconds.",
    }


async def test_a_seat_that_is_given_as_the_model_is_not_asked_but_the_model_behind_it() -> None:
    own = ScriptedModel(script=[text_response("hello")])
    agent = LlmAgent(name="shop", model=own)
    with copy_with_seat(agent) as seated:
        assert seated.model is not own
        assert SimulationModel(seated.model, types.GenerateContentConfig()).own_model is own


async def test_agents_that_are_used_as_tools_share_what_exists() -> None:
    model = AnsweringModel.create(answer_orders)
    clerk = build_scripted_agent(
        [create_order, get_order], [("create_order", {"item": "lamp"})], name="clerk", description="Takes orders."
    )
    agent = build_scripted_agent(
        [AgentTool(clerk), get_order, list_orders],
        [("list_orders", {})],
        [("clerk", {"request": "a lamp"})],
        [("get_order", {"order_id": "ORD-1"})],
    )
    rules = "{rules: [{match: {tool: '*_order*'}, do: {mock: llm}}]}"

    events = await collect_events(agent, _create_plugin(model, rules))

    found = [each.response for event in events for each in event.get_function_responses() if each.name == "get_order"]
    assert found == [{"order_id": "ORD-1", "item": "lamp", "status": "open"}]


async def test_a_session_that_continues_with_a_new_plugin_finds_what_was_created_and_what_was_deleted() -> None:
    def delete_order(order_id: str) -> dict[str, Any]:
        """Delete an order."""
        raise AssertionError("the real tool must not run")

    uses = [
        *ORDER_CONNECTIONS["resources"][0]["uses"],
        {"tool": "delete_order", "operation": "delete", "id": "order_id"},
    ]
    connections = json.dumps({"resources": [{"name": "order", "uses": uses}]})
    model = AnsweringModel.create(
        lambda question: connections if question.startswith("The declarations") else answer_orders(question)
    )
    sessions = InMemorySessionService()
    session = await sessions.create_session(app_name="shop", user_id="user")

    async def run(*turns: ModelCalls) -> list[dict[str, Any]]:
        agent = build_scripted_agent([*_TOOLS, delete_order], *turns)
        runner = Runner(
            app=App(name="shop", root_agent=agent, plugins=[_create_plugin(model)]), session_service=sessions
        )
        message = types.Content(role="user", parts=[types.Part(text="go")])
        run_events = runner.run_async(user_id="user", session_id=session.id, new_message=message)
        responses = get_function_responses([event async for event in run_events])
        await runner.close()
        return responses

    lamp, desk = await run([("create_order", {"item": "lamp"})], [("create_order", {"item": "desk"})])
    await run([("delete_order", {"order_id": lamp["order_id"]})])
    gone, found, listed = await run(
        [("get_order", {"order_id": lamp["order_id"]})],
        [("get_order", {"order_id": desk["order_id"]})],
        [("list_orders", {})],
    )

    assert gone == {"error_code": 404, "error_message": f"The order {lamp['order_id']!r} was deleted."}
    assert found == desk
    assert listed == {"orders": [desk]}


class McpTool(BaseTool):
    """Has the name of ADK's class, which needs a server."""

    def _get_declaration(self) -> types.FunctionDeclaration:
        properties = {"order_id": {"type": "string"}}
        return types.FunctionDeclaration(
            name=self.name, parameters_json_schema={"type": "object", "properties": properties}
        )


async def test_an_mcp_tool_responds_as_its_server_would() -> None:
    tools = [McpTool(name="get_order", description=""), create_order]
    model = AnsweringModel.create(answer_orders)

    made, missing, found = await _run(
        model,
        [("create_order", {"item": "lamp"})],
        [("get_order", {"order_id": "ORD-9"})],
        [("get_order", {"order_id": "ORD-1"})],
        tools=tools,
    )

    assert (missing["isError"], "does not exist" in missing["content"][0]["text"]) == (True, True)
    assert (found["isError"], json.loads(found["content"][0]["text"])) == (False, made)


@pytest.mark.parametrize(
    ("action", "message"),
    [
        ("{mock: schema, model: gemini-2.5-flash}", "model belongs to `mock: llm`"),
        ("{mock: stateful, deadline: 5}", "deadline belongs to `mock: llm`"),
        ("{mock: llm, deadline: 0}", "greater than 0"),
        ("{mock: llm, settings: {http_options: {base_url: 'http://x'}}}", "settings cannot have 'http_options'"),
        ("{mock: llm, declare: {operation: get}}", "declare belongs to `mock: stateful`"),
    ],
)
def test_wrong_parts_of_the_action_are_found_by_the_check(action: str, message: str) -> None:
    (finding,) = check_rules_text(f"rules: [{{match: {{tool: a}}, do: {action}}}]").findings

    assert message in str(finding)


@pytest.mark.parametrize(
    ("action", "message"),
    [
        ("{mock: llm, model: no-such-model}", "ADK knows no model 'no-such-model'"),
        ("{mock: llm, settings: {temperature: hot}}", "The settings of `mock: llm` are invalid: temperature"),
        (
            "{mock: llm, answers: /nowhere/answers.json}",
            "there is no such file; run again with ADK_SIM_CASSETTE=record",
        ),
    ],
)
def test_a_model_that_cannot_be_used_is_refused_before_anything_runs(action: str, message: str) -> None:
    rules = parse_rules(f"rules: [{{name: shop, match: {{tool: a}}, do: {action}}}]")
    creators: list[Callable[..., object]] = [
        EnvironmentSimulationFactory.create_plugin,
        EnvironmentSimulationFactory.create_callback,
    ]
    for create in creators:
        with pytest.raises(InvalidRules, match="shop: ") as refused:
            create(rules)
        assert message in str(refused.value)


def test_a_person_cannot_let_a_model_answer_the_next_call() -> None:
    environment = Environment(Rulebook(parse_rules(_RULES)))

    with pytest.raises(InvalidFault, match="`mock: llm` asks a model, and is written in rules"):
        environment.add_fault("create_order", Mock(mock="llm", answers="/etc/passwd"))
