"""Reads the trace of a run from the world events of a session's timeline, exactly as its world would export it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from pydantic import ValidationError

from adk_agent_sim.errors import NotJudgeable
from adk_agent_sim.scenario.format.models import ExportedCompletedEvent
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.content_parts import as_mapping
from adk_agent_sim.timeline.events import Event
from adk_agent_sim.timeline.world_events import VerdictReached, WorldEventHappened, WorldStarted


def find_world_start(events: Iterable[Event]) -> WorldStarted | None:
    """Return the start of the world that a session ran in; None if it ran in none."""
    return next((each.payload for each in events if isinstance(each.payload, WorldStarted)), None)


def list_world_trace(events: Sequence[Event]) -> list[ExportedCompletedEvent]:
    """Return the completed events of a world by time; those of equal times in the order in which they happened.

    Args:
        events: The events of the session that count.

    Raises:
        NotJudgeable: An event is none of the scenario format.
    """
    return [completed for _, completed in list_numbered_trace(events)]


def list_numbered_trace(events: Sequence[Event]) -> list[tuple[int, ExportedCompletedEvent]]:
    """Return what `list_world_trace` does, each with the `seq` of its event on the timeline."""
    trace: list[tuple[int, ExportedCompletedEvent]] = []
    for event in events:
        match event.payload:
            case WorldEventHappened(event=completed):
                trace.append((event.seq, _parse_completed_event(event, completed)))
            case VerdictReached(turn=turn, verdict=verdict) if turn:
                _rename_matches(trace, as_mapping(as_mapping(verdict).get("matches")))
            case _:
                pass
    return sorted(trace, key=lambda each: each[1].event_time)


def _parse_completed_event(event: Event, completed: object) -> ExportedCompletedEvent:
    try:
        return ExportedCompletedEvent.model_validate(completed)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise NotJudgeable(
            event.session_id,
            f"event {event.seq} of its timeline is not a completed event of a scenario: {where}: {first['msg']}",
        ) from None


def _rename_matches(trace: list[tuple[int, ExportedCompletedEvent]], matches: Mapping[str, Json]) -> None:
    """Give events the ids that the world gave them when the turn was judged: those of the events that they match."""
    for place, (seq, each) in enumerate(trace):
        if each.event_id in matches:
            trace[place] = seq, each.model_copy(update={"event_id": matches[each.event_id]})
