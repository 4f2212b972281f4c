"""Binds one ADK session to its session on the timeline: knows who plays the model, and records what happens."""

from __future__ import annotations

import asyncio
import copy
import traceback
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any
from uuid import uuid4

from google.adk.agents.context import Context
from google.adk.events import Event as AdkEvent
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.plugins import BasePlugin
from google.adk.sessions import Session
from google.adk.tools import BaseTool, ToolContext
from google.adk.tools.tool_confirmation import ToolConfirmation
from google.genai import types

from adk_agent_sim.adk.compat import asks_for_consent
from adk_agent_sim.adk.loading.toolset_check import ToolsetCheck
from adk_agent_sim.adk.players.play_policy import PlayPolicy
from adk_agent_sim.adk.players.session_player import (
    AgentEventListener,
    RunListener,
    SessionPlayer,
    StreamPlayer,
    UserMessageListener,
)
from adk_agent_sim.adk.runs.agent_paths import ROOT_PATH, AgentPathFinder
from adk_agent_sim.adk.runs.answer_check import check_answer
from adk_agent_sim.adk.runs.credential_masking import MaskingLink
from adk_agent_sim.adk.runs.cross_loop import CrossLoopEvent, PerLoopLock
from adk_agent_sim.adk.runs.shared_state import select_shared_state
from adk_agent_sim.adk.seats import human_tool
from adk_agent_sim.adk.seats.pending_call import PendingCall
from adk_agent_sim.adk.seats.request_blocks import RequestEncoder
from adk_agent_sim.adk.seats.tool_seat import CallEnd, RunningCalls
from adk_agent_sim.adk.time_travel.recorded_outcome import RecordedOutcome
from adk_agent_sim.adk.time_travel.run_replay import RunReplay
from adk_agent_sim.golden.recording import RecordedToolCall
from adk_agent_sim.link.link import Link
from adk_agent_sim.mocks.mocked_call import ToolSpec
from adk_agent_sim.timeline.blocks import Block
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.clock import Clock, WallClock
from adk_agent_sim.timeline.events import (
    AgentEvent,
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
from adk_agent_sim.timeline.framework_calls import ENVIRONMENT_AUTHOR
from adk_agent_sim.timeline.json_conversion import to_json_value
from adk_agent_sim.timeline.session_events import AgentJoined
from adk_agent_sim.timeline.submissions import EventBatch, ToolRequest, TurnDecision, TurnRequest


def convert_event_to_json(event: AdkEvent) -> Any:
    """Return an ADK event as JSON, without the fields of `actions` that are not set."""
    value = to_json_value(event)
    value["actions"] = remove_unset_actions(value.get("actions", {}))
    return value


def remove_unset_actions(actions: dict[str, Any]) -> dict[str, Any]:
    """Return the actions of an event without those that are not set."""
    return {name: value for name, value in actions.items() if value not in (None, {}, [], False)}


def extract_artifact_data(part: types.Part | None) -> tuple[str, bytes]:
    """Return the MIME type and the bytes of an artifact."""
    if part is not None and part.inline_data is not None:
        return part.inline_data.mime_type or "application/octet-stream", part.inline_data.data or b""
    if part is not None and part.file_data is not None:
        return "text/uri-list", (part.file_data.file_uri or "").encode()
    return "text/plain", ((part.text if part is not None else None) or "").encode()


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
        self.base_link = link
        """The connection to the timeline as it was given."""
        self.link = MaskingLink(link)
        """The same connection, without the credentials of the user."""
        self.session_id = session_id
        self.player = player
        self.policy = policy or PlayPolicy()
        self.monotonic = (clock or WallClock()).monotonic
        self.running_calls = RunningCalls(self, self.monotonic)
        self.pending_turns: dict[str, PendingCall] = {}
        """The turns that wait for a person in this process, by turn id."""
        self.tool_requests: dict[str, ToolRequest] = {}
        """The tool calls that wait for the response of a person in this process, by request id, oldest first."""
        self.offered_tools: dict[str, BaseTool] = {}  # by all requests so far
        self.adk_session: Session | None = None
        """The ADK session object of the last run, with its events."""
        self.on_user_message: Callable[[], None] = lambda: None
        """Called when a user message is on the timeline, or on its way there."""
        self.on_turn_pending: Callable[[], None] = lambda: None
        """Called when a turn or a tool call begins to wait for a person."""
        self.on_waiting_for_human: Callable[[str], object] = lambda _: None
        """Called with the name of the agent whose turn or tool call begins to wait for a person."""
        self.on_turn_cancelled: Callable[[str], Awaitable[object]] | None = None
        """Called with the id of an invocation whose model call was cancelled while it waited."""
        self.toolset_check = ToolsetCheck()
        self.replay: RunReplay | None = None
        """What the seats give instead of asking anybody, while a run is replayed."""
        self.shared_state: Mapping[str, Json] | None = None
        """What the next run finds of the state that sessions share, if it is replayed; None to find it as it is."""
        self.app_plugins: Sequence[BasePlugin] = ()
        """The plugins of the last run, where another run may take its place."""
        self.player_changed = CrossLoopEvent()
        """Set when another player takes the models' seats; the turns that wait for a person are handed over."""
        self.state_lock = PerLoopLock()
        """Held while a person edits the state; a decided turn goes on when it is free."""
        self._request_encoder = RequestEncoder()
        self._path_finder = AgentPathFinder()

    @property
    def pending_requests(self) -> Mapping[str, LlmRequest]:
        """The requests of the turns that wait for a person in this process, by turn id."""
        return {turn_id: pending.request for turn_id, pending in self.pending_turns.items()}

    def get_player(self, agent_name: str) -> SessionPlayer:
        """Return who plays an agent's model."""
        return self.player if self.policy.should_play(agent_name) else Player.REAL

    def change_player(self, player: SessionPlayer) -> None:
        """Let another player take the models' seats; it also gets the turns that wait for a person."""
        self.player = player
        self.pending_turns.clear()
        changed, self.player_changed = self.player_changed, CrossLoopEvent()
        changed.set()

    def apply_shared_state(self, session: Session) -> None:
        """Give a run that is replayed the shared state that it had, once; other sessions keep theirs.

        The object of the run is changed and not the session service, so no other session notices.
        """
        shared, self.shared_state = self.shared_state, None
        if shared is None:
            return
        for key in select_shared_state(session.state):
            del session.state[key]
        session.state.update(copy.deepcopy(dict(shared)))

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
        self.on_user_message()

    async def record_agent_event(self, event: AdkEvent) -> None:
        """Record an event that ADK emitted, as callbacks and plugins left it; tell the player, if it listens."""
        self.link.learn_credentials(self.adk_session.state if self.adk_session else {})
        emitted = AgentEvent(
            invocation_id=event.invocation_id,
            event=convert_event_to_json(event),
            final=event.is_final_response() and event.author != ENVIRONMENT_AUTHOR,
        )
        path = self._find_path_of_event(event)
        if isinstance(self.player, AgentEventListener):
            self.player.handle_agent_event(emitted, event.author, path)
        await self.link.append(EventBatch(self.session_id, [emitted], agent_name=event.author, agent_path=path))

    async def record_state_edit(self, event: AdkEvent) -> None:
        """Record the event by which a person has set keys of the session state."""
        # It is part of no invocation, whatever id ADK's event has.
        edit = AgentEvent(invocation_id="", event=convert_event_to_json(event), final=False)
        await self.link.append(EventBatch(self.session_id, [edit], agent_path=ROOT_PATH))

    async def record_artifact(self, event: AdkEvent, filename: str, version: int, part: types.Part | None) -> None:
        """Record a version of an artifact that came with an event, with its bytes."""
        mime_type, data = extract_artifact_data(part)
        block = Block.from_data(self.link.mask.mask_data(data) if self.link.mask.is_active else data)
        saved = ArtifactSaved(
            filename=filename,
            version=version,
            mime_type=mime_type,
            block=block.block_id,
            is_text=part is not None and part.text is not None,
        )
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

    def find_replayed_outcome(self, context: ToolContext) -> RecordedOutcome | None:
        """Return how a call of the run that is replayed ended; None if it has to run."""
        return self.replay.find_outcome(_get_call_id(context)) if self.replay is not None else None

    async def answer_replayed_turn(self, request: LlmRequest, agent_name: str, path: AgentPath) -> LlmResponse | None:
        """Return the recorded decision of a turn of the run that is replayed; None if somebody has to decide it."""
        if self.replay is None:
            return None
        return await self.replay.answer_turn(self._request_encoder.encode(agent_name, request), agent_name, path)

    async def record_model_rule(
        self, turn_id: str, agent_name: str, agent_path: AgentPath, decided: EnvironmentDecided
    ) -> None:
        """Record what the rules for the model's seat decided for a turn."""
        await self.link.append(
            EventBatch(
                self.session_id,
                [decided],
                turn_id=turn_id,
                agent_name=agent_name,
                agent_path=agent_path,
                player=Player.SIMULATED if decided.rule else None,
            )
        )

    async def record_profile_switch(self, switched: EnvironmentDecided) -> None:
        """Record that the profile of the rules was switched."""
        await self.link.append(EventBatch(self.session_id, [switched], agent_path=ROOT_PATH))

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

    async def ask_person(self, context: ToolContext, spec: ToolSpec, arguments: Mapping[str, Json]) -> Json:
        """Ask a person for the tool's response and return it; raise what the person raises as the tool."""
        return await human_tool.ask_person(self, context, spec, arguments)

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
            actions=remove_unset_actions(to_json_value(context.actions)),
            ran_tool=end.outcome.ran_tool,
            left_unchanged=end.outcome.left_unchanged,
            mocked=end.outcome.mocked,
        )
        await self._append_tool_event(context, finished, end.player)

    async def on_tool_failed(self, context: ToolContext, error: BaseException, end: CallEnd) -> None:
        """Record that the tool raised, or that its call was cancelled."""
        failed = ToolFailed(
            call_id=_get_call_id(context),
            error_type=type(error).__name__,
            error_message=str(error) or self._explain_cancellation(context, error),
            duration_ms=end.seconds * 1000,
            traceback="".join(traceback.format_exception(error)),
            ran_tool=end.outcome.ran_tool,
            left_unchanged=end.outcome.left_unchanged,
            mocked=end.outcome.mocked,
        )
        await self._append_tool_event(context, failed, end.player)

    def _explain_cancellation(self, context: ToolContext, error: BaseException) -> str:
        """Return why a call ended that waited for a person when its run was stopped; empty if it did not."""
        waiting = [request for request in self.tool_requests.values() if request.asked.call_id == _get_call_id(context)]
        if not waiting or not isinstance(error, asyncio.CancelledError):
            return ""
        return f"The run was stopped while a person was asked for the response of {waiting[0].asked.tool_name}."

    async def _append_tool_event(
        self, context: ToolContext, payload: ToolStarted | ToolFinished | ToolFailed, player: Player
    ) -> None:
        self.link.learn_credentials(context.state.to_dict())
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
        if pending is not None and not decision.force:
            check_answer(pending.request, decision.response)
        await self.link.decide(decision)


def _get_call_id(context: ToolContext) -> str:
    return context.function_call_id or ""
