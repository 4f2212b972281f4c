"""The tool calls of sessions that wait for the response of a person, and the responses.

ask --> ToolAsked (pending) --> respond --> ToolAnswered --> wait_for_response returns it
                      |
                      +--> the call or its run ends, the session is closed: wait_for_response raises
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeAlias

from adk_agent_sim.errors import (
    InvalidToolResult,
    Problem,
    SessionClosed,
    SessionNotFound,
    ToolAlreadyAnswered,
    ToolRequestAbandoned,
    ToolRequestNotFound,
)
from adk_agent_sim.forms.schema_checker import SchemaChecker
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.committed_events import SessionTracker, SessionTrackers
from adk_agent_sim.timeline.event_validation import validate_payload
from adk_agent_sim.timeline.events import Event, Player, ToolAnswered, ToolAsked, ToolWithdrawn
from adk_agent_sim.timeline.read_model.pending_requests import PendingRequest, RequestKind
from adk_agent_sim.timeline.store import Store
from adk_agent_sim.timeline.submissions import EventBatch, ToolRequest, ToolResponse

Commit: TypeAlias = Callable[[SessionTracker, EventBatch], Awaitable[Sequence[Event]]]
"""Commits events; the caller holds the session's write lock."""

_EVENTS_PER_PAGE = 500
"""How many events are read at a time while a response is looked for."""


class ToolRequests:
    """The requests for responses of tools, in the sessions of one timeline."""

    def __init__(self, store: Store, trackers: SessionTrackers, commit: Commit) -> None:
        self._store = store
        self._trackers = trackers
        self._commit = commit

    async def ask(self, request: ToolRequest) -> Event:
        """Submit a call whose response a person must give, and return its event."""
        validate_payload(request.asked)
        async with self._trackers.use(request.session_id) as tracker, tracker.write_lock:
            return (await self._commit(tracker, request.build_batch()))[0]

    async def respond(self, response: ToolResponse) -> Event:
        """Record the response of a person and return its event; a retry with the same `decision_id` returns it again.

        Raises:
            SessionClosed: The session takes no more events.
            ToolRequestNotFound: The session has no such request.
            ToolAlreadyAnswered: The request has another response.
            ToolRequestAbandoned: The call has ended.
            InvalidToolResult: The result does not match the tool's output schema; `force` sends it.
        """
        session_id, request_id = response.session_id, response.request_id
        async with self._trackers.use(session_id) as tracker, tracker.write_lock:
            waiting = _find_pending(tracker, request_id)
            # A retry whose first attempt was committed finds its request answered.
            if waiting is None:
                return await self._find_same_response(tracker, response)
            event = await self._read_event(session_id, waiting.seq)
            asked = get_tool_asked(event)
            answered = _build_answer(asked, response)
            validate_payload(answered, "")
            if not response.force and not response.error_type:
                check_tool_result(asked, response.result)
            batch = EventBatch(
                session_id,
                [answered],
                agent_name=event.agent_name,
                player=Player.HUMAN,
                agent_path=event.agent_path,
            )
            return (await self._commit(tracker, batch))[0]

    async def wait_for_response(self, session_id: str, request_id: str) -> Event:
        """Wait for the response to a request and return its event.

        Raises:
            SessionClosed: The session was closed first.
            SessionNotFound: The session was deleted first.
            ToolRequestAbandoned: The request was withdrawn first, or there is no such request.
        """
        async with self._trackers.use(session_id) as tracker:
            waiting = _find_pending(tracker, request_id)
            await tracker.wait_until(lambda: tracker.is_deleted or request_id not in tracker.summary.pending)
            if tracker.is_deleted:
                raise SessionNotFound(session_id)
            # A response comes after its request, so the search need not begin with the whole log.
            if found := await self._find_event(session_id, request_id, waiting.seq if waiting else 0):
                return found
            if tracker.summary.is_closed:
                raise SessionClosed(session_id)
            raise ToolRequestAbandoned(request_id)

    async def withdraw(self, session_id: str, request_id: str) -> None:
        """Withdraw a request because the agent's process went away; has no effect if it is not pending."""
        async with self._trackers.use(session_id) as tracker, tracker.write_lock:
            if waiting := _find_pending(tracker, request_id):
                withdrawn = ToolWithdrawn(request_id=request_id, call_id=waiting.call_id)
                batch = EventBatch(
                    session_id, [withdrawn], agent_name=waiting.agent_name, agent_path=waiting.agent_path
                )
                await self._commit(tracker, batch)

    def peek_pending(self, session_id: str) -> list[str]:
        """Return the ids of the pending requests, oldest first; none for a session that this process has not used."""
        tracker = self._trackers.find(session_id)
        pending = tracker.summary.pending.values() if tracker is not None else ()
        return [request.request_id for request in pending if request.kind is RequestKind.TOOL]

    async def get_pending(self, session_id: str, request_id: str) -> Event:
        """Return the `ToolAsked` event of a request that is pending; raise ToolRequestNotFound if it is not."""
        async with self._trackers.use(session_id) as tracker:
            waiting = _find_pending(tracker, request_id)
        if waiting is None:
            raise ToolRequestNotFound(session_id, request_id)
        return await self._read_event(session_id, waiting.seq)

    async def _find_same_response(self, tracker: SessionTracker, response: ToolResponse) -> Event:
        """Return the response that was recorded before, if it is the same; raise if it is not."""
        session_id, request_id = response.session_id, response.request_id
        found = await self._find_event(session_id, request_id)
        if found is not None and isinstance(found.payload, ToolAnswered):
            if found.payload.decision_id == response.decision_id:
                return found
            raise ToolAlreadyAnswered(request_id, found.event_id)
        if tracker.summary.is_closed:
            raise SessionClosed(session_id)
        if await self._find_event(session_id, request_id, kind=ToolAsked):
            raise ToolRequestAbandoned(request_id)
        raise ToolRequestNotFound(session_id, request_id)

    async def _find_event(
        self,
        session_id: str,
        request_id: str,
        after_seq: int = 0,
        kind: type[ToolAnswered] | type[ToolAsked] = ToolAnswered,
    ) -> Event | None:
        while page := await self._store.read_events(session_id, after_seq, _EVENTS_PER_PAGE):
            for event in page:
                if isinstance(event.payload, kind) and event.payload.request_id == request_id:
                    return event
            after_seq = page[-1].seq
        return None

    async def _read_event(self, session_id: str, seq: int) -> Event:
        (event,) = await self._store.read_events(session_id, seq - 1, 1)
        return event


