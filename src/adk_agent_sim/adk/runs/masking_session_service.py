"""A session service that keeps the user's credentials from the one behind it, which may store sessions in a database.

Runner --> MaskingSessionService --> the user's session service
           (credentials in memory)   (`not recorded` in their place)
"""

from __future__ import annotations

from typing import Any

from google.adk.events import Event
from google.adk.sessions import BaseSessionService, Session
from google.adk.sessions.base_session_service import GetSessionConfig, ListSessionsResponse
from google.genai import types

from adk_agent_sim.timeline.framework_calls import REQUEST_CREDENTIAL
from adk_agent_sim.timeline.redaction.credential_mask import describe_answer


class MaskingSessionService(BaseSessionService):
    """Delegates to a session service, but keeps the user's answers to requests for credentials in memory only.

    ADK reads an answer from the session's events: in the run that it starts, and again whenever a workflow resumes. So
    every session that is read here has the answers that were given here.
    """

    def __init__(self, inner: BaseSessionService) -> None:
        self.inner = inner
        self._answers: dict[str, Event] = {}
        """The events with credentials, by their ids."""

    async def create_session(
        self, *, app_name: str, user_id: str, state: dict[str, Any] | None = None, session_id: str | None = None
    ) -> Session:
        """Create a session."""
        return await self.inner.create_session(app_name=app_name, user_id=user_id, state=state, session_id=session_id)

    async def get_session(
        self, *, app_name: str, user_id: str, session_id: str, config: GetSessionConfig | None = None
    ) -> Session | None:
        """Return a session, with the answers of its user."""
        session = await self.inner.get_session(app_name=app_name, user_id=user_id, session_id=session_id, config=config)
        if session is not None and self._answers:
            self._restore_answers(session)
        return session

    async def list_sessions(self, *, app_name: str, user_id: str | None = None) -> ListSessionsResponse:
        """List sessions, without their events."""
        return await self.inner.list_sessions(app_name=app_name, user_id=user_id)

    async def delete_session(self, *, app_name: str, user_id: str, session_id: str) -> None:
        """Delete a session."""
        await self.inner.delete_session(app_name=app_name, user_id=user_id, session_id=session_id)

    async def get_user_state(self, *, app_name: str, user_id: str) -> dict[str, Any]:
        """Return the state that all sessions of a user share."""
        return await self.inner.get_user_state(app_name=app_name, user_id=user_id)

    async def append_event(self, session: Session, event: Event) -> Event:
        """Append an event; the service behind this one gets it without credentials."""
        masked = _mask_answers(event.content)
        if masked is None:
            return await self.inner.append_event(session, event)
        stored = await self.inner.append_event(session, event.model_copy(update={"content": masked}))
        # The service may have changed more of the event, such as its state delta.
        given = stored.model_copy(update={"content": event.content})
        self._answers[given.id] = given
        # The service has added the masked event to the session of the run, which reads the credential from there.
        self._restore_answers(session)
        return given

    async def flush(self) -> None:
        """Write what the service behind this one has not written yet."""
        await self.inner.flush()

    def __getattr__(self, name: str) -> Any:
        """Return what only the service behind this one has, for agents that use it."""
        return getattr(self.inner, name)

    def _restore_answers(self, session: Session) -> None:
        session.events[:] = [self._answers.get(event.id, event) for event in session.events]


def _mask_answers(content: types.Content | None) -> types.Content | None:
    """Return the content without the credentials in it; None if there are none."""
    parts = (content.parts if content is not None else None) or []
    if content is None or not any(map(_is_answer, parts)):
        return None
    return content.model_copy(update={"parts": [_mask_part(part) if _is_answer(part) else part for part in parts]})


def _is_answer(part: types.Part) -> bool:
    return part.function_response is not None and part.function_response.name == REQUEST_CREDENTIAL


def _mask_part(part: types.Part) -> types.Part:
    assert part.function_response is not None  # noqa: S101 - only answers are masked
    response = describe_answer(part.function_response.response)
    answer = part.function_response.model_copy(update={"response": response})
    return part.model_copy(update={"function_response": answer})
