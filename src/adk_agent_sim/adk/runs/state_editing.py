"""Edits the state of a session: between two runs, and while a run waits for the decision of a person.

An edit is an event of the user without content, as `adk web` makes it too. During a run it is appended through the
run's own `Session` object: another one would be stale for the session service, and the run would not see the edit.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from google.adk.events import Event as AdkEvent

from adk_agent_sim.adk.loading.agent_tree import may_run_side_by_side
from adk_agent_sim.adk.runs.recorded_session import RecordedSession
from adk_agent_sim.adk.runs.session_storage import RunnerServices, SessionStorage, check_state_changes
from adk_agent_sim.adk.seats.seat_plugin import SessionKey
from adk_agent_sim.errors import ForkRefused, InvalidTransition
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


async def edit_state(
    storage: SessionStorage, session: RecordedSession, changes: Mapping[str, Any], *, running: object | None = None
) -> AdkEvent:
    """Set keys of the state, record it, and return the ADK event that did.

    A turn that is decided meanwhile goes on only when the edit is made and recorded.

    Args:
        storage: Where the ADK session is.
        session: The session.
        changes: The keys with their values.
        running: The root agent of the run that is going on, if one is.

    Raises:
        InvalidTransition: A run is going on that waits for no decision, or the changes cannot be made.
        ServiceFailed: The session service cannot do it.
    """
    check_state_changes(changes)
    async with session.state_lock:
        if running and not (session.pending_turns and not session.running_calls.call_ids):
            raise InvalidTransition(_REFUSAL)
        if running and may_run_side_by_side(running):
            raise InvalidTransition(_PARALLEL_REFUSAL)
        event = await storage.edit_state(changes, session.adk_session if running else None)
        await session.record_state_edit(event)
    return event


async def repeat_edit(storage: SessionStorage, session: RecordedSession, edit: AgentEvent) -> AdkEvent:
    """Make a recorded edit again, in a run that is replayed and has begun, and return the ADK event that did."""
    event = await storage.append_edit(AdkEvent.model_validate(edit.event), session.adk_session)
    if session.replay is not None and session.replay.is_lenient:
        await session.record_state_edit(event)  # otherwise it is on the timeline already
    return event


def open_process_storage(key: SessionKey, session: RecordedSession) -> SessionStorage:
    """Return where an ADK session of this process is; raise ForkRefused if no run of it has said so."""
    if session.session_service is None:
        raise ForkRefused("The agent has not run yet, so its process does not know where the session state is.")
    app_name, user_id, adk_session_id = key
    storage = SessionStorage(RunnerServices(session=session.session_service), app_name=app_name, user_id=user_id)
    # The storage has made up an id for a new session, but this one exists.
    storage.session_id = adk_session_id
    return storage
