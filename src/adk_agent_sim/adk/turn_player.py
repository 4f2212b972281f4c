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
from adk_agent_sim.adk.seated import Scripted, SeatedSession
from adk_agent_sim.errors import DeadlinePassed, ServerUnreachable, TurnAbandoned
from adk_agent_sim.timeline.events import Event, Player, TurnDecided
from adk_agent_sim.timeline.jsonable import jsonable

_LAST_WORD = 2.0
"""Seconds after a deadline in which a decision that was under way still counts."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class TurnPlayer:
    """Answers the model calls of one agent in one invocation."""

    seated: SeatedSession
    agent_name: str
    invocation_id: str

    @property
    def plays_live(self) -> bool:
        """A person or a function plays a live session too; the agent's own model speaks for itself."""
        return self.seated.player_of(self.agent_name) is not Player.REAL

    async def answer(self, request: LlmRequest, seat: ModelSeat, *, stream: bool) -> AsyncGenerator[LlmResponse, None]:
        """Ask, and give what the agent's player decides."""
        agent_name = (request.config.labels or {}).get("adk_agent_name", self.agent_name)
        match self.seated.player_of(agent_name):
            case Player.HUMAN:
                answer = await self._persons(request, seat, agent_name)
                if answer is not None:
                    yield answer
                    return
            case Player():
                pass
            case function:
                yield await self._functions(request, function, agent_name)
                return
        async with aclosing(self._own_models(request, seat, agent_name, stream=stream)) as answers:
            async for answer in answers:
                yield answer

    async def _persons(self, request: LlmRequest, seat: ModelSeat, agent_name: str) -> LlmResponse | None:
        """What a person decides; None if the agent's own model is to answer instead."""
        seated = self.seated
        turn_id = await seated.ask(request, agent_name, self.invocation_id, Player.HUMAN)
        seated.requests[turn_id] = request
        seated.waiting[turn_id] = (request, seat)
        seated.on_asked()
        seated.on_waiting(agent_name)
        try:
            decided = await self._decision(turn_id, agent_name)
        except asyncio.CancelledError:
            await seated.link.withdraw(seated.session_id, turn_id)
            await seated.on_cancelled(self.invocation_id)
            raise
        except ServerUnreachable as error:
            if seated.terms.on_unreachable == "error":
                raise
            _log.warning("Agent '%s' is answered by its own model: %s", agent_name, error)
            return None
        finally:
            del seated.requests[turn_id], seated.waiting[turn_id]
        if decided is None:
            return None
        if not isinstance(decided.payload, TurnDecided):
            raise TypeError(f"Turn {turn_id} was answered by a {type(decided.payload).__name__}.")
        return LlmResponse.model_validate(decided.payload.response)

    async def _decision(self, turn_id: str, agent_name: str) -> Event | None:
        """The decision; None if there is none by the deadline and the agent's own model is to answer."""
        seated = self.seated
        deciding = asyncio.ensure_future(seated.link.decision(seated.session_id, turn_id))
        try:
            await asyncio.wait({deciding}, timeout=seated.terms.deadline)
            if deciding.done():
                return deciding.result()
            await seated.link.withdraw(seated.session_id, turn_id)
            await asyncio.wait({deciding}, timeout=_LAST_WORD)
            if deciding.done() and not isinstance(deciding.exception(), TurnAbandoned):
                return deciding.result()
        finally:
            if not deciding.done():
                deciding.cancel()
        _log.warning("Nobody answered agent '%s' within %g seconds.", agent_name, seated.terms.deadline or 0.0)
        if seated.terms.on_deadline == "error":
            raise DeadlinePassed(agent_name, seated.terms.deadline or 0.0)
        return None

    async def _functions(self, request: LlmRequest, function: Scripted, agent_name: str) -> LlmResponse:
        player = getattr(function, "player", Player.SIMULATED)
        turn_id = await self.seated.ask(request, agent_name, self.invocation_id, player)
        try:
            found = function(request)
            response = await found if inspect.isawaitable(found) else found
        except Exception as error:
            await self._decide(turn_id, _failed(error), player)
            raise
        await self._decide(turn_id, response, player)
        return response

    async def _own_models(
        self, request: LlmRequest, seat: ModelSeat, agent_name: str, *, stream: bool
    ) -> AsyncGenerator[LlmResponse, None]:
        """What the agent's own model says; the first whole answer is the decision, recorded before ADK acts on it."""
        turn_id = await self.seated.ask(request, agent_name, self.invocation_id, Player.REAL)
        start = self.seated.measured()
        decided = False
        try:
            async with aclosing(seat.own_model().generate_content_async(request, stream)) as answers:
                async for answer in answers:
                    if not answer.partial and not decided:
                        decided = True
                        await self._decide(turn_id, answer, Player.REAL, self.seated.measured() - start)
                    yield answer
        except Exception as error:
            if not decided:
                await self._decide(turn_id, _failed(error), Player.REAL, self.seated.measured() - start)
            raise

    async def _decide(self, turn_id: str, response: LlmResponse, player: Player, seconds: float | None = None) -> None:
        await self.seated.link.decide(
            self.seated.session_id,
            turn_id,
            jsonable(response),
            player=player,
            duration_ms=seconds * 1000 if seconds is not None else None,
        )


def _failed(error: Exception) -> LlmResponse:
    return LlmResponse(error_code=type(error).__name__, error_message=str(error))
