"""`adksim.v1.SimulatorService` on a timeline: validates requests, performs them, and maps errors to gRPC statuses."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import TypeAlias, cast
from uuid import uuid4

from grpc import StatusCode

from adk_agent_sim.errors import BlocksMissing, InvalidField, SessionExists
from adk_agent_sim.generated.adksim import v1
from adk_agent_sim.link.agent_restarts import AgentRestarts
from adk_agent_sim.persistence.row_codec import (
    PLAYERS_BY_NUMBER,
    from_agent_path_message,
    from_asked_message,
    to_event_message,
    to_pending_message,
    to_session_message,
)
from adk_agent_sim.server.grpc import request_validation
from adk_agent_sim.server.grpc.agent_presence import AgentPresence
from adk_agent_sim.server.grpc.interceptors import (
    ItemT,
    RpcContext,
    abort_with_status,
    iter_until,
    map_errors_to_status,
)
from adk_agent_sim.server.grpc.legacy_protocol import build_legacy_event, split_request
from adk_agent_sim.server.grpc.request_validation import RequestBlockValidator
from adk_agent_sim.timeline.blocks import Block
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.event_validation import validate_event, validate_payload
from adk_agent_sim.timeline.events import (
    REMARK_CLASSES,
    AgentPath,
    ArtifactSaved,
    Event,
    Player,
    ToolAsked,
    TurnAsked,
    TurnDecided,
    TurnWithdrawn,
    Unreadable,
)
from adk_agent_sim.timeline.read_model.session_summary import STATUS_PROJECTIONS, ProtocolStatus
from adk_agent_sim.timeline.session_queries import SessionFilter, format_session_cursor, parse_session_cursor
from adk_agent_sim.timeline.submissions import ToolResponse, TurnDecision, TurnRequest
from adk_agent_sim.timeline.timeline import Timeline
from adk_agent_sim.wire.llm_messages import from_response_message

_Draft: TypeAlias = tuple[Event, Block | None]
"""An event without `seq` and timestamp, and the block of bytes that came with it."""

_PROTOCOL_STATUSES = {
    status: cast("v1.SessionStatus", v1.SessionStatus.Value(f"SESSION_STATUS_{status.name}"))
    for status in ProtocolStatus
}


class SimulatorService:
    """The RPC methods. Not thread-safe: use it from one event loop."""

    def __init__(
        self,
        timeline: Timeline,
        presence: AgentPresence,
        restarts: AgentRestarts,
        web_url: Callable[[str], str] = lambda session_id: "",
    ) -> None:
        """Serve `timeline`; `web_url` returns the address where a person can play a session, or an empty string."""
        self._timeline = timeline
        self._presence = presence
        self._restarts = restarts
        self._web_url = web_url
        self._block_validator = RequestBlockValidator(timeline.read_blocks)
        self._shutdown_reason: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    def close(self, reason: str) -> None:
        """End all subscriptions with status UNAVAILABLE and this reason."""
        if not self._shutdown_reason.done():
            self._shutdown_reason.set_result(reason)

    @map_errors_to_status
    async def CreateSession(self, request: v1.CreateSessionRequest) -> v1.CreateSessionResponse:  # noqa: N802
        """Create a session. A client that generates the session id may retry: it gets the same session."""
        if request.session_id:
            request_validation.require_uuid4("session_id", request.session_id)
        try:
            description = request.description[: request_validation.MAX_DESCRIPTION_LENGTH]
            session = await self._timeline.create_session(description, request.session_id)
        except SessionExists:
            session = await self._timeline.get_session(request.session_id)
        return v1.CreateSessionResponse(session=to_session_message(session), web_url=self._web_url(session.session_id))

    @map_errors_to_status
    async def SubmitRequest(self, request: v1.SubmitRequestRequest) -> v1.SubmitRequestResponse:  # noqa: N802
        """Request a decision for a model call. A retry with the same turn id returns the same turn."""
        request_validation.require_session_id(request.session_id)
        request_validation.require_uuid4("turn_id", request.turn_id)
        request_validation.require_agent_name(request.agent_name)
        player = PLAYERS_BY_NUMBER.get(request.player, Player.HUMAN)
        path = from_agent_path_message(request.agent_path) if request.HasField("agent_path") else None
        if request.HasField("asked"):
            asked = from_asked_message(request.asked, request.invocation_id)
            validate_payload(asked, "asked")
            blocks = [Block.from_data(data) for data in request.blocks]
            await self._block_validator.validate(request.session_id, asked, blocks)
            event = await self._timeline.ask_by_reference(
                request.session_id,
                asked,
                blocks,
                turn_id=request.turn_id,
                agent_name=request.agent_name,
                player=player,
                agent_path=path,
            )
            if player is Player.HUMAN:
                self._presence.expect_client(request.session_id, asked.client_id)
        else:
            event = await self._ask_with_full_request(request, player, path)
        return v1.SubmitRequestResponse(event_id=event.event_id, seq=event.seq)

    async def _ask_with_full_request(
        self, request: v1.SubmitRequestRequest, player: Player, path: AgentPath | None
    ) -> Event:
        if not request.HasField("request") and not request.exact_json:
            raise InvalidField("request", "is missing: send `asked`, `request` or `exact_json`")
        exact = request_validation.parse_exact_request(request.exact_json) if request.exact_json else None
        return await self._timeline.ask(
            TurnRequest(
                request.session_id,
                turn_id=request.turn_id,
                invocation_id=request.invocation_id,
                agent_name=request.agent_name,
                request=split_request(request.request, exact),
                player=player,
                agent_path=path,
            )
        )

    @map_errors_to_status
    async def SubmitDecision(self, request: v1.SubmitDecisionRequest) -> v1.SubmitDecisionResponse:  # noqa: N802
        """Decide a turn; it can be decided once."""
        request_validation.require_session_id(request.session_id)
        request_validation.require_uuid4("turn_id", request.turn_id)
        event = await self._timeline.decide(
            TurnDecision(
                request.session_id,
                request.turn_id,
                _read_response(request),
                decision_id=request.decision_id or str(uuid4()),
                player=PLAYERS_BY_NUMBER.get(request.player, Player.HUMAN),
                force=request.force,
                duration_ms=request.duration_ms if request.HasField("duration_ms") else None,
                decided_by=request.decided_by,
            )
        )
        return v1.SubmitDecisionResponse(event_id=event.event_id, seq=event.seq)

    @map_errors_to_status
    async def SubmitToolResponse(  # noqa: N802
        self, request: v1.SubmitToolResponseRequest
    ) -> v1.SubmitToolResponseResponse:
        """Respond to a call as the tool; it can be answered once."""
        request_validation.require_session_id(request.session_id)
        request_validation.check_tool_response(request)
        event = await self._timeline.tool_requests.respond(
            ToolResponse(
                request.session_id,
                request.request_id,
                None if request.error_type else request_validation.parse_json_field("result_json", request.result_json),
                error_type=request.error_type,
                error_message=request.error_message,
                decision_id=request.decision_id or str(uuid4()),
                force=request.force,
                answered_by=request.answered_by,
            )
        )
        return v1.SubmitToolResponseResponse(event_id=event.event_id, seq=event.seq)

    @map_errors_to_status
    async def ListSessions(self, request: v1.ListSessionsRequest) -> v1.ListSessionsResponse:  # noqa: N802
        """List sessions, newest first, page by page. A session created in between is on no later page."""
        size = request_validation.resolve_page_size(request.page_size)
        before = parse_session_cursor(request.page_token, "page_token")
        # One more than the page holds tells whether there is a next page.
        summaries = await self._timeline.list_summaries(SessionFilter(before=before), size + 1)
        return v1.ListSessionsResponse(
            sessions=[to_session_message(summary.session) for summary in summaries[:size]],
            next_page_token=format_session_cursor(summaries[size - 1].cursor) if len(summaries) > size else "",
        )

    @map_errors_to_status
    async def GetSession(self, request: v1.GetSessionRequest) -> v1.GetSessionResponse:  # noqa: N802
        """Get one session with its status."""
        request_validation.require_session_id(request.session_id)
        summary = await self._timeline.get_summary(request.session_id)
        projection = STATUS_PROJECTIONS[summary.status]
        return v1.GetSessionResponse(
            session=to_session_message(summary.session),
            status=_PROTOCOL_STATUSES[projection.protocol],
            last_seq=summary.last_seq,
            web_url=self._web_url(request.session_id),
            exact_status=cast("v1.SessionStatus", projection.number),
            pending=[to_pending_message(pending) for pending in summary.pending.values()],
        )

    @map_errors_to_status
    async def CloseSession(self, request: v1.CloseSessionRequest) -> v1.CloseSessionResponse:  # noqa: N802
        """Close a session; closing it again returns the same event."""
        request_validation.require_session_id(request.session_id)
        if request.status == _PROTOCOL_STATUSES[ProtocolStatus.ACTIVE]:
            raise InvalidField("status", "must be SESSION_STATUS_COMPLETED or SESSION_STATUS_CANCELLED")
        closed = await self._timeline.close_session(
            request.session_id,
            request.reason,
            cancelled=request.status == _PROTOCOL_STATUSES[ProtocolStatus.CANCELLED],
        )
        return v1.CloseSessionResponse(event_id=closed.event_id, seq=closed.seq)

    @map_errors_to_status
    async def AppendEvents(self, request: v1.AppendEventsRequest) -> v1.AppendEventsResponse:  # noqa: N802
        """Append events that happened in the client. Events that were sent before are not appended twice."""
        request_validation.require_session_id(request.session_id)
        for index, message in enumerate(request.events):
            request_validation.check_client_event(index, message)
        drafts = [_parse_draft(request.session_id, index, message) for index, message in enumerate(request.events)]
        for group in _group_commits(drafts):
            first = group[0][0]
            if isinstance(first.payload, TurnWithdrawn):
                await self._timeline.withdraw(request.session_id, first.turn_id)
            else:
                blocks = [block for _, block in group if block]
                await self._timeline.append_drafts(request.session_id, [draft for draft, _ in group], blocks)
        for draft, _ in drafts:
            if isinstance(draft.payload, ToolAsked):
                self._presence.expect_client(request.session_id, draft.payload.client_id)
        return v1.AppendEventsResponse(
            event_ids=[draft.event_id for draft, _ in drafts],
            last_seq=await self._timeline.get_last_seq(request.session_id),
        )

    @map_errors_to_status
    async def ReadBlocks(self, request: v1.ReadBlocksRequest) -> v1.ReadBlocksResponse:  # noqa: N802
        """Read the blocks that requests and artifacts refer to."""
        request_validation.require_session_id(request.session_id)
        block_ids = [block_id.hex() for block_id in request.block_ids]
        blocks = await self._timeline.read_blocks(request.session_id, block_ids)
        if len(blocks) < len(set(block_ids)):
            raise BlocksMissing(request.session_id, len(set(block_ids)) - len(blocks))
        return v1.ReadBlocksResponse(blocks=[blocks[block_id] for block_id in block_ids])

    async def Subscribe(  # noqa: N802
        self, request: v1.SubscribeRequest, context: RpcContext
    ) -> AsyncIterator[v1.SubscribeResponse]:
        """Stream the events after `after_seq`, then `history_complete`, then live events until the session closes."""
        async for response in self._stream(self._serve_subscription(request), context):
            yield response

    async def OfferRestarts(  # noqa: N802
        self, reports: AsyncIterator[v1.RestartReport], context: RpcContext
    ) -> AsyncIterator[v1.RestartOrder]:
        """Take the offers and reports of an agent's process, and stream the orders to restart its sessions."""
        async for order in self._stream(self._restarts.serve(reports), context):
            yield order

    async def _stream(self, items: AsyncGenerator[ItemT], context: RpcContext) -> AsyncIterator[ItemT]:
        """Yield items until there are no more or the server shuts down."""
        try:
            async with aclosing(iter_until(items, self._shutdown_reason)) as following:
                async for item in following:
                    yield item
        except Exception as error:  # noqa: BLE001 - process boundary
            await abort_with_status(context, error)
        # Outside the try: abort raises an exception itself, which would be reported as an unexpected error.
        if self._shutdown_reason.done():
            await context.abort(StatusCode.UNAVAILABLE, self._shutdown_reason.result())

    async def _serve_subscription(self, request: v1.SubscribeRequest) -> AsyncGenerator[v1.SubscribeResponse]:
        request_validation.require_session_id(request.session_id)
        request_validation.require_after_seq(request.after_seq)
        async with (
            self._presence.track_stream(request.session_id, request.client_id),
            aclosing(self._stream_events(request)) as events,
        ):
            async for event in events:
                yield v1.SubscribeResponse(event=event)

    async def _stream_events(self, request: v1.SubscribeRequest) -> AsyncGenerator[v1.SessionEvent]:
        await self._timeline.require_seq(request.session_id, request.after_seq)
        last = await self._timeline.get_last_seq(request.session_id)
        replayed = 0
        # Nothing to replay: no event of the loop below could be the last one of the history.
        if last <= request.after_seq:
            yield _build_history_complete(request.session_id, 0)
        async with aclosing(self._timeline.follow(request.session_id, request.after_seq)) as followed:
            async for event in followed:
                if _is_subscribed(request, event):
                    replayed += 1
                    yield await self._build_event_message(request, event)
                if event.seq == last:
                    yield _build_history_complete(request.session_id, replayed)

    async def _build_event_message(self, request: v1.SubscribeRequest, event: Event) -> v1.SessionEvent:
        if request.as_stored:
            return to_event_message(event)
        model_request = await self._timeline.read_request(event) if isinstance(event.payload, TurnAsked) else None
        return build_legacy_event(event, model_request, exact=request.all_kinds)


