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
from adk_agent_sim.adk.plugin import SeatPlugin, SessionKey, session_key
from adk_agent_sim.adk.seated import Scripted, SeatedSession
from adk_agent_sim.adk.terms import Otherwise, Terms
from adk_agent_sim.adk.trace_player import TracePlayer, Traces
from adk_agent_sim.adk.tree import agent_names
from adk_agent_sim.link.outbox import Outbox
from adk_agent_sim.timeline.events import Outcome, Player

SERVER_URL = "ADK_SIM_SERVER_URL"
TARGET_AGENTS = "ADK_SIM_TARGET_AGENTS"
DEFAULT_URL = "localhost:50051"

MOST_IDLE = 1_000
"""How many sessions that do not run are remembered; one that was forgotten begins anew on the timeline."""

_FLUSH = 5.0
"""Seconds that closing waits for what is not sent yet."""

_log = logging.getLogger(__name__)


@dataclass(kw_only=True)
class _Run:
    """An invocation that runs."""

    seated: SeatedSession
    session: Session
    stop_obeying: Callable[[], None]
    stop_watching: Callable[[], None]
    emitted: AdkEvent | None = None
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
        on_deadline: Otherwise = "error",
        on_unreachable: Otherwise = "error",
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
        named = target_agents if target_agents is not None else os.environ.get(TARGET_AGENTS, "")
        self._terms = Terms(
            targets=frozenset(_names(named)),
            deadline=deadline,
            on_deadline=on_deadline,
            on_unreachable=on_unreachable,
        )
        self._description = session_description
        self._traces = _traces(player)
        self._outbox = Outbox(server_url or os.environ.get(SERVER_URL) or DEFAULT_URL, connect_timeout=connect_timeout)
        self._runs: dict[str, _Run] = {}
        self._idle: OrderedDict[SessionKey, SeatedSession] = OrderedDict()
        self._endings: set[asyncio.Future[None]] = set()
        self._heard: set[str] = set()
        self._seen: set[str] = set()
        self._warned = False

    async def on_user_message_callback(
        self, *, invocation_context: InvocationContext, user_message: types.Content
    ) -> types.Content | None:
        """Record what the user says."""
        if tool_seat.INSIDE.get() is None:
            await self._hear(invocation_context, user_message)
        return None

    async def before_run_callback(self, *, invocation_context: InvocationContext) -> types.Content | None:
        """A run begins: what a person cancels in it is cancelled."""
        if tool_seat.INSIDE.get() is None:
            seated = await self._joined(invocation_context.session)
            if invocation_context.user_content is not None and invocation_context.invocation_id not in self._heard:
                # Another plugin has changed the message, and ADK has asked no further one.
                await self._hear(invocation_context, invocation_context.user_content)
            self._heard.discard(invocation_context.invocation_id)
            self._runs[invocation_context.invocation_id] = _Run(
                seated=seated,
                session=invocation_context.session,
                stop_obeying=await seated.obey(),
                stop_watching=self._watch(invocation_context.invocation_id),
            )
            self._idle.pop(session_key(invocation_context.session), None)
            self._check_names(agent_names(invocation_context.agent))
        return None

    async def before_agent_callback(
        self, *, agent: BaseAgent, callback_context: CallbackContext
    ) -> types.Content | None:
        """Put a seat into the agent."""
        self._seen.add(agent.name)
        return await super().before_agent_callback(agent=agent, callback_context=callback_context)

    async def before_model_callback(
        self, *, callback_context: CallbackContext, llm_request: LlmRequest
    ) -> LlmResponse | None:
        """Say who plays."""
        await self._settle(callback_context.invocation_id)
        return await super().before_model_callback(callback_context=callback_context, llm_request=llm_request)

    async def before_tool_callback(
        self, *, tool: BaseTool, tool_args: dict[str, Any], tool_context: ToolContext
    ) -> dict[str, Any] | None:
        """Put a seat into the tool."""
        await self._settle(tool_context.invocation_id)
        return await super().before_tool_callback(tool=tool, tool_args=tool_args, tool_context=tool_context)

    async def on_event_callback(self, *, invocation_context: InvocationContext, event: AdkEvent) -> AdkEvent | None:
        """Remember what is emitted, until it is as the other plugins leave it."""
        await self._settle(invocation_context.invocation_id)
        run = self._runs.get(invocation_context.invocation_id)
        if run is not None and not event.partial and event.author != "user":
            run.emitted = event
            await self._artifacts(run.seated, invocation_context, event)
        return None

    async def after_run_callback(self, *, invocation_context: InvocationContext) -> None:
        """The run is over."""
        await self._end(invocation_context, Outcome.DONE)

    async def on_run_error_callback(self, *, invocation_context: InvocationContext, error: Exception) -> None:
        """The run failed."""
        await self._end(invocation_context, Outcome.FAILED, error)

    async def close(self) -> None:
        """Wait a little for what is not sent yet."""
        if self._bound and not await self._outbox.flush(_FLUSH):
            _log.warning("The simulator server at %s has not taken everything.", self._outbox.url)

    async def _hear(self, context: InvocationContext, message: types.Content) -> None:
        self._heard.add(context.invocation_id)
        seated = await self._joined(context.session)
        if isinstance(seated.player, TracePlayer):
            seated.player.hear(message)
        await seated.user_spoke(message)

    async def _joined(self, session: Session) -> SeatedSession:
        """The seats of an ADK session; it gets its session on the timeline when it is first seen."""
        known = self._bound.get(session_key(session))
        if known is not None:
            return known
        session_id = self._outbox.open_session(self._description or session.app_name, self._tell)
        player = TracePlayer(self._traces) if self._traces is not None else Player.HUMAN
        seated = _seated(self._outbox, session_id, player, self._terms)
        self.bind(session, seated)
        await seated.joined(session)
        return seated

    def _tell(self, url: str) -> None:
        where = url or f"on the server at {self._outbox.url}"
        print(f"Simulator session: {where}", file=sys.stderr, flush=True)

    async def _settle(self, invocation_id: str) -> None:
        """Record the event that was emitted last, as it went into the ADK session."""
        run = self._runs.get(invocation_id)
        if run is None or run.emitted is None:
            return
        emitted, run.emitted = run.emitted, None
        kept = next((event for event in reversed(run.session.events) if event.id == emitted.id), emitted)
        await run.seated.agent_event(kept)

    async def _artifacts(self, seated: SeatedSession, context: InvocationContext, event: AdkEvent) -> None:
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
            await seated.artifact(event.author, filename, version, part)

    async def _end(self, context: InvocationContext, outcome: Outcome, error: Exception | None = None) -> None:
        await self._settle(context.invocation_id)
        run = self._runs.pop(context.invocation_id, None)
        if run is None:
            return
        run.stop_watching()
        await self._ended(context.invocation_id, run, outcome, error)
        self._check_names(self._seen)

    async def _ended(self, invocation_id: str, run: _Run, outcome: Outcome, error: Exception | None = None) -> None:
        run.stop_obeying()
        await run.seated.run_ended(invocation_id, outcome, error)
        self._rest(session_key(run.session), run.seated)

    def _watch(self, invocation_id: str) -> Callable[[], None]:
        """Notice a run that is cancelled, of which ADK tells no plugin: the task that runs it ends before it."""
        task = asyncio.current_task()
        if task is None:
            return lambda: None

        def left(_: object) -> None:
            if run := self._runs.pop(invocation_id, None):
                ending = asyncio.ensure_future(self._ended(invocation_id, run, Outcome.CANCELLED))
                self._endings.add(ending)
                ending.add_done_callback(self._endings.discard)

        def stop() -> None:
            task.remove_done_callback(left)

        task.add_done_callback(left)
        return stop

    def _rest(self, key: SessionKey, seated: SeatedSession) -> None:
        """Remember a session that does not run, and forget the one that has not run for longest."""
        self._idle[key] = seated
        if len(self._idle) > MOST_IDLE:
            forgotten, old = self._idle.popitem(last=False)
            self.unbind(forgotten)
            self._outbox.forget(old.session_id)

    def _check_names(self, known: Iterable[str]) -> None:
        """Warn, once, of targets that are no agents: their turns would go to the real model without a word."""
        names = {*known}
        unknown = sorted(self._terms.targets - names)
        if unknown and names and not self._warned:
            self._warned = True
            _log.warning(
                "No agent is named %s; the agents seen are: %s.",
                ", ".join(map(repr, unknown)),
                ", ".join(sorted(names)),
            )


def _seated(outbox: Outbox, session_id: str, player: Player | Scripted, terms: Terms) -> SeatedSession:
    seated = SeatedSession(outbox, session_id, player, terms=terms)

    async def cancelled(invocation_id: str) -> None:
        await seated.run_ended(invocation_id, Outcome.CANCELLED)

    seated.on_cancelled = cancelled
    seated.on_waiting = _say_waiting
    return seated


def _say_waiting(agent_name: str) -> None:
    _log.warning("Waiting for human input for agent: '%s'", agent_name)


def _names(named: str | Iterable[str]) -> list[str]:
    listed = named.split(",") if isinstance(named, str) else named
    return [name.strip() for name in listed if name.strip()]


def _traces(player: str) -> Traces | None:
    kind, _, path = player.partition(":")
    if kind == "replay" and path:
        return Traces.read(path)
    if player != "human":
        raise ValueError(f'player is {player!r}: it must be "human", or "replay:FILE" with the path of an EvalSet.')
    return None
