"""The steps of a simulation, by what the agent waits for: its model, a tool, an answer or a message of the user.

Every step has every method, so that code which chains them type-checks; a method that does not apply to a step raises
InvalidTransition, which names what the agent waits for instead.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn, Protocol, TypeAlias, cast

from google.adk.events import Event as AdkEvent
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.genai import types
from pydantic import BaseModel

from adk_agent_sim.adk.runs.pause_answers import (
    CredentialForm,
    get_auth_config,
    get_input_request_schema,
    get_message_text,
    read_credential_form,
)
from adk_agent_sim.errors import InvalidAnswer, InvalidTransition, Problem
from adk_agent_sim.forms.json_schema import JsonSchema
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.events import Event
from adk_agent_sim.timeline.framework_calls import SET_MODEL_RESPONSE, build_response_arguments
from adk_agent_sim.timeline.json_conversion import to_json_value
from adk_agent_sim.timeline.read_model.pending_requests import PendingRequest, RequestKind
from adk_agent_sim.timeline.strict_json import parse_json
from adk_agent_sim.timeline.submissions import ToolRequest, ToolResponse

Answer: TypeAlias = str | Mapping[str, Any] | Sequence[Any] | BaseModel
"""A final response: text, or data for an agent with an output_schema."""

CallSpec: TypeAlias = tuple[str, Mapping[str, Any]]
"""A tool's name and its arguments."""


class StepTarget(Protocol):
    """Receives the decision or message that answers a step."""

    async def decide(self, turn_id: str, response: Json, *, force: bool) -> Step:
        """Decide a turn and return the next step."""
        ...

    async def answer_consent(self, request_id: str, *, approve: bool, payload: Any = None) -> Step:
        """Approve or deny a call as the user and return the next step."""
        ...

    async def answer_request(self, request_id: str, value: Any, *, force: bool = False) -> Step:
        """Give the input or the credential that a request asks for and return the next step."""
        ...

    async def respond_as_tool(self, response: ToolResponse) -> Step:
        """Give the response of a tool and return the next step."""
        ...


