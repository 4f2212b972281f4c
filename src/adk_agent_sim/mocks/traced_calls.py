"""Finds the tool calls and their responses in the JSON of a trace, whichever program wrote it.

{"name", "args", "response"}                              a call with its response, as in ADK's docs
{"id", "name", "args"} and {"id", "name", "response"}     as in EvalSets and in the events of a session
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import cast

from adk_agent_sim.mocks.llm_state import AnsweredCall
from adk_agent_sim.timeline.canonical_json import Json

_MAX_DEPTH = 50


def find_traced_calls(trace: Json) -> list[AnsweredCall]:
    """Return the calls of a trace that have a response, in its order."""
    objects = [each for each in _iter_objects(trace, 0) if isinstance(each.get("name"), str)]
    responses = {str(each["id"]): each["response"] for each in objects if "response" in each and "id" in each}
    found: list[AnsweredCall] = []
    for each in objects:
        args = each.get("args")
        if isinstance(args, Mapping):
            response = each["response"] if "response" in each else responses.get(str(each.get("id")))
            if response is not None:
                call_args = cast("Mapping[str, Json]", args)
                found.append(AnsweredCall(tool=str(each["name"]), args=call_args, response=response))
    return found


def list_traced_records(response: Json) -> dict[str, list[Json]]:
    """Return the lists of records in a response, by name: what a mock can begin with."""
    if not isinstance(response, Mapping):
        return {}
    return {
        name: cast("list[Json]", value)
        for name, value in cast("Mapping[str, Json]", response).items()
        if isinstance(value, list) and value and all(isinstance(each, Mapping) for each in cast("list[Json]", value))
    }


def _iter_objects(value: Json, depth: int) -> Iterator[Mapping[str, Json]]:
    if depth > _MAX_DEPTH:
        return
    if isinstance(value, Mapping):
        mapping = cast("Mapping[str, Json]", value)
        yield mapping
        for inner in mapping.values():
            yield from _iter_objects(inner, depth + 1)
    elif isinstance(value, list):
        for inner in cast("list[Json]", value):
            yield from _iter_objects(inner, depth + 1)