def _is_subscribed(request: v1.SubscribeRequest, event: Event) -> bool:
    if isinstance(event.payload, Unreadable):
        return False  # there is no message for what cannot be read
    if isinstance(event.payload, TurnAsked):
        return not request.without_requests
    if isinstance(event.payload, REMARK_CLASSES) and request.without_requests:
        # An agent's process has no use for notes and verdicts, and one of an older release could not read them.
        return False
    return request.all_kinds or isinstance(event.payload, TurnDecided)


def _build_history_complete(session_id: str, count: int) -> v1.SessionEvent:
    return v1.SessionEvent(session_id=session_id, history_complete=v1.HistoryComplete(event_count=count))


def _read_response(request: v1.SubmitDecisionRequest) -> Json:
    if request.exact_json:
        return request_validation.parse_exact_response(request.exact_json)
    if not request.response.candidates:
        raise InvalidField("response.candidates", "must have at least one element")
    return from_response_message(request.response)


def _parse_draft(session_id: str, index: int, message: v1.SessionEvent) -> _Draft:
    """Return a client's event as a draft for the timeline, with its block."""
    event = request_validation.parse_client_event(index, message)
    # The timeline numbers and dates events; what a client says about that is not used.
    event = replace(event, event_id=event.event_id or str(uuid4()), session_id=session_id, seq=0, timestamp=0.0)
    validate_event(event, f"events[{index}]")
    if not isinstance(event.payload, ArtifactSaved):
        return event, None
    # The id is computed here: a client must not give its data the id of another block.
    block = Block.from_data(message.artifact_saved.data)
    return replace(event, payload=replace(event.payload, block=block.block_id)), block


def _group_commits(drafts: Sequence[_Draft]) -> list[list[_Draft]]:
    """Return the drafts in groups that can be committed together.

    A withdrawal is a group of its own: if its turn was decided meanwhile, the timeline ignores it.
    """
    groups: list[list[_Draft]] = []
    for draft in drafts:
        is_withdrawal = isinstance(draft[0].payload, TurnWithdrawn)
        if not groups or is_withdrawal or isinstance(groups[-1][0][0].payload, TurnWithdrawn):
            groups.append([])
        groups[-1].append(draft)
    return groups
