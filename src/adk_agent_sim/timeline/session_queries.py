"""What can be asked of a store about its sessions: filters of lists, entries of the queue, and the cursors by which
both are paged, as text that clients send back unchanged."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from adk_agent_sim.errors import InvalidField
from adk_agent_sim.timeline.event_validation import check_identifier
from adk_agent_sim.timeline.read_model.pending_requests import PendingRequest
from adk_agent_sim.timeline.read_model.session_summary import QueueCursor, SessionCursor, SessionStatus, SessionSummary
from adk_agent_sim.timeline.session_liveness import ANY_MAY_GO_ON, SessionLiveness


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentSessions:
    """The sessions of some agents of this process, whose display names are not on the timeline."""

    session_ids: Collection[str]
    """Their sessions that run in this process."""

    app_names: Collection[str]
    """Their apps: sessions of earlier processes are known by the name of the app."""

    other_ids: Collection[str]
    """The sessions of this process's other agents, whose apps may have the same names."""

    def matches(self, summary: SessionSummary) -> bool:
        """Return whether a session is one of these agents'."""
        session_id = summary.session.session_id
        is_earlier = summary.agent_name in self.app_names and session_id not in self.other_ids
        return session_id in self.session_ids or is_earlier


@dataclass(frozen=True, kw_only=True, slots=True)
class SessionFilter:
    """Which sessions a list contains."""

    before: SessionCursor | None = None
    """The cursor of the last session of the previous page; later pages omit sessions created since."""

    text: str = ""
    """A part of the name or of an agent's name, in any case."""

    agent: str = ""
    """The name of the app or of one of the agents."""

    of_agents: AgentSessions | None = None
    """The agents whose sessions these are, where a display name was asked for; it takes the place of `agent`."""

    text_agents: AgentSessions | None = None
    """The agents whose display name contains the text: all of their sessions match it."""

    statuses: Collection[SessionStatus] = ()
    """Any of these; all if it is empty."""

    liveness: SessionLiveness = ANY_MAY_GO_ON
    """Which sessions can go on: the others count as closed, or interrupted."""

    def matches(self, summary: SessionSummary) -> bool:
        """Return whether a list with this filter contains the session."""
        return (
            (self.before is None or summary.cursor < self.before)
            and self.matches_status(summary)
            and self._matches_agent(summary)
            and self._matches_text(summary)
        )

    def matches_status(self, summary: SessionSummary) -> bool:
        """Return whether a session has one of the statuses."""
        return not self.statuses or self.liveness.find_status(summary) in self.statuses

    def _matches_agent(self, summary: SessionSummary) -> bool:
        if self.of_agents is not None:
            return self.of_agents.matches(summary)
        return not self.agent or self.agent in _list_agent_names(summary)

    def _matches_text(self, summary: SessionSummary) -> bool:
        text = self.text.casefold()
        if any(text in name.casefold() for name in (summary.name, *_list_agent_names(summary))):
            return True
        return self.text_agents is not None and self.text_agents.matches(summary)


def _list_agent_names(summary: SessionSummary) -> list[str]:
    return [name for name in (summary.app_name, *summary.agent_names) if name]


@dataclass(frozen=True, slots=True)
class QueueEntry:
    """A request that waits for a person, with its session."""

    summary: SessionSummary
    request: PendingRequest

    @property
    def cursor(self) -> QueueCursor:
        """The position in the queue."""
        return round(self.request.requested_at * 1_000), self.summary.session.session_id, self.request.position


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
