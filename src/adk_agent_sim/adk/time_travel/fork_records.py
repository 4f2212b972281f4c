"""Writes on the timeline that a session was forked, or that decisions of it were undone or redone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from uuid import uuid4

from adk_agent_sim.adk.runs.agent_paths import ROOT_PATH
from adk_agent_sim.adk.time_travel.fork_source import ForkSource
from adk_agent_sim.errors import SessionNotFound
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.events import AgentEvent, Event, Forked, Rewound, RunEnded, UserSpoke
from adk_agent_sim.timeline.framework_calls import is_request_call
from adk_agent_sim.timeline.session_copy import copy_events
from adk_agent_sim.timeline.submissions import EventBatch
from adk_agent_sim.timeline.turn_prefix import TurnPrefix


async def create_forked_session(
    source: ForkSource,
    prefix: TurnPrefix,
    session_id: str,
    events: Sequence[Event],
    *,
    description: str,
    difference: str,
) -> None:
    """Create the session of a fork.

    Args:
        source: The session that is forked.
        prefix: The point of the fork.
        session_id: The id of the new session.
        events: The events that it begins with.
        description: A description of the new session for people.
        difference: What happened differently in the replay, and was accepted.
    """
    timeline = source.timeline
    # Nothing was left out if there are as many events as the last one's number says.
    is_whole = len(events) == prefix.to_seq
    if not is_whole or not await timeline.branch_session(source.session_id, prefix.to_seq, description, session_id):
        await timeline.create_session(description, session_id)
        await copy_events(timeline, source.session_id, events, session_id)
    forked = Forked(
        source_session_id=source.session_id,
        source_seq=prefix.to_seq,
        turn_id=prefix.asked.turn_id if prefix.asked else "",
        difference=difference,
    )
    await timeline.append(EventBatch(session_id, [forked], agent_path=ROOT_PATH))


async def link_forked_session(source: ForkSource, session_id: str) -> None:
    """Let the session that was forked list its fork."""
    with suppress(SessionNotFound):  # somebody may have deleted it meanwhile
        await source.timeline.record_fork(source.session_id, session_id)


async def rewind_log(source: ForkSource, prefix: TurnPrefix, events: Sequence[Event], *, redone: bool) -> None:
    """Let a session continue from another point.

    Args:
        source: The session, with the events that the point is in.
        prefix: The point.
        events: The events that must count.
        redone: Whether undone decisions count again.
    """
    tail = _find_tail(prefix)
    whole = len(events) == len(prefix.events)
    rewound = Rewound(
        to_seq=(tail[0].seq if tail else prefix.interrupted[0].seq) - 1 if tail or not whole else prefix.to_seq,
        kept_seqs=list(prefix.kept_seqs) if whole else [],
        from_seq=await source.timeline.get_last_seq(source.session_id),
        turn_id=prefix.asked.turn_id if prefix.asked else "",
        redone=redone,
    )
    await source.timeline.append(EventBatch(source.session_id, [rewound], agent_path=ROOT_PATH))
    # What a finished run waits for, such as consent, follows from its last events, so they come again.
    drafts = [replace(event, event_id=str(uuid4()), seq=0) for event in tail]
    await source.timeline.append_drafts(source.session_id, drafts)


def _find_tail(prefix: TurnPrefix) -> Sequence[Event]:
    """Return the last events of a run that is over: its end, and the questions it asked the user before that."""
    if prefix.interrupted:
        return ()
    ends = [place for place, event in enumerate(prefix.completed) if isinstance(event.payload, RunEnded)]
    if not ends:
        return ()
    start = ends[-1]
    for place in range(start - 1, -1, -1):
        payload = prefix.completed[place].payload
        if isinstance(payload, UserSpoke):
            break
        if isinstance(payload, AgentEvent) and _asks_user(payload):
            start = place
    return prefix.completed[start:]


def _asks_user(emitted: AgentEvent) -> bool:
    content: Mapping[str, Json] = emitted.event.get("content") or {}
    parts: Sequence[Mapping[str, Json]] = content.get("parts") or ()
    calls: list[Mapping[str, Json]] = [part.get("function_call") or {} for part in parts]
    return any(is_request_call(call.get("name") or "") for call in calls)
