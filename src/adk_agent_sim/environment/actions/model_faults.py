"""The actions of rules for the model's seat: what a model can do wrong.

An answer is an `LlmResponse` as JSON; an action that needs the model's own answer gets it from the player of the seat.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal, cast

from pydantic import BeforeValidator, Field

from adk_agent_sim.environment.actions.action import Action, RuleExecution
from adk_agent_sim.environment.json_values import StrictModel
from adk_agent_sim.errors import ModelRequestFailed
from adk_agent_sim.timeline.canonical_json import Json

_MALFORMED = "MALFORMED_FUNCTION_CALL"
_MAX_TOKENS = "MAX_TOKENS"

_JsonObject = dict[str, Any]


class ApiStatus(StrictModel):
    """The status of a model request that fails."""

    code: int = Field(ge=400, le=599, description="The HTTP status, such as 429 or 503")
    message: str = Field(default="injected by a rule", description="The message of the error")


def _wrap_code(value: object) -> object:
    return {"code": value} if isinstance(value, int) and not isinstance(value, bool) else value


class _ModelFault(Action):
    """An action in the model's seat."""

    seats: ClassVar[frozenset[str]] = frozenset({"model"})

    def describe(self, execution: RuleExecution | None = None) -> str:
        """Return the key, and the value if there is one to choose."""
        value: object = getattr(self, self.key)
        return self.key if value is True else f"{self.key} {value}"


class ApiError(_ModelFault):
    """Lets the model request fail as the API would: 429 is a quota that is used up, 503 an overloaded model."""

    key: ClassVar[str] = "api_error"
    acts_inside_call: ClassVar[bool] = True
    is_terminal: ClassVar[bool] = True

    api_error: Annotated[ApiStatus, BeforeValidator(_wrap_code, json_schema_input_type=ApiStatus | int)]

    async def apply(self, execution: RuleExecution, result: object) -> object:
        """Raise the error."""
        raise ModelRequestFailed(self.api_error.code, self.api_error.message)

    def describe(self, execution: RuleExecution | None = None) -> str:
        """Return the key and the status."""
        return f"api_error {self.api_error.code}"


class Empty(_ModelFault):
    """Answers with nothing: no text and no call. The model is not asked."""

    key: ClassVar[str] = "empty"
    gives_result: ClassVar[bool] = True

    empty: Literal[True] = True

    async def apply(self, execution: RuleExecution, result: object) -> object:
        """Return an answer without parts."""
        return {"content": {"role": "model", "parts": []}, "finish_reason": "STOP"}


class MalformedCall(_ModelFault):
    """Answers as the API does if the model has written a call that cannot be parsed. The model is not asked."""

    key: ClassVar[str] = "malformed_call"
    gives_result: ClassVar[bool] = True

    malformed_call: Literal[True] = True

    async def apply(self, execution: RuleExecution, result: object) -> object:
        """Return the error."""
        message = "Malformed function call (injected by a rule)."
        return {"error_code": _MALFORMED, "error_message": message, "finish_reason": _MALFORMED}


class CutText(_ModelFault):
    """Cuts the text of the model's answer, without a sign that something is missing."""

    key: ClassVar[str] = "cut_text"
    acts_inside_call: ClassVar[bool] = True
    changes_result: ClassVar[bool] = True

    cut_text: int = Field(ge=0, description="How many characters remain")

    async def apply(self, execution: RuleExecution, result: object) -> object:
        """Return the answer with the beginning of its text."""
        answer = cast("_JsonObject", await execution.resolve_result(result))
        parts = _cut_parts(_get_parts(answer), self.cut_text)
        execution.has_effect |= parts != _get_parts(answer)
        return _replace_parts(answer, parts)


