"""Edits the state of a session: between two runs, and while a run waits for the decision of a person.

An edit is an event of the user without content, as `adk web` makes it too. During a run it is appended through the
run's own `Session` object: another one would be stale for the session service, and the run would not see the edit.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from google.adk.events import Event as AdkEvent
from google.adk.sessions import BaseSessionService

from adk_agent_sim.adk.loading.agent_tree import may_run_side_by_side
from adk_agent_sim.adk.runs.recorded_session import RecordedSession
from adk_agent_sim.adk.runs.runner_services import RunnerServices
from adk_agent_sim.adk.runs.session_storage import SessionStorage, check_state_changes
from adk_agent_sim.adk.seats.seat_plugin import SessionKey
from adk_agent_sim.errors import ForkRefused, InvalidTransition
from adk_agent_sim.timeline.events import AgentEvent
from adk_agent_sim.timeline.strict_json import parse_json_object

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


class ProcessStateEditor:
    """Knows where the ADK sessions of a process are: a run of each says so when it begins."""

    def __init__(self) -> None:
        self._services: dict[str, BaseSessionService] = {}

    def add_service(self, session_id: str, service: BaseSessionService) -> None:
        """Remember the session service of a session on the timeline."""
        self._services[session_id] = service

    def remove_service(self, session_id: str) -> None:
        """Forget a session."""
        self._services.pop(session_id, None)

    async def edit(self, key: SessionKey, recorded: RecordedSession, changes: str, *, running: object | None) -> None:
        """Set keys of the state.

        Args:
            key: The ADK session.
            recorded: Its session on the timeline.
            changes: The keys with their values, a JSON object as text.
            running: The root agent of the run that is going on, if one is.

        Raises:
            InvalidTransition: The changes cannot be made, or not now.
            ServiceFailed: The session service cannot do it.
        """
        editor = StateEditor(self._open_storage(key, recorded))
        await editor.edit(recorded, parse_json_object(changes), running=running)

    def create_repeater(self, key: SessionKey, recorded: RecordedSession) -> Callable[[AgentEvent], Awaitable[object]]:
        """Return a function that makes a recorded edit again, in a run that is replayed and has begun."""

        async def repeat(edit: AgentEvent) -> None:
            editor = StateEditor(self._open_storage(key, recorded))
            await editor.create_repeater(recorded, _drop_event)(edit)

        return repeat

    def _open_storage(self, key: SessionKey, recorded: RecordedSession) -> SessionStorage:
        service = self._services.get(recorded.session_id)
        if service is None:
            raise ForkRefused("The agent has not run yet, so its process does not know where the session state is.")
        app_name, user_id, adk_session_id = key
        storage = SessionStorage(RunnerServices(session=service), app_name=app_name, user_id=user_id)
        # The storage has made up an id for a new session, but this one exists.
        storage.session_id = adk_session_id
        return storage


def _drop_event(event: AdkEvent) -> None:
    """Do nothing: the session service of the process has the event."""
