"""Lists and describes sessions, and changes what is not in their logs: names and notes, close and delete."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from adk_agent_sim.errors import MalformedValue, SessionNotFound, SimulatorError
from adk_agent_sim.timeline.events import Session
from adk_agent_sim.timeline.read_model.line_summary import REPLACEMENT_CHARACTER, summarize_text
from adk_agent_sim.timeline.session_queries import (
    SessionFilter,
    format_queue_cursor,
    format_session_cursor,
    parse_queue_cursor,
    parse_session_cursor,
)
from adk_agent_sim.timeline.timeline import Timeline
from adk_agent_sim.use_cases.record import OperationResult
from adk_agent_sim.use_cases.session_host import SessionHost
from adk_agent_sim.use_cases.session_record import QueueItem, QueuePage, SessionPage, SessionRecord

MAX_NAME_CHARS = 200
"""How long the name of a session may be."""

MAX_NOTE_CHARS = 4_000
"""How long a note may be: it is sent with its row."""

CLOSED_BY_PERSON = "closed by a person"
"""Why a session was closed that nobody gave another reason for."""


async def list_sessions(
    timeline: Timeline,
    wanted: SessionFilter,
    limit: int | None,
    *,
    host: SessionHost,
    cursor: str = "",
    with_sizes: bool = False,
) -> SessionPage:
    """Return a page of the sessions that pass a filter, newest first.

    Args:
        timeline: The sessions.
        wanted: Which of them; statuses are those that people see.
        limit: How many a page holds; None for all.
        host: What is known here about sessions.
        cursor: The `next_cursor` of the previous page; empty for the first one.
        with_sizes: Whether to return the size of what is stored of each.

    Raises:
        InvalidField: The cursor is none of a page.
    """
    before = parse_session_cursor(cursor)
    known = host.complete_filter(replace(wanted, before=before, text=wanted.text.strip()))
    # One more than the page holds tells whether there is a next page.
    found = await timeline.list_summaries(known, None if limit is None else limit + 1)
    shown = found[:limit]
    ids = [each.session.session_id for each in shown]
    sizes: Mapping[str, int] = await timeline.get_session_sizes(ids) if with_sizes else {}
    return SessionPage(
        sessions=[host.describe(each, stored_bytes=sizes.get(each.session.session_id)) for each in shown],
        next_cursor=format_session_cursor(shown[-1].cursor) if len(found) > len(shown) else None,
    )


async def describe_session(timeline: Timeline, session_id: str, *, host: SessionHost) -> SessionRecord:
    """Return a session.

    Raises:
        SessionNotFound: There is no such session.
    """
    return host.describe(await timeline.get_summary(session_id))


async def find_session(timeline: Timeline, name: str) -> Session:
    """Return the session with this id, with the only id that begins so, or `last` for the newest one.

    Raises:
        SessionNotFound: No session matches.
        SimulatorError: Several sessions match.
    """
    sessions = [summary.session for summary in await timeline.list_summaries(limit=1 if name == "last" else None)]
    matches = sessions if name == "last" else [each for each in sessions if each.session_id.startswith(name)]
    if not matches:
        raise SessionNotFound(name)
    if len(matches) > 1:
        raise SimulatorError(f"{len(matches)} sessions begin with {name!r}: type more of the id.")
    return matches[0]


async def list_queue(timeline: Timeline, limit: int, *, host: SessionHost, cursor: str = "") -> QueuePage:
    """Return a page of the requests that wait for a person in all sessions, oldest first.

    Raises:
        InvalidField: The cursor is none of a page.
    """
    ids = host.liveness.queue_ids
    found = await timeline.list_pending(parse_queue_cursor(cursor), limit + 1, ids)
    shown = found[:limit]
    return QueuePage(
        items=[
            QueueItem(
                session_id=each.summary.session.session_id,
                session_name=each.summary.name,
                agent_label=host.label_request(each.request, each.summary),
                request=each.request,
            )
            for each in shown
        ],
        next_cursor=format_queue_cursor(shown[-1].cursor) if len(found) > limit else None,
        total=await timeline.count_pending(ids),
    )


async def rename_session(timeline: Timeline, session_id: str, name: str) -> OperationResult:
    """Give a session another name.

    Raises:
        SessionNotFound: There is no such session.
        MalformedValue: The name has no visible character, or is too long.
    """
    await timeline.get_summary(session_id)
    if len(name) > MAX_NAME_CHARS:
        raise MalformedValue("The name", f"it has more than {MAX_NAME_CHARS} characters")
    shown = summarize_text(name)
    if not shown.strip(f"{REPLACEMENT_CHARACTER} "):
        raise MalformedValue("The name", "it is empty")
    await timeline.rename_session(session_id, shown)
    return await _build_result(timeline, session_id)


async def note_row(timeline: Timeline, session_id: str, index: int, text: str) -> OperationResult:
    """Put a note on a row in place of the one that it has; a text without visible characters removes it.

    A closed session takes notes too.

    Raises:
        NotFound: The session has no such row.
        MalformedValue: The note is too long.
    """
    if len(text) > MAX_NOTE_CHARS:
        raise MalformedValue("The note", f"it has more than {MAX_NOTE_CHARS} characters")
    noted = await timeline.note_row(session_id, index, text.strip())
    return OperationResult(session_id=session_id, revision=noted.seq)


async def close_session(
    timeline: Timeline, session_id: str, *, host: SessionHost, reason: str = CLOSED_BY_PERSON
) -> OperationResult:
    """Close a session: it can still be read, exported and forked. One that is over stays as it is.

    Raises:
        SessionNotFound: There is no such session.
    """
    summary = await timeline.get_summary(session_id)
    if not await host.close_run(session_id, reason) and not host.liveness.has_ended(summary):
        await timeline.close_session(session_id, reason)
    return await _build_result(timeline, session_id)


async def delete_session(timeline: Timeline, session_id: str, *, host: SessionHost) -> None:
    """Close a session and delete it with its events; exported files stay.

    Raises:
        SessionNotFound: There is no such session.
    """
    # The run is ended first: it could not append to a session that does not exist any more.
    await close_session(timeline, session_id, host=host)
    await timeline.delete_session(session_id)


async def _build_result(timeline: Timeline, session_id: str) -> OperationResult:
    return OperationResult(session_id=session_id, revision=(await timeline.get_summary(session_id)).last_seq)
