"""`SimulatorPlugin`: lets people at a simulator server answer the model calls of agents in this process.

App(name="shop", root_agent=root_agent, plugins=[SimulatorPlugin()])

agent --> seats --> outbox (a thread) --> server --> a person in the browser
"""

from __future__ import annotations

import asyncio
import os
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from google.adk.agents import BaseAgent
from google.adk.agents.callback_context import CallbackContext
from google.adk.agents.invocation_context import InvocationContext
from google.adk.events import Event as AdkEvent
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.plugins import BasePlugin
from google.adk.sessions import Session
from google.adk.tools import BaseTool, ToolContext
from google.adk.workflow import BaseNode
from google.genai import types

from adk_agent_sim.adk.compat import hide_player_warnings
from adk_agent_sim.adk.loading.agent_tree import collect_agent_names
from adk_agent_sim.adk.players.players import create_player_factory, needs_no_server
from adk_agent_sim.adk.players.session_player import Fallback, ModelFunction, PlayPolicy, SessionPlayer
from adk_agent_sim.adk.players.turn_player import is_model_played
from adk_agent_sim.adk.runs.recorded_session import RecordedSession
from adk_agent_sim.adk.seats import tool_seat
from adk_agent_sim.adk.seats.seat_plugin import SeatPlugin, SessionKey, get_session_key
from adk_agent_sim.adk.time_travel.process_restarts import SessionRestarter
from adk_agent_sim.adk.time_travel.replay_link import ReplaceableLink
from adk_agent_sim.adk.time_travel.restart_input import RestartFunction
from adk_agent_sim.link.channel import load_credentials
from adk_agent_sim.link.link import Link
from adk_agent_sim.link.outbox import DiscardingOutbox, Outbox
from adk_agent_sim.text.escaped_logging import get_logger
from adk_agent_sim.text.terminal_output import print_line
from adk_agent_sim.timeline.events import Player, RunOutcome

SERVER_URL_VARIABLE = "ADK_SIM_SERVER_URL"
TARGET_AGENTS_VARIABLE = "ADK_SIM_TARGET_AGENTS"
DEFAULT_SERVER_URL = "localhost:50051"

MAX_IDLE_SESSIONS = 1_000
"""How many sessions without a running invocation are kept. An evicted one gets a new session on the timeline."""

_FLUSH_TIMEOUT = 5.0
"""Seconds that `close` waits for events that have not been sent yet."""

_log = get_logger(__name__)


@dataclass(kw_only=True)
class _ActiveInvocation:
    """A running invocation."""

    recorded_session: RecordedSession
    session: Session
    stop_listening: Callable[[], None]
    stop_watching: Callable[[], None]
    stop_hiding: Callable[[], None]
    """Shows ADK's warnings about played models again."""
    pending_event: AdkEvent | None = None
    """The last emitted event. Later plugins may still change it, so it is recorded only when the next thing happens."""