class MaxTokens(_ModelFault):
    """Ends the model's answer as if it had reached its output limit: a part of the text remains, and no call."""

    key: ClassVar[str] = "max_tokens"
    acts_inside_call: ClassVar[bool] = True

    max_tokens: int = Field(ge=0, description="How many characters of the text remain")

    async def apply(self, execution: RuleExecution, result: object) -> object:
        """Return the beginning of the text, with the finish reason; without text, the error that ADK makes of it."""
        answer = cast("_JsonObject", await execution.resolve_result(result))
        texts = [part for part in _get_parts(answer) if not part.get("function_call")]
        parts = [part for part in _cut_parts(texts, self.max_tokens) if part.get("text") != ""]
        if parts:
            return {**_replace_parts(answer, parts), "finish_reason": _MAX_TOKENS}
        message = "The output limit was reached (injected by a rule)."
        return {"error_code": _MAX_TOKENS, "error_message": message, "finish_reason": _MAX_TOKENS}


class UnknownToolCall(_ModelFault):
    """Calls a tool that the agent does not have, instead of what the model answers."""

    key: ClassVar[str] = "unknown_tool"
    acts_inside_call: ClassVar[bool] = True

    unknown_tool: str = Field(min_length=1, description="The name of the tool that the model makes up")

    async def apply(self, execution: RuleExecution, result: object) -> object:
        """Return the answer with another name in its first call; an answer without calls becomes such a call."""
        answer = cast("_JsonObject", await execution.resolve_result(result))
        parts = _get_parts(answer)
        place = next((index for index, part in enumerate(parts) if part.get("function_call")), None)
        if place is None:
            return _replace_parts(answer, [{"function_call": {"name": self.unknown_tool, "args": {}}}])
        call = {**parts[place]["function_call"], "name": self.unknown_tool}
        return _replace_parts(answer, [*parts[:place], {**parts[place], "function_call": call}, *parts[place + 1 :]])


class WrongArguments(_ModelFault):
    """Changes the types of the arguments in the model's calls; a call without arguments gets one that is unknown."""

    key: ClassVar[str] = "wrong_args"
    acts_inside_call: ClassVar[bool] = True
    changes_result: ClassVar[bool] = True

    wrong_args: Literal[True] = True

    async def apply(self, execution: RuleExecution, result: object) -> object:
        """Return the answer with wrong arguments in each call."""
        answer = cast("_JsonObject", await execution.resolve_result(result))
        parts = [_spoil_arguments(part) for part in _get_parts(answer)]
        execution.has_effect |= parts != _get_parts(answer)
        return _replace_parts(answer, parts)


def _spoil_arguments(part: _JsonObject) -> _JsonObject:
    call: _JsonObject = part.get("function_call") or {}
    if not call:
        return part
    args = cast("Mapping[str, Json]", call.get("args") or {})
    wrong = {name: [value] if isinstance(value, str) else json.dumps(value) for name, value in args.items()}
    return {**part, "function_call": {**call, "args": wrong or {"unexpected_argument": True}}}


def _get_parts(answer: _JsonObject) -> list[_JsonObject]:
    content: _JsonObject = answer.get("content") or {}
    return content.get("parts") or []


def _replace_parts(answer: _JsonObject, parts: list[_JsonObject]) -> _JsonObject:
    content = answer.get("content") or {"role": "model"}
    return {**answer, "content": {**content, "parts": parts}}


def _cut_parts(parts: list[_JsonObject], length: int) -> list[_JsonObject]:
    """Return the parts with the first characters of their texts; thoughts do not count."""
    cut: list[_JsonObject] = []
    for part in parts:
        text = part.get("text")
        if isinstance(text, str) and not part.get("thought"):
            cut.append({**part, "text": text[:length]})
            length = max(0, length - len(text))
        else:
            cut.append(part)
    return cut


MODEL_FAULTS: tuple[type[Action], ...] = (
    ApiError,
    Empty,
    MalformedCall,
    CutText,
    MaxTokens,
    UnknownToolCall,
    WrongArguments,
)
"""The actions that only a rule for the model's seat can have."""

MODEL_KEYWORDS = frozenset({"empty", "malformed_call", "wrong_args"})
"""The actions without parameters, which can be written as a plain word."""


def remove_call_ids(answer: _JsonObject) -> _JsonObject:
    """Return an answer whose calls have no ids: a repeated call is a new one, and ADK gives it an id."""
    parts = [
        {**part, "function_call": {key: value for key, value in part["function_call"].items() if key != "id"}}
        if part.get("function_call")
        else part
        for part in _get_parts(answer)
    ]
    return _replace_parts(answer, parts) if parts else answer
