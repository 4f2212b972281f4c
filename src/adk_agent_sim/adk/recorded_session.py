"""Binds one ADK session to its session on the timeline: knows who plays the model, and records what happens."""

from __future__ import annotations

import traceback
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, runtime_checkable
from uuid import uuid4

from google.adk.agents.context import Context
from google.adk.events import Event as AdkEvent
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.sessions import Session
from google.adk.tools import BaseTool, ToolContext
from google.adk.tools.tool_confirmation import ToolConfirmation
from google.genai import types

from adk_agent_sim.adk.agent_paths import ROOT_PATH, AgentPathFinder
from adk_agent_sim.adk.answer_check import check_answer
from adk_agent_sim.adk.compat import asks_for_consent
from adk_agent_sim.adk.model_seat import ModelSeat
from adk_agent_sim.adk.play_policy import PlayPolicy
from adk_agent_sim.adk.request_blocks import RequestEncoder
from adk_agent_sim.adk.tool_seat import CallEnd, RunningCalls
from adk_agent_sim.golden.recording import RecordedToolCall
from adk_agent_sim.link.link import Link
from adk_agent_sim.timeline.blocks import Block
from adk_agent_sim.timeline.clock import Clock, WallClock
from adk_agent_sim.timeline.events import (
    AgentEvent,
    AgentJoined,
    AgentPath,
    ArtifactSaved,
    CancelAsked,
    EnvironmentDecided,
    Event,
    Player,
    RunEnded,
    RunOutcome,
    ToolFailed,
    ToolFinished,
    ToolStarted,
    UserSpoke,
)
from adk_agent_sim.timeline.json_conversion import to_json_value
from adk_agent_sim.timeline.submissions import EventBatch, TurnDecision, TurnRequest

ModelFunction: TypeAlias = Callable[[LlmRequest], LlmResponse | Awaitable[LlmResponse]]
"""A function that plays a model."""

SessionPlayer: TypeAlias = "Player | ModelFunction | StreamPlayer | OwnModelPlayer"
"""Who plays the models of a session."""


@runtime_checkable
class UserMessageListener(Protocol):
    """A model's player that needs to know what the user says, beyond what is in the requests."""

    def handle_user_message(self, message: types.Content) -> None:
        """Handle a user message, before the model is called for it."""
        ...


@runtime_checkable
class RunListener(Protocol):
    """A model's player that needs to know which session it plays, and when a run of it has ended."""

    def handle_session_start(self, session: Session) -> None:
        """Handle the ADK session, before its first user message."""
        ...

    async def handle_run_end(self) -> None:
        """Handle the end of a run, however it ended."""
        ...


class OpenTurn(Protocol):
    """A model call that has begun."""

    @property
    def player(self) -> Player:
        """Who answers it."""
        ...

    def answer(
        self, ask_own_model: Callable[[], AsyncGenerator[LlmResponse, None]]
    ) -> AsyncGenerator[LlmResponse, None]:
        """Yield the responses; `ask_own_model` asks the agent's own model, if it is to be asked."""
        ...


@runtime_checkable
class OwnModelPlayer(Protocol):
    """A model's player that may let the agent's own model answer, and sees what it answers."""

    @property
    def can_play_live(self) -> bool:
        """Whether live connections go to this player instead of the agent's own model."""
        ...

    def open_turn(self, request: LlmRequest, agent_name: str, path: AgentPath) -> OpenTurn:
        """Begin an agent's next turn."""
        ...


@runtime_checkable
class StreamPlayer(Protocol):
    """A model's player that decides by who asks, and may know what a tool that runs an agent returned."""

    def decide_turn(self, request: LlmRequest, agent_name: str, path: AgentPath) -> LlmResponse:
        """Return the decision of an agent's next turn."""
        ...

    def find_inner_result(self, tool: BaseTool, call_id: str) -> RecordedToolCall | None:
        """Return the recorded call to answer with instead of running the tool; None if it should run."""
        ...

    def find_consent(self, call_id: str) -> bool | None:
        """Return whether the user consented to a call; None if the user is to be asked."""
        ...


@dataclass(frozen=True, kw_only=True, slots=True)
class PendingCall:
    """A model call that waits for a person in this process."""

    request: LlmRequest

    seat: ModelSeat
    """The seat that called; through it the agent's own model can be asked too."""


