"""Answers the model calls of one agent in one invocation with its player; each call is a turn on the timeline."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass
from typing import Self

from google.adk.agents.context import Context
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse

from adk_agent_sim.adk.players.session_player import ModelFunction, OwnModelPlayer, SessionPlayer, StreamPlayer
from adk_agent_sim.adk.runs.recorded_session import RecordedSession
from adk_agent_sim.adk.seats.model_seat import (
    MODEL_PLAYER,
    ModelCallInterceptor,
    ModelSeat,
    PendingCall,
    build_error_response,
    get_complete_answer,
    take_interceptor,
)
from adk_agent_sim.errors import DeadlineExceeded, ServerUnreachable, TurnAbandoned
from adk_agent_sim.text.escaped_logging import get_logger
from adk_agent_sim.timeline.events import AgentPath, Event, Player, TurnDecided
from adk_agent_sim.timeline.framework_calls import AGENT_NAME_LABEL
from adk_agent_sim.timeline.json_conversion import to_json_value
from adk_agent_sim.timeline.submissions import TurnDecision

_DEADLINE_GRACE = 2.0
"""Seconds after a deadline in which a decision that was already on its way is still accepted."""

_log = get_logger(__name__)


def is_model_played() -> bool:
    """Return whether the model of the agent that runs in the current task is played by anyone but itself."""
    player = MODEL_PLAYER.get()
    return isinstance(player, TurnPlayer) and player.is_played


class _SeatChanged:
    """Says that another player has taken the seat while a turn was waiting for a person."""


@dataclass(frozen=True)
class TurnPlayer:
    """Answers the model calls of one agent in one invocation."""

    recorded_session: RecordedSession
    agent_name: str
    invocation_id: str
    agent_path: AgentPath
    enclosing_call_id: str
    """The tool call in which the agent runs that the path was determined for; empty if it runs in none."""

    @classmethod
    def from_context(cls, session: RecordedSession, context: Context, agent_name: str, invocation_id: str) -> Self:
        """Return the player of the agent that runs in a context."""
        path, enclosing_call_id = session.find_agent_path(context), session.running_calls.get_enclosing_call_id()
        return cls(session, agent_name, invocation_id, path, enclosing_call_id)

    def play_inner_agent(self, context: Context, agent_name: str) -> Self:
        """Return the player of an agent that runs inside a tool call of this one, as part of the same invocation."""
        return self.from_context(self.recorded_session, context, agent_name, self.invocation_id)

    @property
    def is_played(self) -> bool:
        """Whether another player than the agent's own model answers."""
        return self.recorded_session.get_player(self.agent_name) is not Player.REAL

    @property
    def can_play_live(self) -> bool:
        """Whether the player takes live connections; the agent's own model opens its own."""
        player = self.recorded_session.get_player(self.agent_name)
        return player.can_play_live if isinstance(player, OwnModelPlayer) else self.is_played

    async def answer(self, request: LlmRequest, seat: ModelSeat, *, stream: bool) -> AsyncGenerator[LlmResponse, None]:
        """Yield what the agent's player decides; the agent's own model is streamed."""
        # An agent that is used as a tool without our plugins never reaches our callbacks, so it still runs with the
        # player of its caller; the label that ADK puts on every request names the agent that really calls.
        agent_name = (request.config.labels or {}).get(AGENT_NAME_LABEL, self.agent_name)

        def ask_own_model() -> AsyncGenerator[LlmResponse, None]:
            return seat.get_own_model().generate_content_async(request, stream)

        interceptor = take_interceptor()
        decider, stream_answers = Player.REAL, ask_own_model
        decision = await self._replay(request, agent_name, interceptor)
        if decision is None:
            decision = await self._ask_while_human_plays(request, seat, agent_name, interceptor)
        if decision is not None:
            yield decision
            return
        player = self.recorded_session.get_player(agent_name)
        if player is Player.HUMAN:
            player = Player.REAL  # nobody decided
        if interceptor is not None and not interceptor.is_active:
            interceptor = None
        if interceptor is not None and interceptor.decide():
            yield await self._answer_by_rule(request, seat, agent_name, player, interceptor)
            return
        if isinstance(player, OwnModelPlayer):
            turn = player.open_turn(request, agent_name, self._find_path())
            decider, stream_answers = turn.player, lambda: turn.answer(ask_own_model, stream=stream)
        elif not isinstance(player, Player):
            yield await self._call_model_function(request, player, agent_name, interceptor)
            return
        async with aclosing(self._stream_answers(request, agent_name, decider, stream_answers, interceptor)) as answers:
            async for answer in answers:
                yield answer

    async def _ask_while_human_plays(
        self, request: LlmRequest, seat: ModelSeat, agent_name: str, interceptor: ModelCallInterceptor | None
    ) -> LlmResponse | None:
        """Return what a person decides, if one has the seat; None if another player answers, maybe only from now on."""
        # If the seat goes from one person to another, the turn was withdrawn, and is asked once more.
        while self.recorded_session.get_player(agent_name) is Player.HUMAN:
            answer = await self._ask_human_once(request, seat, agent_name, interceptor)
            if not isinstance(answer, _SeatChanged):
                return answer
        return None

    async def _replay(
        self, request: LlmRequest, agent_name: str, interceptor: ModelCallInterceptor | None
    ) -> LlmResponse | None:
        """Return the recorded decision of a run that is replayed; None if somebody has to decide."""
        session = self.recorded_session
        if session.replay is None:
            return None
        response = await session.answer_replayed_turn(request, agent_name, self._find_path())
        if response is None:
            return None
        if interceptor is not None and interceptor.is_active:
            interceptor.decide()  # the rules count the model's calls
        if session.replay.is_lenient:
            turn_id = await self._ask(request, agent_name, Player.RECORDED)
            await self._record_decision(turn_id, response, Player.RECORDED)
        return response

    async def _ask(self, request: LlmRequest, agent_name: str, player: Player) -> str:
        """Append the model call to the timeline and return its turn id."""
        return await self.recorded_session.ask(request, agent_name, self._find_path(), self.invocation_id, player)

    def _find_path(self) -> AgentPath:
        """Return the path of the agent that calls its model now."""
        enclosing_call_id = self.recorded_session.running_calls.get_enclosing_call_id()
        if enclosing_call_id == self.enclosing_call_id:
            return self.agent_path
        # A tool runs an agent by itself, and none of our callbacks was called for it: its branch is not known here.
        return AgentPath(parent_call_id=enclosing_call_id)

    async def _ask_human_once(
        self, request: LlmRequest, seat: ModelSeat, agent_name: str, interceptor: ModelCallInterceptor | None
    ) -> LlmResponse | _SeatChanged | None:
        """Return what a person decides, or None if the agent's own model should answer instead."""
        session = self.recorded_session
        turn_id = await self._ask(request, agent_name, Player.HUMAN)
        pending = session.pending_turns[turn_id] = PendingCall(
            request=request, seat=seat, agent_name=agent_name, agent_path=self._find_path(), interceptor=interceptor
        )
        session.on_turn_pending()
        session.on_waiting_for_human(agent_name)
        try:
            decided = await self._wait_for_decision(turn_id, agent_name)
        except asyncio.CancelledError:
            # Otherwise the timeline would offer a turn whose decision nobody waits for any more.
            await session.link.withdraw(session.session_id, turn_id)
            if session.on_turn_cancelled is not None:
                await session.on_turn_cancelled(self.invocation_id)
            raise
        except ServerUnreachable as error:
            if session.policy.on_unreachable == "error":
                raise
            _log.warning("The own model of agent '%s' answers instead of a person: %s", agent_name, error)
            return None
        finally:
            # A change of the player may have removed it already.
            session.pending_turns.pop(turn_id, None)
        async with session.state_lock:
            pass  # what the decision does comes after an edit of the state that is being made
        if decided is None or isinstance(decided, _SeatChanged):
            return decided
        if not isinstance(decided.payload, TurnDecided):
            raise TypeError(f"Turn {turn_id} was decided by a {type(decided.payload).__name__} event.")
        if failure := pending.failures.get(decided.payload.decision_id):
            raise failure
        return LlmResponse.model_validate(decided.payload.response)

    async def _wait_for_decision(self, turn_id: str, agent_name: str) -> Event | _SeatChanged | None:
        """Return the decision, or None if the deadline passed and the agent's own model should answer."""
        session = self.recorded_session
        deciding = asyncio.ensure_future(session.link.wait_for_decision(session.session_id, turn_id))
        # Each change replaces the event by a new one, so this waits for the next change only.
        changing = asyncio.ensure_future(session.player_changed.wait())
        # If this wait is cancelled, or the withdrawal fails, just as `deciding` fails, nothing below reads its error.
        deciding.add_done_callback(lambda done: done.cancelled() or done.exception())
        try:
            await asyncio.wait(
                {deciding, changing}, timeout=session.policy.deadline, return_when=asyncio.FIRST_COMPLETED
            )
            if deciding.done():
                return deciding.result()
            # The server orders the withdrawal and a decision made at the same moment. If the decision was first, it
            # counts; otherwise the wait ends with TurnAbandoned.
            await session.link.withdraw(session.session_id, turn_id)
            await asyncio.wait({deciding}, timeout=_DEADLINE_GRACE)
            if deciding.done() and not isinstance(deciding.exception(), TurnAbandoned):
                return deciding.result()
            if changing.done():
                changing.result()  # an error of this wait is no change of the player: asking again would never end
                return _SeatChanged()
        finally:
            changing.cancel()
            if not deciding.done():
                deciding.cancel()
        _log.warning(
            "Nobody decided the turn of agent '%s' within %g seconds.", agent_name, session.policy.deadline or 0.0
        )
        if session.policy.on_deadline == "error":
            raise DeadlineExceeded(agent_name, session.policy.deadline or 0.0)
        return None

    async def _answer_by_rule(
        self,
        request: LlmRequest,
        seat: ModelSeat,
        agent_name: str,
        player: SessionPlayer,
        interceptor: ModelCallInterceptor,
    ) -> LlmResponse:
        """Return what a rule makes of the call; it may ask the agent's player."""
        name = player if isinstance(player, Player) else _get_function_player(player)
        decider = Player.SIMULATED if interceptor.changes_answer else name
        turn_id = await self._ask(request, agent_name, decider)

        async def ask_player() -> LlmResponse:
            if isinstance(player, Player):
                return await seat.ask_own_model(request)
            if isinstance(player, OwnModelPlayer):
                turn = player.open_turn(request, agent_name, self._find_path())
                return await get_complete_answer(
                    turn.answer(
                        lambda: seat.get_own_model().generate_content_async(request, stream=False), stream=False
                    )
                )
            return await self._call(player, request, agent_name)

        try:
            response = await interceptor.answer(ask_player)
        except (Exception, asyncio.CancelledError) as error:
            await self._record_rule(turn_id, agent_name, interceptor)
            # A call that was cancelled has not been decided; the end of its run says what happened.
            if isinstance(error, Exception):
                await self._record_decision(turn_id, build_error_response(error), decider)
            raise
        await self._record_rule(turn_id, agent_name, interceptor)
        await self._record_decision(turn_id, response, decider)
        return response

    async def _record_rule(self, turn_id: str, agent_name: str, interceptor: ModelCallInterceptor | None) -> None:
        """Record what the rules for the model's seat decided, if there are such rules."""
        if interceptor is None:
            return
        await self.recorded_session.record_model_rule(
            turn_id, agent_name, self._find_path(), interceptor.build_decision_event()
        )

    async def _call_model_function(
        self,
        request: LlmRequest,
        function: ModelFunction | StreamPlayer,
        agent_name: str,
        interceptor: ModelCallInterceptor | None,
    ) -> LlmResponse:
        player = _get_function_player(function)
        turn_id = await self._ask(request, agent_name, player)
        await self._record_rule(turn_id, agent_name, interceptor)
        try:
            response = await self._call(function, request, agent_name)
        except Exception as error:
            await self._record_decision(turn_id, build_error_response(error), player)
            raise
        await self._record_decision(turn_id, response, player)
        return response

    async def _call(self, function: ModelFunction | StreamPlayer, request: LlmRequest, agent_name: str) -> LlmResponse:
        result = (
            function.decide_turn(request, agent_name, self._find_path())
            if isinstance(function, StreamPlayer)
            else function(request)
        )
        return await result if inspect.isawaitable(result) else result

    async def _stream_answers(
        self,
        request: LlmRequest,
        agent_name: str,
        player: Player,
        stream_answers: Callable[[], AsyncGenerator[LlmResponse, None]],
        interceptor: ModelCallInterceptor | None,
    ) -> AsyncGenerator[LlmResponse, None]:
        """Stream what answers; the first complete answer is recorded as the decision before ADK acts on it."""
        turn_id = await self._ask(request, agent_name, player)
        await self._record_rule(turn_id, agent_name, interceptor)
        start = self.recorded_session.monotonic()
        decided = False
        try:
            async with aclosing(stream_answers()) as answers:
                async for answer in answers:
                    # A model may give several complete answers to one call, but a turn has one decision.
                    if not answer.partial and not decided:
                        decided = True
                        await self._record_decision(turn_id, answer, player, self.recorded_session.monotonic() - start)
                    yield answer
        except Exception as error:
            if not decided:
                await self._record_decision(
                    turn_id, build_error_response(error), player, self.recorded_session.monotonic() - start
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


def _get_function_player(function: ModelFunction | StreamPlayer | OwnModelPlayer) -> Player:
    return getattr(function, "player", Player.SIMULATED)
