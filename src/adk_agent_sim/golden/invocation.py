"""What an EvalSet says of one user turn, as contents in the order in which they were said."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from google.adk.evaluation.eval_case import IntermediateData, Invocation, InvocationEvents
from google.genai import types

UNKNOWN_AGENT = "agent"
"""Who speaks where a file does not say it; ADK wants a name."""


@dataclass(frozen=True, kw_only=True)
class Said:
    """A content and who said it."""

    author: str
    content: types.Content
    final: bool = False


class CallIds:
    """Gives each call of a case an id of its own, and each response the id of its call.

    EvalSets may leave ids out, or use one again in the next turn; on a timeline they join calls with their results.
    """

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._earlier: dict[str, str] = {}
        self._by_id: dict[str, str] = {}
        self._by_name: dict[str, list[str]] = {}

    def next_turn(self) -> None:
        """Begin a user turn: what is called in it comes before what was called under the same id earlier."""
        self._earlier |= self._by_id
        self._by_id = {}
        self._by_name = {}

    def call(self, call: types.FunctionCall) -> types.FunctionCall:
        """The call with its id; ValueError if it has no name."""
        if not call.name:
            raise ValueError("a tool call has no name")
        call_id = self._free(call.id or f"call_{len(self._taken) + 1}")
        self._taken.add(call_id)
        if call.id:
            self._by_id[call.id] = call_id
        self._by_name.setdefault(call.name, []).append(call_id)
        return call.model_copy(update={"id": call_id})

    def response(self, response: types.FunctionResponse) -> types.FunctionResponse:
        """The response with the id of its call; ValueError if it answers none."""
        waiting = self._by_name.get(response.name or "", [])
        known = {**self._earlier, **self._by_id}
        call_id = known.get(response.id) if response.id else next(iter(waiting), None)
        if call_id is None:
            raise ValueError(f"the response of {response.name!r} ({response.id or 'without an id'}) answers no call")
        if call_id in waiting:
            waiting.remove(call_id)
        return response.model_copy(update={"id": call_id})

    def knows(self, response: types.FunctionResponse) -> bool:
        """Whether the call of a response was said already in this turn."""
        return response.id in self._by_id if response.id else bool(self._by_name.get(response.name or ""))

    def _free(self, wanted: str) -> str:
        free, number = wanted, 1
        while free in self._taken:
            number += 1
            free = f"{wanted}_{number}"
        return free


def said_in(invocation: Invocation, ids: CallIds) -> Iterator[Said]:
    """All that was said in a user turn after the user, the final response last."""
    ids.next_turn()
    match invocation.intermediate_data:
        case IntermediateData() as flat:
            yield from _flat(flat, ids)
        case InvocationEvents(invocation_events=events):
            for event in events:
                if event.content:
                    yield Said(author=event.author, content=_with_ids(event.content, ids))
        case _:
            pass
    if invocation.final_response:
        yield Said(author=UNKNOWN_AGENT, content=_without_calls(invocation.final_response), final=True)


def _flat(data: IntermediateData, ids: CallIds) -> Iterator[Said]:
    """Calls and responses lie in two lists: a response is said as soon as its call and those before it were."""
    responses = list(data.tool_responses)
    for call in data.tool_uses:
        yield _said("model", function_call=ids.call(call))
        while responses and ids.knows(responses[0]):
            yield _said("user", function_response=ids.response(responses.pop(0)))
    for response in responses:
        yield _said("user", function_response=ids.response(response))
    for author, parts in data.intermediate_responses:
        yield Said(author=author, content=types.Content(role="model", parts=parts))


def _said(role: str, **part: Any) -> Said:
    return Said(author=UNKNOWN_AGENT, content=types.Content(role=role, parts=[types.Part(**part)]))


def _with_ids(content: types.Content, ids: CallIds) -> types.Content:
    parts: list[types.Part] = []
    for part in content.parts or ():
        if part.function_call:
            part = part.model_copy(update={"function_call": ids.call(part.function_call)})  # noqa: PLW2901
        if part.function_response:
            part = part.model_copy(update={"function_response": ids.response(part.function_response)})  # noqa: PLW2901
        parts.append(part)
    return content.model_copy(update={"parts": parts})


def _without_calls(content: types.Content) -> types.Content:
    """A final response that also calls was already said among the steps."""
    if not any(part.function_call or part.function_response for part in content.parts or ()):
        return content
    parts = [part for part in content.parts or () if not (part.function_call or part.function_response)]
    return content.model_copy(update={"parts": parts})
