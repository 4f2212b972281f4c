"""A mail as agents see it, and what makes an address."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from adk_agent_sim.scenario.app_base.entity import Entity
from adk_agent_sim.scenario.app_entities.choice import Choice

FOLDER_NAME = Choice("EmailFolderName", "INBOX", "SENT", "DRAFT", "TRASH")


class Email(Entity):
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


class ReturnedEmails(Entity):
    """A page of a folder."""


def check_addresses(addresses: list[str] | None) -> list[str]:
    """A list of mail addresses, if they are some.

    Raises:
        ValueError: One is none.
    """
    for each in addresses or []:
        if not _is_email_address(each):
            raise ValueError(f"Invalid email address: {each}")
    return list(addresses or [])


def collect_search_texts(mail: dict[str, Any]) -> list[str]:
    """The texts of a mail in which a search looks."""
    told = Email(mail)
    return [text for text in (told["sender"], *told["recipients"], told["subject"], told["content"]) if text]


def _is_email_address(text: str) -> bool:
    """Whether it looks like one; told without a pattern, which a hostile text could keep busy for hours."""
    name, at, host = text.partition("@")
    return bool(name and at and "@" not in host and "." in host[1:-1]) and not any(map(str.isspace, text))
