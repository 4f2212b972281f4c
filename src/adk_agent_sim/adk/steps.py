"""What an agent waits for: a turn of its model, the user's consent, or the next user message.

Every step has every method, so that code reads as the story it tells; a method that does not fit the moment says what
the agent waits for instead.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn, Protocol, TypeAlias, cast

from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.tools.set_model_response_tool import SetModelResponseTool
from google.genai import types
from pydantic import BaseModel

from adk_agent_sim.errors import InvalidAnswer, InvalidArguments, InvalidTransition, Problem
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.events import Event
from adk_agent_sim.timeline.json_conversion import to_json_value

Answer: TypeAlias = str | Mapping[str, Any] | Sequence[Any] | BaseModel
"""A final response: text, or data for an agent with an output_schema."""

CallSpec: TypeAlias = tuple[str, Mapping[str, Any]]
"""A tool's name and its arguments."""


class StepTarget(Protocol):
    """Where a step's answer goes."""

    async def decide(self, turn_id: str, response: Json, *, anyway: bool) -> Step:
        """Answer a turn; returns what comes next."""
        ...

    async def send(self, message: types.Content) -> Step:
        """Say something as the user; returns what comes next."""
        ...


class Step:
    """What comes after a message or a decision: a ModelTurn, a Confirmation or Done."""

    async def call(self, name: str, args: Mapping[str, Any] | None = None, *, anyway: bool = False) -> Step:
        """Call one tool; the real one runs. What you leave out stays unset."""
        return await self.calls([(name, args or {})], anyway=anyway)

    async def calls(self, calls: Sequence[CallSpec], *, anyway: bool = False) -> Step:
        """Call several tools in one turn; ADK runs them together."""
        self._raise_invalid_transition("call a tool")

    async def respond(self, answer: Answer, *, anyway: bool = False) -> Step:
        """Give the final response. For an agent with an output_schema: its data, or their JSON text."""
        self._raise_invalid_transition("respond")

    async def decide(self, response: types.Content | LlmResponse, *, anyway: bool = False) -> Step:
        """Answer with anything a model could answer."""
        self._raise_invalid_transition("decide")

    async def approve(self, payload: Any = None) -> Step:
        """Let the call run, with what the tool asked for, if it asked for something."""
        self._raise_invalid_transition("approve a call")

    async def deny(self) -> Step:
        """Refuse the call; the model is told."""
        self._raise_invalid_transition("deny a call")

    @property
    def text(self) -> str:
        """The final response as text."""
        self._raise_invalid_transition("read a final response")

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self}>"

    def _raise_invalid_transition(self, action: str) -> NoReturn:
        raise InvalidTransition(f"You cannot {action} now: {self}.")


