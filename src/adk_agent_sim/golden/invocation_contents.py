"""Converts one user turn of an EvalSet to contents in chronological order."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from google.adk.evaluation.eval_case import IntermediateData, Invocation, InvocationEvents
from google.genai import types

from adk_agent_sim.timeline.history import UniqueIds

UNKNOWN_AGENT = "agent"
"""The author if a file does not name one; ADK requires a name."""


@dataclass(frozen=True, kw_only=True)
class AuthoredContent:
    """A content and its author."""

    author: str
    content: types.Content
    final: bool = False


class CallIdAllocator:
    """Assigns a unique id to each call of a case, and to each response the id of its call.

    EvalSets may omit ids, or repeat one in a later turn; on a timeline, ids connect calls with their results.
    """

    def __init__(self) -> None:
        self._unique_ids = UniqueIds("_")
        self._earlier_turn_ids: dict[str, str] = {}
        self._by_id: dict[str, str] = {}
        self._by_name: dict[str, OrderedDict[str, None]] = {}
        """The calls without a response, by tool, in their order."""

    def start_turn(self) -> None:
        """Start a user turn; its calls take precedence over earlier calls with the same id."""
        self._earlier_turn_ids |= self._by_id
        self._by_id = {}
        self._by_name = {}

    def assign_call_id(self, call: types.FunctionCall) -> types.FunctionCall:
        """Return the call with its unique id; raise ValueError if it has no name."""
        if not call.name:
            raise ValueError("a tool call has no name")
        call_id = self._unique_ids.assign(call.id or f"call_{len(self._unique_ids) + 1}")
        if call.id:
            self._by_id[call.id] = call_id
        self._by_name.setdefault(call.name, OrderedDict())[call_id] = None
        return call.model_copy(update={"id": call_id})

    def assign_response_id(self, response: types.FunctionResponse) -> types.FunctionResponse:
        """Return the response with the id of its call; raise ValueError if there is no such call."""
        waiting = self._by_name.get(response.name or "", OrderedDict())
        call_id = self._find_call_id(response.id) if response.id else next(iter(waiting), None)
        if call_id is None:
            raise ValueError(
                f"the response of {response.name!r} ({response.id or 'without an id'}) does not belong to a call"
            )
        waiting.pop(call_id, None)
        return response.model_copy(update={"id": call_id})

    def has_call_for(self, response: types.FunctionResponse) -> bool:
        """Return whether this turn already contains the call of a response."""
        return response.id in self._by_id if response.id else bool(self._by_name.get(response.name or ""))

    def _find_call_id(self, response_id: str) -> str | None:
        return self._by_id.get(response_id) or self._earlier_turn_ids.get(response_id)


def iter_invocation_contents(invocation: Invocation, ids: CallIdAllocator) -> Iterator[AuthoredContent]:
    """Yield the contents of a user turn after the user message, the final response last."""
    ids.start_turn()
    final_author = UNKNOWN_AGENT
    match invocation.intermediate_data:
        case IntermediateData() as flat:
            yield from _iter_flat_contents(flat, ids)
        case InvocationEvents(invocation_events=events):
            # ADK leaves out the content of the event that is the final response, because the invocation has it.
            final_author = next((event.author for event in events if not event.content), final_author)
            for event in events:
                if event.content:
                    yield AuthoredContent(author=event.author, content=_assign_ids(event.content, ids))
        case _:
            pass
    if invocation.final_response:
        yield AuthoredContent(author=final_author, content=_remove_calls(invocation.final_response), final=True)


def _iter_flat_contents(data: IntermediateData, ids: CallIdAllocator) -> Iterator[AuthoredContent]:
    """Merge the lists of calls and responses: a response follows its call and all earlier responses."""
    responses = list(data.tool_responses)
    for call in data.tool_uses:
        yield _build_authored_content("model", function_call=ids.assign_call_id(call))
        while responses and ids.has_call_for(responses[0]):
            yield _build_authored_content("user", function_response=ids.assign_response_id(responses.pop(0)))
    for response in responses:
        yield _build_authored_content("user", function_response=ids.assign_response_id(response))
    for author, parts in data.intermediate_responses:
        yield AuthoredContent(author=author, content=types.Content(role="model", parts=parts))


def _build_authored_content(role: str, **part: Any) -> AuthoredContent:
    return AuthoredContent(author=UNKNOWN_AGENT, content=types.Content(role=role, parts=[types.Part(**part)]))


def _assign_ids(content: types.Content, ids: CallIdAllocator) -> types.Content:
    parts: list[types.Part] = []
    for part in content.parts or ():
        if part.function_call:
            part = part.model_copy(update={"function_call": ids.assign_call_id(part.function_call)})  # noqa: PLW2901
        if part.function_response:
            part = part.model_copy(update={"function_response": ids.assign_response_id(part.function_response)})  # noqa: PLW2901
        parts.append(part)
    return content.model_copy(update={"parts": parts})


def _remove_calls(content: types.Content) -> types.Content:
    """Remove calls and responses, which are already among the intermediate contents."""
    if not any(part.function_call or part.function_response for part in content.parts or ()):
        return content
    parts = [part for part in content.parts or () if not (part.function_call or part.function_response)]
    return content.model_copy(update={"parts": parts})