class SimulatorPlugin(SeatPlugin):
    """Lets people at a simulator server answer the model calls of this process's agents.

    Only the targeted agents are played. The others call their own model; they are recorded, and never wait for the
    server. Put it first in an App's plugins, or start `adk web --extra_plugins adk_agent_sim.SimulatorPlugin`.
    """

    def __init__(
        self,
        server_url: str | None = None,
        target_agents: str | Iterable[str] | None = None,
        session_description: str | None = None,
        *,
        player: str | ModelFunction = "human",
        deadline: float | None = None,
        on_deadline: Fallback = "error",
        on_unreachable: Fallback = "error",
        connect_timeout: float = 5.0,
        token: str | None = None,
        ca_file: str | Path | None = None,
        restart: RestartFunction | None = None,
        name: str = "adksim_simulator",
    ) -> None:
        """Create the plugin; nothing is sent before an agent runs.

        Args:
            server_url: The server's gRPC address; by default ADK_SIM_SERVER_URL, or else localhost:50051. A recording
                that plays, or is made, needs no server: without an address, none is looked for.
            target_agents: The names of the agents to play, a comma-separated text or a list; by default
                ADK_SIM_TARGET_AGENTS, or else all agents.
            session_description: The name of the sessions in the browser; by default the app's name.
            player: Who plays: "human", "replay:FILE" for a recording (an EvalSet, a fixture of `adk test`, an ADK
                session, a timeline, a model cassette), "record:FILE" to record the agent's own model to a cassette,
                "real" to only record it on the timeline, or a function from the request to the response.
            deadline: How many seconds a turn waits for a person; by default without limit.
            on_deadline: What to do then: call the agent's own model ("real_model") or fail the run ("error").
            on_unreachable: The same for a server that does not answer.
            connect_timeout: How many seconds a session's first model call waits for a server that has never answered.
            token: The server's token; by default ADK_SIM_TOKEN, or else the one that a server of the same user on this
                machine has left in the user's data directory.
            ca_file: The certificates of the authorities to trust, as a PEM file, for an https:// address; by default
                ADK_SIM_CA_FILE, or else the usual ones.
            restart: Runs a session of this process again, so that people at the server can undo, redo and fork; for
                example `lambda session: session.run(runner)`. It gets a `SessionRestart`.
            name: The plugin's name in ADK.

        Raises:
            InvalidPlayer: There is no such player.
            ServerUnreachable: The address is invalid, or the CA file cannot be read.
            ImportRefused: The file of a replay is not a recording, or that of a cassette is something else.
            InvalidCassetteMode: ADK_SIM_CASSETTE has a value that means nothing.
        """
        super().__init__(name=name)
        targets = _read_target_agents(target_agents)
        self._policy = PlayPolicy(
            targets=targets, deadline=deadline, on_deadline=on_deadline, on_unreachable=on_unreachable
        )
        self._description = session_description
        self._create_player = create_player_factory(player)
        self._outbox = _create_outbox(server_url, player, connect_timeout, token, ca_file)
        outbox = self._outbox
        self._restarter = SessionRestarter(restart, outbox, self) if restart and isinstance(outbox, Outbox) else None
        self._active_invocations: dict[str, _ActiveInvocation] = {}
        self._idle_sessions: OrderedDict[SessionKey, RecordedSession] = OrderedDict()
        self._ending_tasks: set[asyncio.Future[None]] = set()
        self._recorded_invocation_ids: set[str] = set()
        self._seen_agent_names: set[str] = set()
        self._has_warned = False

    async def on_user_message_callback(
        self, *, invocation_context: InvocationContext, user_message: types.Content
    ) -> types.Content | None:
        """Record the user message, unless it is the input of an agent that is used as a tool."""
        if tool_seat.ENCLOSING_CALL.get() is None:
            await self._record_user_message(invocation_context, user_message)
        return None

    async def before_run_callback(self, *, invocation_context: InvocationContext) -> types.Content | None:
        """Register the invocation, and cancel its calls when a person asks for that."""
        if tool_seat.ENCLOSING_CALL.get() is None:
            recorded = await self._get_or_create_session(invocation_context.session)
            if (
                invocation_context.user_content is not None
                and invocation_context.invocation_id not in self._recorded_invocation_ids
            ):
                # An earlier plugin replaced the message, so ADK did not call on_user_message_callback of later ones.
                await self._record_user_message(invocation_context, invocation_context.user_content)
            self._recorded_invocation_ids.discard(invocation_context.invocation_id)
            self._active_invocations[invocation_context.invocation_id] = _ActiveInvocation(
                recorded_session=recorded,
                session=invocation_context.session,
                stop_listening=await recorded.listen_for_cancel(),
                stop_watching=self._watch_for_cancellation(invocation_context.invocation_id),
                stop_hiding=hide_player_warnings(is_model_played),
            )
            if self._restarter is not None:
                root, recorded.app_plugins = _get_app(invocation_context)
                recorded.session_service = invocation_context.session_service
                self._restarter.add_app(recorded, root)
            self._idle_sessions.pop(get_session_key(invocation_context.session), None)
            self._warn_unknown_targets(collect_agent_names(invocation_context.agent))
        return None

    async def before_agent_callback(
        self, *, agent: BaseAgent, callback_context: CallbackContext
    ) -> types.Content | None:
        """Install a seat in the agent."""
        self._seen_agent_names.add(agent.name)
        return await super().before_agent_callback(agent=agent, callback_context=callback_context)

    async def before_model_callback(
        self, *, callback_context: CallbackContext, llm_request: LlmRequest
    ) -> LlmResponse | None:
        """Set the player of the model call."""
        await self._record_pending_event(callback_context.invocation_id)
        return await super().before_model_callback(callback_context=callback_context, llm_request=llm_request)

    async def before_tool_callback(
        self, *, tool: BaseTool, tool_args: dict[str, Any], tool_context: ToolContext
    ) -> dict[str, Any] | None:
        """Install a seat in the tool."""
        await self._record_pending_event(tool_context.invocation_id)
        return await super().before_tool_callback(tool=tool, tool_args=tool_args, tool_context=tool_context)

    async def on_event_callback(self, *, invocation_context: InvocationContext, event: AdkEvent) -> AdkEvent | None:
        """Keep the event until the other plugins have seen, and possibly changed, it."""
        await self._record_pending_event(invocation_context.invocation_id)
        run = self._active_invocations.get(invocation_context.invocation_id)
        if run is not None and not event.partial and event.author != "user":
            run.pending_event = event
            await self._record_artifacts(run.recorded_session, invocation_context, event)
        return None

    async def after_run_callback(self, *, invocation_context: InvocationContext) -> None:
        """Record that the run ended."""
        await self._end_invocation(invocation_context, RunOutcome.DONE)

    async def on_run_error_callback(self, *, invocation_context: InvocationContext, error: Exception) -> None:
        """Record that the run failed."""
        await self._end_invocation(invocation_context, RunOutcome.FAILED, error)

    async def close(self) -> None:
        """Wait a short time for events that have not been sent yet."""
        if self._bound_sessions and not await self._outbox.flush(_FLUSH_TIMEOUT):
            _log.warning("Not all events could be sent to the simulator server at %s.", self._outbox.url)

    async def _record_user_message(self, context: InvocationContext, message: types.Content) -> None:
        self._recorded_invocation_ids.add(context.invocation_id)
        recorded = await self._get_or_create_session(context.session)
        await recorded.record_user_message(message)

    async def _get_or_create_session(self, session: Session) -> RecordedSession:
        """Return the recorded session of an ADK session; the first time, open one on the timeline."""
        known = self._bound_sessions.get(get_session_key(session))
        if known is not None:
            known.apply_shared_state(session)
            return known
        session_id = self._outbox.open_session(self._description or session.app_name, self._print_session_url)
        link = self._outbox if self._restarter is None else ReplaceableLink(self._outbox)
        recorded = _create_recorded_session(link, session_id, self._create_player(), self._policy)
        self.bind(session, recorded)
        await recorded.record_agent_joined(session)
        if self._restarter is not None:
            self._restarter.offer(get_session_key(session), recorded)
        return recorded

    def bind_restarted(self, key: SessionKey, session_id: str) -> RecordedSession:
        """Return a new recorded session for an ADK session that is about to be created; a person plays its models."""
        recorded = _create_recorded_session(ReplaceableLink(self._outbox), session_id, Player.HUMAN, self._policy)
        self._bound_sessions[key] = recorded
        return recorded

    def is_running(self, key: SessionKey) -> bool:
        """Return whether an invocation of an ADK session is running."""
        return any(get_session_key(run.session) == key for run in self._active_invocations.values())

    def retire(self, key: SessionKey) -> None:
        """Forget an ADK session as soon as no invocation of it is running: another one has its session."""
        if not self.is_running(key):
            self.unbind(key)
            self._idle_sessions.pop(key, None)

    def _print_session_url(self, url: str) -> None:
        location = url or f"on the server at {self._outbox.url}"
        print_line(f"Simulator session: {location}", err=True)

    async def _record_pending_event(self, invocation_id: str) -> None:
        """Record the last emitted event as it was added to the ADK session."""
        run = self._active_invocations.get(invocation_id)
        if run is None or run.pending_event is None:
            return
        emitted, run.pending_event = run.pending_event, None
        stored = next((event for event in reversed(run.session.events) if event.id == emitted.id), emitted)
        await run.recorded_session.record_agent_event(stored)

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
            await recorded_session.record_artifact(event, filename, version, part)

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
        invocation.stop_hiding()
        await invocation.recorded_session.record_run_ended(invocation_id, outcome, error)
        link = invocation.recorded_session.base_link
        if isinstance(link, ReplaceableLink) and link.is_replaced:
            self.retire(get_session_key(invocation.session))
        else:
            self._mark_idle(get_session_key(invocation.session), invocation.recorded_session)

    def _watch_for_cancellation(self, invocation_id: str) -> Callable[[], None]:
        """Record the end of a run that is cancelled, which ADK reports to no plugin.

        The run has been cancelled if its task ends while the invocation is still registered.
        """
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
        """Keep a session that is not running, and evict the one that has been idle for longest."""
        self._idle_sessions[key] = recorded_session
        if len(self._idle_sessions) > MAX_IDLE_SESSIONS:
            evicted_key, evicted = self._idle_sessions.popitem(last=False)
            self.unbind(evicted_key)
            if self._restarter is not None:
                self._restarter.withdraw(evicted.session_id)
            self._outbox.release_session(evicted.session_id)

    def _warn_unknown_targets(self, known_names: Iterable[str]) -> None:
        """Warn once about targets that are not agents, because their turns would silently go to the real model."""
        names = {*known_names}
        unknown = sorted(self._policy.targets - names)
        if unknown and names and not self._has_warned:
            self._has_warned = True
            _log.warning(
                "No agent is named %s. The agents seen so far are: %s.",
                ", ".join(map(repr, unknown)),
                ", ".join(sorted(names)),
            )


