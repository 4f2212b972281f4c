"""Copy-on-write store of conversations; adding a message costs the same however long the conversation is."""

from __future__ import annotations

from collections.abc import Mapping

from adk_agent_sim.scenario.app_base.app import JSON
from adk_agent_sim.scenario.app_base.entity import get_list


class ConversationStore:
    """Conversations by id. A conversation is copied before its first change; all others stay shared."""

    def __init__(self, state: Mapping[str, JSON]) -> None:
        """Load conversations as in scenario files."""
        self._conversations = dict(state)
        self._owned_ids: set[str] = set()

    def __len__(self) -> int:
        return len(self._conversations)

    def get(self, conversation_id: str) -> JSON | None:
        """Return the conversation with that id, or None. The caller must not modify it."""
        return self._conversations.get(conversation_id)

    def list_all(self) -> list[JSON]:
        """Return all conversations in insertion order."""
        return list(self._conversations.values())

    def add(self, conversation: JSON) -> None:
        """Add a conversation that no other world shares."""
        self._conversations[conversation["conversation_id"]] = conversation
        self._owned_ids.add(conversation["conversation_id"])

    def get_mutable(self, conversation_id: str) -> JSON:
        """Return the conversation with that id for modification."""
        conversation = self._conversations[conversation_id]
        if conversation_id not in self._owned_ids:
            conversation = self._conversations[conversation_id] = _copy_conversation(conversation)
            self._owned_ids.add(conversation_id)
        return conversation

    def add_message(self, conversation_id: str, message: JSON) -> None:
        """Append a message to a conversation and update its time."""
        conversation = self.get_mutable(conversation_id)
        conversation["messages"].append(message)
        conversation["last_updated"] = max(get_last_updated(conversation), message["timestamp"])

    def to_state(self) -> JSON:
        """Return the conversations as in scenario files. The returned objects are not modified later."""
        return {
            conversation_id: _copy_conversation(each) if conversation_id in self._owned_ids else each
            for conversation_id, each in self._conversations.items()
        }


def get_last_updated(conversation: JSON) -> float:
    """Return the time of the last update, or 0 if it is unknown."""
    return conversation.get("last_updated") or 0.0


def sort_newest_first(messages: list[JSON]) -> list[JSON]:
    """Return messages by descending time; messages of the same time keep their order."""
    return sorted(messages, key=lambda message: message["timestamp"], reverse=True)


def _copy_conversation(conversation: JSON) -> JSON:
    return conversation | {"messages": list(get_list(conversation, "messages"))}
