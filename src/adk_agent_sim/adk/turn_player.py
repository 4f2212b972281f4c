"""Answers the model calls of one agent in one invocation, by whoever plays it; each call is a turn on the timeline."""

from __future__ import annotations

import asyncio
import inspect
import logging
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass

from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse

from adk_agent_sim.adk.model_seat import ModelSeat
from adk_agent_sim.adk.recorded_session import ModelFunction, RecordedSession
from adk_agent_sim.errors import DeadlineExceeded, ServerUnreachable, TurnAbandoned
from adk_agent_sim.timeline.events import Event, Player, TurnDecided
from adk_agent_sim.timeline.json_conversion import to_json_value
from adk_agent_sim.timeline.submissions import TurnDecision

_DEADLINE_GRACE = 2.0
"""Seconds after a deadline in which a decision that was under way still counts."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class TurnPlayer:
    """Answers the model calls of one agent in one invocation."""

    recorded_session: RecordedSession
    agent_name: str
    invocation_id: str

    @property
    def can_play_live(self) -> bool:
        """A person or a function plays a live session too; the agent's own model speaks for itself."""
        return self.recorded_session.get_player(self.agent_name) is not Player.REAL

    async def answer(self, request: LlmRequest, seat: ModelSeat, *, stream: bool) -> AsyncGenerator[LlmResponse, None]:
        """Ask, and give what the agent's player decides."""
        agent_name = (request.config.labels or {}).get("adk_agent_name", self.agent_name)
        match self.recorded_session.get_player(agent_name):
            case Player.HUMAN:
                answer = await self._ask_human(request, seat, agent_name)
                if answer is not None:
                    yield answer
                    return
            case Player():
                pass
            case function:
                yield await self._call_model_function(request, function, agent_name)
                return
        async with aclosing(self._stream_own_model(request, seat, agent_name, stream=stream)) as answers:
            async for answer in answers:
                yield answer

    async def _ask_human(self, request: LlmRequest, seat: ModelSeat, agent_name: str) -> LlmResponse | None:
        """What a person decides; None if the agent's own model is to answer instead."""
        seated = self.recorded_session
        turn_id = await seated.ask(request, agent_name, self.invocation_id, Player.HUMAN)
        seated.pending_requests[turn_id] = request
        seated.pending_turns[turn_id] = (request, seat)
        seated.on_turn_pending()
        seated.on_waiting_for_human(agent_name)
        try:
            decided = await self._wait_for_decision(turn_id, agent_name)
        except asyncio.CancelledError:
            await seated.link.withdraw(seated.session_id, turn_id)
            await seated.on_turn_cancelled(self.invocation_id)
            raise
        except ServerUnreachable as error:
            if seated.policy.on_unreachable == "error":
                raise
            _log.warning("Agent '%s' is answered by its own model: %s", agent_name, error)
            return None
        finally:
            del seated.pending_requests[turn_id], seated.pending_turns[turn_id]
        if decided is None:
            return None
        if not isinstance(decided.payload, TurnDecided):
            raise TypeError(f"Turn {turn_id} was answered by a {type(decided.payload).__name__}.")
        return LlmResponse.model_validate(decided.payload.response)

    async def _wait_for_decision(self, turn_id: str, agent_name: str) -> Event | None:
        """The decision; None if there is none by the deadline and the agent's own model is to answer."""
        seated = self.recorded_session
        deciding = asyncio.ensure_future(seated.link.wait_for_decision(seated.session_id, turn_id))
        try:
            await asyncio.wait({deciding}, timeout=seated.policy.deadline)
            if deciding.done():
                return deciding.result()
            await seated.link.withdraw(seated.session_id, turn_id)
            await asyncio.wait({deciding}, timeout=_DEADLINE_GRACE)
            if deciding.done() and not isinstance(deciding.exception(), TurnAbandoned):
                return deciding.result()
        finally:
            if not deciding.done():
                deciding.cancel()
        _log.warning("Nobody answered agent '%s' within %g seconds.", agent_name, seated.policy.deadline or 0.0)
        if seated.policy.on_deadline == "error":
            raise DeadlineExceeded(agent_name, seated.policy.deadline or 0.0)
        return None

    async def _call_model_function(self, request: LlmRequest, function: ModelFunction, agent_name: str) -> LlmResponse:
        player = getattr(function, "player", Player.SIMULATED)
        turn_id = await self.recorded_session.ask(request, agent_name, self.invocation_id, player)
        try:
            found = function(request)
            response = await found if inspect.isawaitable(found) else found
        except Exception as error:
            await self._record_decision(turn_id, _build_error_response(error), player)
            raise
        await self._record_decision(turn_id, response, player)
        return response

    async def _stream_own_model(
        self, request: LlmRequest, seat: ModelSeat, agent_name: str, *, stream: bool
    ) -> AsyncGenerator[LlmResponse, None]:
        """What the agent's own model says; the first whole answer is the decision, recorded before ADK acts on it."""
        turn_id = await self.recorded_session.ask(request, agent_name, self.invocation_id, Player.REAL)
        start = self.recorded_session.monotonic()
        decided = False
        try:
            async with aclosing(seat.get_own_model().generate_content_async(request, stream)) as answers:
                async for answer in answers:
                    if not answer.partial and not decided:
                        decided = True
                        await self._record_decision(
                            turn_id, answer, Player.REAL, self.recorded_session.monotonic() - start
                        )
                    yield answer
        except Exception as error:
            if not decided:
                await self._record_decision(
                    turn_id, _build_error_response(error), Player.REAL, self.recorded_session.monotonic() - start
                )
            raise

    async def _record_decision(
        self, turn_id: str, response: LlmResponse, player: Player, seconds: float | None = None
    ) -> None:
        await self.recorded_session.link.decide(
            TurnDecision(
                self.recorded_session.session_id,
                turn_id,
                to_json_value(response),
                player=player,
                duration_ms=seconds * 1000 if seconds is not None else None,
            )
        )


def _build_error_response(error: Exception) -> LlmResponse:
    return LlmResponse(error_code=type(error).__name__, error_message=str(error))
