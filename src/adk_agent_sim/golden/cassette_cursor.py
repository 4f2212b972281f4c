"""Where a session is in a cassette: which turns of the current run were played, recorded again or left out.

A turn that was recorded again makes the ones after it in its stream stale: they are written again only if they are
played after all.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum, auto

from adk_agent_sim.golden.cassette import CassetteBlock, CassetteRun, CassetteSession, CassetteTurn, list_calls
from adk_agent_sim.golden.recording import StreamKey, find_stream
from adk_agent_sim.timeline.events import AgentPath


class SlotState(Enum):
    """What happened to a turn of the run."""

    UNPLAYED = auto()
    STALE = auto()
    """Not played, and recorded after a turn that has changed."""
    OPEN = auto()
    """The agent's own model is asked."""
    DONE = auto()


@dataclass(kw_only=True)
class TurnSlot:
    """A turn, and what happened to it."""

    key: StreamKey

    turn: CassetteTurn | None
    """The turn as it is recorded; None if it has not been answered yet."""

    state: SlotState

    def list_call_ids(self) -> dict[str, list[str]]:
        """Return the ids of the recorded calls, by tool, which the calls of a new answer get again."""
        ids: dict[str, list[str]] = {}
        for response in self.turn.responses if self.turn else ():
            for call in list_calls(response.value):
                ids.setdefault(call.get("name") or "", []).append(call.get("id") or "")
        return ids


class CassetteCursor:
    """A session of a cassette while a run of it is played or recorded."""

    def __init__(
        self, session: CassetteSession, run_index: int, message: CassetteBlock, origin: CassetteSession | None
    ) -> None:
        """Begin a run.

        Args:
            session: The session with the runs before; it may have this and later ones already.
            run_index: The number of the run, from 0.
            message: The message of the user, if the session has no such run yet.
            origin: What the file had of the session when it was read; None if it had nothing.
        """
        self.origin = origin
        self.is_changed = False
        """Whether the run is not as it was in the session."""
        self._session = session
        self._run_index = run_index
        known = session.runs[run_index] if run_index < len(session.runs) else None
        self._message = known.message if known else message
        self._slots = [
            TurnSlot(key=turn.key, turn=turn, state=SlotState.UNPLAYED) for turn in (known.turns if known else ())
        ]

    def find_next(self, agent_name: str, path: AgentPath) -> TurnSlot | None:
        """Return the next recorded turn of an agent that was not played; None if there is none."""
        # Reversed, so that the first waiting turn of each agent wins.
        waiting = {slot.key: slot for slot in reversed(self._slots) if self._is_waiting(slot)}
        key = find_stream(waiting, agent_name, path)
        return waiting[key] if key is not None else None

    def reopen(self, key: StreamKey, slot: TurnSlot | None) -> TurnSlot:
        """Return the place of a turn that is recorded now: that of a recorded one, or a new one at the end."""
        if slot is None:
            slot = TurnSlot(key=key, turn=None, state=SlotState.OPEN)
            self._slots.append(slot)
        slot.state = SlotState.OPEN
        for later in self._slots[self._slots.index(slot) + 1 :]:
            if later.key == slot.key and later.state is SlotState.UNPLAYED:
                later.state = SlotState.STALE
        self.is_changed = True
        return slot

    def finish_run(self) -> int:
        """Leave out what was not played, if something else was recorded; return how many turns were not played."""
        waiting = [slot for slot in self._slots if self._is_waiting(slot)]
        if self.is_changed:
            self._slots = [slot for slot in self._slots if not self._is_waiting(slot)]
        return len(waiting)

    def build_session(self) -> CassetteSession:
        """Return the session as it is now."""
        # A copy, because this runs in the thread that writes, while agents may begin turns in the event loop.
        turns = [slot.turn for slot in list(self._slots) if slot.turn and slot.state is not SlotState.STALE]
        runs = list(self._session.runs)
        runs[self._run_index : self._run_index + 1] = [CassetteRun(message=self._message, turns=tuple(turns))]
        return replace(self._session, runs=tuple(runs))

    @staticmethod
    def _is_waiting(slot: TurnSlot) -> bool:
        return slot.state in (SlotState.UNPLAYED, SlotState.STALE)
