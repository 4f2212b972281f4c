"""The cursors by which lists are paged: where a page ended, as text that clients send back unchanged."""

from __future__ import annotations

from adk_agent_sim.errors import InvalidField
from adk_agent_sim.timeline.event_validation import check_identifier
from adk_agent_sim.timeline.read_model.session_summary import QueueCursor, SessionCursor

MAX_INTEGER = 2**63 - 1
"""The largest number that a database column holds."""

_MAX_QUOTED_CHARS = 100

_RESPONSE_FIELDS = {"cursor": "next_cursor", "page_token": "next_page_token"}
"""Where clients get a cursor from, by the field that they send it in."""


def format_session_cursor(cursor: SessionCursor) -> str:
    """Return the text of a cursor in the list of sessions."""
    created_at, session_id = cursor
    return f"{created_at}:{session_id}"


def parse_session_cursor(text: str, field: str = "cursor") -> SessionCursor | None:
    """Return the cursor after which a page of sessions begins; None for the first page."""
    if not text:
        return None
    created_at, _, session_id = text.partition(":")
    _check_id(field, text, session_id)
    return _parse_number(created_at, field, text), session_id


def format_queue_cursor(cursor: QueueCursor) -> str:
    """Return the text of a cursor in the queue."""
    requested_at, session_id, position = cursor
    # The id comes last, because it may contain colons itself.
    return f"{requested_at}:{position}:{session_id}"


def parse_queue_cursor(text: str) -> QueueCursor | None:
    """Return the cursor after which a page of the queue begins; None for the first page."""
    if not text:
        return None
    requested_at, _, rest = text.partition(":")
    position, _, session_id = rest.partition(":")
    _check_id("cursor", text, session_id)
    return _parse_number(requested_at, "cursor", text), session_id, _parse_number(position, "cursor", text)


def _check_id(field: str, text: str, session_id: str) -> None:
    try:
        check_identifier(session_id, field)
    except InvalidField:
        raise _build_error(field, text) from None


def _parse_number(digits: str, field: str, text: str) -> int:
    # int() also takes the digits of other scripts, and its time grows with the square of their number.
    if not (digits.isascii() and digits.isdecimal()) or len(digits) > len(str(MAX_INTEGER)):
        raise _build_error(field, text)
    if int(digits) > MAX_INTEGER:
        raise _build_error(field, text)
    return int(digits)


def _build_error(field: str, text: str) -> InvalidField:
    quoted = repr(text if len(text) <= _MAX_QUOTED_CHARS else f"{text[:_MAX_QUOTED_CHARS]}...")
    return InvalidField(field, f"must be the {_RESPONSE_FIELDS[field]} of a response, and is {quoted}")
