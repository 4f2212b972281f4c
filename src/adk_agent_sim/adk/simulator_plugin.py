"""The remote brain: a plugin that lets the model calls of a running agent be answered at a simulator server.

App(name="shop", root_agent=root_agent, plugins=[SimulatorPlugin()])

your agent --> seats --> outbox (a thread) --> server --> a person in the browser
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from google.adk.agents import BaseAgent
from google.adk.agents.callback_context import CallbackContext
from google.adk.agents.invocation_context import InvocationContext
from google.adk.events import Event as AdkEvent
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.sessions import Session
from google.adk.tools import BaseTool, ToolContext
from google.genai import types

from adk_agent_sim.adk import tool_seat
from adk_agent_sim.adk.agent_tree import collect_agent_names
from adk_agent_sim.adk.play_policy import Fallback, PlayPolicy
from adk_agent_sim.adk.recorded_session import ModelFunction, RecordedSession
from adk_agent_sim.adk.seat_plugin import SeatPlugin, SessionKey, get_session_key
from adk_agent_sim.adk.trace_player import TraceFile, TracePlayer
from adk_agent_sim.link.outbox import Outbox
from adk_agent_sim.timeline.events import Player, RunOutcome

SERVER_URL_VARIABLE = "ADK_SIM_SERVER_URL"
TARGET_AGENTS_VARIABLE = "ADK_SIM_TARGET_AGENTS"
DEFAULT_SERVER_URL = "localhost:50051"

MAX_IDLE_SESSIONS = 1_000
"""How many sessions that do not run are remembered; one that was forgotten begins anew on the timeline."""

_FLUSH_TIMEOUT = 5.0
"""Seconds that closing waits for what is not sent yet."""

_log = logging.getLogger(__name__)


@dataclass(kw_only=True)
class _ActiveInvocation:
    """An invocation that runs."""

    recorded_session: RecordedSession
    session: Session
    stop_listening: Callable[[], None]
    stop_watching: Callable[[], None]
    pending_event: AdkEvent | None = None
    """What was emitted last: other plugins may still change it, so it is recorded with what happens next."""


class SimulatorPlugin(SeatPlugin):
    """Lets people at a simulator server answer the model calls of this process's agents.

    Only the targeted agents are played; the others call their own model, and are watched without ever waiting for the
    server. Put it first in an App's plugins, or start `adk web --extra_plugins adk_agent_sim.SimulatorPlugin`.
    """

    def __init__(
        self,
        server_url: str | None = None,
        target_agents: str | Iterable[str] | None = None,
        session_description: str | None = None,
        *,
        player: str = "human",
        deadline: float | None = None,
        on_deadline: Fallback = "error",
        on_unreachable: Fallback = "error",
        connect_timeout: float = 5.0,
        name: str = "adksim_simulator",
    ) -> None:
        """Prepare to play; nothing is sent before an agent runs.

        Args:
            server_url: The server's gRPC address; else ADK_SIM_SERVER_URL, else localhost:50051.
            target_agents: The names of the agents to play; else ADK_SIM_TARGET_AGENTS, comma separated, else all.
            session_description: What people read in the list of sessions; else the app's name.
            player: "human", or "replay:FILE" to answer from the golden trace in an EvalSet file.
            deadline: For how many seconds a person is waited for; without limit unless given.
            on_deadline: Then ask the agent's own model ("real_model"), or fail the run ("error").
            on_unreachable: The same for a server that does not answer.
            connect_timeout: For how many seconds a server is looked for.
            name: The plugin's name in ADK.
        """
        super().__init__(name=name)
        named = target_agents if target_agents is not None else os.environ.get(TARGET_AGENTS_VARIABLE, "")
        self._policy = PlayPolicy(
            targets=frozenset(_parse_agent_names(named)),
            deadline=deadline,
            on_deadline=on_deadline,
            on_unreachable=on_unreachable,
        )
        self._description = session_description
        self._trace_file = _read_trace_file(player)
        self._outbox = Outbox(
            server_url or os.environ.get(SERVER_URL_VARIABLE) or DEFAULT_SERVER_URL, connect_timeout=connect_timeout
        )
        self._active_invocations: dict[str, _ActiveInvocation] = {}
        self._idle_sessions: OrderedDict[SessionKey, RecordedSession] = OrderedDict()
        self._ending_tasks: set[asyncio.Future[None]] = set()
        self._recorded_invocation_ids: set[str] = set()
        self._seen_agent_names: set[str] = set()
        self._has_warned = False

    async def on_user_message_callback(
        self, *, invocation_context: InvocationContext, user_message: types.Content
    ) -> types.Content | None:
        """Record what the user says."""
        if tool_seat.ENCLOSING_CALLS.get() is None:
            await self._record_user_message(invocation_context, user_message)
        return None

    async def before_run_callback(self, *, invocation_context: InvocationContext) -> types.Content | None:
        """A run begins: what a person cancels in it is cancelled."""
        if tool_seat.ENCLOSING_CALLS.get() is None:
            seated = await self._get_or_create_session(invocation_context.session)
            if (
                invocation_context.user_content is not None
                and invocation_context.invocation_id not in self._recorded_invocation_ids
            ):
                # Another plugin has changed the message, and ADK has asked no further one.
                await self._record_user_message(invocation_context, invocation_context.user_content)
            self._recorded_invocation_ids.discard(invocation_context.invocation_id)
            self._active_invocations[invocation_context.invocation_id] = _ActiveInvocation(
                recorded_session=seated,
                session=invocation_context.session,
                stop_listening=await seated.listen_for_cancel(),
                stop_watching=self._watch_for_cancellation(invocation_context.invocation_id),
            )
            self._idle_sessions.pop(get_session_key(invocation_context.session), None)
            self._warn_unknown_targets(collect_agent_names(invocation_context.agent))
        return None

    async def before_agent_callback(
        self, *, agent: BaseAgent, callback_context: CallbackContext
    ) -> types.Content | None:
        """Put a seat into the agent."""
        self._seen_agent_names.add(agent.name)
        return await super().before_agent_callback(agent=agent, callback_context=callback_context)

    async def before_model_callback(
        self, *, callback_context: CallbackContext, llm_request: LlmRequest
    ) -> LlmResponse | None:
        """Say who plays."""
        await self._record_pending_event(callback_context.invocation_id)
        return await super().before_model_callback(callback_context=callback_context, llm_request=llm_request)

    async def before_tool_callback(
        self, *, tool: BaseTool, tool_args: dict[str, Any], tool_context: ToolContext
    ) -> dict[str, Any] | None:
        """Put a seat into the tool."""
        await self._record_pending_event(tool_context.invocation_id)
        return await super().before_tool_callback(tool=tool, tool_args=tool_args, tool_context=tool_context)

    async def on_event_callback(self, *, invocation_context: InvocationContext, event: AdkEvent) -> AdkEvent | None:
        """Remember what is emitted, until it is as the other plugins leave it."""
        await self._record_pending_event(invocation_context.invocation_id)
        run = self._active_invocations.get(invocation_context.invocation_id)
        if run is not None and not event.partial and event.author != "user":
            run.pending_event = event
            await self._record_artifacts(run.recorded_session, invocation_context, event)
        return None

    async def after_run_callback(self, *, invocation_context: InvocationContext) -> None:
        """The run is over."""
        await self._end_invocation(invocation_context, RunOutcome.DONE)

    async def on_run_error_callback(self, *, invocation_context: InvocationContext, error: Exception) -> None:
        """The run failed."""
        await self._end_invocation(invocation_context, RunOutcome.FAILED, error)

    async def close(self) -> None:
        """Wait a little for what is not sent yet."""
        if self._bound_sessions and not await self._outbox.flush(_FLUSH_TIMEOUT):
            _log.warning("The simulator server at %s has not taken everything.", self._outbox.url)

    async def _record_user_message(self, context: InvocationContext, message: types.Content) -> None:
        self._recorded_invocation_ids.add(context.invocation_id)
        seated = await self._get_or_create_session(context.session)
        if isinstance(seated.player, TracePlayer):
            seated.player.handle_user_message(message)
        await seated.record_user_message(message)

    async def _get_or_create_session(self, session: Session) -> RecordedSession:
        """The seats of an ADK session; it gets its session on the timeline when it is first seen."""
        known = self._bound_sessions.get(get_session_key(session))
        if known is not None:
            return known
        session_id = self._outbox.open_session(self._description or session.app_name, self._print_session_url)
        player = TracePlayer(self._trace_file) if self._trace_file is not None else Player.HUMAN
        seated = _create_recorded_session(self._outbox, session_id, player, self._policy)
        self.bind(session, seated)
        await seated.record_agent_joined(session)
        return seated

    def _print_session_url(self, url: str) -> None:
        where = url or f"on the server at {self._outbox.url}"
        print(f"Simulator session: {where}", file=sys.stderr, flush=True)

    async def _record_pending_event(self, invocation_id: str) -> None:
        """Record the event that was emitted last, as it went into the ADK session."""
        run = self._active_invocations.get(invocation_id)
        if run is None or run.pending_event is None:
            return
        emitted, run.pending_event = run.pending_event, None
        kept = next((event for event in reversed(run.session.events) if event.id == emitted.id), emitted)
        await run.recorded_session.record_agent_event(kept)

    async def _record_artifacts(
        self, recorded_session: RecordedSession, context: InvocationContext, event: AdkEvent
    ) -> None:
        if context.artifact_service is None:
            return
        session = context.session
        for filename, version in event.actions.artifact_delta.items():
            part = await context.artifact_service.load_artifact(
                app_name=session.app_name,
                user_id=session.user_id,
                session_id=session.id,
                filename=filename,
                version=version,
            )
            await recorded_session.record_artifact(event.author, filename, version, part)

    async def _end_invocation(
        self, context: InvocationContext, outcome: RunOutcome, error: Exception | None = None
    ) -> None:
        await self._record_pending_event(context.invocation_id)
        run = self._active_invocations.pop(context.invocation_id, None)
        if run is None:
            return
        run.stop_watching()
        await self._record_invocation_end(context.invocation_id, run, outcome, error)
        self._warn_unknown_targets(self._seen_agent_names)

    async def _record_invocation_end(
        self, invocation_id: str, invocation: _ActiveInvocation, outcome: RunOutcome, error: Exception | None = None
    ) -> None:
        invocation.stop_listening()
        await invocation.recorded_session.record_run_ended(invocation_id, outcome, error)
        self._mark_idle(get_session_key(invocation.session), invocation.recorded_session)

    def _watch_for_cancellation(self, invocation_id: str) -> Callable[[], None]:
        """Notice a run that is cancelled, of which ADK tells no plugin: the task that runs it ends before it."""
        task = asyncio.current_task()
        if task is None:
            return lambda: None

        def on_task_done(_: object) -> None:
            if run := self._active_invocations.pop(invocation_id, None):
                ending = asyncio.ensure_future(self._record_invocation_end(invocation_id, run, RunOutcome.CANCELLED))
                self._ending_tasks.add(ending)
                ending.add_done_callback(self._ending_tasks.discard)

        def stop_watching() -> None:
            task.remove_done_callback(on_task_done)

        task.add_done_callback(on_task_done)
        return stop_watching

    def _mark_idle(self, key: SessionKey, recorded_session: RecordedSession) -> None:
        """Remember a session that does not run, and forget the one that has not run for longest."""
        self._idle_sessions[key] = recorded_session
        if len(self._idle_sessions) > MAX_IDLE_SESSIONS:
            forgotten, old = self._idle_sessions.popitem(last=False)
            self.unbind(forgotten)
            self._outbox.release_session(old.session_id)

    def _warn_unknown_targets(self, known_names: Iterable[str]) -> None:
        """Warn, once, of targets that are no agents: their turns would go to the real model without a word."""
        names = {*known_names}
        unknown = sorted(self._policy.targets - names)
        if unknown and names and not self._has_warned:
            self._has_warned = True
            _log.warning(
                "No agent is named %s; the agents seen are: %s.",
                ", ".join(map(repr, unknown)),
                ", ".join(sorted(names)),
            )


def _create_recorded_session(
    outbox: Outbox, session_id: str, player: Player | ModelFunction, policy: PlayPolicy
) -> RecordedSession:
    seated = RecordedSession(outbox, session_id, player, policy=policy)

    async def record_cancellation(invocation_id: str) -> None:
        await seated.record_run_ended(invocation_id, RunOutcome.CANCELLED)

    seated.on_turn_cancelled = record_cancellation
    seated.on_waiting_for_human = _log_waiting
    return seated


def _log_waiting(agent_name: str) -> None:
    _log.warning("Waiting for human input for agent: '%s'", agent_name)


def _parse_agent_names(targets: str | Iterable[str]) -> list[str]:
    listed = targets.split(",") if isinstance(targets, str) else targets
    return [name.strip() for name in listed if name.strip()]


def _read_trace_file(player: str) -> TraceFile | None:
    kind, _, path = player.partition(":")
    if kind == "replay" and path:
        return TraceFile.read(path)
    if player != "human":
        raise ValueError(f'player is {player!r}: it must be "human", or "replay:FILE" with the path of an EvalSet.')
    return None
