"""The turns of a session, derived from its log: which are pending, in which order, and which are decided."""

from __future__ import annotations

from collections.abc import Sequence

from adk_agent_sim.errors import TurnAbandoned, TurnAlreadyDecided, TurnHasOtherPlayer, TurnNotFound, TurnNotNext
from adk_agent_sim.timeline.events import Event, TurnAsked, TurnDecided
from adk_agent_sim.timeline.session_progress import SessionProgress


class TurnIndex:
    """A fold over a session's events, without any other state."""

    def __init__(self, session_id: str) -> None:
        self._session_id = session_id
        self._asked_events: dict[str, Event] = {}
        self._decided_events: dict[str, Event] = {}
        self.progress = SessionProgress()
        """The progress of the session."""

    def apply(self, event: Event) -> None:
        """Apply the next event of the log."""
        self.progress = self.progress.with_event(event)
        match event.payload:
            case TurnAsked():
                self._asked_events[event.turn_id] = event
            case TurnDecided():
                self._decided_events[event.turn_id] = event
            case _:
                pass

    @property
    def is_closed(self) -> bool:
        """Whether the session takes no more events."""
        return self.progress.is_closed

    @property
    def pending_turns(self) -> Sequence[Event]:
        """The `TurnAsked` events that wait for a person, oldest first."""
        return [self._asked_events[turn_id] for turn_id in self.progress.pending]

    def find_asked_event(self, turn_id: str) -> Event | None:
        """Return the `TurnAsked` event of a turn, or None."""
        return self._asked_events.get(turn_id)

    def find_decided_event(self, turn_id: str) -> Event | None:
        """Return the `TurnDecided` event of a turn, or None."""
        return self._decided_events.get(turn_id)

    def is_waiting(self, turn_id: str) -> bool:
        """Return whether the turn needs a decision, of a person or of another player."""
        return turn_id in self.progress.pending or turn_id in self.progress.delegated

    def require_undecided(self, turn_id: str) -> Event:
        """Return the `TurnAsked` event of a pending turn; raise DecisionRefused if it is not pending."""
        asked = self._asked_events.get(turn_id)
        if asked is None:
            raise TurnNotFound(self._session_id, turn_id)
        if decided := self._decided_events.get(turn_id):
            raise TurnAlreadyDecided(turn_id, decided.event_id)
        if not self.is_waiting(turn_id):
            raise TurnAbandoned(turn_id)
        return asked

    def check_next(self, asked: Event) -> None:
        """Raise DecisionRefused unless the turn is the session's oldest one that waits for a person."""
        if asked.turn_id in self.progress.delegated:
            raise TurnHasOtherPlayer(asked.turn_id, asked.player or "")
        head = self._asked_events[next(iter(self.progress.pending))]
        if head.turn_id != asked.turn_id:
            raise TurnNotNext(asked.turn_id, head.turn_id, head.agent_name)