class Step:
    """What follows a message or a decision: a ModelTurn, a ToolTurn, a Confirmation, another request, or Done."""

    async def call(self, name: str, args: Mapping[str, Any] | None = None, *, force: bool = False) -> Step:
        """Call one tool, whose own code runs. Arguments that are omitted stay unset."""
        return await self.calls([(name, args or {})], force=force)

    async def calls(self, calls: Sequence[CallSpec], *, force: bool = False) -> Step:
        """Call several tools in one turn; ADK runs them together."""
        self._raise_invalid_transition("call a tool")

    async def respond(self, answer: Answer, *, force: bool = False) -> Step:
        """Give the final response: text, or for an agent with an output_schema its data or their JSON text."""
        self._raise_invalid_transition("respond")

    async def decide(self, response: types.Content | LlmResponse, *, force: bool = False) -> Step:
        """Decide with anything that a model could return."""
        self._raise_invalid_transition("decide")

    async def approve(self, payload: Any = None) -> Step:
        """Let the call run. `payload` is what the tool asked for, if it asked for something."""
        self._raise_invalid_transition("approve a call")

    async def deny(self) -> Step:
        """Refuse the call; the model gets a response that says so."""
        self._raise_invalid_transition("deny a call")

    async def answer(self, value: Any, *, force: bool = False) -> Step:
        """Give the user's answer to what ADK asks for: input, a credential, or consent (True or False)."""
        self._raise_invalid_transition("answer a request")

    async def sign_in(self) -> Step:
        """Simulate that the user has signed in, with a credential that no service accepts."""
        self._raise_invalid_transition("sign in")

    async def give_result(self, result: Any, *, force: bool = False) -> Step:
        """Return a result as the tool that you play."""
        self._raise_invalid_transition("give the result of a tool")

    async def give_error(self, message: str) -> Step:
        """Return an error as the tool that you play: `{"error": message}`, as tools do that raise nothing."""
        # The schema of the tool's results does not describe its errors.
        return await self.give_result({"error": message}, force=True)

    async def raise_error(self, error_type: str, message: str = "") -> Step:
        """Raise an exception, by its class name, as the tool that you play."""
        self._raise_invalid_transition("raise an error as a tool")

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
    """A pending turn of the model that you play."""

    _target: StepTarget
    asked_event: Event
    """The TurnAsked event on the timeline."""
    request: LlmRequest
    """The request as the model would get it."""

    def __str__(self) -> str:
        return f"the model of {self.agent_name!r} must decide"

    @property
    def turn_id(self) -> str:
        """The id of the turn on the timeline."""
        return self.asked_event.turn_id

    @property
    def agent_name(self) -> str:
        """The agent whose model you play."""
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
        """The responses to the calls of the last turn, in their order; empty after a user message."""
        parts = (self.request.contents[-1].parts if self.request.contents else None) or ()
        return [part.function_response.response or {} for part in parts if part.function_response]

    async def calls(self, calls: Sequence[CallSpec], *, force: bool = False) -> Step:
        """Call several tools in one turn; ADK runs them together."""
        parts = [
            types.Part(function_call=types.FunctionCall(name=name, args=to_json_value(args))) for name, args in calls
        ]
        return await self.decide(types.Content(role="model", parts=parts), force=force)

    async def respond(self, answer: Answer, *, force: bool = False) -> Step:
        """Give the final response: text, or for an agent with an output_schema its data or their JSON text."""
        if SET_MODEL_RESPONSE in self.tools:
            return await self._respond_by_tool(answer, force=force)
        return await self._respond_with_text(answer, force=force)

    async def decide(self, response: types.Content | LlmResponse, *, force: bool = False) -> Step:
        """Decide with anything that a model could return."""
        llm_response = response if isinstance(response, LlmResponse) else LlmResponse(content=response)
        return await self._target.decide(self.turn_id, to_json_value(llm_response), force=force)

    async def _respond_with_text(self, answer: Answer, *, force: bool) -> Step:
        text = answer if isinstance(answer, str) else json.dumps(to_json_value(answer), ensure_ascii=False)
        return await self.decide(types.Content(role="model", parts=[types.Part(text=text)]), force=force)

    async def _respond_by_tool(self, answer: Answer, *, force: bool) -> Step:
        """Respond through the tool that ADK adds where a model cannot have tools and an output schema together."""
        try:
            data = parse_json(answer, allow_duplicate_keys=True) if isinstance(answer, str) else to_json_value(answer)
        except ValueError as error:
            if force:
                return await self._respond_with_text(answer, force=True)
            raise InvalidAnswer([Problem(path="", message=f"it must be JSON: {error}")]) from None
        arguments = build_response_arguments(self.tools[SET_MODEL_RESPONSE].parameters_json_schema, data)
        return await self.call(SET_MODEL_RESPONSE, arguments, force=force)


@dataclass(frozen=True, eq=False, repr=False)
class ToolTurn(Step):
    """A call of a tool that you play (`mock: human`)."""

    _target: StepTarget
    tool_request: ToolRequest
    """What the timeline has of the call."""

    def __str__(self) -> str:
        return f"tool {self.tool_name!r} must respond"

    @property
    def tool_name(self) -> str:
        """The tool that you play."""
        return self.tool_request.asked.tool_name

    @property
    def agent_name(self) -> str:
        """The agent that made the call."""
        return self.tool_request.agent_name

    @property
    def args(self) -> Mapping[str, Json]:
        """The arguments of the call."""
        return self.tool_request.asked.arguments

    @property
    def response_schema(self) -> Json:
        """The JSON Schema of the tool's results; None if it declares none."""
        return self.tool_request.asked.response_schema

    async def give_result(self, result: Any, *, force: bool = False) -> Step:
        """Return a result as the tool; it must match the tool's output schema, unless `force`."""
        return await self._target.respond_as_tool(self._build_response(to_json_value(result), force=force))

    async def raise_error(self, error_type: str, message: str = "") -> Step:
        """Raise an exception as the tool; names of Python's own exceptions are kinds of them."""
        return await self._target.respond_as_tool(self._build_response(error_type=error_type, error_message=message))

    def _build_response(self, result: Json = None, **fields: Any) -> ToolResponse:
        return ToolResponse(self.tool_request.session_id, self.tool_request.asked.request_id, result, **fields)


