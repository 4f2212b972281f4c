"""A timeline in another process, reached over gRPC: calls survive the server's restarts, and nothing is there twice.

Everything that is sent has an id that was made here, so what is sent again after a lost connection is the same thing.
Turns that wait are submitted again whenever the connection is new, and what was decided meanwhile is found.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Container, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Self
from uuid import uuid4

from google.protobuf.message import DecodeError
from grpc.aio import AioRpcError

from adk_agent_sim.errors import BlocksMissing, SimulatorError
from adk_agent_sim.generated.adksim import v1
from adk_agent_sim.link.channel import Backoff, ReconnectingChannel
from adk_agent_sim.link.session_watch import SessionWatch
from adk_agent_sim.persistence.row_codec import (
    PLAYER_NUMBERS,
    from_event_message,
    from_session_message,
    to_asked_message,
    to_event_message,
)
from adk_agent_sim.timeline.blocks import Block
from adk_agent_sim.timeline.canonical_json import Json, encode_json
from adk_agent_sim.timeline.events import ArtifactSaved, Event, Payload, Player, Session, TurnWithdrawn
from adk_agent_sim.timeline.model_request import ModelRequest, RequestBlocks, build_turn_asked, reassemble_request


class RemoteLink:
    """A client of a server. Use it from one event loop, inside `async with`."""

    def __init__(self, url: str, *, connect_timeout: float = 5.0) -> None:
        """Prepare to reach the server at `url`, as `localhost:50051`.

        Args:
            url: The server's gRPC address.
            connect_timeout: For how many seconds the first call waits for a server; later ones wait for ever.
        """
        self.client_id = str(uuid4())
        self._channel = ReconnectingChannel(url, connect_timeout=connect_timeout)
        self._watches: dict[str, SessionWatch] = {}

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Hang up; who waits is not answered any more."""
        for watch in list(self._watches.values()):
            await watch.stop()
        await self._channel.close()

    async def release_session(self, session_id: str) -> None:
        """Keep nothing of a session any longer."""
        if watch := self._watches.pop(session_id, None):
            await watch.stop()

    async def create_session(self, description: str = "", session_id: str = "") -> Session:
        """Open a session."""
        request = v1.CreateSessionRequest(description=description, session_id=session_id or str(uuid4()))
        return from_session_message((await self._channel.call("CreateSession", request)).session)

    async def get_web_url(self, session_id: str) -> str:
        """Where a person can play a session; empty if nowhere."""
        return (await self._channel.call("GetSession", v1.GetSessionRequest(session_id=session_id))).web_url

    async def list_sessions(self) -> Sequence[Session]:
        """All sessions, newest first."""
        found: list[Session] = []
        token = ""
        while True:
            page = await self._channel.call("ListSessions", v1.ListSessionsRequest(page_size=1_000, page_token=token))
            found += map(from_session_message, page.sessions)
            token = page.next_page_token
            if not token:
                return found

    async def close_session(self, session_id: str, reason: str, *, cancelled: bool = False) -> None:
        """End a session."""
        status = "SESSION_STATUS_CANCELLED" if cancelled else "SESSION_STATUS_COMPLETED"
        request = v1.CloseSessionRequest(session_id=session_id, reason=reason, status=status)
        await self._channel.call("CloseSession", request)

    async def append(
        self,
        session_id: str,
        *payloads: Payload,
        turn_id: str = "",
        agent_name: str = "",
        player: Player | None = None,
        blocks: Iterable[Block] = (),
    ) -> None:
        """Add facts; they are durable when this returns."""
        data = {block.block_id: block.data for block in blocks}
        events = [
            _to_message(
                Event(
                    event_id=str(uuid4()),
                    session_id=session_id,
                    seq=0,
                    timestamp=0.0,
                    payload=payload,
                    turn_id=turn_id,
                    agent_name=agent_name,
                    player=player,
                ),
                data,
            )
            for payload in payloads
        ]
        await self._channel.call("AppendEvents", v1.AppendEventsRequest(session_id=session_id, events=events))

    async def withdraw(self, session_id: str, turn_id: str) -> None:
        """Wait for a turn no longer; one that is decided stays decided."""
        watch = self._get_watch(session_id)
        watch.stop_resubmitting(turn_id)
        await watch.wait_for_resubmissions()
        await self.append(session_id, TurnWithdrawn(), turn_id=turn_id)

    async def ask(
        self,
        session_id: str,
        *,
        turn_id: str,
        invocation_id: str,
        agent_name: str,
        request: RequestBlocks,
        player: Player = Player.HUMAN,
    ) -> None:
        """Put a model call up for decision; only what the server has not had before is sent."""
        watch = self._get_watch(session_id)
        try:
            try:
                await self._submit(watch, watch.known_block_ids, turn_id, invocation_id, agent_name, request, player)
            except BlocksMissing:
                await self._submit(watch, frozenset[str](), turn_id, invocation_id, agent_name, request, player)
        except SimulatorError:
            watch.discard_turn(turn_id)
            raise

    async def _submit(
        self,
        watch: SessionWatch,
        known_block_ids: Container[str],
        turn_id: str,
        invocation_id: str,
        agent_name: str,
        request: RequestBlocks,
        player: Player,
    ) -> None:
        asked, new = build_turn_asked(request, invocation_id, known_block_ids)
        waits = player is Player.HUMAN
        submission = v1.SubmitRequestRequest(
            session_id=watch.session_id,
            turn_id=turn_id,
            agent_name=agent_name,
            invocation_id=invocation_id,
            player=PLAYER_NUMBERS[player],
            asked=to_asked_message(replace(asked, client_id=self.client_id if waits else "")),
        )
        if waits:
            watch.expect_turn(turn_id)
        first = v1.SubmitRequestRequest()
        first.CopyFrom(submission)
        first.blocks.extend(block.data for block in new)
        answer = await self._channel.call("SubmitRequest", first)
        watch.known_block_ids.update(block.block_id for block in new)
        watch.record_submission(submission, answer.seq)

    async def decide(
        self,
        session_id: str,
        turn_id: str,
        response: Json,
        *,
        decision_id: str | None = None,
        player: Player = Player.HUMAN,
        anyway: bool = False,
        duration_ms: float | None = None,
    ) -> None:
        """Answer a turn, once."""
        request = v1.SubmitDecisionRequest(
            session_id=session_id,
            turn_id=turn_id,
            exact_json=encode_json(response).decode("ascii"),
            decision_id=decision_id or str(uuid4()),
            player=PLAYER_NUMBERS[player],
            anyway=anyway,
            duration_ms=duration_ms,
        )
        await self._channel.call("SubmitDecision", request)

    async def wait_for_decision(self, session_id: str, turn_id: str) -> Event:
        """Wait until a turn is decided, however often the server goes away meanwhile."""
        return await self._get_watch(session_id).wait_for_decision(turn_id)

    async def listen(self, session_id: str, listener: Callable[[Event], None]) -> Callable[[], None]:
        """Call `listener` with the events of a session, requests left out, from now on."""
        return self._get_watch(session_id).listen(listener)

    async def read_request(self, asked_event: Event) -> ModelRequest:
        """The whole request of a `TurnAsked` event."""

        async def read_blocks(block_ids: Sequence[str]) -> Mapping[str, bytes]:
            wanted = v1.ReadBlocksRequest(
                session_id=asked_event.session_id, block_ids=[bytes.fromhex(one) for one in block_ids]
            )
            found = (await self._channel.call("ReadBlocks", wanted)).blocks
            return dict(zip(block_ids, found, strict=True))

        return await reassemble_request(asked_event, read_blocks)

    async def follow(
        self,
        session_id: str,
        after_seq: int = 0,
        *,
        requests: bool = True,
        on_connected: Callable[[], object] = lambda: None,
    ) -> AsyncGenerator[Event]:
        """All events behind `after_seq`, then each new one, no gap and no repeat; ends when the session is closed.

        Args:
            session_id: The session.
            after_seq: What is known already.
            requests: Whether the events that ask are sent too.
            on_connected: Called when the server follows from now on, and again after each lost connection.
        """
        pause, seq = Backoff(), after_seq
        while True:
            subscription = v1.SubscribeRequest(
                session_id=session_id,
                client_id=self.client_id,
                after_seq=seq,
                all_kinds=True,
                as_stored=True,
                without_requests=not requests,
            )
            call: Any = self._channel.stub.Subscribe(subscription, wait_for_ready=True)
            try:
                async for answer in call:
                    if answer.event.HasField("history_complete"):
                        self._channel.mark_available()
                        pause.reset()
                        on_connected()
                    else:
                        event = from_event_message(answer.event)
                        seq = event.seq
                        yield event
            except AioRpcError as error:
                self._channel.raise_unless_transient(error)
                await pause.wait()
            except DecodeError:
                await pause.wait()
            else:
                return
            finally:
                call.cancel()

    def _get_watch(self, session_id: str) -> SessionWatch:
        watch = self._watches.get(session_id)
        if watch is None:
            watch = self._watches[session_id] = SessionWatch(session_id, self.follow, self._resubmit)
        return watch

    async def _resubmit(self, submission: v1.SubmitRequestRequest) -> None:
        await self._channel.call("SubmitRequest", submission)


def _to_message(event: Event, data: Mapping[str, bytes]) -> v1.SessionEvent:
    message = to_event_message(event)
    if isinstance(event.payload, ArtifactSaved):
        message.artifact_saved.data = data[event.payload.block]
    return message
