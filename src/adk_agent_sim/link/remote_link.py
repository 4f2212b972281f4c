"""A gRPC client of a timeline on a server, which survives restarts of the server without losing or repeating events.

The client generates all ids, so the server recognizes a request that is sent again after a lost connection. After each
reconnect, pending turns are submitted again, and decisions made in the meantime are received.

The stream on which an agent's process offers to restart its sessions is opened with the first offer and stays open,
across restarts of the server: what was offered is offered again.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Container, Mapping, Sequence
from contextlib import aclosing, suppress
from dataclasses import replace
from typing import Any, Self
from uuid import uuid4

import grpc
from google.protobuf.message import DecodeError
from grpc.aio import AioRpcError

from adk_agent_sim.errors import BlocksMissing, SimulatorError
from adk_agent_sim.generated.adksim import v1
from adk_agent_sim.link.channel import Backoff, Credentials, ReconnectingChannel, build_metadata
from adk_agent_sim.link.session_watch import SessionWatch
from adk_agent_sim.persistence.row_codec import (
    PLAYER_NUMBERS,
    from_event_message,
    from_session_message,
    to_agent_path_message,
    to_asked_message,
    to_event_message,
)
from adk_agent_sim.text.escaped_logging import get_logger
from adk_agent_sim.text.surrogates import replace_lone_surrogates
from adk_agent_sim.timeline.canonical_json import encode_json
from adk_agent_sim.timeline.events import ArtifactSaved, Event, Player, Session, TurnWithdrawn
from adk_agent_sim.timeline.model_request import ModelRequest, build_turn_asked, reassemble_request
from adk_agent_sim.timeline.submissions import EventBatch, ToolRequest, TurnDecision, TurnRequest

_log = get_logger(__name__)


class RestartStream:
    """Offers sessions for restarts. Use it from the event loop of its channel."""

    def __init__(self, channel: ReconnectingChannel) -> None:
        self.on_order: Callable[[v1.RestartOrder], object] = lambda order: None
        """Called with each order."""
        self.on_lost: Callable[[], object] = lambda: None
        """Called when the connection is lost: the orders that are not done are void."""
        self._channel = channel
        self._session_ids: dict[str, None] = {}
        self._reports: asyncio.Queue[v1.RestartReport] | None = None
        """The reports to send; None without a connection."""
        self._task: asyncio.Task[None] | None = None

    def offer(self, session_id: str) -> None:
        """Offer to restart a session."""
        self._session_ids[session_id] = None
        self.send_report(v1.RestartReport(session_ids=[session_id]))
        if self._task is None:
            self._task = asyncio.create_task(self._run(), name="adksim-restarts")

    def withdraw_offer(self, session_id: str) -> None:
        """Do not offer a session again after the next reconnect; an order that comes before is refused."""
        self._session_ids.pop(session_id, None)

    def send_report(self, report: v1.RestartReport) -> None:
        """Send a report; without a connection it is dropped, because the order that it is about is void."""
        if self._reports is not None:
            self._reports.put_nowait(report)

    async def close(self) -> None:
        """Close the stream."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _run(self) -> None:
        backoff = Backoff()
        while True:
            token = self._channel.get_token()
            # A new queue for each connection: reports about orders of an earlier one must not reach the next server.
            reports = self._reports = asyncio.Queue()
            reports.put_nowait(v1.RestartReport(session_ids=list(self._session_ids)))
            call: Any = self._channel.stub.OfferRestarts(wait_for_ready=True, metadata=build_metadata(token))
            writing = asyncio.create_task(_write_reports(call, reports), name="adksim-restart-reports")
            try:
                async for order in call:
                    backoff.reset()
                    self.on_order(order)
            except AioRpcError as error:
                if error.code() is grpc.StatusCode.UNIMPLEMENTED:
                    _log.warning(
                        "The server at %s is an older release that cannot restart sessions.", self._channel.url
                    )
                    return
                try:
                    if not self._channel.renew_token(error, token):
                        self._channel.raise_unless_transient(error)
                except SimulatorError as refusal:
                    _log.warning("Sessions of this process cannot be restarted: %s", refusal)
                    return
            except DecodeError:
                pass  # an incomplete message: the server was stopped
            finally:
                self._reports = None
                writing.cancel()
                call.cancel()
                self.on_lost()
            await backoff.wait()


async def _write_reports(call: Any, reports: asyncio.Queue[v1.RestartReport]) -> None:
    # A stream that has ended raises here as well; why it has is seen by who reads it.
    with suppress(AioRpcError, asyncio.InvalidStateError):
        while True:
            await call.write(await reports.get())


