"""An email as agents see it, validation of email addresses, and the folders of emails."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping
from copy import copy
from typing import Any, ClassVar

from adk_agent_sim.scenario.app_base.app import JSON
from adk_agent_sim.scenario.app_base.entity import (
    BOOLEAN,
    NUMBER,
    TEXT,
    Choice,
    Entity,
    Fields,
    ListOf,
    MapOf,
    get_list,
)
from adk_agent_sim.scenario.app_base.time_and_random import parse_datetime

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


class MailFolder:
    """The emails of a folder, newest first. Loaded ones keep the file's order until one is added, as in ARE."""

    def __init__(self, state: JSON) -> None:
        """Load a folder as in scenario files."""
        self._loaded_state = state
        self._mails: list[JSON] = get_list(state, "emails")[::-1]
        """The newest last: a new one is usually appended, however many there are."""
        self._ids = {mail["email_id"] for mail in self._mails}
        self._is_sorted = False

    def __len__(self) -> int:
        return len(self._mails)

    def add(self, mail: JSON) -> None:
        """Add an email, after those of the same time."""
        if not self._is_sorted:
            self._mails.sort(key=_get_time)
            self._is_sorted = True
        self._ids.add(mail["email_id"])
        time = _get_time(mail)
        if self._mails and time <= _get_time(self._mails[-1]):
            # On the left of equal times, because the list is reversed when it is shown.
            self._mails.insert(bisect_left(self._mails, time, key=_get_time), mail)
        else:
            self._mails.append(mail)

    def get(self, email_id: str) -> JSON | None:
        """Return the email with that id, or None. If a scenario contains an id twice, the first one is meant."""
        # A quick answer for unknown ids. Those of removed emails stay in the set, so the search below may still fail.
        if email_id not in self._ids:
            return None
        return next((mail for mail in reversed(self._mails) if mail["email_id"] == email_id), None)

    def require(self, email_id: str) -> JSON:
        """Return the email with that id.

        Raises:
            AssertionError: The id is not a text: an expected action can pass what another event returned.
            ValueError: There is no such email.
        """
        if not isinstance(email_id, str):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise AssertionError("Email ID must be a string.")
        mail = self.get(email_id)
        if mail is None:
            raise ValueError(f"Email with id {email_id} does not exist")
        return mail

    def replace(self, mail: JSON) -> None:
        """Replace an email by a changed version."""
        self._mails[self._find_position(mail["email_id"])] = mail

    def remove(self, email_id: str) -> JSON:
        """Remove an email from the folder and return it."""
        return self._mails.pop(self._find_position(email_id))

    def list_newest_first(self) -> list[JSON]:
        """Return the emails in the order of the folder."""
        return self._mails[::-1]

    def to_state(self) -> JSON:
        """Return the folder as in scenario files."""
        if self._mails or self._loaded_state.get("emails"):
            return self._loaded_state | {"emails": self._mails[::-1]}
        return self._loaded_state

    def _find_position(self, email_id: str) -> int:
        return next(place for place in reversed(range(len(self._mails))) if self._mails[place]["email_id"] == email_id)


def find_reply_recipient(mail: JSON, user_email: str, folders: Collection[MailFolder]) -> str:
    """Return the recipient of a reply: the sender, or for the user's own email the sender it replied to."""
    seen: set[str] = set()  # a scenario may contain emails that are replies to each other
    while mail["sender"] == user_email and (parent := mail.get("parent_id")) and parent not in seen:
        seen.add(parent)
        found = (folder.get(parent) for folder in folders)
        answered = next((each for each in found if each is not None), None)
        if answered is None:
            raise ValueError(f"Email with id {parent} not found")
        mail = answered
    return mail["sender"]


def _get_time(mail: JSON) -> float:
    return mail.get("timestamp") or 0.0
