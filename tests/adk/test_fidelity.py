"""A wizard changes only who decides: events, state and artifacts are the same as with a plain Runner."""

from __future__ import annotations

from typing import Any

import pytest
from fidelity_runs import FidelityTurn, MakeApp, run_with_scripted_model, run_with_wizard
from google.adk.agents import LlmAgent
from google.adk.agents.callback_context import CallbackContext
from google.adk.agents.invocation_context import InvocationContext
from google.adk.apps import App
from google.adk.models import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.plugins import BasePlugin
from google.adk.tools import BaseTool, ToolContext
from google.genai import types
from pydantic import BaseModel
from scripted_model import call_response, replace_model, text_response

from adk_agent_sim import ToolErrorPlugin
from adk_agent_sim.adk.demo.math_agent.agent import app as math_app
from adk_agent_sim.adk.demo.shop_agent.agent import app as shop_app


def _math(model: BaseLlm) -> App:
    return replace_model(math_app, model)


def _shop(model: BaseLlm) -> App:
    return replace_model(shop_app, model)


_ORDER = {
    "lines": [{"sku": "SKU-201", "quantity": 2, "gift_wrap": True}, {"sku": "SKU-101", "quantity": 1}],
    "address": {"name": "Ada", "street": "Main Street 1", "city": "Berlin", "postcode": "10115"},
}
_REFUND = {"order_id": "ORD-0001", "granted": True, "amount": 98.0, "reason": "broken"}

MATH_TURNS = [
    FidelityTurn("2+2?", [call_response(("add", {"a": 2, "b": 2})), text_response("4")]),
    FidelityTurn(
        "3*3 and 1/0?",
        [call_response(("multiply", {"a": 3, "b": 3}), ("divide", {"dividend": 1, "divisor": 0})), text_response("9")],
    ),
    FidelityTurn("count", [call_response(("count_slowly", {"to": 2, "seconds_each": 0})), text_response("1, 2")]),
]
SHOP_TURNS = [
    FidelityTurn(
        "order, please",
        [
            call_response(("search_products", {"query": "usb-c", "category": "cables"})),
            call_response(("place_order", {"order": _ORDER})),
            text_response("ordered"),
        ],
    ),
    FidelityTurn(
        "refund, please",
        [
            call_response(("transfer_to_agent", {"agent_name": "refund_agent"})),
            call_response(("get_order", {"order_id": "ORD-0001"})),
            call_response(("set_model_response", _REFUND)),
        ],
    ),
]


async def _both(make_app: MakeApp, turns: list[FidelityTurn], state: dict[str, Any] | None = None) -> None:
    expected = await run_with_scripted_model(make_app, turns, state)
    played = await run_with_wizard(make_app, turns, state)

    assert played.events == expected.events
    assert played.state == expected.state
    assert played.artifacts == expected.artifacts
    assert len(expected.events) >= sum(1 + len(turn.decisions) for turn in turns)


@pytest.mark.req("001/FR-013", "001/constitution-4")
async def test_the_math_agent_with_parallel_calls_errors_and_several_turns() -> None:
    await _both(_math, MATH_TURNS)


async def test_the_shop_agent_with_state_artifact_transfer_and_output_schema() -> None:
    await _both(_shop, SHOP_TURNS, {"customer": "Ada"})
    outcome = await run_with_wizard(_shop, SHOP_TURNS, {"customer": "Ada"})
    assert outcome.artifacts == {"ORD-0001.txt": b"Receipt ORD-0001\nAda, Berlin\nTotal: 98.00 EUR\n"}
    assert outcome.state["refund"] == _REFUND


async def test_a_tool_name_that_the_model_made_up() -> None:
    await _both(
        _math,
        [
            FidelityTurn(
                "?",
                [call_response(("subtract", {"a": 1})), call_response(("add", {"a": 1})), text_response("sorry")],
                force=True,
            )
        ],
    )


class _Answer(BaseModel):
    answer: str
    confidence: float


async def test_an_output_schema_without_tools_saved_under_an_output_key() -> None:
    def make(model: BaseLlm) -> App:
        agent = LlmAgent(name="strict", model=model, output_schema=_Answer, output_key="found")
        return App(name="strict", root_agent=agent)

    await _both(make, [FidelityTurn("?", [text_response('{"answer": "4", "confidence": 0.5}')])])


async def test_text_before_a_call_and_thoughts() -> None:
    response = call_response(("add", {"a": 1, "b": 1}))
    response["content"]["parts"] = [{"text": "hm", "thought": True}, {"text": "I add."}, *response["content"]["parts"]]

    await _both(_math, [FidelityTurn("?", [response, text_response("2")])])


async def test_bytes_in_an_answer() -> None:
    image = types.Content(role="model", parts=[types.Part.from_bytes(data=b"\x89PNG\xff", mime_type="image/png")])
    response = LlmResponse(content=image).model_dump(mode="json", exclude_none=True)

    await _both(_math, [FidelityTurn("draw", [response])])


def _remember(tool_context: ToolContext, note: str) -> None:
    """Remember a note."""
    notes = list(tool_context.state.get("notes", []))
    tool_context.state["notes"] = [*notes, note]
    tool_context.state["temp:last"] = note
    tool_context.state["user:notes"] = len(notes) + 1


def _leave(tool_context: ToolContext) -> dict[str, str]:
    """Leave."""
    tool_context.actions.escalate = True
    tool_context.actions.skip_summarization = True
    return {"left": "yes"}


