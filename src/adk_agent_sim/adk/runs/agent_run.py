"""Runs one agent in one ADK session and records it in one session on a timeline.

`Simulation` and the server build on this. It does not know who makes the decisions.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import aclosing, suppress
from dataclasses import replace
from typing import Any
from uuid import uuid4

from google.adk.agents.run_config import RunConfig
from google.adk.apps import App
from google.adk.events import Event as AdkEvent
from google.adk.platform.uuid import new_uuid
from google.adk.runners import Runner
from google.adk.sessions import Session
from google.adk.workflow import BaseNode
from google.genai import types

from adk_agent_sim.adk.compat import create_invocation_context, hide_explained_failures, hide_player_warnings
from adk_agent_sim.adk.environment.environment_factory import EnvironmentSource, RunEnvironment
from adk_agent_sim.adk.players.session_player import RunListener, SessionPlayer
from adk_agent_sim.adk.players.turn_player import is_model_played
from adk_agent_sim.adk.runs.briefing import (
    AgentBriefing,
    build_briefing,
    explain_missing_key,
    find_missing_keys,
    is_explained,
)
from adk_agent_sim.adk.runs.recorded_session import RecordedSession
from adk_agent_sim.adk.runs.run_app import add_run_plugins, to_app
from adk_agent_sim.adk.runs.run_task import RunTask, unwrap_failure
from adk_agent_sim.adk.runs.session_storage import RunnerServices, SessionStorage, create_memory_service
from adk_agent_sim.adk.runs.state_editing import edit_state, repeat_edit
from adk_agent_sim.adk.seats.seat_plugin import SeatPlugin
from adk_agent_sim.adk.time_travel.replay_link import ReplayLink
from adk_agent_sim.adk.time_travel.run_replay import RunReplay
from adk_agent_sim.adk.time_travel.session_restore import KnownEvents, RestoredSession
from adk_agent_sim.environment.environment import Environment
from adk_agent_sim.errors import InvalidTransition, SessionClosed, SessionNotFound
from adk_agent_sim.text.escaped_logging import get_logger
from adk_agent_sim.timeline.events import AgentEvent, Player, RunOutcome
from adk_agent_sim.timeline.timeline import Timeline

DEFAULT_USER_ID = "user"

_log = get_logger(__name__)


class AgentRun:
    """Runs an agent with seats for its models and tools."""

    def __init__(
        self,
        agent: BaseNode | App,
        timeline: Timeline,
        *,
        player: SessionPlayer = Player.HUMAN,
        state: Mapping[str, Any] | None = None,
        user_id: str = DEFAULT_USER_ID,
        run_config: RunConfig | None = None,
        environment: EnvironmentSource | None = None,
        services: RunnerServices | None = None,
        continued: AgentRun | None = None,
    ) -> None:
        """Prepare a run; nothing is opened before `open`.

        Args:
            agent: The agent or workflow, or an App with its plugins, which is not modified.
            timeline: Where the session is recorded.
            player: Who plays the models.
            state: The initial session state.
            user_id: The ADK user id.
            run_config: ADK's settings for the runs.
            environment: How tools are simulated; by default by the app's own environment plugin, if it has one.
            services: The services of the user's; by default all are in memory.
            continued: The run whose session this one continues after an undo, with its simulated environment.
        """
        self.app = to_app(agent)
        self.timeline = timeline
        self.events: list[AdkEvent] = []
        """The ADK events so far, including the user's."""
        self.known_events = KnownEvents()
        """The ADK events by their ids on the timeline."""
        self._run_count = 0
        self.on_change: Callable[[], None] = lambda: None
        """Called when a turn begins to wait for a person, and when a run ends."""
        self._player = player
        self._state = dict(state or {})
        self._user_id = user_id
        self._run_config = run_config
        self._environment_source = environment
        self._seat_plugin = SeatPlugin(name=f"adksim_seats_{uuid4().hex[:8]}")
        self.run_environment = RunEnvironment(self.app, environment, continued.run_environment if continued else None)
        services = services or RunnerServices()
        # What an agent put into its memory is still there after an undo, and in a fork.
        self._services = replace(services, memory=services.memory or create_memory_service())
        continued_id = continued.storage.session_id if continued else None
        self.storage = SessionStorage(
            self._services, app_name=self.app.name, user_id=user_id, continued_id=continued_id
        )
        """The ADK session in its services."""
        self._runner = Runner(
            app=add_run_plugins(self.app, [self._seat_plugin, self.run_environment.plugin], player),
            session_service=self.storage.session_service,
            artifact_service=self.storage.artifact_service,
            memory_service=self._services.memory,
        )
        self._task = RunTask(self.name, self._notify_change)
        self._recorded_session: RecordedSession | None = None
        self._closed = False
        self._is_starting = False
        self._link = ReplayLink(timeline)

    @property
    def recorded_session(self) -> RecordedSession:
        """The session on the timeline; raises InvalidTransition before `open`."""
        if self._recorded_session is None:
            raise self._build_not_open_error()
        return self._recorded_session

    @property
    def root_agent(self) -> BaseNode:
        """The agent or workflow that runs."""
        assert self.app.root_agent is not None  # noqa: S101 - an App cannot be created without one
        return self.app.root_agent

    @property
    def name(self) -> str:
        """The name of the root agent."""
        return self.root_agent.name

    @property
    def environment(self) -> Environment:
        """The simulated environment of the session: its rules and faults, to be shown and changed."""
        if self.run_environment.adk_session is None:
            raise self._build_not_open_error()
        return self.run_environment.get(self.run_environment.adk_session)

    async def record_profile_switch(self) -> None:
        """Record now that the profile of the rules was switched; otherwise the next call does, or the next message."""
        if switched := self.run_environment.build_switch_event():
            await self.recorded_session.record_profile_switch(switched)

    async def open(self, description: str = "") -> None:
        """Create the ADK session and the session on the timeline; raise InvalidTransition if that was done before."""
        if self._recorded_session is not None:
            raise InvalidTransition(f"The simulation of {self.name!r} is already open.")
        adk_session = await self.storage.create(self._state)
        session = await self.timeline.create_session(description=description or self.name, session_id=new_uuid())
        recorded_session = self._bind(adk_session, session.session_id)
        await recorded_session.record_agent_joined(adk_session)
        await recorded_session.listen_for_cancel()

    def create_copy(self, player: SessionPlayer, *, continues: bool = False) -> AgentRun:
        """Create a run of the same agent with the same settings, to be restored.

        Args:
            player: Who plays the models.
            continues: Whether it takes this one's place in its session.
        """
        return AgentRun(
            self.app,
            self.timeline,
            player=player,
            user_id=self._user_id,
            run_config=self._run_config,
            environment=self._environment_source,
            services=self._services,
            continued=self if continues else None,
        )

    async def take_snapshot(self) -> RestoredSession:
        """Return the ADK session as it is now, between two runs; its events are not copied."""
        return RestoredSession(
            state=await self.storage.read_state(),
            events=await self.storage.read_events(),
            reported_events=list(self.events),
            artifacts=await self.storage.read_artifacts(),
            known_events=KnownEvents(
                by_id=dict(self.known_events.by_id), user_events=dict(self.known_events.user_events)
            ),
            run_count=self._run_count,
        )

    async def restore(self, restored: RestoredSession, session_id: str) -> None:
        """Continue a session that is or will be on the timeline, instead of opening a new one; nothing is recorded."""
        adk_session = await self.storage.restore(restored.state, restored.events, restored.artifacts)
        if (key := self.storage.continued_key) is not None:
            self.run_environment.plugin.continue_session(key, adk_session)
        self.events = list(restored.reported_events)
        self.known_events = restored.known_events
        self._run_count = restored.run_count
        recorded_session = self._bind(adk_session, session_id)
        if isinstance(self._player, RunListener):
            self._player.handle_session_start(adk_session)
        recorded_session.adk_session = adk_session

    def _bind(self, adk_session: Session, session_id: str) -> RecordedSession:
        """Bind the ADK session to its session on the timeline."""
        self.run_environment.adk_session = adk_session
        self._link = ReplayLink(self.timeline)
        recorded = RecordedSession(self._link, session_id, self._player, clock=self.timeline.clock)
        self._recorded_session = recorded
        recorded.on_turn_pending = self._notify_change
        self._seat_plugin.bind(adk_session, recorded)
        return recorded

    async def replay(self, replay: RunReplay, message: types.Content) -> str:
        """Run the agent on a recorded message again, up to the first model call without a recorded decision.

        Returns:
            How it differs from what was recorded; empty if it does not.
        """
        self.recorded_session.replay = self._link.replay = replay
        replay.repeat_edit = self._repeat_edit
        await self.start(message)
        waiting = asyncio.ensure_future(replay.wait())
        await self._task.wait_for(waiting)
        if not waiting.done():
            replay.fail("the run ended before the turn")
        by_id = self.known_events.by_id
        by_id.update((old, by_id[new]) for old, new in replay.repeated_ids.items() if new in by_id)
        return await waiting

    async def discard(self) -> None:
        """Stop the run without recording anything more; the session on the timeline stays open.

        Its ADK session is removed from services of the user's: that of another run has taken its place.
        """
        self._closed = True
        self._link.mute()
        await self.stop()
        self._seat_plugin.release_seats()
        try:
            await self.storage.remove()
        except Exception as error:  # noqa: BLE001 - a service of the user's may raise anything; the other run goes on
            _log.warning("The ADK session %s could not be removed from its service: %s", self.storage.session_id, error)

    def mute(self) -> None:
        """Record nothing more: another run continues the session."""
        self._link.mute()

    async def stop(self) -> bool:
        """Cancel the current run; the session continues with the next message. Return False if nothing is running."""
        return await self._task.stop()

    async def close(self, *, release: bool = True, reason: str = "the simulation was closed") -> None:
        """Stop the current run and close the session on the timeline.

        Args:
            release: Also release the agent's resources, such as connections. Pass False while other sessions of the
                same agent are open.
            reason: Why, as the timeline says it.
        """
        self._closed = True
        await self.stop()
        self._seat_plugin.release_seats()
        if release:
            await self._runner.close()
        if self._recorded_session is not None:
            with suppress(SessionClosed, SessionNotFound):
                await self.record_profile_switch()
            await self.timeline.close_session(self._recorded_session.session_id, reason)

    @property
    def is_running(self) -> bool:
        """Whether the agent is working on a message."""
        return self._task.is_running

    async def start(self, message: types.Content) -> None:
        """Run the agent on a user message, in a task of its own; raise InvalidTransition if it is still running."""
        session = self.recorded_session
        self._check_not_closed()
        if self.is_running or self._is_starting:
            raise InvalidTransition("The agent is still working on the last message. Decide its pending turns first.")
        self._is_starting = True
        try:
            await self.record_profile_switch()
            await session.record_user_message(message)
        finally:
            self._is_starting = False
        self._check_not_closed()  # close() may have been called while the message was being written
        # ADK copies all events of the session for each run: the last copy must not be held while it makes the next one.
        session.adk_session = None
        self._run_count += 1
        self._task.start(self._run_agent(message))

    def get_failure(self) -> BaseException | None:
        """Return the exception that ended the last run; None if it is running or ended normally."""
        return self._task.get_failure()

    async def get_state(self) -> Mapping[str, Any]:
        """Return the current session state."""
        return dict(await self.storage.read_state())

    async def edit_state(self, changes: Mapping[str, Any]) -> None:
        """Set keys of the session state between two runs, or while a turn waits; the edit is on the timeline.

        Raises:
            InvalidTransition: A run waits for no decision, or nothing or something that cannot be set is to be set.
        """
        session, running = self.recorded_session, self.root_agent if self.is_running else None
        self._check_not_closed()
        if self._is_starting:
            raise InvalidTransition("A message is being sent, or the state edited: try again when that is done.")
        self._is_starting = True
        try:
            self._keep_edit(await edit_state(self.storage, session, changes, running=running))
        finally:
            self._is_starting = False

    async def _repeat_edit(self, edit: AgentEvent) -> None:
        self._keep_edit(await repeat_edit(self.storage, self.recorded_session, edit))

    def _keep_edit(self, event: AdkEvent) -> None:
        self.events.append(event)
        self.known_events.by_id[event.id] = event

    async def find_missing_keys(self) -> list[str]:
        """Return the keys that instructions need and the session state does not have."""
        return find_missing_keys(self.root_agent, await self.storage.read_state())

    async def get_briefing(self) -> AgentBriefing:
        """Return the agent's instruction and tools, as they are before its first turn."""
        session = await self.storage.load()
        if session is None:
            raise self._build_not_open_error()
        return await build_briefing(self.root_agent, create_invocation_context(self._runner, session))

    async def _run_agent(self, message: types.Content) -> None:
        """Run the agent on a message and record the events it emits and how the run ends."""
        invocation_id = ""
        stop_hiding = [hide_player_warnings(is_model_played), hide_explained_failures(is_explained)]
        try:
            async with aclosing(
                self._runner.run_async(
                    user_id=self._user_id,
                    session_id=self.storage.session_id,
                    new_message=message,
                    run_config=self._run_config,
                    yield_user_message=True,
                )
            ) as events:
                async for event in events:
                    invocation_id = event.invocation_id
                    await self.record_event(event)
        except asyncio.CancelledError:
            await self.recorded_session.record_run_ended(invocation_id, RunOutcome.CANCELLED)
            raise
        except Exception as error:
            missing = explain_missing_key(error, self.root_agent, await self.storage.read_state())
            failure = missing or unwrap_failure(error)
            await self.recorded_session.record_run_ended(invocation_id, RunOutcome.FAILED, failure)
            if missing is not None:
                raise missing from error
            raise
        finally:
            for stop in stop_hiding:
                stop()
            self.recorded_session.replay = None
        await self.recorded_session.record_run_ended(invocation_id, RunOutcome.DONE)

    async def record_event(self, event: AdkEvent) -> None:
        """Record an event of the ADK session: one that the runner emits, or one that was added beside it."""
        self.events.append(event)
        if event.author == "user":
            self.known_events.user_events.setdefault(self._run_count - 1, event)
        else:
            self.known_events.by_id[event.id] = event
        if event.author == "user" or event.partial:
            return
        await self.recorded_session.record_agent_event(event)
        for filename, version in event.actions.artifact_delta.items():
            await self.recorded_session.record_artifact(
                event, filename, version, await self.storage.load_artifact(filename, version)
            )

    def _check_not_closed(self) -> None:
        if self._closed:
            raise InvalidTransition(f"The simulation of {self.name!r} is closed. Open a new one to continue.")

    def _build_not_open_error(self) -> InvalidTransition:
        return InvalidTransition(f"The simulation of {self.name!r} is not open: use `async with`, or await start().")

    def _notify_change(self) -> None:
        self.on_change()
