"""`adksim.v1.SimulatorService` on a timeline: checks what is asked, does it, and tells errors as statuses."""

from __future__ import annotations

import asyncio
import functools
import json
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import Any, NoReturn, TypeAlias, TypeVar, cast
from uuid import uuid4

from grpc import StatusCode
from grpc.aio import ServicerContext

from adk_agent_sim.errors import BlocksMissing, FieldInvalid, SessionExists, SimulatorError
from adk_agent_sim.generated.adksim import v1
from adk_agent_sim.link.failures import ERROR_TRAILER
from adk_agent_sim.persistence.record import PLAYER_OF, event_message, message_asked, message_event, session_message
from adk_agent_sim.server import validation
from adk_agent_sim.server.presence import Presence
from adk_agent_sim.server.statuses import status_of
from adk_agent_sim.server.travelling import request_blocks, travelling
from adk_agent_sim.timeline.blocks import Block
from adk_agent_sim.timeline.canonical import Json
from adk_agent_sim.timeline.events import ArtifactSaved, Event, Player, Session, TurnAsked, TurnDecided, TurnWithdrawn
from adk_agent_sim.timeline.files import mended
from adk_agent_sim.timeline.timeline import Timeline
from adk_agent_sim.wire.response import from_response

_log = logging.getLogger(__name__)

Context: TypeAlias = ServicerContext[Any, Any]
Asked = TypeVar("Asked")
Answered = TypeVar("Answered")


_ACTIVE, _COMPLETED, _CANCELLED = (
    cast("v1.SessionStatus", v1.SessionStatus.Value(f"SESSION_STATUS_{name}"))
    for name in ("ACTIVE", "COMPLETED", "CANCELLED")
)

_LONGEST_MESSAGE = 2_000
"""What a status says travels in a header, whose size is limited."""


def told(
    method: Callable[[SimulatorService, Asked], Awaitable[Answered]],
) -> Callable[[SimulatorService, Asked, Context], Awaitable[Answered]]:
    """A call whose errors become statuses."""

    @functools.wraps(method)
    async def call(self: SimulatorService, request: Asked, context: Context) -> Answered:
        try:
            return await method(self, request)
        except Exception as error:  # noqa: BLE001 - the edge of the process
            await _refuse(context, error)

    return call


