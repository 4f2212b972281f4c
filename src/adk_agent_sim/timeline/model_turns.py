"""The model turns of sessions: asked, decided once, withdrawn, waited for, and read with their requests."""

from __future__ import annotations

from collections.abc import Sequence

from adk_agent_sim.errors import (
    BlocksMissing,
    SessionClosed,
    SessionNotFound,
    TurnAbandoned,
    TurnAlreadyDecided,
    TurnHasOtherPlayer,
    TurnNotFound,
    TurnNotNext,
)
from adk_agent_sim.timeline import decision_checks
from adk_agent_sim.timeline.blocks import Block
from adk_agent_sim.timeline.clock import Clock
from adk_agent_sim.timeline.committed_events import CommittedEvents, SessionTracker
from adk_agent_sim.timeline.event_validation import validate_payload
from adk_agent_sim.timeline.events import (
    AgentPath,
    Event,
    Payload,
    Player,
    TurnAsked,
    TurnDecided,
    TurnRevived,
    TurnWithdrawn,
)
from adk_agent_sim.timeline.model_request import (
    ModelRequest,
    RequestSettings,
    RequestSettingsReader,
    build_turn_asked,
    get_turn_asked,
    reassemble_request,
)
from adk_agent_sim.timeline.read_model.pending_requests import RequestKind
from adk_agent_sim.timeline.read_model.session_summary import SessionSummary
from adk_agent_sim.timeline.store import Store
from adk_agent_sim.timeline.submissions import EventBatch, TurnDecision, TurnRequest


