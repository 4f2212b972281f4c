"""An email as agents see it, and validation of email addresses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import copy
from typing import Any, ClassVar

from adk_agent_sim.scenario.app_base.datetimes import parse_datetime
from adk_agent_sim.scenario.app_base.entity import Entity
from adk_agent_sim.scenario.app_base.state_shape import BOOLEAN, NUMBER, TEXT, Fields, ListOf, MapOf
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


EMAIL_SHAPE = Fields(
    {
        "email_id": TEXT, "sender": TEXT, "recipients": ListOf(TEXT), "subject": TEXT, "content": TEXT,
        "parent_id": TEXT, "cc": ListOf(TEXT), "attachments": MapOf(), "timestamp": NUMBER, "is_read": BOOLEAN,
    },
    required=("email_id", "sender"),
)  # fmt: skip
"""An email in a scenario file."""


class ReturnedEmails(Entity):
    """A page of a folder."""


def require_addresses(addresses: list[str] | None) -> list[str]:
    """Return the email addresses as a list of its own.

    As in ARE, a text is an address if it contains an "@". Scenario events can pass other things than a list of texts;
    these are kept as they are if they can be checked at all.

    Raises:
        TypeError: They cannot be checked.
        ValueError: One of them is not an email address.
    """
    for each in () if addresses is None else addresses:
        require_address(each)
    return [] if addresses is None else copy(addresses)


def require_address(address: str) -> str:
    """Return an email address.

    Raises:
        TypeError: It is not a text.
        ValueError: It is not an email address.
    """
    if "@" not in address:
        raise ValueError(f"Invalid email address: {address}")
    return address


def iterate_search_texts(mail: dict[str, Any]) -> Iterator[str]:
    """Yield the texts of an email that a search looks at."""
    email = Email(mail)
    yield email["sender"]
    yield from email["recipients"]
    yield email["subject"]
    yield email["content"]


def parse_email_time(text: str) -> float:
    """Return the time of an email in seconds since 1970.

    Raises:
        ValueError: The text has another format; the message is the one that agents see.
    """
    try:
        return parse_datetime(text)
    except ValueError:
        raise ValueError("Invalid datetime format for the email time. Please use YYYY-MM-DD HH:MM:SS") from None
