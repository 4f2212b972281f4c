"""The session that a fork or an undo starts from, and the point in it: events that count, artifacts, points by name."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from google.genai import types

from adk_agent_sim.adk.runs.agent_run import AgentRun
from adk_agent_sim.adk.time_travel.recorded_outcome import LoadArtifact
from adk_agent_sim.adk.time_travel.session_restore import KnownEvents, load_recorded_artifacts
from adk_agent_sim.errors import ForkRefused
from adk_agent_sim.timeline.events import Event, Noted, Rewound, UserSpoke
from adk_agent_sim.timeline.history import is_user_query
from adk_agent_sim.timeline.timeline import Timeline
from adk_agent_sim.timeline.turn_prefix import (
    TurnPrefix,
    cut_at_end,
    cut_before_message,
    cut_before_turn,
    has_unfinished_decision,
    list_turns,
)
from adk_agent_sim.timeline.undone_events import remove_undone_events
from adk_agent_sim.timeline.world_events import VerdictReached, WorldStarted

WORLD_GONE = (
    "This session happened in the world of a scenario, and the world is no longer here. Without it, an agent that "
    "goes on from there would find nothing of what it did. Run the scenario again with `adksim scenario run`, or play "
    "it in the browser."
)
"""Why a session in a world is not forked when the world is gone."""


@dataclass(frozen=True, kw_only=True)
class ForkSource:
    """A session on a timeline that is forked, and what this process still has of it."""

    timeline: Timeline
    session_id: str

    events: Sequence[Event]
    """The events that count."""

    load_artifact: LoadArtifact
    """Reads its artifacts."""

    known_events: KnownEvents = field(default_factory=KnownEvents)
    """The ADK events, as far as this process has them; others are read from the timeline."""


async def read_source(timeline: Timeline, session_id: str) -> ForkSource:
    """Return a stored session, of which nothing else is known.

    Raises:
        ForkRefused: It happened in the world of a scenario, which is not stored with it.
    """
    events = select_counting_events(await timeline.read_events(session_id))
    if has_world(events):
        raise ForkRefused(WORLD_GONE)
    return ForkSource(
        timeline=timeline,
        session_id=session_id,
        events=events,
        load_artifact=load_recorded_artifacts(timeline.read_block, session_id, events),
    )


def has_world(events: Iterable[Event]) -> bool:
    """Return whether a session happened in the world of a scenario."""
    return any(isinstance(event.payload, WorldStarted) for event in events)


async def read_settled_source(
    run: AgentRun, choose_point: Callable[[Sequence[Event]], TurnPrefix]
) -> tuple[ForkSource, TurnPrefix]:
    """Return the session of a run, and a point in it, when the tools that were called before that point have ended.

    Otherwise they would run a second time, in the session that continues from there.
    """
    changed = asyncio.Event()
    stop_listening = await run.timeline.listen(run.recorded_session.session_id, lambda _: changed.set())
    try:
        while True:
            # Before the events are read, so that the wait below notices what is appended meanwhile.
            changed.clear()
            source = await read_source_of_run(run)
            prefix = choose_point(source.events)
            if not run.is_running or not has_unfinished_decision(source.events, prefix.to_seq):
                return source, prefix
            await changed.wait()
    finally:
        stop_listening()


async def read_source_of_run(run: AgentRun) -> ForkSource:
    """Return the session of a run in this process."""
    session_id = run.recorded_session.session_id
    events = select_counting_events(await run.timeline.read_events(session_id))
    return ForkSource(
        timeline=run.timeline,
        session_id=session_id,
        events=events,
        load_artifact=_load_artifacts(run, events),
        known_events=run.known_events,
    )


def select_events(source: ForkSource, events: Sequence[Event], run: AgentRun | None) -> ForkSource:
    """Return a session with other events of it, such as those that counted before an undo.

    Args:
        source: The session.
        events: The events.
        run: The run of the session, if there is one in this process.
    """
    events = _remove_remarks(events)
    load_recorded = load_recorded_artifacts(source.timeline.read_block, source.session_id, events)
    return replace(source, events=events, load_artifact=_load_artifacts(run, events) if run else load_recorded)


def select_counting_events(log: Sequence[Event]) -> Sequence[Event]:
    """Return the events that count and can be copied."""
    return _remove_remarks(remove_undone_events(log))


def _remove_remarks(events: Sequence[Event]) -> Sequence[Event]:
    """Return the events without notes and the verdict on the whole run, which are about the session they were made in.

    A verdict on the turns so far holds for every session that goes on from there.
    """
    return [
        event
        for event in events
        if not (
            isinstance(event.payload, Noted) or (isinstance(event.payload, VerdictReached) and not event.payload.turn)
        )
    ]


def _load_artifacts(run: AgentRun, events: Sequence[Event]) -> LoadArtifact:
    """Return a function that reads artifacts from the timeline, and what is not there yet from the run."""
    load_recorded = load_recorded_artifacts(run.timeline.read_block, run.recorded_session.session_id, events)

    async def load_artifact(filename: str, version: int) -> types.Part | None:
        return await load_recorded(filename, version) or await run.storage.load_artifact(filename, version)

    return load_artifact


def choose_fork_point(events: Sequence[Event], turn: str | int | None, *, replaces_message: bool = False) -> TurnPrefix:
    """Return what counts before the point of a fork.

    Args:
        events: The events of the session that count.
        turn: The number of a turn from 1, or its id; None for where the session is now.
        replaces_message: Fork before the user message that led there.

    Raises:
        TurnNotFound: The session has no turn with that id.
        ForkRefused: The session has no turn with that number, or no user message.
    """
    prefix = cut_at_end(events) if turn is None else cut_before_turn(events, _find_turn_id(events, turn))
    if not replaces_message:
        return prefix
    messages = [event for event in events if isinstance(event.payload, UserSpoke)]
    before = messages if turn is None else [event for event in messages if event.seq <= prefix.to_seq]
    for number in range(len(before), 0, -1):
        spoken = before[number - 1].payload
        if isinstance(spoken, UserSpoke) and is_user_query(spoken.content):
            return cut_before_message(events, number)
    raise ForkRefused("The session has no user message that could be replaced. Send one with `send`.")


def select_events_before_undo(log: Sequence[Event], seq: int) -> Sequence[Event] | None:
    """Return the events that counted when an event that was undone did; None if it still counts.

    Args:
        log: All events of the session.
        seq: The event.
    """
    if any(event.seq == seq for event in remove_undone_events(log)):
        return None
    ends = [event.seq - 1 for event in log if event.seq > seq and isinstance(event.payload, Rewound)]
    # The numbers of events count from 1 without gaps, so a slice up to a number ends with that event.
    return remove_undone_events(log[: ends[0]]) if ends else None


def cut_before_message_at(events: Sequence[Event], seq: int) -> TurnPrefix:
    """Return what counts before the user message with this seq; raise ForkRefused if it is none."""
    spoken = [event.seq for event in events if isinstance(event.payload, UserSpoke)]
    if seq not in spoken:
        raise ForkRefused("There is no user message at this place of the session. Choose another row.")
    return cut_before_message(events, spoken.index(seq) + 1)


def _find_turn_id(events: Sequence[Event], turn: str | int) -> str:
    if isinstance(turn, str):
        return turn
    turns = list_turns(events)
    if not 1 <= turn <= len(turns):
        count = f"{len(turns)} turn{'' if len(turns) == 1 else 's'}"
        raise ForkRefused(f"There is no turn {turn}: the session has {count}. Choose a number from 1 to {len(turns)}.")
    return turns[turn - 1].turn_id