class RecordedSession:
    """An ADK session and its session on the timeline."""

    def __init__(
        self,
        link: Link,
        session_id: str,
        player: SessionPlayer,
        *,
        policy: PlayPolicy | None = None,
        clock: Clock | None = None,
    ) -> None:
        """Let `player` play the models of the session.

        Args:
            link: The connection to the timeline.
            session_id: The session's id on the timeline.
            player: A person, the agent's own model, or a function.
            policy: Which agents are played, and how long a turn waits for a person.
            clock: Measures durations.
        """
        self.link = link
        self.session_id = session_id
        self.player = player
        self.policy = policy or PlayPolicy()
        self.monotonic = (clock or WallClock()).monotonic
        self.running_calls = RunningCalls(self, self.monotonic)
        self.pending_turns: dict[str, PendingCall] = {}
        """The turns that wait for a person in this process, by turn id."""
        self.offered_tools: dict[str, BaseTool] = {}
        """All tools that requests have offered so far."""
        self.adk_session: Session | None = None
        """The ADK session object of the last run, with its events."""
        self.on_turn_pending: Callable[[], None] = lambda: None
        """Called when a turn begins to wait for a person."""
        self.on_waiting_for_human: Callable[[str], object] = lambda agent_name: None
        """Called with the name of the agent whose turn begins to wait for a person."""
        self.on_turn_cancelled: Callable[[str], Awaitable[object]] = _ignore_cancellation
        """Called with the id of an invocation whose model call was cancelled while it waited."""
        self.checked_agents: set[str] = set()
        """The agents whose toolsets have been verified to load."""
        self._request_encoder = RequestEncoder()
        self._path_finder = AgentPathFinder()

    @property
    def pending_requests(self) -> Mapping[str, LlmRequest]:
        """The requests of the turns that wait for a person in this process, by turn id."""
        return {turn_id: pending.request for turn_id, pending in self.pending_turns.items()}

    def get_player(self, agent_name: str) -> SessionPlayer:
        """Return who plays an agent's model."""
        return self.player if self.policy.should_play(agent_name) else Player.REAL

    def find_consent_tools(self) -> set[str]:
        """Return the names of the offered tools that may ask the user for consent."""
        return {name for name, tool in self.offered_tools.items() if asks_for_consent(tool)}

    async def listen_for_cancel(self) -> Callable[[], None]:
        """Cancel running calls when a CancelAsked event arrives. Returns a function that stops listening."""
        return await self.link.listen(self.session_id, self._handle_event)

    def _handle_event(self, event: Event) -> None:
        if isinstance(event.payload, CancelAsked):
            self.running_calls.cancel(event.payload.call_id)

    async def record_agent_joined(self, session: Session) -> None:
        """Record that the ADK session is on the timeline from now on."""
        if isinstance(self.player, RunListener):
            self.player.handle_session_start(session)
        joined = AgentJoined(
            app_name=session.app_name,
            user_id=session.user_id,
            adk_session_id=session.id,
            state=to_json_value(session.state),
        )
        await self.link.append(EventBatch(self.session_id, [joined], agent_path=ROOT_PATH))

    async def record_user_message(self, message: types.Content) -> None:
        """Record a user message as it was sent, before the app's plugins see it; tell the player, if it listens."""
        if isinstance(self.player, UserMessageListener):
            self.player.handle_user_message(message)
        spoken = UserSpoke(content=to_json_value(message))
        await self.link.append(EventBatch(self.session_id, [spoken], agent_path=ROOT_PATH))

    async def record_agent_event(self, event: AdkEvent) -> None:
        """Record an event that ADK emitted, as callbacks and plugins left it."""
        emitted = AgentEvent(
            invocation_id=event.invocation_id, event=_convert_event_to_json(event), final=event.is_final_response()
        )
        await self.link.append(
            EventBatch(self.session_id, [emitted], agent_name=event.author, agent_path=self._find_path_of_event(event))
        )

    async def record_artifact(self, event: AdkEvent, filename: str, version: int, part: types.Part | None) -> None:
        """Record a version of an artifact that came with an event, with its bytes."""
        mime_type, data = _extract_artifact_data(part)
        block = Block.from_data(data)
        saved = ArtifactSaved(filename=filename, version=version, mime_type=mime_type, block=block.block_id)
        await self.link.append(
            EventBatch(
                self.session_id,
                [saved],
                agent_name=event.author,
                agent_path=self._find_path_of_event(event),
                blocks=[block],
            )
        )

    async def record_run_ended(
        self, invocation_id: str, outcome: RunOutcome, error: BaseException | None = None
    ) -> None:
        """Record that an invocation ended."""
        if isinstance(self.player, RunListener):
            await self.player.handle_run_end()
        ended = RunEnded(
            invocation_id=invocation_id,
            outcome=outcome,
            error_type=type(error).__name__ if error else "",
            error_message=str(error) if error else "",
        )
        await self.link.append(EventBatch(self.session_id, [ended], agent_path=ROOT_PATH))

    async def on_environment_decided(self, context: ToolContext, decided: EnvironmentDecided) -> None:
        """Record what the rules decided for a call."""
        await self.link.append(
            EventBatch(
                self.session_id,
                [decided],
                agent_name=context.agent_name,
                agent_path=self.find_agent_path(context),
                player=Player.SIMULATED if decided.rule else None,
            )
        )

    def find_recorded_result(self, context: ToolContext, tool: BaseTool) -> RecordedToolCall | None:
        """Return the recorded call that answers a call, if the player has no decisions for the agent in the tool."""
        if not isinstance(self.player, StreamPlayer):
            return None
        return self.player.find_inner_result(tool, _get_call_id(context))

    def give_recorded_consent(self, context: ToolContext, tool: BaseTool) -> None:
        """Give or refuse the user's consent as recorded, if nobody will be asked for it."""
        if not isinstance(self.player, StreamPlayer) or context.tool_confirmation is not None:
            return
        consent = self.player.find_consent(_get_call_id(context)) if asks_for_consent(tool) else None
        if consent is not None:
            context.tool_confirmation = ToolConfirmation(confirmed=consent)

    async def on_tool_started(
        self, context: ToolContext, tool: BaseTool, arguments: dict[str, Any], player: Player
    ) -> None:
        """Record that the tool's code, or what simulates it, is about to run."""
        started = ToolStarted(call_id=_get_call_id(context), tool_name=tool.name, arguments=to_json_value(arguments))
        await self._append_tool_event(context, started, player)

    async def on_tool_finished(self, context: ToolContext, result: object, end: CallEnd) -> None:
        """Record that the tool returned, with the actions it requested of ADK."""
        finished = ToolFinished(
            call_id=_get_call_id(context),
            result=to_json_value(result),
            duration_ms=end.seconds * 1000,
            actions=_remove_unset_actions(to_json_value(context.actions)),
            ran_tool=end.outcome.ran_tool,
            left_unchanged=end.outcome.left_unchanged,
        )
        await self._append_tool_event(context, finished, end.player)

    async def on_tool_failed(self, context: ToolContext, error: BaseException, end: CallEnd) -> None:
        """Record that the tool raised, or that its call was cancelled."""
        failed = ToolFailed(
            call_id=_get_call_id(context),
            error_type=type(error).__name__,
            error_message=str(error),
            duration_ms=end.seconds * 1000,
            traceback="".join(traceback.format_exception(error)),
            ran_tool=end.outcome.ran_tool,
            left_unchanged=end.outcome.left_unchanged,
        )
        await self._append_tool_event(context, failed, end.player)

    async def _append_tool_event(
        self, context: ToolContext, payload: ToolStarted | ToolFinished | ToolFailed, player: Player
    ) -> None:
        await self.link.append(
            EventBatch(
                self.session_id,
                [payload],
                agent_name=context.agent_name,
                player=player,
                agent_path=self.find_agent_path(context),
            )
        )

    def find_agent_path(self, context: Context) -> AgentPath:
        """Return the path of the agent that makes a model call or a tool call."""
        return self._path_finder.find(context.branch, context.session, self.running_calls.get_enclosing_call_id())

    def _find_path_of_event(self, event: AdkEvent) -> AgentPath:
        """Return the path of the agent that emitted an event; agents used as tools emit theirs to their callers."""
        return self._path_finder.find(event.branch, self.adk_session)

    async def ask(
        self, request: LlmRequest, agent_name: str, agent_path: AgentPath, invocation_id: str, player: Player
    ) -> str:
        """Append a model call to the timeline and return its turn id."""
        self.offered_tools.update(request.tools_dict)
        turn_id = str(uuid4())
        await self.link.ask(
            TurnRequest(
                self.session_id,
                turn_id=turn_id,
                invocation_id=invocation_id,
                agent_name=agent_name,
                agent_path=agent_path,
                request=self._request_encoder.encode(agent_name, request),
                player=player,
            )
        )
        return turn_id

    async def decide(self, decision: TurnDecision) -> None:
        """Decide a turn as a person.

        The agent's output type, which only this process knows, is checked here; everything else by the timeline.
        """
        pending = self.pending_turns.get(decision.turn_id)
        if pending is not None and not decision.anyway:
            check_answer(pending.request, decision.response)
        await self.link.decide(decision)


async def _ignore_cancellation(invocation_id: str) -> None:
    """Do nothing; the default of `on_turn_cancelled`."""


def _convert_event_to_json(event: AdkEvent) -> Any:
    """Return an ADK event as JSON, without the fields of `actions` that are not set."""
    value = to_json_value(event)
    value["actions"] = _remove_unset_actions(value.get("actions", {}))
    return value


def _remove_unset_actions(actions: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in actions.items() if value not in (None, {}, [], False)}


def _get_call_id(context: ToolContext) -> str:
    return context.function_call_id or ""


def _extract_artifact_data(part: types.Part | None) -> tuple[str, bytes]:
    if part is not None and part.inline_data is not None:
        return part.inline_data.mime_type or "application/octet-stream", part.inline_data.data or b""
    if part is not None and part.file_data is not None:
        return "text/uri-list", (part.file_data.file_uri or "").encode()
    return "text/plain", ((part.text if part is not None else None) or "").encode()
