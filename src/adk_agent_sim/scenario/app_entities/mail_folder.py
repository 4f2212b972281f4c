"""A mail folder: lookup by id, listing by time."""

from __future__ import annotations

from collections.abc import Hashable

from adk_agent_sim.scenario.app_base.app import JSON
from adk_agent_sim.scenario.app_base.entity import get_list


class MailFolder:
    """The emails of a folder. Stored oldest first, so that a new one is appended."""

    def __init__(self, state: JSON) -> None:
        """Load a folder as in scenario files, where the newest email comes first."""
        self._loaded_state = state
        self._mails: dict[Hashable, JSON] = {}
        for mail in reversed(get_list(state, "emails")):
            self.add(mail)

    def __len__(self) -> int:
        return len(self._mails)

    def add(self, mail: JSON) -> None:
        """Add an email to the folder."""
        email_id = mail["email_id"]
        # A scenario may contain an id twice: both emails are kept, and the id finds the first.
        self._mails[(email_id, len(self._mails)) if email_id in self._mails else email_id] = mail

    def get(self, email_id: str) -> JSON | None:
        """Return the email with that id, or None."""
        return self._mails.get(email_id)

    def replace(self, mail: JSON) -> None:
        """Replace an email by a changed version."""
        self._mails[mail["email_id"]] = mail

    def remove(self, email_id: str) -> JSON:
        """Remove an email from the folder and return it."""
        return self._mails.pop(email_id)

    def list_newest_first(self) -> list[JSON]:
        """Return the emails by descending time; those of the same time in the order in which they were added."""
        return sorted(self._mails.values(), key=lambda mail: mail.get("timestamp") or 0.0, reverse=True)

    def to_state(self) -> JSON:
        """Return the folder as in scenario files."""
        mails = list(reversed(self._mails.values()))
        return (
            self._loaded_state | {"emails": mails} if mails or self._loaded_state.get("emails") else self._loaded_state
        )
