"""The conversation between the user and the agent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from adk_agent_sim.scenario.app_base.app import (
    APP,
    DATA,
    JSON,
    LOW,
    READ,
    USER,
    WRITE,
    App,
    Notification,
    NotificationKind,
    NotificationTemplate,
    Tool,
    tool,
)
from adk_agent_sim.scenario.app_base.entity import NUMBER, TEXT, Entity, Fields, ListOf, get_list
from adk_agent_sim.scenario.app_base.time_and_random import format_datetime


class AUIMessage(Entity):
    """A message between user and agent."""

    fields = ("sender", "content", "attachments", "timestamp", "time_read", "id")
    enums: ClassVar[Mapping[str, str]] = {"sender": "Sender"}
    defaults: ClassVar[Mapping[str, Any]] = {"attachments": [], "time_read": None}

    def __str__(self) -> str:
        read_at = self["time_read"]
        text = (
            f"Received at: {format_datetime(self['timestamp'])}\nSender: {self['sender']}\nMessage: {self['content']}\n"
            f"Already read: {read_at is not None}"
        )
        return text if read_at is None else f"{text}\nRead at: {format_datetime(read_at)}"


def extract_message_content(notification: str) -> str:
    """Return what the user said, from the text of the notification about it."""
    _, found, message = notification.partition("\nMessage: ")
    # Searched from the end, because the user's own text may contain the same words.
    content, ending, _ = message.rpartition("\nAlready read: ")
    return content if found and ending else notification


class AgentUserInterface(App):
    """The conversation between the user and the agent."""

    state_keys = ("messages",)
    empty_state: ClassVar[Mapping[str, Any] | None] = {"messages": []}
    state_shape = Fields(
        {
            "messages": ListOf(
                Fields(
                    {
                        "sender": TEXT, "content": TEXT, "attachments": ListOf(), "timestamp": NUMBER,
                        "time_read": NUMBER, "id": TEXT,
                    },
                    required=("sender", "content", "timestamp"),
                )
            )
        }
    )  # fmt: skip

    def load(self, state: JSON) -> None:
        """Load the conversation so far."""
        super().load(state)
        self._messages: list[JSON] = list(get_list(state, "messages"))

    def build_notification(self, tool: Tool, arguments: Mapping[str, Any]) -> Notification | None:
        """Return the user's message as a notification in which it is already marked as read."""
        if tool.notification is None:
            return None
        now = self.context.now()
        message = {"sender": "User", "content": arguments.get("content", ""), "timestamp": now, "time_read": now}
        return Notification(
            level=tool.notification.level, kind=NotificationKind.USER_MESSAGE, text=str(AUIMessage(message))
        )

    def render_result(self, tool: Tool, value: Any) -> str:
        """Return unread messages as text, separated by blank lines."""
        if tool.name == "get_last_unread_messages":
            return "\n\n".join(map(str, value))
        return super().render_result(tool, value)

    def _mutable_state(self) -> JSON:
        return {"messages": list(self._messages)}

    @tool(APP, DATA, operation=WRITE)
    def send_message_to_user(self, content: str = "") -> str | None:
        """Say something to the user. This ends the agent's turn.

        Use it to report what was done, to answer a question or to ask one; then wait for the user's answer.

        Args:
            content: The text.
        """
        self._add_message("Agent", content, [], time_read=self.context.now())

    @tool(APP, DATA, operation=READ, return_type="AUIMessage | None", type_checked=False)
    def get_last_message_from_user(self) -> Any:
        """Read the user's newest message.

        Returns the message with its time and attachments, or null if the user has said nothing yet.
        """
        return self._read_last_from("User")

    @tool(APP, DATA, operation=READ, return_type="list[AUIMessage]", type_checked=False)
    def get_last_unread_messages(self) -> Any:
        """Read the messages of the user that were not read before, and mark them as read.

        Returns them in the order in which they came; nothing if all were read.
        """
        unread = [
            place
            for place, each in enumerate(self._messages)
            if each["sender"] == "User" and each.get("time_read") is None
        ]
        return self._mark_read(unread)

    @tool(APP, DATA, operation=READ, return_type="AUIMessage | None", type_checked=False)
    def get_last_message_from_agent(self) -> Any:
        """Read the agent's newest message.

        Returns the message with its time, or null if the agent has said nothing yet.
        """
        return self._read_last_from("Agent")

    @tool(APP, DATA, operation=READ, return_type="list[AUIMessage]", type_checked=False)
    def get_all_messages(self) -> Any:
        """Read the whole conversation between user and agent.

        Returns the newest message first; all of them count as read from then on.
        """
        return self._mark_read([place for place, _ in self._list_newest_first()])

    @tool(USER, operation=WRITE, notification=NotificationTemplate(LOW, "{content}"))
    def send_message_to_agent(
        self,
        content: str = "",
        attachments: list[str] | None = None,
        base64_utf8_encoded_attachment_contents: list[dict[str, Any]] | None = None,
    ) -> str:
        """Say something to the agent, as the user.

        Args:
            content: The text.
            attachments: Names of the files that come with the message.
            base64_utf8_encoded_attachment_contents: The files themselves, Base64 in UTF-8; not kept.
        """
        return self._add_message("User", content, list(attachments or []), time_read=None)

    def _add_message(self, sender: str, content: str, attachments: list[str], time_read: float | None) -> str:
        message: JSON = {
            "sender": sender,
            "content": content,
            "attachments": attachments,
            "timestamp": self.context.now(),
            "time_read": time_read,
            "id": self.random.new_id(),
        }
        self._messages.append(message)
        return message["id"]

    def _read_last_from(self, sender: str) -> AUIMessage | None:
        places = range(len(self._messages) - 1, -1, -1)
        last = next((place for place in places if self._messages[place]["sender"] == sender), None)
        if last is None:
            return None
        unread = self._messages[last].get("time_read") is None
        return self._mark_read([last])[0] if unread else AUIMessage(self._messages[last])

    def _list_newest_first(self) -> list[tuple[int, JSON]]:
        return sorted(enumerate(self._messages), key=lambda each: each[1]["timestamp"], reverse=True)

    def _mark_read(self, positions: list[int]) -> list[AUIMessage]:
        for place in positions:
            self._messages[place] = self._messages[place] | {"time_read": self.context.now()}
        return [AUIMessage(self._messages[place]) for place in positions]
