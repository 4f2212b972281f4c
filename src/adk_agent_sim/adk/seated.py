"""One ADK session on the timeline: who plays its model, and everything that happens in it, recorded."""

from __future__ import annotations

import asyncio
import inspect
import traceback
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, TypeAlias
from uuid import uuid4

from google.adk.events import Event as AdkEvent
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.sessions import Session
from google.adk.tools import BaseTool, ToolContext
from google.genai import types

from adk_agent_sim.adk.answer import check_answer
from adk_agent_sim.adk.model_seat import ModelSeat
from adk_agent_sim.adk.request import RequestEncoder
from adk_agent_sim.adk.tool_seat import Calls
from adk_agent_sim.timeline.blocks import Block
from adk_agent_sim.timeline.canonical import Json
from adk_agent_sim.timeline.events import (
    AgentEvent,
    AgentJoined,
    ArtifactSaved,
    EnvironmentDecided,
    Event,
    Outcome,
    Player,
    RunEnded,
    ToolFailed,
    ToolFinished,
    ToolStarted,
    TurnDecided,
    TurnWithdrawn,
    UserSpoke,
)
from adk_agent_sim.timeline.jsonable import jsonable
from adk_agent_sim.timeline.timeline import Timeline

Scripted: TypeAlias = Callable[[LlmRequest], LlmResponse | Awaitable[LlmResponse]]
"""A function that plays a model."""


class SeatedSession:
    """An ADK session with its session on the timeline."""

    def __init__(self, timeline: Timeline, session_id: str, player: Player | Scripted) -> None:
        """Seat `player` as the model of the session: a person, the agent's own model, or a function."""
        self.timeline = timeline
        self.session_id = session_id
        self.player = player
        self.calls = Calls(self, timeline.clock.measured)
        self.requests: dict[str, LlmRequest] = {}
        """The requests of the turns that wait for a person here, by turn."""
        self.waiting: dict[str, tuple[LlmRequest, ModelSeat]] = {}
        """The same with the seats that ask, so that the agent's own model can be asked too."""
        self.tools: dict[str, BaseTool] = {}
        """The tools that have been offered so far."""
        self.adk_session: Session | None = None
        """The ADK session as its last run holds it, events and all."""
        self.on_asked: Callable[[], None] = lambda: None
        """Called when a turn begins to wait for a person."""
        self.checked_agents: set[str] = set()
        """The agents whose toolsets are known to load."""
        self._encoder = RequestEncoder()

    async def joined(self, session: Session) -> None:
        """The agent's session is on the timeline from now on."""
        joined = AgentJoined(
            app_name=session.app_name,
            user_id=session.user_id,
            adk_session_id=session.id,
            state=jsonable(session.state),
        )
        await self.timeline.append(self.session_id, joined)

    async def user_spoke(self, message: types.Content) -> None:
        """A user message, as it was sent, before the app's plugins see it."""
        await self.timeline.append(self.session_id, UserSpoke(content=jsonable(message)))

    async def agent_event(self, event: AdkEvent) -> None:
        """What ADK emitted, after all callbacks and plugins."""
        emitted = AgentEvent(invocation_id=event.invocation_id, event=_event(event), final=event.is_final_response())
        await self.timeline.append(self.session_id, emitted, agent_name=event.author)

    async def artifact(self, author: str, filename: str, version: int, part: types.Part | None) -> None:
        """A version of an artifact, with its bytes."""
        mime_type, data = _bytes(part)
        block = Block.of(data)
        saved = ArtifactSaved(filename=filename, version=version, mime_type=mime_type, block=block.block_id)
        await self.timeline.append(self.session_id, saved, agent_name=author, blocks=[block])

    async def run_ended(self, invocation_id: str, outcome: Outcome, error: BaseException | None = None) -> None:
        """The invocation is over."""
        ended = RunEnded(
            invocation_id=invocation_id,
            outcome=outcome,
            error_type=type(error).__name__ if error else "",
            error_message=str(error) if error else "",
        )
        await self.timeline.append(self.session_id, ended)

    async def environment_decided(self, context: ToolContext, decided: EnvironmentDecided) -> None:
        """The environment said what is to happen to a call."""
        await self.timeline.append(
            self.session_id, decided, agent_name=context.agent_name, player=Player.SIMULATED if decided.rule else None
        )

    async def tool_started(
        self, context: ToolContext, tool: BaseTool, arguments: dict[str, Any], player: Player
    ) -> None:
        """The tool's code, or what stands for it, is about to run."""
        started = ToolStarted(call_id=_call_id(context), tool_name=tool.name, arguments=jsonable(arguments))
        await self._tool(context, started, player)

    async def tool_finished(self, context: ToolContext, result: object, seconds: float, player: Player) -> None:
        """It returned."""
        finished = ToolFinished(
            call_id=_call_id(context),
            result=jsonable(result),
            duration_ms=seconds * 1000,
            actions=_set_actions(jsonable(context.actions)),
        )
        await self._tool(context, finished, player)

    async def tool_failed(self, context: ToolContext, error: BaseException, seconds: float, player: Player) -> None:
        """It raised, or its call was cancelled."""
        failed = ToolFailed(
            call_id=_call_id(context),
            error_type=type(error).__name__,
            error_message=str(error),
            duration_ms=seconds * 1000,
            traceback="".join(traceback.format_exception(error)),
        )
        await self._tool(context, failed, player)

    async def _tool(
        self, context: ToolContext, payload: ToolStarted | ToolFinished | ToolFailed, player: Player
    ) -> None:
        await self.timeline.append(self.session_id, payload, agent_name=context.agent_name, player=player)

    async def ask(self, request: LlmRequest, agent_name: str, invocation_id: str) -> Event:
        """Put a model call on the timeline."""
        self.tools.update(request.tools_dict)
        return await self.timeline.ask(
            self.session_id,
            turn_id=str(uuid4()),
            invocation_id=invocation_id,
            agent_name=agent_name,
            request=self._encoder.encode(agent_name, request),
        )

    async def decide(
        self, turn_id: str, response: Json, *, decision_id: str | None = None, anyway: bool = False
    ) -> None:
        """Answer a turn as a person; checked against what only the agent's own types know, then by the timeline."""
        request = self.requests.get(turn_id)
        if request is not None and not anyway:
            check_answer(request, response)
        await self.timeline.decide(self.session_id, turn_id, response, decision_id=decision_id, anyway=anyway)


