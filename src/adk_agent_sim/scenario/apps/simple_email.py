"""The small mail app of the format's own example: an inbox and what was sent, without folders."""

from __future__ import annotations

from typing import Any

from adk_agent_sim.scenario.apps.app import App
from adk_agent_sim.scenario.apps.tool import APP, ENV, MEDIUM, READ, WRITE, Notice, tool


class EmailApp(App):
    """Mail as two lists: what came in and what went out."""

    state_keys = ("inbox", "sent")

    @tool(APP, operation=READ)
    def list_inbox(self) -> list[dict[str, Any]]:
        """List the mails that came in."""
        raise NotImplementedError

    @tool(APP, operation=READ)
    def list_sent(self) -> list[dict[str, Any]]:
        """List the mails that went out."""
        raise NotImplementedError

    @tool(APP, operation=WRITE)
    def send_email(self, to: str, subject: str = "", body: str = "") -> str:
        """Send a mail.

        Args:
            to: The mail address it goes to.
            subject: The subject.
            body: The text.
        """
        raise NotImplementedError

    @tool(ENV, operation=WRITE, notice=Notice(MEDIUM, "New email received from {sender}"))
    def receive_email(self, sender: str, subject: str = "", body: str = "") -> str:
        """Let a mail arrive.

        Args:
            sender: The mail address it comes from.
            subject: The subject.
            body: The text.
        """
        raise NotImplementedError
