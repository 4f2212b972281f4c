"""Conversations between people identified by id, in pairs or groups."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from adk_agent_sim.scenario.app_base.app import APP, ENV, JSON, MEDIUM, READ, WRITE, NotificationTemplate, tool
from adk_agent_sim.scenario.app_base.entity import Entity, get_list, get_object
from adk_agent_sim.scenario.app_base.tool_call import call_nested_tool
from adk_agent_sim.scenario.apps.messaging_base import BaseMessagingApp, SafeRegex, find_similar_names, raise_exception

_DIRECT_CONVERSATION_SIZE = 2


class MessageV2(Entity):
    """A message in a conversation."""

    fields = ("sender_id", "message_id", "timestamp", "content")


class FileMessageV2(Entity):
    """A message with a file."""

    fields = ("sender_id", "message_id", "timestamp", "content", "attachment", "attachment_name")


class ConversationV2(Entity):
    """A conversation with some of its messages."""

    fields = ("participant_ids", "messages", "title", "conversation_id", "last_updated")


class MessagingAppV2(BaseMessagingApp):
    """Conversations between people identified by id, in pairs or groups."""

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

    message_class = MessageV2
    file_message_class = FileMessageV2
    conversation_class = ConversationV2

    empty_state: ClassVar[Mapping[str, Any] | None] = {
        "conversations": {}, "messages_view_limit": 10, "conversation_view_limit": 5, "mode": "NAME", "name_to_id": {},
        "id_to_name": {}, "current_user_id": None, "current_user_name": None,
    }  # fmt: skip

    def load(self, state: JSON) -> None:
        """Load people and conversations."""
        super().load(state)
        self._ids_are_phone_numbers: bool = state.get("mode") == "PHONE_NUMBER"
        self._ids_by_name: dict[str, str] = get_object(state, "name_to_id")
        self._names_by_id: dict[str, str] = get_object(state, "id_to_name")
        self._user_id: str = state.get("current_user_id") or ""

    @tool(APP, operation=READ)
    def get_user_id(self, user_name: str) -> str | None:
        """Find a person's id by the exact name.

        Returns null if nobody has exactly this name; lookup_user_id is more tolerant.

        Args:
            user_name: The name of the person.
        """
        return self._ids_by_name.get(user_name)

    @tool(APP, operation=READ)
    def get_user_name_from_id(self, user_id: str) -> str | None:
        """Find a person's name by the id.

        Returns null if nobody has this id.

        Args:
            user_id: The id of the person.
        """
        return self._names_by_id.get(user_id)

    @tool(APP, operation=READ)
    def lookup_user_id(self, user_name: str) -> dict[str, str]:
        """Find people by a name that is only roughly right; names with their ids come back.

        Returns everybody with a similar name, the most similar first.

        Args:
            user_name: The name of the person.
        """
        if user_name in self._ids_by_name:
            return {user_name: self._ids_by_name[user_name]}
        return {name: self._ids_by_name[name] for name in find_similar_names(user_name, self._ids_by_name)}

    @tool(APP, operation=WRITE)
    def send_message(self, user_id: str, content: str = "", attachment_path: str | None = None) -> str:
        """Write to one person; a conversation is started if there is none.

        The id is what lookup_user_id returns, not the name. Returns the id of the conversation.

        Args:
            user_id: The id of the person.
            content: The text.
            attachment_path: The path of a file to send along.
        """
        # First, so that a missing file does not leave a new conversation behind.
        attached = self._read_attachment(attachment_path)
        existing = call_nested_tool(self, "get_existing_conversation_ids", user_ids=[user_id])
        # A conversation that was given another title is not the one to write into.
        title = self._build_default_title([user_id])
        conversation_id = next((each for each in existing if self._get_conversation(each).get("title") == title), None)
        if conversation_id is None:
            for each in (self._user_id, user_id):
                self._check_user(each)
            conversation_id = self._create_conversation([self._user_id, user_id], None)
        self._add_message(conversation_id, self._user_id, content, attached)
        return conversation_id

    @tool(APP, operation=WRITE)
    def send_message_to_group_conversation(
        self, conversation_id: str, content: str = "", attachment_path: str | None = None
    ) -> str:
        """Write into a group conversation.

        A group has more than two people, the user among them. Returns the id of the conversation.

        Args:
            conversation_id: The id of the conversation.
            content: The text.
            attachment_path: The path of a file to send along.
        """
        conversation = self._conversations.get(conversation_id)
        if conversation is None:
            raise ValueError(f"Conversation {conversation_id} does not exist")
        if len(self._get_participants(conversation_id)) <= _DIRECT_CONVERSATION_SIZE:
            raise ValueError(f"Conversation {conversation_id} is not a group conversation")
        self._add_message(conversation_id, self._user_id, content, self._read_attachment(attachment_path))
        return conversation_id

    @tool(APP, ENV, operation=WRITE)
    def create_group_conversation(self, user_ids: list[str], title: str | None = None) -> str:
        """Start a conversation with several people.

        The user takes part without being named; at least two others must. Returns the id of the conversation.

        Args:
            user_ids: The ids of the people.
            title: The title.
        """
        if len(user_ids) < _DIRECT_CONVERSATION_SIZE:
            raise_exception("Must have at least two other participants")
        for each in user_ids:
            self._check_user(each)
        return self._create_conversation([self._user_id, *user_ids], title)

    @tool(APP, operation=READ)
    def get_existing_conversation_ids(self, user_ids: list[str]) -> list[str]:
        """Find the conversations that have exactly these people.

        The user need not be named. Returns the ids of the conversations, or nothing.

        Args:
            user_ids: The ids of the people.
        """
        wanted = {*user_ids, self._user_id}
        return [
            each["conversation_id"]
            for each in self._conversations.list_all()
            if wanted == set(get_list(each, "participant_ids"))
        ]

    @tool(APP, operation=READ, return_type="list[ConversationV2]")
    def list_recent_conversations(
        self,
        offset: int = 0,
        limit: int = 5,
        offset_recent_messages_per_conversation: int = 0,
        limit_recent_messages_per_conversation: int = 10,
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

    @tool(APP, operation=READ, return_type="list[ConversationV2]")
    def list_conversations_by_participant(
        self,
        user_id: str,
        offset: int = 0,
        limit: int = 5,
        offset_recent_messages_per_conversation: int = 0,
        limit_recent_messages_per_conversation: int = 5,
    ) -> Any:
        """List the conversations that one person takes part in.

        A part of the id is enough. Returns at most five conversations with ten messages each; use the offsets
        to see more.

        Args:
            user_id: The id of the person.
            offset: How many to pass over first.
            limit: How many to return at most.
            offset_recent_messages_per_conversation: How many messages of each conversation to pass over first.
            limit_recent_messages_per_conversation: How many messages of each conversation to return at most.
        """
        self._check_conversation_bounds(offset, limit)
        of_messages = offset_recent_messages_per_conversation, limit_recent_messages_per_conversation
        return self._build_conversations(self._list_by_participant(user_id), (offset, limit), of_messages)

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

        Returns the messages, the range shown, how many there are between the dates, and the title.

        Args:
            conversation_id: The id of the conversation.
            offset: How many to pass over first.
            limit: How many to return at most.
            min_date: The earliest time, as `YYYY-MM-DD HH:MM:SS`.
            max_date: The latest time, as `YYYY-MM-DD HH:MM:SS`.
        """
        return self._read_messages(conversation_id, (offset, limit), (min_date, max_date))

    @tool(APP, ENV, operation=WRITE)
    def add_participant_to_conversation(self, conversation_id: str, user_id: str) -> str:
        """Let a person take part in a conversation.

        Returns the id of the conversation.

        Args:
            conversation_id: The id of the conversation.
            user_id: The id of the person.
        """
        return self._add_participant(conversation_id, user_id)

    @tool(APP, ENV, operation=WRITE)
    def remove_participant_from_conversation(self, conversation_id: str, user_id: str) -> str:
        """Take a person out of a conversation.

        Returns the id of the conversation.

        Args:
            conversation_id: The id of the conversation.
            user_id: The id of the person.
        """
        return self._remove_participant(conversation_id, user_id)

    @tool(APP, ENV, operation=WRITE)
    def change_conversation_title(self, conversation_id: str, title: str) -> str:
        """Give a conversation another title.

        Returns the id of the conversation.

        Args:
            conversation_id: The id of the conversation.
            title: The title.
        """
        self._get_conversation(conversation_id)
        self._conversations.get_mutable(conversation_id)["title"] = title
        return conversation_id

    @tool(APP, operation=READ)
    def search(self, query: str, min_date: str | None = None, max_date: str | None = None) -> list[str]:
        """Find conversations by a text in their title, messages or people; dates limit the messages.

        People are meant by their ids, and upper and lower case are the same. Returns the ids of the conversations;
        read_conversation shows their messages.

        Args:
            query: What to look for.
            min_date: The earliest time, as `YYYY-MM-DD HH:MM:SS`.
            max_date: The latest time, as `YYYY-MM-DD HH:MM:SS`.
        """
        wanted = query.lower()
        return self._search_conversations(lambda text: wanted in text.lower(), (min_date, max_date))

    @tool(APP, operation=READ)
    def regex_search(self, query: str, min_date: str | None = None, max_date: str | None = None) -> list[str]:
        """Find conversations by a regular expression for title, messages or people; dates limit the messages.

        People are meant by their ids, and upper and lower case are the same. Returns the ids of the conversations;
        read_conversation shows their messages.

        Args:
            query: What to look for.
            min_date: The earliest time, as `YYYY-MM-DD HH:MM:SS`.
            max_date: The latest time, as `YYYY-MM-DD HH:MM:SS`.
        """
        return self._search_conversations(SafeRegex(query).has_match, (min_date, max_date))

    @tool(
        ENV,
        operation=WRITE,
        notification=NotificationTemplate(MEDIUM, "New message received in conversation ID: {conversation_id}"),
    )
    def create_and_add_message(self, conversation_id: str, sender_id: str, content: str) -> None:
        """Let a message arrive in a conversation.

        Args:
            conversation_id: The id of the conversation.
            sender_id: The id of the person who writes.
            content: The text.
        """
        if sender_id not in self._get_participants(conversation_id):
            raise_exception(f"Sender {sender_id} not in conversation")
        self._add_message(conversation_id, sender_id, content, {}, sent_at=float(int(self.context.now())))

    def _check_user(self, user_id: str) -> None:
        if self._ids_are_phone_numbers and not any(map(str.isdigit, user_id)):
            wanted = "the phone number of an existing user"
            raise ValueError(f"User {user_id} is not a valid phone number, you need to provide {wanted}")
        if not self._ids_are_phone_numbers and user_id not in self._names_by_id:
            raise ValueError(f"User {user_id} does not exist in Ids, you need to provide the Id of an existing user")

    def _build_default_title(self, participants: list[str]) -> str:
        others = dict.fromkeys(each for each in participants if each != self._user_id)
        known = [each for each in others if self._ids_are_phone_numbers or each in self._names_by_id]
        if self._user_id not in self._names_by_id:
            raise AssertionError  # as in ARE, without a text: nobody can write in a world whose user has no name
        return super()._build_default_title([self._names_by_id.get(each, each) for each in known])