class SimulatorService:
    """The service. Use it from one event loop."""

    def __init__(
        self, timeline: Timeline, presence: Presence, web_url: Callable[[str], str] = lambda session_id: ""
    ) -> None:
        """Serve `timeline`; `web_url` says where a person can play a session, if anywhere."""
        self._timeline = timeline
        self._presence = presence
        self._web_url = web_url
        self._closing: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    def close(self, reason: str) -> None:
        """End all subscriptions, saying why."""
        if not self._closing.done():
            self._closing.set_result(reason)

    @told
    async def CreateSession(self, request: v1.CreateSessionRequest) -> v1.CreateSessionResponse:  # noqa: N802
        """Open a session; one of the client's id, if it has made one, which is the same session when sent again."""
        if request.session_id:
            validation.uuid4("session_id", request.session_id)
        session = await self._created(validation.description(request.description), request.session_id)
        return v1.CreateSessionResponse(session=session_message(session), web_url=self._web_url(session.session_id))

    async def _created(self, description: str, session_id: str) -> Session:
        try:
            return await self._timeline.create_session(description, session_id)
        except SessionExists:
            return await self._timeline.session(session_id)

    @told
    async def SubmitRequest(self, request: v1.SubmitRequestRequest) -> v1.SubmitRequestResponse:  # noqa: N802
        """Put a model call up for decision; sent again, it is the same turn."""
        validation.uuid4("turn_id", request.turn_id)
        validation.agent_name(request.agent_name)
        player = PLAYER_OF.get(request.player, Player.HUMAN)
        if request.HasField("asked"):
            asked = message_asked(request.asked, request.invocation_id)
            event = await self._timeline.ask_referring(
                request.session_id,
                asked,
                [Block.of(data) for data in request.blocks],
                turn_id=request.turn_id,
                agent_name=request.agent_name,
                player=player,
            )
            if player is Player.HUMAN:
                self._presence.expect(request.session_id, asked.client_id)
        else:
            event = await self._asked_whole(request, player)
        return v1.SubmitRequestResponse(event_id=event.event_id, seq=event.seq)

    async def _asked_whole(self, request: v1.SubmitRequestRequest, player: Player) -> Event:
        if not request.HasField("request") and not request.exact_json:
            raise FieldInvalid("request", "is missing: a turn asks something")
        stated = validation.exact_json(request.exact_json) if request.exact_json else None
        return await self._timeline.ask(
            request.session_id,
            turn_id=request.turn_id,
            invocation_id=request.invocation_id,
            agent_name=request.agent_name,
            request=request_blocks(request.request, stated),
            player=player,
        )

    @told
    async def SubmitDecision(self, request: v1.SubmitDecisionRequest) -> v1.SubmitDecisionResponse:  # noqa: N802
        """Answer a model call, once."""
        validation.uuid4("turn_id", request.turn_id)
        event = await self._timeline.decide(
            request.session_id,
            request.turn_id,
            _response(request),
            decision_id=request.decision_id or None,
            player=PLAYER_OF.get(request.player, Player.HUMAN),
            anyway=request.anyway,
            duration_ms=request.duration_ms if request.HasField("duration_ms") else None,
        )
        return v1.SubmitDecisionResponse(event_id=event.event_id, seq=event.seq)

    @told
    async def ListSessions(self, request: v1.ListSessionsRequest) -> v1.ListSessionsResponse:  # noqa: N802
        """The newest sessions first, page by page; one that is added meanwhile is on no later page."""
        size = validation.page_size(request.page_size)
        before = validation.page_token(request.page_token)
        found = await self._timeline.summaries(before=before, limit=size + 1)
        return v1.ListSessionsResponse(
            sessions=[session_message(summary.session) for summary in found[:size]],
            next_page_token=validation.next_page_token(found[size - 1].place) if len(found) > size else "",
        )

    @told
    async def GetSession(self, request: v1.GetSessionRequest) -> v1.GetSessionResponse:  # noqa: N802
        """One session and where it stands."""
        session = await self._timeline.session(request.session_id)
        progress = await self._timeline.progress(request.session_id)
        status = _ACTIVE
        if progress.closed:
            status = _CANCELLED if progress.cancelled else _COMPLETED
        return v1.GetSessionResponse(
            session=session_message(session),
            status=status,
            last_seq=await self._timeline.last_seq(request.session_id),
            web_url=self._web_url(session.session_id),
        )

    @told
    async def CloseSession(self, request: v1.CloseSessionRequest) -> v1.CloseSessionResponse:  # noqa: N802
        """End a session; ending it twice is ending it once."""
        if request.status == _ACTIVE:
            raise FieldInvalid("status", "must be SESSION_STATUS_COMPLETED or SESSION_STATUS_CANCELLED")
        closed = await self._timeline.close_session(
            request.session_id, request.reason, cancelled=request.status == _CANCELLED
        )
        return v1.CloseSessionResponse(event_id=closed.event_id, seq=closed.seq)

    @told
    async def AppendEvents(self, request: v1.AppendEventsRequest) -> v1.AppendEventsResponse:  # noqa: N802
        """Put facts on the timeline; those that were sent before are there once."""
        for place, message in enumerate(request.events):
            validation.fact(place, message)
        drafts = [_draft(request.session_id, place, message) for place, message in enumerate(request.events)]
        for run in _runs([draft for draft, _ in drafts]):
            if isinstance(run[0].payload, TurnWithdrawn):
                await self._timeline.withdraw(request.session_id, run[0].turn_id)
            else:
                blocks = [block for draft, block in drafts if block and draft in run]
                await self._timeline.append_drafts(request.session_id, run, blocks)
        return v1.AppendEventsResponse(
            event_ids=[draft.event_id for draft, _ in drafts],
            last_seq=await self._timeline.last_seq(request.session_id),
        )

    @told
    async def ReadBlocks(self, request: v1.ReadBlocksRequest) -> v1.ReadBlocksResponse:  # noqa: N802
        """The pieces that requests and artifacts refer to."""
        wanted = [block_id.hex() for block_id in request.block_ids]
        found = await self._timeline.blocks(request.session_id, wanted)
        if len(found) < len(set(wanted)):
            raise BlocksMissing(request.session_id, len(set(wanted)) - len(found))
        return v1.ReadBlocksResponse(blocks=[found[block_id] for block_id in wanted])

    async def Subscribe(  # noqa: N802
        self, request: v1.SubscribeRequest, context: Context
    ) -> AsyncIterator[v1.SubscribeResponse]:
        """History behind `after_seq`, the mark that it is complete, then what happens, until the session is closed."""
        try:
            async with self._presence.following(request.session_id, request.client_id):
                async for event in self._subscription(request):
                    yield v1.SubscribeResponse(event=event)
        except Exception as error:  # noqa: BLE001 - the edge of the process
            await _refuse(context, error)
        if self._closing.done():
            await context.abort(StatusCode.UNAVAILABLE, self._closing.result())

    async def _subscription(self, request: v1.SubscribeRequest) -> AsyncIterator[v1.SessionEvent]:
        last = await self._timeline.last_seq(request.session_id)
        replayed = 0
        if last <= request.after_seq:
            yield _history_complete(request.session_id, 0)
        followed = self._timeline.follow(request.session_id, request.after_seq)
        async for event in self._until_closing(followed):
            if _is_wanted(request, event):
                replayed += 1
                yield await self._message(request, event)
            if event.seq == last:
                yield _history_complete(request.session_id, replayed)

    async def _message(self, request: v1.SubscribeRequest, event: Event) -> v1.SessionEvent:
        if request.as_stored:
            return event_message(event)
        whole = await self._timeline.request(event) if isinstance(event.payload, TurnAsked) else None
        return travelling(event, whole, exact=request.all_kinds)

    async def _until_closing(self, events: AsyncGenerator[Event]) -> AsyncIterator[Event]:
        """The events, until the server closes."""
        async with aclosing(events):
            while True:
                following = asyncio.ensure_future(anext(events, None))
                try:
                    await asyncio.wait({following, self._closing}, return_when=asyncio.FIRST_COMPLETED)
                    if not following.done() or (event := following.result()) is None:
                        return
                finally:
                    if not following.done():
                        following.cancel()
                        await asyncio.wait({following})
                yield event