def _get_app(context: InvocationContext) -> tuple[BaseNode | None, Sequence[BasePlugin]]:
    """Return the root agent and the plugins of the app that runs."""
    agent = context.agent
    return agent.root_agent if isinstance(agent, BaseAgent) else agent, context.plugin_manager.plugins


def _create_recorded_session(link: Link, session_id: str, player: SessionPlayer, policy: PlayPolicy) -> RecordedSession:
    recorded = RecordedSession(link, session_id, player, policy=policy)

    async def record_cancellation(invocation_id: str) -> None:
        await recorded.record_run_ended(invocation_id, RunOutcome.CANCELLED)

    recorded.on_turn_cancelled = record_cancellation
    recorded.on_waiting_for_human = _log_waiting
    return recorded


def _log_waiting(agent_name: str) -> None:
    _log.warning("Waiting for human input for agent: '%s'", agent_name)


def _read_target_agents(target_agents: str | Iterable[str] | None) -> frozenset[str]:
    targets = target_agents if target_agents is not None else os.environ.get(TARGET_AGENTS_VARIABLE, "")
    names = targets.split(",") if isinstance(targets, str) else targets
    return frozenset(name.strip() for name in names if name.strip())


def _create_outbox(
    server_url: str | None,
    player: str | ModelFunction,
    connect_timeout: float,
    token: str | None,
    ca_file: str | Path | None,
) -> Outbox | DiscardingOutbox:
    url = server_url or os.environ.get(SERVER_URL_VARIABLE)
    if url is None and needs_no_server(player):
        return DiscardingOutbox()
    url = url or DEFAULT_SERVER_URL
    return Outbox(url, connect_timeout=connect_timeout, credentials=load_credentials(url, token, ca_file))