def get_tool_asked(event: Event) -> ToolAsked:
    """Return the payload of a `ToolAsked` event."""
    if not isinstance(event.payload, ToolAsked):
        raise TypeError(f"Event {event.event_id} is a {type(event.payload).__name__}, not a request for a response.")
    return event.payload


def find_result_problems(asked: ToolAsked, result: Json) -> Sequence[Problem]:
    """Return what keeps a result from matching the tool's output schema."""
    return SchemaChecker(asked.response_schema).find_problems(result) if asked.response_schema else ()


def check_tool_result(asked: ToolAsked, result: Json) -> None:
    """Raise InvalidToolResult if a result does not match the tool's output schema."""
    if problems := find_result_problems(asked, result):
        raise InvalidToolResult(asked.tool_name, problems)


def _build_answer(asked: ToolAsked, response: ToolResponse) -> ToolAnswered:
    return ToolAnswered(
        request_id=response.request_id,
        call_id=asked.call_id,
        decision_id=response.decision_id,
        result=None if response.error_type else response.result,
        error_type=response.error_type,
        error_message=response.error_message,
        force=response.force,
        answered_by=response.answered_by,
    )


def _find_pending(tracker: SessionTracker, request_id: str) -> PendingRequest | None:
    request = tracker.summary.pending.get(request_id)
    return request if request is not None and request.kind is RequestKind.TOOL else None
