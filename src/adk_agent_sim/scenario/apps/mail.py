"""A mail as agents see it, and what makes an address."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from adk_agent_sim.scenario.apps.choice import Choice
from adk_agent_sim.scenario.apps.record import Record

FOLDER = Choice("EmailFolderName", "INBOX", "SENT", "DRAFT", "TRASH")


class Email(Record):
    """A mail."""

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


class ReturnedEmails(Record):
    """A page of a folder."""


def addresses(listed: list[str] | None) -> list[str]:
    """A list of mail addresses, if they are some.

    Raises:
        ValueError: One is none.
    """
    for each in listed or []:
        if not _is_address(each):
            raise ValueError(f"Invalid email address: {each}")
    return list(listed or [])


def searched(mail: dict[str, Any]) -> list[str]:
    """The texts of a mail in which a search looks."""
    told = Email(mail)
    return [text for text in (told["sender"], *told["recipients"], told["subject"], told["content"]) if text]


def _is_address(text: str) -> bool:
    """Whether it looks like one; told without a pattern, which a hostile text could keep busy for hours."""
    name, at, host = text.partition("@")
    return bool(name and at and "@" not in host and "." in host[1:-1]) and not any(map(str.isspace, text))