async def test_state_of_every_scope_and_escalation() -> None:
    def make(model: BaseLlm) -> App:
        agent = LlmAgent(
            name="noter", model=model, instruction="Notes: {notes?}", tools=[_remember, _leave], output_key="said"
        )
        return App(name="noter", root_agent=agent)

    turns = [
        FidelityTurn(
            "note",
            [
                call_response(("_remember", {"note": "a"})),
                call_response(("_remember", {"note": "b"})),
                text_response("noted"),
            ],
        ),
        FidelityTurn("go", [call_response(("_leave", {}))]),
    ]
    await _both(make, turns, {"notes": ["before"]})


async def _inspect_contexts(tool_context: ToolContext) -> dict[str, Any]:
    """Report what a tool finds in its contexts, after using state and artifacts."""
    context = tool_context.get_invocation_context()
    tool_context.state["looked"] = context.session.state["customer"]
    version = await tool_context.save_artifact("seen.txt", types.Part.from_bytes(data=b"x", mime_type="text/plain"))
    saved = await tool_context.load_artifact("seen.txt")
    return {
        "contexts": [type(tool_context) is ToolContext, type(context) is InvocationContext],
        "agent": [tool_context.agent_name, context.agent and context.agent.name],
        "call": tool_context.function_call_id,
        "same_invocation": tool_context.invocation_id == context.invocation_id != "",
        "asked": [part.text for part in (tool_context.user_content or types.Content()).parts or ()],
        "session": [context.app_name, context.user_id, len(context.session.events)],
        "state": [tool_context.state["customer"], tool_context.state["looked"]],
        "artifact": [version, saved is not None and saved.inline_data is not None and saved.inline_data.mime_type],
        "services": [bool(context.session_service), bool(context.artifact_service)],
        "run_config": context.run_config is not None,
        "ended": context.end_invocation,
    }


@pytest.mark.req("001/FR-034", "001/FR-035")
async def test_a_tool_finds_the_contexts_that_a_plain_runner_gives_it() -> None:
    def make(model: BaseLlm) -> App:
        return App(name="looker", root_agent=LlmAgent(name="looker_agent", model=model, tools=[_inspect_contexts]))

    turns = [FidelityTurn("look around", [call_response(("_inspect_contexts", {})), text_response("done")])]
    await _both(make, turns, {"customer": "Ada"})
    played = await run_with_wizard(make, turns, {"customer": "Ada"})

    (seen,) = [part["function_response"]["response"] for part in played.events[2]["content"]["parts"]]
    assert seen == {
        "contexts": [True, True],
        "agent": ["looker_agent", "looker_agent"],
        "call": "call-0",
        "same_invocation": True,
        "asked": ["look around"],
        "session": ["looker", "user", 2],
        "state": ["Ada", "Ada"],
        "artifact": [0, "text/plain"],
        "services": [True, True],
        "run_config": True,
        "ended": False,
    }


class _Meddler(BasePlugin):
    """Answers one tool itself and adds to every result."""

    async def before_tool_callback(
        self, *, tool: BaseTool, tool_args: dict[str, Any], tool_context: ToolContext
    ) -> dict[str, Any] | None:
        return {"cached": 7} if tool_args.get("a") == 7 else None

    async def after_tool_callback(
        self, *, tool: BaseTool, tool_args: dict[str, Any], tool_context: ToolContext, result: dict[str, Any]
    ) -> dict[str, Any] | None:
        return {"seen": result}


def _before_model(callback_context: CallbackContext, llm_request: LlmRequest) -> LlmResponse | None:
    callback_context.state["asked"] = callback_context.state.get("asked", 0) + 1
    return None


def _after_model(callback_context: CallbackContext, llm_response: LlmResponse) -> LlmResponse | None:
    parts = (llm_response.content.parts if llm_response.content else None) or []
    if parts and parts[0].text:
        return LlmResponse(content=types.Content(role="model", parts=[types.Part(text=parts[0].text.upper())]))
    return None


def _on_error(
    tool: BaseTool, args: dict[str, Any], tool_context: ToolContext, error: Exception
) -> dict[str, Any] | None:
    return {"handled": str(error)}


def add(a: int, b: int) -> int:
    """Add."""
    if b < 0:
        raise ValueError("negative")
    return a + b


async def test_the_agents_own_plugins_and_callbacks_see_what_they_would_see() -> None:
    def make(model: BaseLlm) -> App:
        agent = LlmAgent(
            name="busy",
            model=model,
            tools=[add],
            before_model_callback=_before_model,
            after_model_callback=_after_model,
            on_tool_error_callback=_on_error,
        )
        return App(name="busy", root_agent=agent, plugins=[_Meddler(name="meddler"), ToolErrorPlugin()])

    turns = [
        FidelityTurn(
            "?",
            [
                call_response(("add", {"a": 7, "b": 1}), ("add", {"a": 1, "b": 1})),
                call_response(("add", {"a": 1, "b": -1})),
                text_response("done"),
            ],
        )
    ]
    await _both(make, turns)
    outcome = await run_with_wizard(make, turns)
    responses = [part["function_response"]["response"] for part in outcome.events[4]["content"]["parts"]]
    assert responses == [{"seen": {"handled": "negative"}}]
    assert outcome.events[-1]["content"]["parts"][0]["text"] == "DONE"


async def test_a_player_gets_the_request_that_the_agents_own_model_would_get() -> None:
    requests: list[Any] = []

    class _Spy(BasePlugin):
        async def before_model_callback(
            self, *, callback_context: CallbackContext, llm_request: LlmRequest
        ) -> LlmResponse | None:
            requests.append(llm_request.model_dump(mode="json", exclude={"config": {"response_schema"}}))
            return None

    def make(model: BaseLlm) -> App:
        return _shop(model).model_copy(update={"plugins": [ToolErrorPlugin(), _Spy(name="spy")]})

    await run_with_scripted_model(make, SHOP_TURNS)
    expected, requests = requests, []
    await run_with_wizard(make, SHOP_TURNS)

    assert requests == expected
    assert len(requests) == 6
