"""The actions of rules: one per module, combined in one union that is discriminated by the key of an entry."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeAlias, cast

from pydantic import BeforeValidator, Discriminator, Tag

from adk_agent_sim.environment.actions.action import Action, RuleExecution
from adk_agent_sim.environment.actions.delay import Delay
from adk_agent_sim.environment.actions.drop import Drop
from adk_agent_sim.environment.actions.error_response import Error, ErrorResponse
from adk_agent_sim.environment.actions.mock_response import Mock
from adk_agent_sim.environment.actions.model_faults import (
    MODEL_FAULTS,
    MODEL_KEYWORDS,
    ApiError,
    CutText,
    Empty,
    MalformedCall,
    MaxTokens,
    UnknownToolCall,
    WrongArguments,
)
from adk_agent_sim.environment.actions.mutate import Mutate
from adk_agent_sim.environment.actions.pass_through import Pass
from adk_agent_sim.environment.actions.raise_exception import ExceptionToRaise, Raise
from adk_agent_sim.environment.actions.respond import Respond
from adk_agent_sim.environment.actions.stale import Stale
from adk_agent_sim.environment.actions.timeout import Timeout
from adk_agent_sim.environment.actions.truncate import Truncate
from adk_agent_sim.environment.actions.wrong_type import WrongType

__all__ = [
    "ACTIONS",
    "Action",
    "ActionEntry",
    "AnyAction",
    "ApiError",
    "CutText",
    "Delay",
    "Drop",
    "Empty",
    "Error",
    "ErrorResponse",
    "ExceptionToRaise",
    "MalformedCall",
    "MaxTokens",
    "Mock",
    "Mutate",
    "Pass",
    "Raise",
    "Respond",
    "RuleExecution",
    "Stale",
    "Timeout",
    "Truncate",
    "UnknownToolCall",
    "WrongArguments",
    "WrongType",
]

ACTIONS: Mapping[str, type[Action]] = {
    kind.key: kind
    for kind in (
        *(Respond, Error, Raise, Delay, Timeout, Pass, Mutate, Truncate, Drop, WrongType, Stale, Mock),
        *MODEL_FAULTS,
    )
}
"""All actions, by the key that a rules file uses."""


_KEYWORDS = frozenset({"pass", "stale"}) | MODEL_KEYWORDS


def _expand_keyword(value: object) -> object:
    """Allow actions without parameters to be written as a plain word."""
    return {value: True} if isinstance(value, str) and value in _KEYWORDS else value


def _find_action_key(value: Any) -> str | None:
    if isinstance(value, Action):
        return value.key
    if not isinstance(value, Mapping):
        return None
    known = [key for key in cast("Mapping[str, Any]", value) if key in ACTIONS]
    return known[0] if known else None


AnyAction: TypeAlias = Annotated[
    Annotated[Respond, Tag("respond")]
    | Annotated[Error, Tag("error")]
    | Annotated[Raise, Tag("raise")]
    | Annotated[Delay, Tag("delay")]
    | Annotated[Timeout, Tag("timeout")]
    | Annotated[Pass, Tag("pass")]
    | Annotated[Mutate, Tag("mutate")]
    | Annotated[Truncate, Tag("truncate")]
    | Annotated[Drop, Tag("drop")]
    | Annotated[WrongType, Tag("wrong_type")]
    | Annotated[Stale, Tag("stale")]
    | Annotated[Mock, Tag("mock")]
    | Annotated[ApiError, Tag("api_error")]
    | Annotated[Empty, Tag("empty")]
    | Annotated[MalformedCall, Tag("malformed_call")]
    | Annotated[CutText, Tag("cut_text")]
    | Annotated[MaxTokens, Tag("max_tokens")]
    | Annotated[UnknownToolCall, Tag("unknown_tool")]
    | Annotated[WrongArguments, Tag("wrong_args")],
    Discriminator(_find_action_key),
]
"""Any action, as a Python object."""

ActionEntry: TypeAlias = Annotated[
    AnyAction,
    BeforeValidator(
        _expand_keyword,
        json_schema_input_type=AnyAction | Literal["pass", "stale", "empty", "malformed_call", "wrong_args"],
    ),
]
"""Any action, as written in a rules file."""
