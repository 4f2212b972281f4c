"""Checks of ids and names: texts that databases index, messages carry and people see."""

from __future__ import annotations

import re
from typing import cast

from adk_agent_sim.timeline.shape_checks import MismatchError, check_text

MAX_ID_LENGTH = 200
"""The length of an id in characters; databases limit the size of an indexed value."""

_BLOCK_ID = re.compile(r"[0-9a-f]{32}")


def check_id(value: object) -> None:
    """Raise unless a value can be the id of a session, event or turn."""
    if not value:
        raise MismatchError("must not be empty")
    check_reference(value)


def check_reference(value: object) -> None:
    """Raise unless a value can be an id, or is empty because there is none."""
    _check_storable_text(value)
    if len(cast("str", value)) > MAX_ID_LENGTH:
        raise MismatchError(f"must have at most {MAX_ID_LENGTH} characters, and has {len(cast('str', value))}")


def check_block_id(value: object) -> None:
    """Raise unless a value is the id of a block."""
    if not isinstance(value, str) or not _BLOCK_ID.fullmatch(value):
        raise MismatchError("must be the id of a block: 32 hexadecimal digits")


def check_name(value: object) -> None:
    """Raise unless a value can be the name of an agent."""
    _check_storable_text(value)
    _check_visible(cast("str", value))


def check_app_name(value: object) -> None:
    """Raise unless a value can be the name of an app."""
    _check_column_text(value)
    _check_visible(cast("str", value))


def _check_visible(name: str) -> None:
    # An empty name means that there is none. Identifiers are the usual case, and the fast one.
    if name and not name.isidentifier() and not any(char.isprintable() and not char.isspace() for char in name):
        raise MismatchError("must have a visible character, or be empty")


def _check_column_text(value: object) -> None:
    """Raise unless a text can be stored in a database column."""
    check_text(value)
    # PostgreSQL cannot store this character in a text.
    if "\0" in cast("str", value):
        raise MismatchError("must not contain the character U+0000")


def _check_storable_text(value: object) -> None:
    """Raise unless a text can be stored in a database column and in a message."""
    _check_column_text(value)
    try:
        cast("str", value).encode()
    except UnicodeEncodeError:
        raise MismatchError("must be text that UTF-8 can represent") from None
