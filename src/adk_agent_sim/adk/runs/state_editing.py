"""Edits the state of a session: between two runs, and while a run waits for the decision of a person.

An edit is an event of the user without content, as `adk web` makes it too. During a run it is appended through the
run's own `Session` object: another one would be stale for the session service, and the run would not see the edit.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from google.adk.events import Event as AdkEvent

from adk_agent_sim.adk.loading.agent_tree import may_run_side_by_side
from adk_agent_sim.adk.runs.recorded_session import RecordedSession
from adk_agent_sim.adk.runs.session_storage import SessionStorage, check_state_changes
from adk_agent_sim.errors import InvalidTransition
from adk_agent_sim.timeline.events import AgentEvent

_REFUSAL = (
    "The state can be edited between two runs, and while a turn waits for you and no tool is running: "
    "what runs now may be reading and writing the state. Wait for the next turn, or stop the run, and then edit the "
    "state."
)

_PARALLEL_REFUSAL = (
    "Agents of this app run side by side, and one of them may be writing the state: it can be edited between two runs. "
    "Finish the run, or stop it, and then edit the state."
)


class StateEditor:
    """Sets keys of the state of one session."""

    def __init__(self, storage: SessionStorage) -> None:
        self._storage = storage

    async def edit(
        self, session: RecordedSession, changes: Mapping[str, Any], *, running: object | None = None
    ) -> AdkEvent:
        """Set keys of the state, record it, and return the ADK event that did.

        A turn that is decided meanwhile goes on only when the edit is made and recorded.

        Args:
            session: The session.
            changes: The keys with their values.
            running: The root agent of the run that is going on, if one is.

        Raises:
            InvalidTransition: A run is going on that waits for no decision, or the changes cannot be made.
        """
        check_state_changes(changes)
        async with session.state_lock:
            if running and not (session.pending_turns and not session.running_calls.call_ids):
                raise InvalidTransition(_REFUSAL)
            if running and may_run_side_by_side(running):
                raise InvalidTransition(_PARALLEL_REFUSAL)
            event = await self._storage.edit_state(changes, session.adk_session if running else None)
            await session.record_state_edit(event)
        return event

    def create_repeater(
        self, session: RecordedSession, keep: Callable[[AdkEvent], None]
    ) -> Callable[[AgentEvent], Awaitable[None]]:
        """Return a function that makes a recorded edit again, in a run that is replayed.

        Args:
            session: The session of the run.
            keep: Called with the ADK event of each edit.
        """

        async def repeat(edit: AgentEvent) -> None:
            event = await self._storage.append_edit(AdkEvent.model_validate(edit.event), session.adk_session)
            keep(event)
            if session.replay is not None and session.replay.is_lenient:
                await session.record_state_edit(event)  # otherwise it is on the timeline already

        return repeat
