"""A folder of mails, found by id and listed by age."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from adk_agent_sim.scenario.app_base.entity import get_list

JSON = dict[str, Any]


class MailFolder:
    """The mails of a folder; kept oldest first, so that a new one goes to the end."""

    def __init__(self, state: JSON) -> None:
        """Take over a folder as scenario files have it: newest first."""
        self._loaded_state = state
        self._mails: dict[Hashable, JSON] = {}
        for mail in reversed(get_list(state, "emails")):
            self.add(mail)

    def __len__(self) -> int:
        return len(self._mails)

    def add(self, mail: JSON) -> None:
        """Put a mail into the folder."""
        email_id = mail["email_id"]
        self._mails[(email_id, len(self._mails)) if email_id in self._mails else email_id] = mail

    def get(self, email_id: str) -> JSON | None:
        """The mail with that id, if it is here."""
        return self._mails.get(email_id)

    def replace(self, mail: JSON) -> None:
        """Put a changed mail where it was."""
        self._mails[mail["email_id"]] = mail

    def remove(self, email_id: str) -> JSON:
        """Take a mail out of the folder."""
        return self._mails.pop(email_id)

    def list_newest_first(self) -> list[JSON]:
        """The mails by age; of two of the same second, the one that came first comes first."""
        return sorted(self._mails.values(), key=lambda mail: mail.get("timestamp") or 0.0, reverse=True)

    def to_state(self) -> JSON:
        """The folder as scenario files have it."""
        mails = list(reversed(self._mails.values()))
        return (
            self._loaded_state | {"emails": mails} if mails or self._loaded_state.get("emails") else self._loaded_state
        )
