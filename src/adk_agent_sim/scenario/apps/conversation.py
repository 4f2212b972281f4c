"""Conversations, held so that one message more costs the same however many there are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from adk_agent_sim.scenario.apps.record import many

JSON = dict[str, Any]


class Conversations:
    """Conversations by id. One that is changed becomes this world's own first; all others stay shared."""

    def __init__(self, state: Mapping[str, JSON]) -> None:
        """Take over conversations as scenario files have them."""
        self._held = dict(state)
        self._own: set[str] = set()

    def __len__(self) -> int:
        return len(self._held)

    def get(self, conversation_id: str) -> JSON | None:
        """The conversation with that id, if there is one; not to be changed."""
        return self._held.get(conversation_id)

    def all(self) -> list[JSON]:
        """Every conversation, in the order in which they came."""
        return list(self._held.values())

    def add(self, conversation: JSON) -> None:
        """Add a conversation that nobody else holds."""
        self._held[conversation["conversation_id"]] = conversation
        self._own.add(conversation["conversation_id"])

    def change(self, conversation_id: str) -> JSON:
        """The conversation with that id, to be changed."""
        held = self._held[conversation_id]
        if conversation_id not in self._own:
            held = self._held[conversation_id] = _copied(held)
            self._own.add(conversation_id)
        return held

    def say(self, conversation_id: str, message: JSON) -> None:
        """Put a message into a conversation."""
        conversation = self.change(conversation_id)
        conversation["messages"].append(message)
        conversation["last_updated"] = max(last_updated(conversation), message["timestamp"])

    def state(self) -> JSON:
        """The conversations as scenario files have them; what is given out is not changed any more."""
        return {each: _copied(held) if each in self._own else held for each, held in self._held.items()}


def last_updated(conversation: JSON) -> float:
    """When something was last said; long ago if nobody knows."""
    return conversation.get("last_updated") or 0.0


def newest_first(messages: list[JSON]) -> list[JSON]:
    """Messages by age; of two of the same moment, the one that came first comes first."""
    return sorted(messages, key=lambda message: message["timestamp"], reverse=True)


def _copied(conversation: JSON) -> JSON:
    return conversation | {"messages": list(many(conversation, "messages"))}
