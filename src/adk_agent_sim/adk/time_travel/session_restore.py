"""Rebuilds an ADK session from the events of runs that are over: its events, state and artifacts. Nothing runs.

The timeline has the time at which a message arrived there, by the clock of the server, and ADK's events have the times
at which the agent's process created them. ADK's databases sort events by time, in microseconds, and events of the same
microsecond by their random ids.
"""

from __future__ import annotations

import math
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from google.adk.events import Event as AdkEvent
from google.genai import types

from adk_agent_sim.adk.time_travel.recorded_outcome import LoadArtifact
from adk_agent_sim.golden.session import compute_final_state
from adk_agent_sim.timeline.events import AgentEvent, ArtifactSaved, Event, RunEnded, TurnAsked, UserSpoke
from adk_agent_sim.timeline.state_edits import find_state_edit


def find_message_times(events: Sequence[Event]) -> dict[int, float]:
    """Return the times of the user's messages by their place among the events.

    A time is that of the timeline, unless events before the message are not earlier, or events after it not later.
    """
    times: dict[int, float] = {}
    latest = -math.inf
    for place, event in enumerate(events):
        if isinstance(event.payload, UserSpoke):
            latest = times[place] = max(_to_microseconds(event.timestamp), latest + 1)
        elif isinstance(event.payload, AgentEvent):
            latest = max(latest, _read_time(event.payload, latest))
    # If the clocks leave no room between two runs, a message is at least before the responses to it.
    earliest = math.inf
    for place in reversed(range(len(events))):
        payload = events[place].payload
        if isinstance(payload, UserSpoke):
            earliest = times[place] = min(times[place], earliest - 1)
        elif isinstance(payload, AgentEvent):
            earliest = min(earliest, _read_time(payload, earliest))
    return {place: _to_seconds(time, events[place].timestamp) for place, time in times.items()}


def _read_time(event: AgentEvent, default: float) -> float:
    """Return the time of an event of ADK, in microseconds."""
    timestamp = event.event.get("timestamp")
    return _to_microseconds(timestamp) if isinstance(timestamp, int | float) else default


def _to_microseconds(timestamp: float) -> int:
    """Round a time as `datetime` does, and so ADK's databases."""
    fraction, seconds = math.modf(timestamp)
    return int(seconds) * 1_000_000 + round(fraction * 1e6)


def _to_seconds(time: float, timestamp: float) -> float:
    return timestamp if time == _to_microseconds(timestamp) else time / 1e6


ReadSessionBlock: TypeAlias = Callable[[str, str], Awaitable[bytes]]
"""Returns a block of a session."""


@dataclass(frozen=True, kw_only=True)
class KnownEvents:
    """The ADK events of a session that a process has as objects, so that they need not be read from the timeline."""

    by_id: dict[str, AdkEvent] = field(default_factory=dict[str, AdkEvent])
    """By the id on the timeline; in a run that was replayed the event itself has another one."""

    user_events: dict[int, AdkEvent] = field(default_factory=dict[int, AdkEvent])
    """The user's events by the number of the run, from 0."""


@dataclass(frozen=True, kw_only=True)
class RestoredSession:
    """An ADK session as it was after some of its runs."""

    state: Mapping[str, Any]
    events: Sequence[AdkEvent]

    reported_events: Sequence[AdkEvent]
    """The events that ADK reported; of some workflows it does not report the user's."""

    artifacts: Sequence[tuple[str, types.Part]]
    """All versions of all artifacts, in the order in which they are saved."""

    known_events: KnownEvents
    """The events by their ids on the timeline."""

    run_count: int
    """How many messages the user has sent."""


