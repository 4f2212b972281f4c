"""The small email app of the specification's example: an inbox and sent emails, without folders."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from adk_agent_sim.scenario.app_base.app import APP, ENV, JSON, MEDIUM, READ, WRITE, App, NotificationTemplate, tool
from adk_agent_sim.scenario.app_base.entity import Fields, ListOf, MapOf, get_list


class EmailApp(App):
    """Email as two lists: received and sent."""

    state_keys = ("inbox", "sent")
    empty_state: ClassVar[Mapping[str, Any] | None] = {"inbox": [], "sent": []}
    state_shape = Fields({"inbox": ListOf(MapOf()), "sent": ListOf(MapOf())})

    def load(self, state: JSON) -> None:
        """Load both lists."""
        super().load(state)
        self._inbox: list[JSON] = list(get_list(state, "inbox"))
        self._sent: list[JSON] = list(get_list(state, "sent"))

    def _mutable_state(self) -> JSON:
        return {"inbox": list(self._inbox), "sent": list(self._sent)}

    @tool(APP, operation=READ)
    def list_inbox(self) -> list[dict[str, Any]]:
        """List the mails that came in.

        Returns sender, subject, text and time of each, oldest first.
        """
        return [dict(each) for each in self._inbox]

    @tool(APP, operation=READ)
    def list_sent(self) -> list[dict[str, Any]]:
        """List the mails that went out.

        Returns recipient, subject, text and time of each, oldest first.
        """
        return [dict(each) for each in self._sent]

    @tool(APP, operation=WRITE)
    def send_email(self, to: str, subject: str = "", body: str = "") -> str:
        """Send a mail.

        Returns the id of the mail.

        Args:
            to: The mail address it goes to.
            subject: The subject.
            body: The text.
        """
        return self._add_mail(self._sent, {"to": to}, subject, body)

    @tool(ENV, operation=WRITE, notification=NotificationTemplate(MEDIUM, "New email received from {sender}"))
    def receive_email(self, sender: str, subject: str = "", body: str = "") -> str:
        """Let a mail arrive.

        Args:
            sender: The mail address it comes from.
            subject: The subject.
            body: The text.
        """
        return self._add_mail(self._inbox, {"from": sender}, subject, body)

    def _add_mail(self, mails: list[JSON], person: JSON, subject: str, body: str) -> str:
        mail: JSON = {
            **person,
            "subject": subject,
            "body": body,
            "timestamp": self.context.now(),
            "email_id": self.random.new_id(),
        }
        mails.append(mail)
        return mail["email_id"]
