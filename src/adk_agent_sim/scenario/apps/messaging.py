"""Conversations between people known by name."""

from __future__ import annotations

from typing import Any

from adk_agent_sim.scenario.apps.app import App
from adk_agent_sim.scenario.apps.tool import APP, DATA, ENV, MEDIUM, READ, WRITE, Notice, tool


class MessagingApp(App):
    """Conversations between people known by name."""

    state_keys = ("conversations", "messages_view_limit", "conversation_view_limit")

    @tool(APP, ENV, DATA, operation=WRITE)
    def create_conversation(self, participants: list[str], title: str | None = None) -> str:
        """Start a conversation.

        Args:
            participants: The names of the people.
            title: The title.
        """
        raise NotImplementedError

    @tool(APP, operation=READ, returns="list[Conversation]")
    def list_recent_conversations(
        self,
        offset: int = 0,
        limit: int = 5,
        offset_recent_messages_per_conversation: int = 0,
        limit_recent_messages_per_conversation: int = 5,
    ) -> Any:
        """List conversations, the one with the newest message first, each with its newest messages.

        Args:
            offset: How many to pass over first.
            limit: How many to return at most.
            offset_recent_messages_per_conversation: How many messages of each conversation to pass over first.
            limit_recent_messages_per_conversation: How many messages of each conversation to return at most.
        """
        raise NotImplementedError

    @tool(APP, DATA, operation=READ, returns="list[Conversation]")
    def list_conversations_by_participant(
        self,
        participant: str,
        offset: int = 0,
        limit: int = 5,
        offset_recent_messages_per_conversation: int = 0,
        limit_recent_messages_per_conversation: int = 5,
    ) -> Any:
        """List the conversations that one person takes part in.

        Args:
            participant: The name of the person.
            offset: How many to pass over first.
            limit: How many to return at most.
            offset_recent_messages_per_conversation: How many messages of each conversation to pass over first.
            limit_recent_messages_per_conversation: How many messages of each conversation to return at most.
        """
        raise NotImplementedError

    @tool(APP, operation=WRITE)
    def send_message(self, conversation_id: str, content: str = "") -> str:
        """Write into a conversation.

        Args:
            conversation_id: The id of the conversation.
            content: The text.
        """
        raise NotImplementedError

    @tool(APP, operation=WRITE)
    def send_attachment(self, conversation_id: str, filepath: str) -> str:
        """Send a file into a conversation.

        Args:
            conversation_id: The id of the conversation.
            filepath: The path of the file.
        """
        raise NotImplementedError

    @tool(APP, operation=WRITE)
    def download_attachment(self, conversation_id: str, message_id: str, download_path: str = "Downloads/") -> str:
        """Save the file attached to a message.

        Args:
            conversation_id: The id of the conversation.
            message_id: The id of the message.
            download_path: The folder to save into.
        """
        raise NotImplementedError

    @tool(APP, DATA, operation=READ)
    def read_conversation(self, conversation_id: str, offset: int = 0, limit: int = 10) -> dict[str, Any]:
        """Read the messages of a conversation, newest first, a page at a time.

        Args:
            conversation_id: The id of the conversation.
            offset: How many to pass over first.
            limit: How many to return at most.
        """
        raise NotImplementedError

    @tool(APP, ENV, DATA, operation=WRITE)
    def add_participant_to_conversation(self, conversation_id: str, participant: str) -> str:
        """Let a person take part in a conversation.

        Args:
            conversation_id: The id of the conversation.
            participant: The name of the person.
        """
        raise NotImplementedError

    @tool(APP, ENV, DATA, operation=WRITE)
    def remove_participant_from_conversation(self, conversation_id: str, participant: str) -> str:
        """Take a person out of a conversation.

        Args:
            conversation_id: The id of the conversation.
            participant: The name of the person.
        """
        raise NotImplementedError

    @tool(APP, DATA, operation=READ)
    def search(self, query: str, min_date: str | None = None, max_date: str | None = None) -> list[str]:
        """Find conversations whose title, people or messages contain a text.

        Args:
            query: What to look for.
            min_date: The earliest time, as `YYYY-MM-DD HH:MM:SS`.
            max_date: The latest time, as `YYYY-MM-DD HH:MM:SS`.
        """
        raise NotImplementedError

    @tool(APP, operation=READ)
    def regex_search(self, query: str, min_date: str | None = None, max_date: str | None = None) -> list[str]:
        """Find conversations whose title, people or messages match a regular expression.

        Args:
            query: What to look for.
            min_date: The earliest time, as `YYYY-MM-DD HH:MM:SS`.
            max_date: The latest time, as `YYYY-MM-DD HH:MM:SS`.
        """
        raise NotImplementedError

    @tool(
        ENV, DATA, operation=WRITE, notice=Notice(MEDIUM, "New message received in conversation ID: {conversation_id}")
    )
    def create_and_add_message(self, conversation_id: str, sender: str, content: str) -> str:
        """Let a message arrive in a conversation.

        Args:
            conversation_id: The id of the conversation.
            sender: The name of the person who writes.
            content: The text.
        """
        raise NotImplementedError
