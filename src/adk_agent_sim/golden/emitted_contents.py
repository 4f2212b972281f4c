"""What the agents of a session emitted, by user turn, in the form in which ADK's own converter writes eval cases.

A flat list of calls and responses, which is enough for one agent, does not say who called a tool or what an agent said
before the final response.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.content_parts import get_parts
from adk_agent_sim.timeline.events import AgentEvent, Event, UserSpoke
from adk_agent_sim.timeline.framework_calls import is_request_call
from adk_agent_sim.timeline.history import is_user_query
from adk_agent_sim.timeline.unique_ids import UniqueIds


@dataclass(frozen=True, kw_only=True)
class EmittedContent:
    """A content and the agent that emitted it."""

    author: str

    parts: Sequence[Mapping[str, Json]]

    role: str

    is_final: bool = False
    """Whether this is the final response of the user turn."""

    @property
    def has_calls(self) -> bool:
        """Whether the agent called tools."""
        return any(part.get("function_call") for part in self.parts)

    @property
    def has_text(self) -> bool:
        """Whether the content has something for people to read or see."""
        return any(part.get("inline_data") or (part.get("text") and not part.get("thought")) for part in self.parts)


def collect_emitted_contents(events: Iterable[Event]) -> list[list[EmittedContent]]:
    """Return the contents of each user turn, in chronological order."""
    turns: list[list[EmittedContent]] = []
    ids = _UniqueCallIds()
    for event in events:
        match event.payload:
            case UserSpoke(content=content) if is_user_query(content):
                turns.append([])
            case UserSpoke() if turns:
                # The turn goes on after the user's answer to a call, so what ended it so far is not its final response,
                # and would end it early if a model repeated it.
                turns[-1] = [replace(each, is_final=False) for each in turns[-1] if not each.is_final or each.has_calls]
            case AgentEvent() as emitted if turns and emitted.event.get("author") != "user":
                _add_content(turns[-1], emitted, ids)
            case _:
                pass
    return turns


def needs_authors(contents: Sequence[EmittedContent]) -> bool:
    """Return whether a flat list of calls and responses would lose something of a user turn."""
    return len({each.author for each in contents}) > 1 or any(
        each.has_text and (not each.is_final or each.has_calls) for each in contents
    )


def _add_content(turn: list[EmittedContent], emitted: AgentEvent, ids: _UniqueCallIds) -> None:
    content: Mapping[str, Json] = emitted.event.get("content") or {}
    parts = [ids.apply(part) for part in get_parts(content) if _is_exported(part)]
    if not parts:
        return
    added = EmittedContent(
        author=emitted.event.get("author") or "",
        parts=parts,
        role=content.get("role") or "model",
        is_final=emitted.final,
    )
    if added.is_final:
        # As ADK does: the last final event counts, but one without text does not replace one with text.
        earlier = next((place for place, each in enumerate(turn) if each.is_final), None)
        if earlier is not None and (added.has_text or not turn[earlier].has_text):
            turn[earlier] = replace(turn[earlier], is_final=False)
        elif earlier is not None:
            added = replace(added, is_final=False)
    turn.append(added)


def _is_exported(part: Mapping[str, Json]) -> bool:
    """Return whether ADK's converter keeps a part; its own questions to the user have ids that no eval can repeat."""
    call: Mapping[str, Json] = part.get("function_call") or part.get("function_response") or {}
    return not is_request_call(call.get("name") or "") and bool(call or part.get("text") or part.get("inline_data"))


class _UniqueCallIds:
    """Gives every call of a session an id of its own, as the history does."""

    def __init__(self) -> None:
        self._unique_ids = UniqueIds("#")
        self._last_ids: dict[str, str] = {}

    def apply(self, part: Mapping[str, Json]) -> Mapping[str, Json]:
        if call := part.get("function_call"):
            given = call.get("id") or ""
            self._last_ids[given] = self._unique_ids.assign(given)
            return {**part, "function_call": {**call, "id": self._last_ids[given]}}
        if response := part.get("function_response"):
            given = response.get("id") or ""
            return {**part, "function_response": {**response, "id": self._last_ids.get(given, given)}}
        return part
