"""Conversations between people known by id, alone or in groups."""

from __future__ import annotations

from typing import Any

from adk_agent_sim.scenario.apps.app import App
from adk_agent_sim.scenario.apps.tool import APP, ENV, MEDIUM, READ, WRITE, Notice, tool


class MessagingAppV2(App):
    """Conversations between people known by id, alone or in groups."""

    state_keys = (
        "conversations",
        "messages_view_limit",
        "conversation_view_limit",
        "mode",
        "name_to_id",
        "id_to_name",
        "current_user_id",
        "current_user_name",
    )

    @tool(APP, operation=READ)
    def get_user_id(self, user_name: str) -> str | None:
        """Find a person's id by the exact name.

        Args:
            user_name: The name of the person.
        """
        raise NotImplementedError

    @tool(APP, operation=READ)
    def get_user_name_from_id(self, user_id: str) -> str | None:
        """Find a person's name by the id.

        Args:
            user_id: The id of the person.
        """
        raise NotImplementedError

    @tool(APP, operation=READ)
    def lookup_user_id(self, user_name: str) -> dict[str, str]:
        """Find people by a name that is only roughly right; names with their ids come back.

        Args:
            user_name: The name of the person.
        """
        raise NotImplementedError

    @tool(APP, operation=WRITE)
    def send_message(self, user_id: str, content: str = "", attachment_path: str | None = None) -> str:
        """Write to one person; a conversation is started if there is none.

        Args:
            user_id: The id of the person.
            content: The text.
            attachment_path: The path of a file to send along.
        """
        raise NotImplementedError

    @tool(APP, operation=WRITE)
    def send_message_to_group_conversation(
        self, conversation_id: str, content: str = "", attachment_path: str | None = None
    ) -> str:
        """Write into a group conversation.

        Args:
            conversation_id: The id of the conversation.
            content: The text.
            attachment_path: The path of a file to send along.
        """
        raise NotImplementedError

    @tool(APP, ENV, operation=WRITE)
    def create_group_conversation(self, user_ids: list[str], title: str | None = None) -> str:
        """Start a conversation with several people.

        Args:
            user_ids: The ids of the people.
            title: The title.
        """
        raise NotImplementedError

    @tool(APP, operation=READ)
    def get_existing_conversation_ids(self, user_ids: list[str]) -> list[str]:
        """Find the conversations that have exactly these people.

        Args:
            user_ids: The ids of the people.
        """
        raise NotImplementedError

    @tool(APP, operation=READ, returns="list[ConversationV2]")
    def list_recent_conversations(
        self,
        offset: int = 0,
        limit: int = 5,
        offset_recent_messages_per_conversation: int = 0,
        limit_recent_messages_per_conversation: int = 10,
    ) -> Any:
        """List conversations, the one with the newest message first, each with its newest messages.

        Args:
            offset: How many to pass over first.
            limit: How many to return at most.
            offset_recent_messages_per_conversation: How many messages of each conversation to pass over first.
            limit_recent_messages_per_conversation: How many messages of each conversation to return at most.
        """
        raise NotImplementedError

    @tool(APP, operation=READ, returns="list[ConversationV2]")
    def list_conversations_by_participant(
        self,
        user_id: str,
        offset: int = 0,
        limit: int = 5,
        offset_recent_messages_per_conversation: int = 0,
        limit_recent_messages_per_conversation: int = 5,
    ) -> Any:
        """List the conversations that one person takes part in.

        Args:
            user_id: The id of the person.
            offset: How many to pass over first.
            limit: How many to return at most.
            offset_recent_messages_per_conversation: How many messages of each conversation to pass over first.
            limit_recent_messages_per_conversation: How many messages of each conversation to return at most.
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

    @tool(APP, operation=READ)
    def read_conversation(
        self,
        conversation_id: str,
        offset: int = 0,
        limit: int = 10,
        min_date: str | None = None,
        max_date: str | None = None,
    ) -> dict[str, Any]:
        """Read the messages of a conversation, newest first, a page at a time.

        Args:
            conversation_id: The id of the conversation.
            offset: How many to pass over first.
            limit: How many to return at most.
            min_date: The earliest time, as `YYYY-MM-DD HH:MM:SS`.
            max_date: The latest time, as `YYYY-MM-DD HH:MM:SS`.
        """
        raise NotImplementedError

    @tool(APP, ENV, operation=WRITE)
    def add_participant_to_conversation(self, conversation_id: str, user_id: str) -> str:
        """Let a person take part in a conversation.

        Args:
            conversation_id: The id of the conversation.
            user_id: The id of the person.
        """
        raise NotImplementedError

    @tool(APP, ENV, operation=WRITE)
    def remove_participant_from_conversation(self, conversation_id: str, user_id: str) -> str:
        """Take a person out of a conversation.

        Args:
            conversation_id: The id of the conversation.
            user_id: The id of the person.
        """
        raise NotImplementedError

    @tool(APP, ENV, operation=WRITE)
    def change_conversation_title(self, conversation_id: str, title: str) -> str:
        """Give a conversation another title.

        Args:
            conversation_id: The id of the conversation.
            title: The title.
        """
        raise NotImplementedError

    @tool(APP, operation=READ)
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

    @tool(ENV, operation=WRITE, notice=Notice(MEDIUM, "New message received in conversation ID: {conversation_id}"))
    def create_and_add_message(self, conversation_id: str, sender_id: str, content: str) -> None:
        """Let a message arrive in a conversation.

        Args:
            conversation_id: The id of the conversation.
            sender_id: The id of the person who writes.
            content: The text.
        """
        raise NotImplementedError
