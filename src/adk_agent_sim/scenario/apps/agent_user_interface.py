"""The line between user and agent: every message of one to the other."""

from __future__ import annotations

from typing import Any

from adk_agent_sim.scenario.apps.app import App
from adk_agent_sim.scenario.apps.tool import APP, DATA, LOW, READ, USER, WRITE, Notice, tool


class AgentUserInterface(App):
    """The line between user and agent: every message of one to the other."""

    state_keys = ("messages",)

    @tool(APP, DATA, operation=WRITE)
    def send_message_to_user(self, content: str = "") -> str | None:
        """Say something to the user. This ends the agent's turn.

        Args:
            content: The text.
        """
        raise NotImplementedError

    @tool(APP, DATA, operation=READ, returns="AUIMessage | None", type_checked=False)
    def get_last_message_from_user(self) -> Any:
        """Read the user's newest message."""
        raise NotImplementedError

    @tool(APP, DATA, operation=READ, returns="list[AUIMessage]", type_checked=False)
    def get_last_unread_messages(self) -> Any:
        """Read the messages that were not read before, and mark them as read."""
        raise NotImplementedError

    @tool(APP, DATA, operation=READ, returns="AUIMessage | None", type_checked=False)
    def get_last_message_from_agent(self) -> Any:
        """Read the agent's newest message."""
        raise NotImplementedError

    @tool(APP, DATA, operation=READ, returns="list[AUIMessage]", type_checked=False)
    def get_all_messages(self) -> Any:
        """Read the whole conversation between user and agent."""
        raise NotImplementedError

    @tool(USER, operation=WRITE, notice=Notice(LOW, "{content}"))
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
            base64_utf8_encoded_attachment_contents: The files themselves, one object each, Base64 in UTF-8.
        """
        raise NotImplementedError