class RemoteLink:
    """A client of a server. Use it from one event loop, inside `async with`."""

    def __init__(
        self, url: str, *, connect_timeout: float | None = 5.0, credentials: Credentials | None = None
    ) -> None:
        """Prepare a connection; it is opened by the first call.

        Args:
            url: The server's gRPC address, such as `localhost:50051`.
            connect_timeout: How many seconds a call waits for a server that has never answered; None for no limit.
                Calls to one that has answered wait without a limit.
            credentials: The token and the trusted certificates; by default those of the environment.
        """
        self.url = url
        self.client_id = str(uuid4())
        self._channel = ReconnectingChannel(url, connect_timeout=connect_timeout, credentials=credentials)
        self._watches: dict[str, SessionWatch] = {}
        self.restarts = RestartStream(self._channel)
        """Offers sessions for restarts."""

    @property
    def has_answered(self) -> bool:
        """Whether the server has ever answered."""
        return self._channel.has_answered

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connection; pending `wait_for_decision` calls never return."""
        await self.restarts.close()
        for watch in list(self._watches.values()):
            await watch.stop()
        await self._channel.close()

    async def release_session(self, session_id: str) -> None:
        """Close the session's stream and free what is held for it."""
        self.restarts.withdraw_offer(session_id)
        if watch := self._watches.pop(session_id, None):
            await watch.stop()

    async def create_session(self, description: str = "", session_id: str = "") -> Session:
        """Create a session on the server."""
        request = v1.CreateSessionRequest(description=description, session_id=session_id or str(uuid4()))
        return from_session_message((await self._channel.call("CreateSession", request)).session)

    async def get_web_url(self, session_id: str) -> str:
        """Return the URL of the session's page; empty if the server has no web app."""
        return (await self._channel.call("GetSession", v1.GetSessionRequest(session_id=session_id))).web_url

    async def list_sessions(self) -> Sequence[Session]:
        """Return all sessions, newest first."""
        sessions: list[Session] = []
        token = ""
        while True:
            page = await self._channel.call("ListSessions", v1.ListSessionsRequest(page_size=1_000, page_token=token))
            sessions += map(from_session_message, page.sessions)
            token = page.next_page_token
            if not token:
                return sessions

    async def close_session(self, session_id: str, reason: str, *, cancelled: bool = False) -> None:
        """Close a session."""
        status = "SESSION_STATUS_CANCELLED" if cancelled else "SESSION_STATUS_COMPLETED"
        request = v1.CloseSessionRequest(session_id=session_id, reason=reason, status=status)
        await self._channel.call("CloseSession", request)

    async def append(self, batch: EventBatch) -> None:
        """Append events; they are durable when this returns."""
        data = {block.block_id: block.data for block in batch.blocks}
        # The ids are part of the drafts, so a request that is retried after a lost connection appends nothing twice.
        events = [_to_message(draft, data) for draft in batch.build_drafts()]
        await self._channel.call("AppendEvents", v1.AppendEventsRequest(session_id=batch.session_id, events=events))

    async def withdraw(self, session_id: str, turn_id: str) -> None:
        """Withdraw a turn; has no effect if the turn is already decided."""
        watch = self._get_watch(session_id)
        # Marked before the wait: a reconnect during it would otherwise submit the turn again.
        watch.stop_resubmitting(turn_id)
        await watch.wait_for_resubmissions()
        await self.append(EventBatch(session_id, [TurnWithdrawn()], turn_id=turn_id))

    async def ask(self, turn: TurnRequest) -> None:
        """Submit a model call that a player must decide; only blocks that the server does not have are sent."""
        watch = self._get_watch(turn.session_id)
        try:
            try:
                await self._submit(watch, turn, watch.known_block_ids)
            except BlocksMissing:
                # The server lost blocks that it had before, such as one that keeps its sessions in memory.
                await self._submit(watch, turn, frozenset[str]())
        except SimulatorError:
            watch.discard_turn(turn.turn_id)
            raise

    async def _submit(self, watch: SessionWatch, turn: TurnRequest, known_block_ids: Container[str]) -> None:
        asked, new_blocks = build_turn_asked(turn.request, turn.invocation_id, known_block_ids)
        is_for_human = turn.player is Player.HUMAN
        submission = v1.SubmitRequestRequest(
            session_id=turn.session_id,
            turn_id=turn.turn_id,
            agent_name=turn.agent_name,
            invocation_id=turn.invocation_id,
            player=PLAYER_NUMBERS[turn.player],
            asked=to_asked_message(replace(asked, client_id=self.client_id if is_for_human else "")),
            agent_path=to_agent_path_message(turn.agent_path) if turn.agent_path else None,
        )
        # Registered before the call: its decision may arrive on an open stream before the response to the call does.
        if is_for_human:
            watch.expect_turn(turn.turn_id)
        # A resubmission refers to blocks that the server has by then, so the stored message leaves them out.
        with_blocks = v1.SubmitRequestRequest()
        with_blocks.CopyFrom(submission)
        with_blocks.blocks.extend(block.data for block in new_blocks)
        response = await self._channel.call("SubmitRequest", with_blocks)
        # Only now: after a call that failed, the server may not have the blocks.
        watch.known_block_ids.update(block.block_id for block in new_blocks)
        watch.record_submission(submission, response.seq)

    async def decide(self, decision: TurnDecision) -> None:
        """Submit the decision of a turn."""
        request = v1.SubmitDecisionRequest(
            session_id=decision.session_id,
            turn_id=decision.turn_id,
            exact_json=encode_json(decision.response).decode("ascii"),
            decision_id=decision.decision_id,
            player=PLAYER_NUMBERS[decision.player],
            force=decision.force,
            duration_ms=decision.duration_ms,
            decided_by=replace_lone_surrogates(decision.decided_by),
        )
        await self._channel.call("SubmitDecision", request)

    async def wait_for_decision(self, session_id: str, turn_id: str) -> Event:
        """Wait for the decision of a turn, across any number of reconnects."""
        return await self._get_watch(session_id).wait_for_decision(turn_id)

    async def ask_tool(self, request: ToolRequest) -> None:
        """Submit a tool call whose response a person must give."""
        watch = self._get_watch(request.session_id)
        watch.expect_tool_response(request)
        try:
            await self._append_tool_request(request)
        except SimulatorError:
            watch.discard_turn(request.asked.request_id)
            raise

    async def _append_tool_request(self, request: ToolRequest) -> None:
        await self.append(request.build_batch(self.client_id))

    async def wait_for_tool_response(self, session_id: str, request_id: str) -> Event:
        """Wait for the response of a person to a tool call, across any number of reconnects."""
        return await self._get_watch(session_id).wait_for_decision(request_id)

    async def listen(self, session_id: str, listener: Callable[[Event], None]) -> Callable[[], None]:
        """Call `listener` with every new event except model requests; returns a function that unsubscribes it."""
        return self._get_watch(session_id).listen(listener)

    async def read_request(self, asked_event: Event) -> ModelRequest:
        """Return the complete model request of a `TurnAsked` event."""

        return await reassemble_request(asked_event, lambda ids: self.read_blocks(asked_event.session_id, ids))

    async def read_blocks(self, session_id: str, block_ids: Sequence[str]) -> Mapping[str, bytes]:
        """Return the data of a session's blocks by id; raise BlocksMissing if it does not have all of them."""
        request = v1.ReadBlocksRequest(
            session_id=session_id, block_ids=[bytes.fromhex(block_id) for block_id in block_ids]
        )
        blocks = (await self._channel.call("ReadBlocks", request)).blocks
        return dict(zip(block_ids, blocks, strict=True))

    async def read_events(self, session_id: str, until_seq: int) -> Sequence[Event]:
        """Return the events of a session up to `until_seq`."""
        found: list[Event] = []
        async with aclosing(self.follow(session_id)) as events:
            # The stream of an open session does not end by itself.
            while not found or found[-1].seq < until_seq:
                event = await anext(events, None)
                if event is None:
                    break
                found.append(event)
        return found

    async def follow(
        self,
        session_id: str,
        after_seq: int = 0,
        *,
        with_requests: bool = True,
        on_connected: Callable[[], object] = lambda: None,
    ) -> AsyncGenerator[Event]:
        """Yield all events after `after_seq`, then each new one, without gaps or repeats, until the session is closed.

        Args:
            session_id: The session.
            after_seq: The `seq` of the last event that the caller has.
            with_requests: Whether to include model requests.
            on_connected: Called when the history is complete, and again after each reconnect.
        """
        backoff, seq = Backoff(), after_seq
        while True:
            subscription = v1.SubscribeRequest(
                session_id=session_id,
                client_id=self.client_id,
                after_seq=seq,
                all_kinds=True,
                as_stored=True,
                without_requests=not with_requests,
            )
            token = self._channel.get_token()
            call: Any = self._channel.stub.Subscribe(subscription, wait_for_ready=True, metadata=build_metadata(token))
            try:
                async for response in call:
                    if response.event.HasField("history_complete"):
                        # Only now: a server that breaks off before the end each time is retried ever more slowly.
                        self._channel.mark_available()
                        backoff.reset()
                        on_connected()
                    else:
                        event = from_event_message(response.event)
                        seq = event.seq
                        yield event
            except AioRpcError as error:
                # With a new token it subscribes again at once: the server was restarted, and is there.
                if not self._channel.renew_token(error, token):
                    self._channel.raise_unless_transient(error)
                    await backoff.wait()
            except DecodeError:
                # An incomplete message; the next subscription resumes after the last event that was decoded.
                await backoff.wait()
            else:
                return
            finally:
                # Also when the caller closes this generator: gRPC would keep the stream until the call is collected.
                call.cancel()

    def _get_watch(self, session_id: str) -> SessionWatch:
        watch = self._watches.get(session_id)
        if watch is None:
            watch = self._watches[session_id] = SessionWatch(
                session_id, self.follow, self._resubmit, self._append_tool_request
            )
        return watch

    async def _resubmit(self, submission: v1.SubmitRequestRequest) -> None:
        await self._channel.call("SubmitRequest", submission)


def _to_message(event: Event, data: Mapping[str, bytes]) -> v1.SessionEvent:
    message = to_event_message(event)
    if isinstance(event.payload, ArtifactSaved):
        message.artifact_saved.data = data[event.payload.block]
    return message