@dataclass(frozen=True)
class TurnPlayer:
    """Answers the model calls of one agent in one invocation."""

    seated: SeatedSession
    agent_name: str
    invocation_id: str

    @property
    def plays_live(self) -> bool:
        """A person or a function plays a live session too; the agent's own model speaks for itself."""
        return self.seated.player is not Player.REAL

    async def answer(self, request: LlmRequest, seat: ModelSeat, *, stream: bool) -> AsyncGenerator[LlmResponse, None]:
        """Ask, and give what the session's player decides."""
        agent_name = (request.config.labels or {}).get("adk_agent_name", self.agent_name)
        asked = await self.seated.ask(request, agent_name, self.invocation_id)
        match self.seated.player:
            case Player.HUMAN:
                yield await self._persons(asked, request, seat)
            case Player():
                async with aclosing(self._own_models(asked, request, seat, stream=stream)) as answers:
                    async for answer in answers:
                        yield answer
            case function:
                yield await self._functions(asked, request, function)

    async def _persons(self, asked: Event, request: LlmRequest, seat: ModelSeat) -> LlmResponse:
        seated = self.seated
        seated.requests[asked.turn_id] = request
        seated.waiting[asked.turn_id] = (request, seat)
        seated.on_asked()
        try:
            decided = await seated.timeline.decision(seated.session_id, asked.turn_id)
        except asyncio.CancelledError:
            await seated.timeline.append(
                seated.session_id, TurnWithdrawn(), turn_id=asked.turn_id, agent_name=asked.agent_name
            )
            raise
        finally:
            del seated.requests[asked.turn_id], seated.waiting[asked.turn_id]
        if not isinstance(decided.payload, TurnDecided):
            raise TypeError(f"Turn {asked.turn_id} was answered by a {type(decided.payload).__name__}.")
        return LlmResponse.model_validate(decided.payload.response)

    async def _functions(self, asked: Event, request: LlmRequest, function: Scripted) -> LlmResponse:
        player = getattr(function, "player", Player.SIMULATED)
        try:
            found = function(request)
            response = await found if inspect.isawaitable(found) else found
        except Exception as error:
            await self._decide(asked, _failed(error), player)
            raise
        await self._decide(asked, response, player)
        return response

    async def _own_models(
        self, asked: Event, request: LlmRequest, seat: ModelSeat, *, stream: bool
    ) -> AsyncGenerator[LlmResponse, None]:
        """What the agent's own model says; the first whole answer is the decision, recorded before ADK acts on it."""
        decided = False
        try:
            async with aclosing(seat.own_model().generate_content_async(request, stream)) as answers:
                async for answer in answers:
                    if not answer.partial and not decided:
                        decided = True
                        await self._decide(asked, answer, Player.REAL)
                    yield answer
        except Exception as error:
            if not decided:
                await self._decide(asked, _failed(error), Player.REAL)
            raise

    async def _decide(self, asked: Event, response: LlmResponse, player: Player) -> None:
        await self.seated.timeline.decide(self.seated.session_id, asked.turn_id, jsonable(response), player=player)


def _failed(error: Exception) -> LlmResponse:
    return LlmResponse(error_code=type(error).__name__, error_message=str(error))


def _event(event: AdkEvent) -> Any:
    """An ADK event as JSON, without the actions it did not take."""
    found = jsonable(event)
    found["actions"] = _set_actions(found.get("actions", {}))
    return found


def _set_actions(actions: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in actions.items() if value not in (None, {}, [], False)}


def _call_id(context: ToolContext) -> str:
    return context.function_call_id or ""


def _bytes(part: types.Part | None) -> tuple[str, bytes]:
    if part is not None and part.inline_data is not None:
        return part.inline_data.mime_type or "application/octet-stream", part.inline_data.data or b""
    if part is not None and part.file_data is not None:
        return "text/uri-list", (part.file_data.file_uri or "").encode()
    return "text/plain", ((part.text if part is not None else None) or "").encode()
