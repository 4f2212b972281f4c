"""The turns of a session, derived from its log: which wait, in which order, which are decided and how."""

from __future__ import annotations

from collections.abc import Sequence

from adk_agent_sim.errors import TurnAbandoned, TurnAlreadyDecided, TurnNotFound, TurnNotNext
from adk_agent_sim.timeline.events import Closed, Event, RunEnded, TurnAsked, TurnDecided, TurnWithdrawn


class Turns:
    """A fold over a session's events. Holds nothing that the log does not say."""

    def __init__(self, session_id: str) -> None:
        self._session_id = session_id
        self._asked: dict[str, Event] = {}
        self._decided: dict[str, Event] = {}
        self._waiting: dict[str, Event] = {}
        self.closed = False
        """Whether the session takes no more events."""

    def apply(self, event: Event) -> None:
        """Take in the next event of the log."""
        match event.payload:
            case TurnAsked():
                self._asked[event.turn_id] = event
                self._waiting[event.turn_id] = event
            case TurnDecided():
                self._decided[event.turn_id] = event
                self._waiting.pop(event.turn_id, None)
            case TurnWithdrawn():
                self._waiting.pop(event.turn_id, None)
            case RunEnded(invocation_id=invocation_id):
                self._abandon(invocation_id)
            case Closed():
                self.closed = True
                self._waiting.clear()
            case _:
                pass

    @property
    def waiting(self) -> Sequence[Event]:
        """The `TurnAsked` events without a decision, oldest first."""
        return list(self._waiting.values())

    def asked(self, turn_id: str) -> Event | None:
        """The event that asked the turn."""
        return self._asked.get(turn_id)

    def decided(self, turn_id: str) -> Event | None:
        """The event that decided the turn."""
        return self._decided.get(turn_id)

    def waits(self, turn_id: str) -> bool:
        """Whether somebody waits for the turn's decision."""
        return turn_id in self._waiting

    def undecided(self, turn_id: str) -> Event:
        """The event that asked the turn, which must still wait."""
        asked = self._asked.get(turn_id)
        if asked is None:
            raise TurnNotFound(self._session_id, turn_id)
        if decided := self._decided.get(turn_id):
            raise TurnAlreadyDecided(turn_id, decided.event_id)
        if turn_id not in self._waiting:
            raise TurnAbandoned(turn_id)
        return asked

    def check_next(self, asked: Event) -> None:
        """Refuse a turn that is not the one of its session that waits longest."""
        head = next(iter(self._waiting.values()))
        if head.turn_id != asked.turn_id:
            raise TurnNotNext(asked.turn_id, head.turn_id, head.agent_name)

    def _abandon(self, invocation_id: str) -> None:
        """A run that is over waits for nothing."""
        for turn_id, asked in list(self._waiting.items()):
            if isinstance(asked.payload, TurnAsked) and asked.payload.invocation_id == invocation_id:
                del self._waiting[turn_id]