@dataclass(frozen=True, eq=False, repr=False)
class ModelTurn(Step):
    """A turn that waits: the model is you."""

    _target: StepTarget
    asked_event: Event
    """The event on the timeline."""
    request: LlmRequest
    """What the model would read."""

    def __str__(self) -> str:
        return f"the model of {self.agent_name!r} must decide"

    @property
    def turn_id(self) -> str:
        """The turn on the timeline."""
        return self.asked_event.turn_id

    @property
    def agent_name(self) -> str:
        """The agent whose model you are."""
        return self.asked_event.agent_name

    @property
    def instruction(self) -> str:
        """The resolved system instruction."""
        return str(cast("Any", self.request.config).system_instruction or "")

    @property
    def tools(self) -> Mapping[str, types.FunctionDeclaration]:
        """The offered functions by name."""
        return {
            declaration.name or "": declaration
            for tool in cast("Sequence[object]", cast("Any", self.request.config).tools or ())
            if isinstance(tool, types.Tool)
            for declaration in tool.function_declarations or ()
        }

    @property
    def results(self) -> list[dict[str, Any]]:
        """What the model got for the calls of its last turn, in their order; empty after a user message."""
        parts = (self.request.contents[-1].parts if self.request.contents else None) or ()
        return [part.function_response.response or {} for part in parts if part.function_response]

    async def calls(self, calls: Sequence[CallSpec], *, anyway: bool = False) -> Step:
        """Call several tools in one turn; ADK runs them together."""
        parts = [
            types.Part(function_call=types.FunctionCall(name=name, args=to_json_value(args))) for name, args in calls
        ]
        return await self.decide(types.Content(role="model", parts=parts), anyway=anyway)

    async def respond(self, answer: Answer, *, anyway: bool = False) -> Step:
        """Give the final response. For an agent with an output_schema: its data, or their JSON text."""
        if SetModelResponseTool.NAME in self.tools:
            return await self._respond_by_tool(answer, anyway=anyway)
        return await self._respond_with_text(answer, anyway=anyway)

    async def decide(self, response: types.Content | LlmResponse, *, anyway: bool = False) -> Step:
        """Answer with anything a model could answer."""
        whole = response if isinstance(response, LlmResponse) else LlmResponse(content=response)
        return await self._target.decide(self.turn_id, to_json_value(whole), anyway=anyway)

    async def _respond_with_text(self, answer: Answer, *, anyway: bool) -> Step:
        text = answer if isinstance(answer, str) else json.dumps(to_json_value(answer), ensure_ascii=False)
        return await self.decide(types.Content(role="model", parts=[types.Part(text=text)]), anyway=anyway)

    async def _respond_by_tool(self, answer: Answer, *, anyway: bool) -> Step:
        """ADK takes data through a tool where a model cannot have tools and an output schema together."""
        try:
            data = json.loads(answer) if isinstance(answer, str) else to_json_value(answer)
        except ValueError as error:
            if anyway:
                return await self._respond_with_text(answer, anyway=True)
            raise InvalidAnswer([Problem(path="", message=f"it must be JSON, and is not: {error}")]) from None
        schema: dict[str, Any] = self.tools[SetModelResponseTool.NAME].parameters_json_schema or {}
        fields = list(schema.get("properties", {}))
        if not isinstance(data, dict) or (fields == ["response"] and "response" not in data):
            data = {next(iter(fields), "response"): cast("Json", data)}
        try:
            return await self.call(SetModelResponseTool.NAME, cast("dict[str, Json]", data), anyway=anyway)
        except InvalidArguments as refused:
            raise InvalidAnswer(refused.problems) from None


@dataclass(frozen=True, eq=False, repr=False)
class Confirmation(Step):
    """A tool call that waits for the user's consent."""

    _target: StepTarget
    question: types.FunctionCall
    """ADK's question; its arguments hold the call and a hint."""

    def __str__(self) -> str:
        return f"the user must approve or deny the call of {self.pending_call.name!r}"

    @property
    def pending_call(self) -> types.FunctionCall:
        """The call that waits."""
        return types.FunctionCall.model_validate((self.question.args or {}).get("originalFunctionCall", {}))

    @property
    def hint(self) -> str:
        """What the tool says about it."""
        return str((self.question.args or {}).get("toolConfirmation", {}).get("hint", ""))

    async def approve(self, payload: Any = None) -> Step:
        """Let the call run, with what the tool asked for, if it asked for something."""
        return await self._send_response({"confirmed": True, "payload": to_json_value(payload)})

    async def deny(self) -> Step:
        """Refuse the call; the model is told."""
        return await self._send_response({"confirmed": False})

    async def _send_response(self, response: dict[str, Any]) -> Step:
        answer = types.FunctionResponse(id=self.question.id, name=self.question.name, response=response)
        return await self._target.send(types.Content(role="user", parts=[types.Part(function_response=answer)]))


@dataclass(frozen=True, eq=False, repr=False)
class Done(Step):
    """The agent waits for the user again."""

    content: types.Content | None
    """The final response."""

    def __str__(self) -> str:
        return "the agent has answered and waits for the next user message"

    @property
    def text(self) -> str:
        """The final response as text."""
        parts = (self.content.parts if self.content else None) or ()
        return "".join(part.text for part in parts if part.text and not part.thought)
