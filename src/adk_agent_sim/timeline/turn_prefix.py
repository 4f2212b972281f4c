"""Cuts the events of a session before a turn: what had been decided by then, and the outcome. Also tells whether
the calls of a decision are still running, or about to run.

Agents that run side by side do not wait for each other. When a turn is asked, a tool of another agent may be running:
it belongs to a decision that was made before, so its result belongs to the prefix, although it came later.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from adk_agent_sim.errors import TurnNotFound
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.content_parts import get_parts
from adk_agent_sim.timeline.decision_checks import get_function_calls
from adk_agent_sim.timeline.events import (
    SERVER_STOPPED_IN_RUN,
    AgentEvent,
    AgentPath,
    ArtifactSaved,
    Closed,
    EnvironmentDecided,
    Event,
    RunEnded,
    ToolAnswered,
    ToolAsked,
    ToolFailed,
    ToolFinished,
    ToolStarted,
    TurnAsked,
    TurnDecided,
    TurnRevived,
    TurnWithdrawn,
    UserSpoke,
)
from adk_agent_sim.timeline.world_events import WorldEventHappened


def has_unfinished_decision(events: Sequence[Event], until_seq: int) -> bool:
    """Return whether a tool that was called by a decision is running; one that waits for somebody is not.

    It waits for an inner agent, or for a person who responds as the tool.

    Args:
        events: The events of a session that count.
        until_seq: Only decisions up to this event matter.
    """
    open_decisions: dict[tuple[str, AgentPath | None], set[str]] = {}
    waiting_turns: dict[str, str] = {}
    parents: dict[str, str] = {}
    for event in events:
        key = (event.agent_name, event.agent_path)
        parent = event.agent_path.parent_call_id if event.agent_path is not None else ""
        match event.payload:
            case UserSpoke() | RunEnded():
                open_decisions.clear()
                waiting_turns.clear()
            case TurnAsked():
                open_decisions.pop(key, None)
                waiting_turns[event.turn_id] = parent
            case TurnDecided(response=response):
                waiting_turns.pop(event.turn_id, None)
                if event.seq <= until_seq and get_function_calls(response):
                    open_decisions[key] = set()
            case ToolStarted(call_id=call_id):
                parents[call_id] = parent
                if key in open_decisions:
                    open_decisions[key].add(call_id)
            case ToolFinished(call_id=call_id) | ToolFailed(call_id=call_id) if parent:
                _finish_inner_call(open_decisions, key, call_id)
            case AgentEvent(event=emitted) if any(
                part.get("function_response") for part in get_parts(emitted.get("content"))
            ):
                open_decisions.pop(key, None)
            case _:
                pass
    # A tool whose inner agent waits for a decision would never end by itself.
    enclosing = _list_enclosing_calls([*waiting_turns.values(), *_list_asked_calls(events)], parents)
    return any(not calls & enclosing for calls in open_decisions.values())


def _list_asked_calls(events: Iterable[Event]) -> set[str]:
    """Return the calls that wait for a person who responds as the tool."""
    calls: set[str] = set()
    for event in events:
        match event.payload:
            case ToolAsked(call_id=call_id):
                calls.add(call_id)
            case ToolAnswered(call_id=call_id) | ToolFinished(call_id=call_id) | ToolFailed(call_id=call_id):
                calls.discard(call_id)
            case _:
                pass
    return calls


def _finish_inner_call(
    open_decisions: dict[tuple[str, AgentPath | None], set[str]], key: tuple[str, AgentPath | None], call_id: str
) -> None:
    """Forget a call of an agent inside a tool, whose results are not reported as events."""
    calls = open_decisions.get(key)
    if calls is not None:
        calls.discard(call_id)
        if not calls:
            del open_decisions[key]


def _list_enclosing_calls(call_ids: Iterable[str], parents: Mapping[str, str]) -> set[str]:
    """Return calls, and the calls inside of which they were made."""
    found: set[str] = set()
    for innermost in call_ids:
        call_id = innermost
        while call_id and call_id not in found:
            found.add(call_id)
            call_id = parents.get(call_id, "")
    return found


@dataclass(frozen=True, kw_only=True)
class TurnPrefix:
    """The events of a session that count before a point in it, which is a turn or the end of a run."""

    completed: Sequence[Event]
    """The events of the runs that are over by then, with those before the first run."""

    interrupted: Sequence[Event]
    """The events of the run that the turn belongs to, from the user message on; empty between two runs."""

    to_seq: int
    """The last event before the point."""

    kept_seqs: Sequence[int] = ()
    """The later events that are part of the prefix."""

    asked: Event | None = None
    """The turn; None between two runs, and if an interrupted run was not waiting for a decision."""

    @property
    def events(self) -> Sequence[Event]:
        """All events of the prefix."""
        return [*self.completed, *self.interrupted]

    @property
    def replayed_events(self) -> Sequence[Event]:
        """The events of the run that is replayed, with the turn that it is replayed up to; empty between two runs."""
        return [*self.interrupted, self.asked] if self.interrupted and self.asked else self.interrupted


def list_turns(events: Iterable[Event]) -> list[Event]:
    """Return the turns that can be forked, in order: those that were decided, or still wait for a decision."""
    asked: dict[str, Event] = {}
    for event in events:
        match event.payload:
            case TurnAsked():
                asked[event.turn_id] = event
            case TurnWithdrawn():
                asked.pop(event.turn_id, None)
            case _:
                pass
    return list(asked.values())


def cut_before_turn(events: Sequence[Event], turn_id: str) -> TurnPrefix:
    """Return what counts before a turn; raise TurnNotFound if the session has no such turn.

    Args:
        events: The events that count, without those that were undone.
        turn_id: The turn.
    """
    places = [
        place for place, event in enumerate(events) if event.turn_id == turn_id and isinstance(event.payload, TurnAsked)
    ]
    if not places:
        raise TurnNotFound(events[0].session_id if events else "", turn_id)
    return _cut(events, places[0], asked=events[places[0]])


def cut_before_action(events: Sequence[Event], place: int) -> TurnPrefix:
    """Return what counts before something that was done while a turn waited, which waits again.

    Args:
        events: The events that count, without those that were undone.
        place: Where it is among the events.
    """
    decided = {event.turn_id for event in events[:place] if isinstance(event.payload, TurnDecided)}
    # The turn is the oldest one: after an undo, it was asked again, after what still counts of what was done in it.
    waiting = [event for event in list_turns(events) if event.turn_id not in decided]
    return _cut(events, place, asked=waiting[0] if waiting else None)


def _cut(events: Sequence[Event], place: int, *, asked: Event | None) -> TurnPrefix:
    before = _remove_undecided(events[:place])
    late = _LateResults(before, events[place:]).find()
    start = find_run_start(before)
    return TurnPrefix(
        completed=before[:start],
        interrupted=[*before[start:], *late],
        to_seq=events[place].seq - 1,
        kept_seqs=[event.seq for event in late],
        asked=asked,
    )


def cut_before_message(events: Sequence[Event], number: int) -> TurnPrefix:
    """Return what counts before a user message.

    Args:
        events: The events that count, without those that were undone.
        number: 1 for the first message of the session; one more than there are for the end of the session.
    """
    starts = [place for place, event in enumerate(events) if isinstance(event.payload, UserSpoke)]
    place = starts[number - 1] if number <= len(starts) else len(events)
    completed = [event for event in _remove_undecided(events[:place]) if not isinstance(event.payload, Closed)]
    to_seq = events[place].seq - 1 if place < len(events) else events[-1].seq if events else 0
    return TurnPrefix(completed=completed, interrupted=[], to_seq=to_seq)


def cut_at_end(events: Sequence[Event]) -> TurnPrefix:
    """Return all that counts; a last run that has not ended is interrupted at its oldest turn without a decision.

    Nor has one ended that was going on when its server stopped: it continues where it was.
    """
    events = _remove_server_stop(events)
    start = find_run_start(events)
    if start == len(events) or any(isinstance(event.payload, RunEnded) for event in events[start:]):
        return cut_before_message(events, len(events) + 1)
    decided = {event.turn_id for event in events if isinstance(event.payload, TurnDecided)}
    waiting = [event for event in list_turns(events[start:]) if event.turn_id not in decided]
    remaining = [event for event in _remove_undecided(events) if not isinstance(event.payload, Closed)]
    start = find_run_start(remaining)
    return TurnPrefix(
        completed=remaining[:start],
        interrupted=remaining[start:],
        to_seq=events[-1].seq,
        asked=waiting[0] if waiting else None,
    )


def _remove_server_stop(events: Sequence[Event]) -> Sequence[Event]:
    """Return the events without what the stop of the server has ended, if a run was going on then."""
    last = events[-1].payload if events else None
    if not isinstance(last, Closed) or last.reason != SERVER_STOPPED_IN_RUN:
        return events
    end = len(events)
    # A server that stops ends the run and withdraws its turns before it closes the session. In between it records
    # switches of the environment that no call has recorded yet: they were made in the run, and still count.
    while end and isinstance(events[end - 1].payload, Closed | RunEnded | TurnWithdrawn | EnvironmentDecided):
        end -= 1
    return [*events[:end], *(event for event in events[end:] if isinstance(event.payload, EnvironmentDecided))]


def find_run_start(events: Sequence[Event]) -> int:
    """Return the place of the last user message; the number of events if there is none."""
    for place in range(len(events) - 1, -1, -1):
        if isinstance(events[place].payload, UserSpoke):
            return place
    return len(events)


def _remove_undecided(events: Sequence[Event]) -> list[Event]:
    """Return the events without turns that have no decision among them: they are asked again."""
    decided = {event.turn_id for event in events if isinstance(event.payload, TurnDecided)}
    kinds = TurnAsked | TurnWithdrawn | TurnRevived
    return [event for event in events if event.turn_id in decided or not isinstance(event.payload, kinds)]


class _LateResults:
    """Finds outcomes of decisions in a prefix that came only after its end."""

    def __init__(self, before: Sequence[Event], after: Sequence[Event]) -> None:
        self._after = after
        self._calls = _list_call_ids(before[find_run_start(before) :])
        self._unfinished = _find_calls_with_open_turns(before, after)
        self._unseen = _find_unseen_decisions(before[find_run_start(before) :])
        self._artifacts: set[tuple[str, int]] = set()
        """The artifacts of the late events."""

    def find(self) -> list[Event]:
        """Return the events, in order."""
        late: list[Event] = []
        for event in self._after:
            # Results that come after the next message belong to another run.
            if isinstance(event.payload, UserSpoke):
                break
            if self._is_result(event):
                late.append(event)
        return late

    def _is_result(self, event: Event) -> bool:
        match event.payload:
            case (
                ToolStarted(call_id=call_id)
                | ToolAsked(call_id=call_id)
                | ToolAnswered(call_id=call_id)
                | WorldEventHappened(call_id=call_id)
            ):
                return call_id in self._calls and call_id not in self._unfinished
            case ToolFinished(call_id=call_id) | ToolFailed(call_id=call_id) | EnvironmentDecided(call_id=call_id):
                return call_id in self._calls and call_id not in self._unfinished and not _was_stopped(event)
            case TurnAsked():
                self._unseen.discard((event.agent_name, event.agent_path))
                return False
            case AgentEvent() as emitted:
                return self._is_late_event(event, emitted)
            case ArtifactSaved(filename=filename, version=version):
                return (filename, version) in self._artifacts
            case _:
                return False

    def _is_late_event(self, event: Event, emitted: AgentEvent) -> bool:
        answered = [
            part["function_response"].get("id") for part in _get_parts(emitted) if part.get("function_response")
        ]
        if answered:
            is_late = all(call_id in self._calls and call_id not in self._unfinished for call_id in answered)
            if is_late:
                actions: Mapping[str, Json] = emitted.event.get("actions") or {}
                versions: Mapping[str, int] = actions.get("artifact_delta") or {}
                self._artifacts |= set(versions.items())
            return is_late
        key = (event.agent_name, event.agent_path)
        if key not in self._unseen:
            return False
        self._unseen.discard(key)
        self._calls |= _list_call_ids([event])
        return True


def _find_calls_with_open_turns(before: Sequence[Event], after: Sequence[Event]) -> set[str]:
    """Return the calls inside of which a turn is decided only after the prefix: their results depend on it."""
    parents = {
        event.payload.call_id: event.agent_path.parent_call_id
        for event in (*before, *after)
        if isinstance(event.payload, ToolStarted) and event.agent_path is not None
    }
    inner_turns = (event for event in after if isinstance(event.payload, TurnDecided | TurnAsked))
    return _list_enclosing_calls((each.agent_path.parent_call_id for each in inner_turns if each.agent_path), parents)


def _find_unseen_decisions(events: Iterable[Event]) -> set[tuple[str, AgentPath | None]]:
    """Return the agents whose last decision ADK has not made an event of yet."""
    unseen: set[tuple[str, AgentPath | None]] = set()
    for event in events:
        key = (event.agent_name, event.agent_path)
        if isinstance(event.payload, TurnDecided):
            unseen.add(key)
        elif isinstance(event.payload, AgentEvent):
            unseen.discard(key)
    return unseen


def _list_call_ids(events: Iterable[Event]) -> set[str]:
    """Return the ids of all calls that events mention."""
    call_ids: set[str] = set()
    for event in events:
        match event.payload:
            case ToolStarted(call_id=call_id):
                call_ids.add(call_id)
            case AgentEvent() as emitted:
                call_ids.update(
                    part["function_call"].get("id") or "" for part in _get_parts(emitted) if part.get("function_call")
                )
            case _:
                pass
    return call_ids - {""}


def _was_stopped(event: Event) -> bool:
    """Return whether a call ended only because its run was stopped."""
    return isinstance(event.payload, ToolFailed) and event.payload.error_type == "CancelledError"


def _get_parts(emitted: AgentEvent) -> Sequence[Mapping[str, Json]]:
    return get_parts(emitted.event.get("content"))
