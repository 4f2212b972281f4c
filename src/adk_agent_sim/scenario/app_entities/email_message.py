"""An email as agents see it, and validation of email addresses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from adk_agent_sim.scenario.app_base.entity import Entity
from adk_agent_sim.scenario.app_entities.choice import Choice

FOLDER_NAME = Choice("EmailFolderName", "INBOX", "SENT", "DRAFT", "TRASH")


class Email(Entity):
    """An email."""

    fields = (
        "sender", "recipients", "subject", "content", "email_id", "parent_id", "cc", "attachments", "timestamp",
        "is_read",
    )  # fmt: skip
    defaults: ClassVar[Mapping[str, Any]] = {
        "recipients": [], "subject": "", "content": "", "parent_id": None, "cc": [], "attachments": {},
        "timestamp": 0.0, "is_read": False,
    }  # fmt: skip

    def __str__(self) -> str:
        return (
            f"From: {self['sender']}\nTo: {', '.join(self['recipients'])}\nCC: {', '.join(self['cc'])}\n"
            f"Subject: {self['subject']}\nContent: {self['content']}"
        )


class ReturnedEmails(Entity):
    """A page of a folder."""


def check_addresses(addresses: list[str] | None) -> list[str]:
    """Return the email addresses as a list.

    Raises:
        ValueError: One of them is not an email address.
    """
    for each in addresses or []:
        if not _is_email_address(each):
            raise ValueError(f"Invalid email address: {each}")
    return list(addresses or [])


def collect_search_texts(mail: dict[str, Any]) -> list[str]:
    """Return the texts of an email that a search looks at."""
    email = Email(mail)
    return [text for text in (email["sender"], *email["recipients"], email["subject"], email["content"]) if text]


def _is_email_address(text: str) -> bool:
    """Return whether a text looks like an email address.

    Done without a regular expression, which a hostile text could slow down.
    """
    name, at, host = text.partition("@")
    return bool(name and at and "@" not in host and "." in host[1:-1]) and not any(map(str.isspace, text))
