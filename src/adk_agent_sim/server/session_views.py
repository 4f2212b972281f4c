"""The views of the sessions that somebody has opened, each kept up to date with its log."""

from __future__ import annotations

from adk_agent_sim.errors import SessionNotFound, TurnNotFound
from adk_agent_sim.server.session_view import SessionView
from adk_agent_sim.timeline.events import Event
from adk_agent_sim.timeline.timeline import Timeline


class SessionViews:
    """Creates a session's view when it is first needed and catches it up on every access."""

    def __init__(self, timeline: Timeline) -> None:
        self._timeline = timeline
        self._views: dict[str, SessionView] = {}

    def __contains__(self, session_id: str) -> bool:
        return session_id in self._views

    async def get(self, session_id: str) -> SessionView:
        """Returns the view of a session, including its latest event.

        Raises:
            SessionNotFound: There is no such session.
        """
        view = self._views.get(session_id)
        if view is None:
            sessions = await self._timeline.list_sessions()
            session = next((session for session in sessions if session.session_id == session_id), None)
            if session is None:
                raise SessionNotFound(session_id)
            # Another task may have created the view during the await: both must use the same one.
            view = self._views.setdefault(session_id, SessionView(self._timeline, session))
        await view.catch_up()
        return view

    async def get_turn(self, session_id: str, turn_id: str) -> Event:
        """Returns the event that requested a turn.

        Raises:
            TurnNotFound: The session has no such turn.
        """
        asked = (await self.get(session_id)).turns.find_asked_event(turn_id)
        if asked is None:
            raise TurnNotFound(session_id, turn_id)
        return asked

    def remove(self, session_id: str) -> None:
        """Drop the view of a session."""
        self._views.pop(session_id, None)