@dataclass(frozen=True, eq=False, repr=False)
class Confirmation(Step):
    """A tool call that waits for the user's consent."""

    _target: StepTarget
    question: types.FunctionCall
    """ADK's request call; its arguments contain the pending call and a hint."""

    def __str__(self) -> str:
        return f"the user must approve or deny the call of {self.pending_call.name!r}"

    @property
    def pending_call(self) -> types.FunctionCall:
        """The call that waits for consent."""
        return types.FunctionCall.model_validate((self.question.args or {}).get("originalFunctionCall", {}))

    @property
    def hint(self) -> str:
        """The tool's hint for the user."""
        return str((self.question.args or {}).get("toolConfirmation", {}).get("hint", ""))

    async def approve(self, payload: Any = None) -> Step:
        """Let the call run. `payload` is what the tool asked for, if it asked for something."""
        return await self._target.answer_consent(self.question.id or "", approve=True, payload=payload)

    async def answer(self, value: Any, *, force: bool = False) -> Step:
        """Approve the call with True, or deny it with False."""
        if not isinstance(value, bool):
            raise InvalidTransition(f"Answer with True or False, or call approve(payload): {self}.")
        return await (self.approve() if value else self.deny())

    async def deny(self) -> Step:
        """Refuse the call; the model gets a response that says so."""
        return await self._target.answer_consent(self.question.id or "", approve=False)


@dataclass(frozen=True, eq=False, repr=False)
class Done(Step):
    """The agent has answered and waits for the next user message."""

    content: types.Content | None
    """The final response."""

    def __str__(self) -> str:
        return "the agent has answered and waits for the next user message"

    @property
    def text(self) -> str:
        """The final response as text."""
        parts = (self.content.parts if self.content else None) or ()
        return "".join(part.text for part in parts if part.text and not part.thought)


@dataclass(frozen=True, eq=False, repr=False)
class InputRequest(Step):
    """A workflow, or the model, asks the user for input."""

    _target: StepTarget
    question: types.FunctionCall
    """ADK's request call; its arguments contain the message, the payload and the schema."""

    def __str__(self) -> str:
        return "the user must give the input that was asked for"

    @property
    def message(self) -> str:
        """What the user is asked; empty if the request has no text."""
        return get_message_text(self.question.args or {})

    @property
    def payload(self) -> Any:
        """The data that the request shows the user; None without any."""
        return (self.question.args or {}).get("payload")

    @property
    def response_schema(self) -> JsonSchema | None:
        """The JSON Schema of the input; None if anything is accepted."""
        return get_input_request_schema(self.question.args or {})

    async def answer(self, value: Any, *, force: bool = False) -> Step:
        """Give the input; it must match the schema of the request, unless `force`."""
        return await self._target.answer_request(self.question.id or "", value, force=force)


@dataclass(frozen=True, eq=False, repr=False)
class CredentialRequest(Step):
    """A tool, a toolset or a workflow asks for the user's credential."""

    _target: StepTarget
    question: types.FunctionCall
    """ADK's request call; its arguments contain the auth config."""

    def __str__(self) -> str:
        return f"the user must sign in: {self.form.title}"

    @property
    def form(self) -> CredentialForm:
        """The fields of the auth scheme."""
        return read_credential_form(self.auth_config)

    @property
    def auth_config(self) -> Mapping[str, Any]:
        """ADK's auth config as JSON."""
        return get_auth_config(self.question.args or {})

    async def answer(self, value: Any, *, force: bool = False) -> Step:
        """Give the credential, which is not recorded.

        Args:
            value: The fields of the auth scheme, such as `{"username": ..., "password": ...}`; one text if it needs
                only one, such as an API key; or an ADK `AuthCredential`.
            force: Without effect: ADK accepts only credentials of the scheme.
        """
        return await self._target.answer_request(self.question.id or "", value)

    async def sign_in(self) -> Step:
        """Simulate that the user has signed in, with a credential that no service accepts."""
        return await self._target.answer_request(self.question.id or "", None)


def build_pause_step(
    target: StepTarget, pending: Iterable[PendingRequest], events: Sequence[AdkEvent]
) -> Confirmation | InputRequest | CredentialRequest | None:
    """Return the oldest request that waits for the user; None if none does."""
    for request in sorted(pending, key=lambda each: each.position):
        question = _find_call(events, request.request_id)
        if question is None:
            continue
        match request.kind:
            case RequestKind.CONSENT:
                return Confirmation(target, question)
            case RequestKind.INPUT:
                return InputRequest(target, question)
            case RequestKind.CREDENTIAL:
                return CredentialRequest(target, question)
            case _:
                pass
    return None


def _find_call(events: Sequence[AdkEvent], call_id: str) -> types.FunctionCall | None:
    """Return the newest call with an id: workflows may use one again."""
    for event in reversed(events):
        for call in event.get_function_calls():
            if call.id == call_id:
                return call
    return None
