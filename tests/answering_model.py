"""A model that answers by what it is asked, which tests use for the model that simulates tools."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import Any, cast

from google.adk.models import BaseLlm, LlmCapabilities
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.genai import types
from pydantic import PrivateAttr

Answer = Callable[[str], str]
"""Returns the answer to the last message of a request."""

ORDER_CONNECTIONS: dict[str, Any] = {
    "resources": [
        {
            "name": "order",
            "uses": [
                {"tool": "create_order", "operation": "create", "id": "order_id"},
                {"tool": "get_order", "operation": "get", "id": "order_id"},
                {"tool": "cancel_order", "operation": "update", "id": "order_id"},
                {"tool": "list_orders", "operation": "list", "id": None},
            ],
        }
    ]
}


class AnsweringModel(BaseLlm):
    """Answers each request by a function, and keeps the requests."""

    model: str = "simulated-one"
    _answer: Answer = PrivateAttr()
    _before: Callable[[], Awaitable[None]] | None = PrivateAttr(default=None)
    _requests: list[LlmRequest] = PrivateAttr(default_factory=list[LlmRequest])

    @classmethod
    def create(
        cls, answer: Answer, before: Callable[[], Awaitable[None]] | None = None, **fields: Any
    ) -> AnsweringModel:
        """Create a model; `before` is awaited ahead of each answer."""
        model = cls(**fields)
        model._answer, model._before = answer, before
        return model

    @property
    def capabilities(self) -> LlmCapabilities:
        return LlmCapabilities()

    @property
    def requests(self) -> list[LlmRequest]:
        return self._requests

    @property
    def analyses(self) -> list[LlmRequest]:
        """The requests that ask how the tools depend on each other."""
        return [each for each in self._requests if read_question(each).startswith("The declarations")]

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        self._requests.append(llm_request)
        if self._before is not None:
            await self._before()
        text = self._answer(read_question(llm_request))
        yield LlmResponse(content=types.Content(role="model", parts=[types.Part(text=text)]))


def read_question(request: LlmRequest) -> str:
    """Return the last message of a request."""
    return (request.contents[-1].parts or [types.Part()])[0].text or ""


def read_instruction(config: types.GenerateContentConfig) -> str:
    """Return the instruction of a request."""
    return str(cast("Any", config).system_instruction)


def parse_question(text: str) -> dict[str, Any]:
    """Return the call that a model is asked to respond to."""
    return json.loads(text[text.index("{") :])


def answer_orders(question: str) -> str:
    """Answer as a service for orders would, from what the question says."""
    if question.startswith("The declarations"):
        return json.dumps(ORDER_CONNECTIONS)
    call = parse_question(question)
    orders, args = call["resources"].get("order", {}), call["arguments"]
    match call["tool"]:
        case "create_order":
            result: Any = {"order_id": f"ORD-{len(orders) + call['call_number']}", **args, "status": "open"}
        case "cancel_order":
            result = {**orders[args["order_id"]], "status": "cancelled"}
        case "list_orders":
            result = {"orders": list(orders.values())}
        case _:
            result = orders.get(args.get("order_id", "")) or {**args, "status": "shipped"}
    return json.dumps({"result": result})
