"""What a request to the server must be like, field by field; every refusal names the field."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import cast

from adk_agent_sim.errors import FieldInvalid
from adk_agent_sim.generated.adksim import v1
from adk_agent_sim.timeline.canonical import Json, decode
from adk_agent_sim.timeline.progress import Place

LONGEST_DESCRIPTION = 500
LONGEST_NAME = 100
LARGEST_PAGE = 1_000
_PAGE = 50

_UUID4 = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", re.IGNORECASE)

FACTS = frozenset(
    {
        "agent_joined",
        "user_spoke",
        "turn_withdrawn",
        "cancel_asked",
        "environment_decided",
        "tool_started",
        "tool_finished",
        "tool_failed",
        "agent_event",
        "artifact_saved",
        "run_ended",
    }
)
"""What a client may put on a timeline by itself; everything else has a call of its own."""


def uuid4(field: str, value: str) -> str:
    """A UUID of version 4, as it stands."""
    if not _UUID4.fullmatch(value):
        raise FieldInvalid(field, f"must be a UUID of version 4, and is {_shown(value)}")
    return value


def description(value: str) -> str:
    """A description, cut where it is too long."""
    return value[:LONGEST_DESCRIPTION]


def agent_name(value: str) -> str:
    """An agent's name, of 1 to 100 characters."""
    if not value:
        raise FieldInvalid("agent_name", "must not be empty")
    if len(value) > LONGEST_NAME:
        raise FieldInvalid("agent_name", f"must have at most {LONGEST_NAME} characters, and has {len(value)}")
    return value


def exact_json(text: str) -> Mapping[str, Json]:
    """The object that a canonical text holds."""
    try:
        value = decode(text.encode("ascii"))
    except (ValueError, RecursionError) as error:
        raise FieldInvalid("exact_json", f"must be JSON text in ASCII, and is not: {error}") from error
    if not isinstance(value, dict):
        raise FieldInvalid("exact_json", "must hold a JSON object")
    return cast("Mapping[str, Json]", value)


def fact(place: int, event: v1.SessionEvent) -> None:
    """An event that a client may put on a timeline by itself."""
    kind = event.WhichOneof("payload")
    field = f"events[{place}].payload"
    if kind is None:
        raise FieldInvalid(field, "is missing")
    if kind not in FACTS:
        raise FieldInvalid(field, f"is {kind}, which is not put on a timeline this way: it has a call of its own")
    if event.agent_name and len(event.agent_name) > LONGEST_NAME:
        raise FieldInvalid(f"events[{place}].agent_name", f"must have at most {LONGEST_NAME} characters")


def page_size(value: int) -> int:
    """How many sessions a page has."""
    if value < 0:
        raise FieldInvalid("page_size", f"must not be negative, and is {value}")
    return min(value or _PAGE, LARGEST_PAGE)


def page_token(value: str) -> Place | None:
    """The place behind which a page begins; None for the first page."""
    if not value:
        return None
    made, _, session_id = value.partition(":")
    if not made.isdecimal() or not session_id or len(made) > 20:
        raise FieldInvalid("page_token", f"must be the next_page_token of an answer, and is {_shown(value)}")
    return int(made), session_id


def next_page_token(place: Place) -> str:
    """The token of the page behind a place."""
    made, session_id = place
    return f"{made}:{session_id}"


def _shown(value: str) -> str:
    return repr(value if len(value) <= LONGEST_NAME else f"{value[:LONGEST_NAME]}...")