class ModelTurns(CommittedEvents):
    """The model turns of the sessions of one store."""

    def __init__(self, store: Store | None = None, clock: Clock | None = None) -> None:
        super().__init__(store, clock)
        self._request_settings = RequestSettingsReader()

    async def ask(self, turn: TurnRequest) -> Event:
        """Submit a model call that a player must decide, and return its event.

        Submitting the same turn again returns the same event, and makes a withdrawn turn pending again.
        """
        async with self._trackers.use(turn.session_id) as tracker:
            asked, blocks = build_turn_asked(turn.request, turn.invocation_id, tracker.known_block_ids)
        return await self.ask_by_reference(
            turn.session_id,
            asked,
            blocks,
            turn_id=turn.turn_id,
            agent_name=turn.agent_name,
            player=turn.player,
            agent_path=turn.agent_path,
        )

    async def ask_by_reference(
        self,
        session_id: str,
        asked: TurnAsked,
        blocks: Sequence[Block],
        *,
        turn_id: str,
        agent_name: str,
        player: Player = Player.HUMAN,
        agent_path: AgentPath | None = None,
    ) -> Event:
        """Submit a turn whose request is block references; raise BlocksMissing if the session lacks a block."""
        async with self._trackers.use(session_id) as tracker, tracker.write_lock:
            if already := await self._find_turn_event(tracker, session_id, turn_id, TurnAsked):
                await self._revive(tracker, already)
                return already
            await self._check_blocks(tracker, session_id, asked, blocks)
            batch = EventBatch(
                session_id,
                [asked],
                turn_id=turn_id,
                agent_name=agent_name,
                # A person is the default and is left out of the event.
                player=None if player is Player.HUMAN else player,
                agent_path=agent_path,
                blocks=[block for block in blocks if block.block_id not in tracker.known_block_ids],
            )
            (event,) = await self._commit_batch(tracker, batch)
            # Only after the commit: one that fails has stored no blocks.
            tracker.known_block_ids.update(block.block_id for block in blocks)
            return event

    async def _revive(self, tracker: SessionTracker, asked: Event) -> None:
        turn_id = asked.turn_id
        # A client submits its turns again after each reconnect, whether they were withdrawn or not.
        if tracker.summary.is_waiting(turn_id) or tracker.summary.is_closed:
            return
        if await self._find_turn_event(tracker, asked.session_id, turn_id, TurnDecided):
            return
        payload = get_turn_asked(asked)
        revived = TurnRevived(invocation_id=payload.invocation_id, client_id=payload.client_id)
        batch = _build_turn_batch(asked, revived)
        await self._commit_batch(tracker, batch)

    async def _check_blocks(
        self, tracker: SessionTracker, session_id: str, asked: TurnAsked, sent_blocks: Sequence[Block]
    ) -> None:
        """Raise BlocksMissing if a block of the request is not stored: readers could not reassemble the request."""
        sent_ids = {block.block_id for block in sent_blocks}
        content_ids = (block_id for level in asked.contents for block_id in level)
        referenced = {asked.tools, asked.instruction, asked.config, *content_ids}
        unknown = [block_id for block_id in referenced - sent_ids if block_id not in tracker.known_block_ids]
        if unknown:
            stored = await self.store.read_blocks(session_id, unknown)
            tracker.known_block_ids.update(stored)
            if len(stored) < len(unknown):
                raise BlocksMissing(session_id, len(unknown) - len(stored))

    async def withdraw(self, session_id: str, turn_id: str, *, abandoned: bool = False) -> None:
        """Withdraw a turn; has no effect if the turn is not pending.

        Args:
            session_id: The session of the turn.
            turn_id: The turn.
            abandoned: Whether the agent's process went away, rather than cancelled its model call.
        """
        async with self._trackers.use(session_id) as tracker, tracker.write_lock:
            asked = await self._find_turn_event(tracker, session_id, turn_id, TurnAsked)
            if asked is not None and tracker.summary.is_waiting(turn_id):
                batch = _build_turn_batch(asked, TurnWithdrawn(abandoned=abandoned))
                await self._commit_batch(tracker, batch)

    async def decide(self, decision: TurnDecision) -> Event:
        """Record the decision of a turn and return its event; a retry with the same `decision_id` returns it again.

        Raises:
            SessionClosed: The session takes no more events.
            InvalidField: The response is not an `LlmResponse`, or the duration is invalid.
            DecisionRefused: The turn is not pending or not next, or the decision does not match its request.
        """
        session_id, turn_id = decision.session_id, decision.turn_id
        decided = TurnDecided(
            decision_id=decision.decision_id,
            response=decision.response,
            force=decision.force,
            duration_ms=decision.duration_ms,
            decided_by=decision.decided_by,
        )
        validate_payload(decided, "")
        async with self._trackers.use(session_id) as tracker, tracker.write_lock:
            previous = await self._find_turn_event(tracker, session_id, turn_id, TurnDecided)
            # Before all other checks: a retry must get its event, even if the session was closed since.
            if previous and _get_decision_id(previous) == decision.decision_id:
                return previous
            if tracker.summary.is_closed:
                raise SessionClosed(session_id)
            asked = await self._find_turn_event(tracker, session_id, turn_id, TurnAsked)
            if asked is None:
                raise TurnNotFound(session_id, turn_id)
            if previous:
                raise TurnAlreadyDecided(turn_id, previous.event_id)
            if not tracker.summary.is_waiting(turn_id):
                raise TurnAbandoned(turn_id)
            if decision.player is Player.HUMAN:
                _check_next(tracker.summary, asked)
                decision_checks.check_not_empty(turn_id, decision.response)
                if not decision.force:
                    settings = await self.read_request_settings(asked)
                    decision_checks.check_matches_request(settings, decision.response)
            return (await self._commit_batch(tracker, _build_turn_batch(asked, decided, decision.player)))[0]

    async def wait_for_decision(self, session_id: str, turn_id: str) -> Event:
        """Wait for the decision of a turn and return its event.

        Raises:
            SessionClosed: The session was closed first.
            SessionNotFound: The session was deleted first.
            TurnAbandoned: The turn was withdrawn first.
            TurnNotFound: The session has no such turn.
        """
        async with self._trackers.use(session_id) as tracker:
            async with tracker.write_lock:  # as in get_turn
                asked = await self._find_turn_event(tracker, session_id, turn_id, TurnAsked)
            if asked is None:
                raise TurnNotFound(session_id, turn_id)
            await tracker.wait_until(lambda: tracker.is_deleted or not tracker.summary.is_waiting(turn_id))
            if tracker.is_deleted:
                raise SessionNotFound(session_id)
            if decided := await self._find_turn_event(tracker, session_id, turn_id, TurnDecided):
                return decided
            if tracker.summary.is_closed:
                raise SessionClosed(session_id)
            raise TurnAbandoned(turn_id)

    def peek_pending_turns(self, session_id: str) -> Sequence[Event]:
        """Return the pending turns without reading the store; empty for a session that this process has not used."""
        tracker = self._trackers.find(session_id)
        if tracker is None:
            return ()
        pending = (tracker.find_cached_event(turn_id, TurnAsked) for turn_id in _list_pending_turns(tracker.summary))
        return [asked for asked in pending if asked]

    async def get_pending_turns(self, session_id: str) -> Sequence[Event]:
        """Return the `TurnAsked` events that wait for a person, oldest first."""
        async with self._trackers.use(session_id) as tracker:
            pending = [
                await self._find_turn_event(tracker, session_id, turn_id, TurnAsked)
                for turn_id in _list_pending_turns(tracker.summary)
            ]
            return [asked for asked in pending if asked]

    async def get_turn(self, session_id: str, turn_id: str) -> Event:
        """Return the `TurnAsked` event of a turn; raise TurnNotFound if the session has no such turn."""
        # The lock waits for a commit that is going on: a list may show its turn already.
        async with self._trackers.use(session_id) as tracker, tracker.write_lock:
            asked = await self._find_turn_event(tracker, session_id, turn_id, TurnAsked)
        if asked is None:
            raise TurnNotFound(session_id, turn_id)
        return asked

    async def find_decision(self, session_id: str, turn_id: str) -> Event | None:
        """Return the `TurnDecided` event of a turn; None if it has none."""
        async with self._trackers.use(session_id) as tracker, tracker.write_lock:
            return await self._find_turn_event(tracker, session_id, turn_id, TurnDecided)

    async def read_request(self, asked_event: Event) -> ModelRequest:
        """Return the complete model request of a `TurnAsked` event."""
        return await reassemble_request(asked_event, lambda ids: self.store.read_blocks(asked_event.session_id, ids))

    async def read_request_settings(self, asked_event: Event) -> RequestSettings:
        """Return the model request of a `TurnAsked` event without the conversation, which grows with the session."""
        return await self._request_settings.read(
            asked_event, lambda ids: self.store.read_blocks(asked_event.session_id, ids)
        )

    async def _find_turn_event(
        self, tracker: SessionTracker, session_id: str, turn_id: str, kind: type[TurnAsked] | type[TurnDecided]
    ) -> Event | None:
        """Return the request or the decision of a turn; None if the session has none."""
        if not tracker.knows_turn(turn_id):
            tracker.cache_turn_events(await self.store.read_turn_events(session_id, turn_id))
        return tracker.find_cached_event(turn_id, kind)


def _list_pending_turns(summary: SessionSummary) -> list[str]:
    """Return the ids of the model turns that wait for a person, oldest first."""
    return [request.request_id for request in summary.pending.values() if request.kind is RequestKind.MODEL]


def _check_next(summary: SessionSummary, asked: Event) -> None:
    """Raise DecisionRefused unless the turn is the session's oldest one that waits for a person."""
    if asked.turn_id in summary.delegated:
        raise TurnHasOtherPlayer(asked.turn_id, asked.player or "")
    head = summary.pending[_list_pending_turns(summary)[0]]
    if head.request_id != asked.turn_id:
        raise TurnNotNext(asked.turn_id, head.request_id, head.agent_name)


def _build_turn_batch(asked: Event, payload: Payload, player: Player | None = None) -> EventBatch:
    """Build the batch of an event that belongs to the same turn and agent as the `TurnAsked` event."""
    return EventBatch(
        asked.session_id,
        [payload],
        turn_id=asked.turn_id,
        agent_name=asked.agent_name,
        player=player,
        agent_path=asked.agent_path,
    )


def _get_decision_id(event: Event) -> str:
    return event.payload.decision_id if isinstance(event.payload, TurnDecided) else ""