def _is_wanted(request: v1.SubscribeRequest, event: Event) -> bool:
    if isinstance(event.payload, TurnAsked):
        return not request.without_requests
    return request.all_kinds or isinstance(event.payload, TurnDecided)


def _history_complete(session_id: str, count: int) -> v1.SessionEvent:
    return v1.SessionEvent(session_id=session_id, history_complete=v1.HistoryComplete(event_count=count))


def _response(request: v1.SubmitDecisionRequest) -> Json:
    if request.exact_json:
        return validation.exact_json(request.exact_json)
    if not request.response.candidates:
        raise FieldInvalid("response.candidates", "must have at least one element")
    return from_response(request.response)


def _draft(session_id: str, place: int, message: v1.SessionEvent) -> tuple[Event, Block | None]:
    """A fact as it is to be written, and the bytes that came with it."""
    try:
        event = message_event(message)
    except (ValueError, KeyError, UnicodeError) as error:
        raise FieldInvalid(f"events[{place}]", f"cannot be read: {error}") from error
    event = replace(event, event_id=event.event_id or str(uuid4()), session_id=session_id, seq=0)
    if not isinstance(event.payload, ArtifactSaved):
        return event, None
    block = Block.of(message.artifact_saved.data)
    return replace(event, payload=replace(event.payload, block=block.block_id)), block


def _runs(drafts: Sequence[Event]) -> list[list[Event]]:
    """The drafts, together where they can be one commit: what is withdrawn may have been decided, and is by itself."""
    runs: list[list[Event]] = []
    for draft in drafts:
        alone = isinstance(draft.payload, TurnWithdrawn)
        if not runs or alone or isinstance(runs[-1][0].payload, TurnWithdrawn):
            runs.append([])
        runs[-1].append(draft)
    return runs


async def _refuse(context: Context, error: Exception) -> NoReturn:
    """End a call with the status of an error."""
    if not isinstance(error, SimulatorError):
        _log.error("A call failed unexpectedly", exc_info=error)
        await context.abort(StatusCode.INTERNAL, f"The server failed: {type(error).__name__}; its log says more.")
    message = mended(str(error))
    about = {name: value for name, value in vars(error).items() if isinstance(value, str | int)}
    trailer = json.dumps({"error": type(error).__name__, "about": about}).encode()
    trailer = trailer if len(trailer) < _LONGEST_MESSAGE else b"{}"
    await context.abort(status_of(error).grpc, message[:_LONGEST_MESSAGE], ((ERROR_TRAILER, trailer),))
