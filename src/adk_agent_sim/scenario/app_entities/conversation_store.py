"""Conversations, held so that one message more costs the same however many there are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from adk_agent_sim.scenario.app_base.entity import get_list

JSON = dict[str, Any]


class ConversationStore:
    """Conversations by id. One that is changed becomes this world's own first; all others stay shared."""

    def __init__(self, state: Mapping[str, JSON]) -> None:
        """Take over conversations as scenario files have them."""
        self._conversations = dict(state)
        self._owned_ids: set[str] = set()

    def __len__(self) -> int:
        return len(self._conversations)

    def get(self, conversation_id: str) -> JSON | None:
        """The conversation with that id, if there is one; not to be changed."""
        return self._conversations.get(conversation_id)

    def list_all(self) -> list[JSON]:
        """Every conversation, in the order in which they came."""
        return list(self._conversations.values())

    def add(self, conversation: JSON) -> None:
        """Add a conversation that nobody else holds."""
        self._conversations[conversation["conversation_id"]] = conversation
        self._owned_ids.add(conversation["conversation_id"])

    def get_mutable(self, conversation_id: str) -> JSON:
        """The conversation with that id, to be changed."""
        held = self._conversations[conversation_id]
        if conversation_id not in self._owned_ids:
            held = self._conversations[conversation_id] = _copy_conversation(held)
            self._owned_ids.add(conversation_id)
        return held

    def add_message(self, conversation_id: str, message: JSON) -> None:
        """Put a message into a conversation."""
        conversation = self.get_mutable(conversation_id)
        conversation["messages"].append(message)
        conversation["last_updated"] = max(get_last_updated(conversation), message["timestamp"])

    def to_state(self) -> JSON:
        """The conversations as scenario files have them; what is given out is not changed any more."""
        return {
            each: _copy_conversation(held) if each in self._owned_ids else held
            for each, held in self._conversations.items()
        }


def get_last_updated(conversation: JSON) -> float:
    """When something was last said; long ago if nobody knows."""
    return conversation.get("last_updated") or 0.0


def sort_newest_first(messages: list[JSON]) -> list[JSON]:
    """Messages by age; of two of the same moment, the one that came first comes first."""
    return sorted(messages, key=lambda message: message["timestamp"], reverse=True)


def _copy_conversation(conversation: JSON) -> JSON:
    return conversation | {"messages": list(get_list(conversation, "messages"))}
