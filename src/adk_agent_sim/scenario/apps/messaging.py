"""Conversations between people identified by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from adk_agent_sim.scenario.app_base.app import APP, DATA, ENV, JSON, MEDIUM, READ, WRITE, NotificationTemplate, tool
from adk_agent_sim.scenario.app_base.entity import Entity, get_list
from adk_agent_sim.scenario.apps.messaging_base import BaseMessagingApp, SafeRegex, raise_exception, sort_newest_first

_USER_NAME = "Me"
"""The name under which the user writes."""


class Message(Entity):
    """A message in a conversation."""

    fields = ("sender", "message_id", "timestamp", "content")


class FileMessage(Entity):
    """A message with a file."""

    fields = ("sender", "message_id", "timestamp", "content", "attachment", "attachment_name")


class Conversation(Entity):
    """A conversation with some of its messages."""

    fields = ("participants", "messages", "title", "conversation_id", "last_updated")


class MessagingApp(BaseMessagingApp):
    """Conversations between people identified by name."""

    state_keys = ("conversations", "messages_view_limit", "conversation_view_limit")
    empty_state: ClassVar[Mapping[str, Any] | None] = {
        "conversations": {},
        "messages_view_limit": 10,
        "conversation_view_limit": 5,
    }
    participants_key = "participants"
    sender_key = "sender"
    message_class = Message
    file_message_class = FileMessage
    conversation_class = Conversation
    has_whole_seconds = False

    @tool(APP, ENV, DATA, operation=WRITE)
    def create_conversation(self, participants: list[str], title: str | None = None) -> str:
        """Start a conversation.

        The user takes part without being named. Returns the id of the conversation.

        Args:
            participants: The names of the people.
            title: The title.
        """
        if not participants:
            raise_exception("Must have at least one participant")
        return self._create_conversation([*participants, _USER_NAME], title)

    @tool(APP, operation=READ, return_type="list[Conversation]")
    def list_recent_conversations(
        self,
        offset: int = 0,
        limit: int = 5,
        offset_recent_messages_per_conversation: int = 0,
        limit_recent_messages_per_conversation: int = 5,
    ) -> Any:
        """List conversations, the one with the newest message first, each with its newest messages.

        Returns at most five conversations with ten messages each; use the offsets to see more.

        Args:
            offset: How many to pass over first.
            limit: How many to return at most.
            offset_recent_messages_per_conversation: How many messages of each conversation to pass over first.
            limit_recent_messages_per_conversation: How many messages of each conversation to return at most.
        """
        self._check_conversation_bounds(offset, limit)
        of_messages = offset_recent_messages_per_conversation, limit_recent_messages_per_conversation
        return self._build_conversations(self._list_recent(), (offset, limit), of_messages)

    @tool(APP, DATA, operation=READ, return_type="list[Conversation]")
    def list_conversations_by_participant(
        self,
        participant: str,
        offset: int = 0,
        limit: int = 5,
        offset_recent_messages_per_conversation: int = 0,
        limit_recent_messages_per_conversation: int = 5,
    ) -> Any:
        """List the conversations that one person takes part in.

        A part of the name is enough. Returns at most five conversations; use the offsets to see more.

        Args:
            participant: The name of the person.
            offset: How many to pass over first.
            limit: How many to return at most.
            offset_recent_messages_per_conversation: How many messages of each conversation to pass over first.
            limit_recent_messages_per_conversation: How many messages of each conversation to return at most.
        """
        self._check_conversation_bounds(offset, limit)
        of_messages = offset_recent_messages_per_conversation, limit_recent_messages_per_conversation
        return self._build_conversations(self._list_by_participant(participant), (offset, limit), of_messages)

    @tool(APP, operation=WRITE)
    def send_message(self, conversation_id: str, content: str = "") -> str:
        """Write into a conversation.

        Returns the id of the message.

        Args:
            conversation_id: The id of the conversation.
            content: The text.
        """
        self._get_conversation(conversation_id)
        return self._add_message(conversation_id, _USER_NAME, content, {})

    @tool(APP, operation=WRITE)
    def send_attachment(self, conversation_id: str, filepath: str) -> str:
        """Send a file into a conversation.

        Returns the id of the message.

        Args:
            conversation_id: The id of the conversation.
            filepath: The path of the file.
        """
        self._get_conversation(conversation_id)
        return self._add_message(conversation_id, _USER_NAME, "", self._read_attachment(filepath))

    @tool(APP, operation=WRITE)
    def download_attachment(self, conversation_id: str, message_id: str, download_path: str = "Downloads/") -> str:
        """Save the file attached to a message.

        Returns the path of the saved file. The folder must exist.

        Args:
            conversation_id: The id of the conversation.
            message_id: The id of the message.
            download_path: The folder to save into.
        """
        return self._save_attachment(conversation_id, message_id, download_path)

    @tool(APP, DATA, operation=READ)
    def read_conversation(self, conversation_id: str, offset: int = 0, limit: int = 10) -> dict[str, Any]:
        """Read the messages of a conversation, newest first, a page at a time.

        Returns the messages, the range shown, how many there are and the title.

        Args:
            conversation_id: The id of the conversation.
            offset: How many to pass over first.
            limit: How many to return at most.
        """
        shown = self._read_messages(conversation_id, (offset, limit), (None, None))
        # ARE sorts what it stores, and a state shows it.
        conversation = self._conversations.get_mutable(conversation_id)
        conversation["messages"] = sort_newest_first(conversation["messages"])
        return shown

    @tool(APP, ENV, DATA, operation=WRITE)
    def add_participant_to_conversation(self, conversation_id: str, participant: str) -> str:
        """Let a person take part in a conversation.

        Returns the id of the conversation.

        Args:
            conversation_id: The id of the conversation.
            participant: The name of the person.
        """
        return self._add_participant(conversation_id, participant)

    @tool(APP, ENV, DATA, operation=WRITE)
    def remove_participant_from_conversation(self, conversation_id: str, participant: str) -> str:
        """Take a person out of a conversation.

        Returns the id of the conversation.

        Args:
            conversation_id: The id of the conversation.
            participant: The name of the person.
        """
        return self._remove_participant(conversation_id, participant)

    @tool(APP, DATA, operation=READ, return_type="list[str]")
    def search(self, query: str, min_date: str | None = None, max_date: str | None = None) -> Any:
        """Find conversations by a text in their title, messages or people; dates limit the messages.

        Returns the conversations with all their messages.

        Args:
            query: What to look for.
            min_date: The earliest time, as `YYYY-MM-DD HH:MM:SS`.
            max_date: The latest time, as `YYYY-MM-DD HH:MM:SS`.
        """
        wanted = query.lower()
        found = self._search_conversations(lambda text: wanted in text.lower(), (min_date, max_date))
        return [self._build_conversation(self._get_conversation(each)) for each in found]

    @tool(APP, operation=READ)
    def regex_search(self, query: str, min_date: str | None = None, max_date: str | None = None) -> list[str]:
        """Find conversations by a regular expression for title, messages or people; dates limit the messages.

        Returns the ids of the conversations.

        Args:
            query: What to look for.
            min_date: The earliest time, as `YYYY-MM-DD HH:MM:SS`.
            max_date: The latest time, as `YYYY-MM-DD HH:MM:SS`.
        """
        return self._search_conversations(SafeRegex(query).has_match, (min_date, max_date))

    @tool(
        ENV,
        DATA,
        operation=WRITE,
        notification=NotificationTemplate(MEDIUM, "New message received in conversation ID: {conversation_id}"),
    )
    def create_and_add_message(self, conversation_id: str, sender: str, content: str) -> str:
        """Let a message arrive in a conversation.

        Args:
            conversation_id: The id of the conversation.
            sender: The name of the person who writes.
            content: The text.
        """
        if sender not in self._get_participants(conversation_id):
            raise_exception(f"Sender {sender} not in conversation")
        self._add_message(conversation_id, sender, content, {}, sent_at=float(int(self.context.now())))
        return conversation_id

    def _build_conversation(self, conversation: JSON) -> Conversation:
        return Conversation(conversation, messages=[*map(self._build_message, get_list(conversation, "messages"))])

    def _set_participants(self, conversation_id: str, participants: list[str]) -> None:
        """Set the participants; the title stays as it is."""
        self._conversations.get_mutable(conversation_id)[self.participants_key] = participants

    def _build_default_title(self, participants: list[str]) -> str:
        return ", ".join(participants)