async def restore_session(
    events: Sequence[Event], known_events: KnownEvents, load_artifact: LoadArtifact
) -> RestoredSession:
    """Rebuild a session.

    Args:
        events: The events of the runs that are over, on the timeline.
        known_events: The ADK events that this process has; they are used as they are.
        load_artifact: Reads the recorded artifacts.
    """
    restored = KnownEvents()
    adk_events = list(_iter_adk_events(events, known_events, restored))
    # This process has events of the agents and none of the user, so ADK does not report the user's in this app.
    is_unreported = bool(known_events.by_id) and not known_events.user_events
    return RestoredSession(
        state=compute_final_state(events),
        events=adk_events,
        reported_events=[event for event in adk_events if event.author != "user" or not is_unreported],
        artifacts=[each async for each in _iter_artifacts(events, load_artifact)],
        known_events=restored,
        run_count=sum(isinstance(event.payload, UserSpoke) for event in events),
    )


def _iter_adk_events(events: Sequence[Event], known: KnownEvents, restored: KnownEvents) -> Iterator[AdkEvent]:
    """Yield the ADK events, and add them to `restored`."""
    run_number = -1
    invocation_id = ""
    message_times = find_message_times(events)
    for place, event in enumerate(events):
        match event.payload:
            case AgentEvent(event=value):
                event_id = value.get("id") or ""
                own_id = value.get("invocation_id", "")
                # A replayed run has two invocation ids on the timeline, and ADK finds the events of a run by one.
                used_id = own_id if find_state_edit(event) else invocation_id or own_id
                restored.by_id[event_id] = known.by_id.get(event_id) or AdkEvent.model_validate(
                    {**value, "invocation_id": used_id}
                )
                yield restored.by_id[event_id]
            case UserSpoke(content=content):
                run_number += 1
                invocation_id = _find_invocation_id(events, place)
                own = known.user_events.get(run_number)
                if own is None and invocation_id:
                    own = AdkEvent(
                        author="user",
                        content=types.Content.model_validate(content),
                        invocation_id=invocation_id,
                        timestamp=message_times[place],
                    )
                if own is not None:
                    yield own
                if run_number in known.user_events:
                    restored.user_events[run_number] = known.user_events[run_number]
            case _:
                pass


def _find_invocation_id(events: Sequence[Event], place: int) -> str:
    """Return the invocation that a user message began; empty if ADK did not get as far as that.

    The first events of a run that was replayed have the id that it had before, and the last ones the new one.
    """
    found = ""
    for following in range(place + 1, len(events)):
        match events[following].payload:
            case AgentEvent(invocation_id=used) | TurnAsked(invocation_id=used) | RunEnded(invocation_id=used):
                found = used or found
            case UserSpoke():
                break
            case _:
                pass
    return found


async def _iter_artifacts(
    events: Sequence[Event], load_artifact: LoadArtifact
) -> AsyncIterator[tuple[str, types.Part]]:
    """Yield every version of every artifact; one that was overwritten before it was recorded, as its next version."""
    last_versions: dict[str, int] = {}
    for event in events:
        if isinstance(event.payload, ArtifactSaved):
            filename, version = event.payload.filename, event.payload.version
            last_versions[filename] = max(version, last_versions.get(filename, 0))
    for filename, last in last_versions.items():
        for version in range(last + 1):
            for found in range(version, last + 1):
                part = await load_artifact(filename, found)
                if part is not None:
                    yield filename, part
                    break


def load_recorded_artifacts(read_block: ReadSessionBlock, session_id: str, events: Sequence[Event]) -> LoadArtifact:
    """Return a function that reads the artifacts of a session from its timeline."""
    saved = {
        (event.payload.filename, event.payload.version): event.payload
        for event in events
        if isinstance(event.payload, ArtifactSaved)
    }

    async def load_artifact(filename: str, version: int) -> types.Part | None:
        artifact = saved.get((filename, version))
        if artifact is None:
            return None
        data = await read_block(session_id, artifact.block)
        if artifact.is_text:
            return types.Part(text=data.decode())
        if artifact.mime_type == "text/uri-list":
            return types.Part(file_data=types.FileData(file_uri=data.decode()))
        return types.Part(inline_data=types.Blob(mime_type=artifact.mime_type, data=data))

    return load_artifact
