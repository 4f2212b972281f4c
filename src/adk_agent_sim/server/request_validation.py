"""Validation of gRPC request fields. Every function raises `InvalidField`, which names the field."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import cast

from adk_agent_sim.errors import InvalidField
from adk_agent_sim.generated.adksim import v1
from adk_agent_sim.timeline.canonical_json import Json, decode_json
from adk_agent_sim.timeline.event_kinds import KIND_NAMES
from adk_agent_sim.timeline.events import (
    AgentEvent,
    AgentJoined,
    ArtifactSaved,
    CancelAsked,
    EnvironmentDecided,
    RunEnded,
    ToolFailed,
    ToolFinished,
    ToolStarted,
    TurnWithdrawn,
    UserSpoke,
)
from adk_agent_sim.timeline.session_progress import SessionCursor

MAX_DESCRIPTION_LENGTH = 500
MAX_NAME_LENGTH = 100
MAX_PAGE_SIZE = 1_000
_DEFAULT_PAGE_SIZE = 50

_UUID4 = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", re.IGNORECASE)

CLIENT_EVENT_KINDS = frozenset(
    KIND_NAMES[payload_class]
    for payload_class in (
        AgentJoined,
        UserSpoke,
        TurnWithdrawn,
        CancelAsked,
        EnvironmentDecided,
        ToolStarted,
        ToolFinished,
        ToolFailed,
        AgentEvent,
        ArtifactSaved,
        RunEnded,
    )
)
"""The event kinds that a client may append with AppendEvents; the others have RPCs of their own."""


def check_uuid4(field: str, value: str) -> str:
    """Returns `value` if it is a UUID of version 4."""
    if not _UUID4.fullmatch(value):
        raise InvalidField(field, f"must be a UUID of version 4, and is {_quote_value(value)}")
    return value


def truncate_description(value: str) -> str:
    """Returns a description, cut at the maximum length."""
    return value[:MAX_DESCRIPTION_LENGTH]


def check_agent_name(value: str) -> str:
    """Returns `value` if it is an agent name of 1 to 100 characters."""
    if not value:
        raise InvalidField("agent_name", "must not be empty")
    if len(value) > MAX_NAME_LENGTH:
        raise InvalidField("agent_name", f"must have at most {MAX_NAME_LENGTH} characters, and has {len(value)}")
    return value


def parse_exact_json(text: str) -> Mapping[str, Json]:
    """Returns the object of a canonical JSON text."""
    try:
        value = decode_json(text.encode("ascii"))
    except (ValueError, RecursionError) as error:
        raise InvalidField("exact_json", f"must be JSON text in ASCII, and is not: {error}") from error
    if not isinstance(value, dict):
        raise InvalidField("exact_json", "must hold a JSON object")
    return cast("Mapping[str, Json]", value)


def check_client_event(index: int, event: v1.SessionEvent) -> None:
    """Check that a client may append this event."""
    kind = event.WhichOneof("payload")
    field = f"events[{index}].payload"
    if kind is None:
        raise InvalidField(field, "is missing")
    if kind not in CLIENT_EVENT_KINDS:
        raise InvalidField(field, f"is {kind}, which cannot be appended: it has an RPC of its own")
    if event.agent_name and len(event.agent_name) > MAX_NAME_LENGTH:
        raise InvalidField(f"events[{index}].agent_name", f"must have at most {MAX_NAME_LENGTH} characters")


def resolve_page_size(value: int) -> int:
    """Returns how many sessions a page has; 0 means the default."""
    if value < 0:
        raise InvalidField("page_size", f"must not be negative, and is {value}")
    return min(value or _DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE)


def parse_page_token(value: str) -> SessionCursor | None:
    """Returns the cursor after which a page begins; None for the first page."""
    if not value:
        return None
    created_at, _, session_id = value.partition(":")
    if not created_at.isdecimal() or not session_id or len(created_at) > 20:
        raise InvalidField("page_token", f"must be the next_page_token of a response, and is {_quote_value(value)}")
    return int(created_at), session_id


def format_page_token(cursor: SessionCursor) -> str:
    """Returns the token of the page after a cursor."""
    created_at, session_id = cursor
    return f"{created_at}:{session_id}"


def _quote_value(value: str) -> str:
    return repr(value if len(value) <= MAX_NAME_LENGTH else f"{value[:MAX_NAME_LENGTH]}...")
