"""`mock: llm` through Gemini's real client, to a server on this machine that speaks its protocol."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from answering_model import answer_orders
from gemini_server import GeminiServer, serve_gemini
from google.adk.models.google_llm import Gemini
from google.genai.types import HttpRetryOptions
from scripted_agent import build_scripted_agent, run_scripted_agent

from adk_agent_sim import EnvironmentSimulationFactory
from adk_agent_sim.environment.rules_file import parse_rules

_RULES = "{rules: [{name: shop, match: {tool: '*'}, do: {mock: llm}}]}"
_LAMP = {"order_id": "ORD-1", "item": "lamp", "status": "open"}


def create_order(item: str) -> dict[str, Any]:
    """Order an item."""
    raise AssertionError("the real tool must not run")


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOOGLE_API_KEY", "a-key-for-tests")
    monkeypatch.delenv("GOOGLE_GENAI_USE_VERTEXAI", raising=False)


async def _order_lamp(server: GeminiServer, rules: str = _RULES, model: Any = None) -> dict[str, Any]:
    # By itself the client repeats a request whose connection was lost, after up to ten seconds, and hides the loss.
    once = HttpRetryOptions(attempts=1)
    model = model or Gemini(model="gemini-2.5-flash", base_url=server.url, retry_options=once)
    plugin = EnvironmentSimulationFactory.create_plugin(parse_rules(rules), simulation_model=model)
    agent = build_scripted_agent([create_order], [("create_order", {"item": "lamp"})])
    (response,) = await run_scripted_agent(agent, plugin)
    return response


async def test_the_question_reaches_the_api_and_the_answer_the_agent() -> None:
    async with serve_gemini(answer_orders) as server:
        assert await _order_lamp(server, _RULES.replace("llm", "llm, settings: {temperature: 0.2, seed: 7}")) == _LAMP

    assert server.paths == ["/v1beta/models/gemini-2.5-flash:generateContent"] * 2
    settings = server.requests[1]["generationConfig"]
    assert settings == {"temperature": 0.2, "seed": 7, "responseMimeType": "application/json"}
    assert server.requests[1]["systemInstruction"]["parts"][0]["text"].startswith("You stand in for the services")


async def test_a_name_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    async with serve_gemini(answer_orders) as server:
        monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", server.url)
        assert await _order_lamp(server, _RULES, "gemini-2.5-pro") == _LAMP

    assert server.paths[0] == "/v1beta/models/gemini-2.5-pro:generateContent"


def _fence(text: str) -> str:
    return f"```json\n{text}\n```"


def _chat(text: str) -> str:
    return f"Of course! Here it is: {text} I hope that helps."


def _cut(text: str) -> str:
    return text[:-9]


_Fault = Callable[[str], str] | str | int | None
"""What is made of an answer, or what is answered instead."""


def _spoil(fault: _Fault, times: int = 9) -> Callable[[str], str | int | None]:
    """Return answers of which the first ones about a call are spoilt."""
    left = [times]

    def answer(question: str) -> str | int | None:
        if question.startswith("The declarations"):
            return answer_orders(question)
        left[0] -= 1
        if left[0] < 0:
            return '{"result": {"order_id": "ORD-1", "item": "lamp", "status": "open"}}'
        return fault(answer_orders(question)) if callable(fault) else fault

    return answer


@pytest.mark.parametrize(
    ("fault", "asked_count"),
    [
        (_fence, 2),
        (_chat, 2),
        ('{"result": [1]}', 3),
        (_cut, 3),
        (429, 3),
        (503, 3),
        (None, 3),
    ],
    ids=["fenced", "prose", "wrong-shape", "cut-off", "quota", "overload", "dropped"],
)
async def test_one_bad_answer_is_repaired_or_asked_for_again(fault: _Fault, asked_count: int) -> None:
    async with serve_gemini(_spoil(fault, times=1)) as server:
        assert await _order_lamp(server) == _LAMP

    assert len(server.requests) == asked_count


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        ('{"result": [1]}', "was asked twice for it: `result` must be an object"),
        (429, "was asked twice for it: the model failed: _ResourceExhaustedError"),
        (403, "was asked for it: the model failed: ClientError: 403"),
        (None, "was asked twice for it: the model failed: "),
    ],
    ids=["wrong-shape", "quota", "forbidden", "dropped"],
)
async def test_after_that_the_agent_gets_an_error(fault: _Fault, reason: str) -> None:
    async with serve_gemini(_spoil(fault)) as server:
        response = await _order_lamp(server)

    assert response["error_code"] == 502
    assert f"The simulated create_order has no response: gemini-2.5-flash {reason}" in response["error_message"]


async def test_a_server_that_never_answers_ends_at_the_deadline() -> None:
    async with serve_gemini(answer_orders) as server:
        server.silent.set()
        response = await _order_lamp(server, _RULES.replace("llm", "llm, deadline: 0.5"))

    assert response["error_code"] == 504
    assert "it took longer than 0.5 seconds" in response["error_message"]


async def test_without_a_key_the_agent_gets_an_error_that_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GOOGLE_API_KEY")
    monkeypatch.delenv("GEMINI_API_KEY", raising=False)
    async with serve_gemini(answer_orders) as server:
        response = await _order_lamp(server)

    assert response["error_code"] == 502
    assert "No API key was provided" in response["error_message"] or "Missing key" in response["error_message"]
    assert server.requests == []
