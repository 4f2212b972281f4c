"""Runs one agent in one ADK session and records it in one session on a timeline.

`Simulation` and the server build on this. It does not know who makes the decisions.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import aclosing
from typing import Any
from uuid import uuid4

from google.adk.agents.run_config import RunConfig
from google.adk.apps import App
from google.adk.artifacts import InMemoryArtifactService
from google.adk.events import Event as AdkEvent
from google.adk.memory import InMemoryMemoryService
from google.adk.plugins import BasePlugin
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService, Session
from google.adk.workflow import BaseNode
from google.genai import types

from adk_agent_sim.adk.briefing import AgentBriefing, build_briefing
from adk_agent_sim.adk.compat import create_invocation_context, hide_player_warnings
from adk_agent_sim.adk.environment_factory import EnvironmentSimulationFactory, EnvironmentSource
from adk_agent_sim.adk.environment_plugin import EnvironmentSimulationPlugin
from adk_agent_sim.adk.recorded_session import RecordedSession, SessionPlayer
from adk_agent_sim.adk.seat_plugin import SeatPlugin
from adk_agent_sim.adk.tool_catalog import list_tool_names
from adk_agent_sim.adk.tool_errors import ToolErrorPlugin
from adk_agent_sim.adk.turn_player import is_model_played
from adk_agent_sim.environment.environment import Environment
from adk_agent_sim.environment.environment_report import EnvironmentReport
from adk_agent_sim.environment.rules import Rules
from adk_agent_sim.errors import InvalidTransition, SimulatorError
from adk_agent_sim.text.escaped_logging import get_logger
from adk_agent_sim.timeline.events import Player, RunOutcome
from adk_agent_sim.timeline.timeline import Timeline

DEFAULT_USER_ID = "user"

_STOP_TIMEOUT = 3.0
"""Seconds to wait for a run to end when it is stopped; an agent's code may ignore the cancellation."""

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
        """
        self.app = _to_app(agent)
        self.timeline = timeline
        self.events: list[AdkEvent] = []
        """The ADK events so far, including the user's."""
        self.on_change: Callable[[], None] = lambda: None
        """Called when a turn begins to wait for a person, and when a run ends."""
        self._player = player
        self._state = dict(state or {})
        self._user_id = user_id
        self._run_config = run_config
        self._seat_plugin = SeatPlugin(name=f"adksim_seats_{uuid4().hex[:8]}")
        self._artifact_service = InMemoryArtifactService()
        self._environment_plugin = _get_or_create_environment_plugin(self.app, environment)
        added = [] if self._environment_plugin in self.app.plugins else [self._environment_plugin]
        self._runner = Runner(
            app=_add_plugins(self.app, [self._seat_plugin, *added], player),
            session_service=InMemorySessionService(),
            artifact_service=self._artifact_service,
            memory_service=InMemoryMemoryService(),
        )
        self._adk_session_id = str(uuid4())
        self._task: asyncio.Task[None] | None = None
        self._recorded_session: RecordedSession | None = None
        self._adk_session: Session | None = None
        self._closed = False
        self._is_starting = False

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
    def has_tool_error_plugin(self) -> bool:
        """Whether the app itself has a ToolErrorPlugin. `adk eval` runs the app without the one that is added here."""
        return any(isinstance(plugin, ToolErrorPlugin) for plugin in self.app.plugins)

    @property
    def environment(self) -> Environment:
        """The simulated environment of the session: its rules and faults, to be shown and changed."""
        if self._adk_session is None:
            raise self._build_not_open_error()
        environment = self._environment_plugin.get_environment(self._adk_session)
        environment.list_tools = lambda: list_tool_names(self.app)
        return environment

    @property
    def environment_report(self) -> EnvironmentReport:
        """What happened to the tool calls so far."""
        return self._environment_plugin.report()

    async def open(self, description: str = "") -> None:
        """Create the ADK session and the session on the timeline; raise InvalidTransition if that was done before."""
        if self._recorded_session is not None:
            raise InvalidTransition(f"The simulation of {self.name!r} is already open.")
        adk_session = await self._runner.session_service.create_session(
            app_name=self.app.name, user_id=self._user_id, state=self._state, session_id=self._adk_session_id
        )
        self._adk_session = adk_session
        session = await self.timeline.create_session(description=description or self.name)
        self._recorded_session = RecordedSession(
            self.timeline, session.session_id, self._player, clock=self.timeline.clock
        )
        self._recorded_session.on_turn_pending = self._notify_change
        self._seat_plugin.bind(adk_session, self._recorded_session)
        await self._recorded_session.record_agent_joined(adk_session)
        await self._recorded_session.listen_for_cancel()

    async def stop(self) -> bool:
        """Cancel the current run; the session continues with the next message.

        A run that ignores the cancellation is abandoned after some seconds, with a warning.

        Returns:
            False if nothing is running.
        """
        if self._task is None or self._task.done():
            return False
        self._task.cancel()
        _, unfinished = await asyncio.wait({self._task}, timeout=_STOP_TIMEOUT)
        if unfinished:
            _log.warning("A run of %r was stopped but continues: its code ignores the cancellation.", self.name)
        return True

    async def close(self, *, release: bool = True) -> None:
        """Stop the current run and close the session on the timeline.

        Args:
            release: Also release the agent's resources, such as connections. Pass False while other sessions of the
                same agent are open.
        """
        self._closed = True
        await self.stop()
        self._seat_plugin.release_seats()
        if release:
            await self._runner.close()
        if self._recorded_session is not None:
            await self.timeline.close_session(self._recorded_session.session_id, "the simulation was closed")

    @property
    def is_running(self) -> bool:
        """Whether the agent is working on a message."""
        return self._task is not None and not self._task.done()

    async def start(self, message: types.Content) -> None:
        """Run the agent on a user message, in a task of its own; raise InvalidTransition if it is still running."""
        session = self.recorded_session
        self._check_not_closed()
        if self.is_running or self._is_starting:
            raise InvalidTransition("The agent is still working on the last message. Decide its pending turns first.")
        self._is_starting = True
        try:
            await session.record_user_message(message)
        finally:
            self._is_starting = False
        self._check_not_closed()  # close() may have been called while the message was being written
        # ADK copies all events of the session for each run: the last copy must not be held while it makes the next one.
        session.adk_session = None
        self._task = asyncio.create_task(self._run_agent(message), name=f"adksim-run-{self.name}")
        self._task.add_done_callback(self._on_task_done)

    def get_failure(self) -> BaseException | None:
        """Return the exception that ended the last run; None if it is running or ended normally."""
        if self._task is None or not self._task.done():
            return None
        if self._task.cancelled():
            return asyncio.CancelledError("the run was cancelled")
        return self._task.exception()

    async def load_artifact(self, filename: str, version: int | None = None) -> types.Part | None:
        """Return a version of an artifact of the session, by default the latest; None if there is none."""
        return await self._artifact_service.load_artifact(
            app_name=self.app.name,
            user_id=self._user_id,
            session_id=self._adk_session_id,
            filename=filename,
            version=version,
        )

    async def get_state(self) -> Mapping[str, Any]:
        """Return the current session state."""
        session = await self._load_adk_session()
        return dict(session.state) if session else {}

    async def get_briefing(self) -> AgentBriefing:
        """Return the agent's instruction and tools, as they are before its first turn."""
        session = await self._load_adk_session()
        if session is None:
            raise self._build_not_open_error()
        return await build_briefing(self.root_agent, create_invocation_context(self._runner, session))

    async def _run_agent(self, message: types.Content) -> None:
        """Run the agent on a message and record the events it emits and how the run ends."""
        invocation_id = ""
        stop_hiding = hide_player_warnings(is_model_played)
        try:
            async with aclosing(
                self._runner.run_async(
                    user_id=self._user_id,
                    session_id=self._adk_session_id,
                    new_message=message,
                    run_config=self._run_config,
                    yield_user_message=True,
                )
            ) as events:
                async for event in events:
                    invocation_id = event.invocation_id
                    await self._record_event(event)
        except asyncio.CancelledError:
            await self.recorded_session.record_run_ended(invocation_id, RunOutcome.CANCELLED)
            raise
        except Exception as error:
            await self.recorded_session.record_run_ended(invocation_id, RunOutcome.FAILED, unwrap_failure(error))
            raise
        finally:
            stop_hiding()
        await self.recorded_session.record_run_ended(invocation_id, RunOutcome.DONE)

    async def _record_event(self, event: AdkEvent) -> None:
        self.events.append(event)
        if event.author == "user" or event.partial:
            return
        await self.recorded_session.record_agent_event(event)
        for filename, version in event.actions.artifact_delta.items():
            await self.recorded_session.record_artifact(
                event, filename, version, await self.load_artifact(filename, version)
            )

    async def _load_adk_session(self) -> Session | None:
        return await self._runner.session_service.get_session(
            app_name=self.app.name, user_id=self._user_id, session_id=self._adk_session_id
        )

    def _check_not_closed(self) -> None:
        if self._closed:
            raise InvalidTransition(f"The simulation of {self.name!r} is closed. Open a new one to continue.")

    def _build_not_open_error(self) -> InvalidTransition:
        return InvalidTransition(f"The simulation of {self.name!r} is not open: use `async with`, or await start().")

    def _on_task_done(self, task: asyncio.Task[None]) -> None:
        if not task.cancelled():
            task.exception()  # it is on the timeline; unless it is read here, asyncio logs it as never retrieved
        self._notify_change()

    def _notify_change(self) -> None:
        self.on_change()


def unwrap_failure(failure: BaseException) -> BaseException:
    """Return our own error if ADK has wrapped one, as it does with everything that a plugin raises."""
    return failure.__cause__ if isinstance(failure.__cause__, SimulatorError) else failure


def _to_app(agent: object) -> App:
    if isinstance(agent, App):
        return agent
    if isinstance(agent, BaseNode):
        return App(name=agent.name, root_agent=agent)
    raise TypeError(f"A {type(agent).__name__} cannot be simulated. Pass an ADK agent, a workflow, or an App.")


def _get_or_create_environment_plugin(app: App, source: EnvironmentSource | None) -> EnvironmentSimulationPlugin:
    """Return a plugin for `source`, else the app's own plugin, else one without rules, which still allows faults."""
    plugin = next((plugin for plugin in app.plugins if isinstance(plugin, EnvironmentSimulationPlugin)), None)
    if plugin is None or source is not None:
        # The names of an App's plugins must differ, and the app may have ADK's own environment plugin.
        name = "adksim_environment"
        plugin = EnvironmentSimulationFactory.create_plugin(Rules(rules=[]) if source is None else source, name=name)
    return plugin


def _add_plugins(app: App, leading_plugins: Sequence[BasePlugin], player: SessionPlayer) -> App:
    """Return the app with our plugins around its own: seats first, tool errors last, so its own plugins see both."""
    own_plugins = [plugin for plugin in app.plugins if not isinstance(plugin, SeatPlugin)]
    if len(own_plugins) < len(app.plugins):
        _log.warning("The app's SimulatorPlugin is not used here: this simulation itself plays the models.")
    plugins = [*leading_plugins, *own_plugins]
    if not any(isinstance(plugin, ToolErrorPlugin) for plugin in plugins):
        plugins.append(ToolErrorPlugin())
    update: dict[str, Any] = {"plugins": plugins}
    if app.events_compaction_config is not None and player is not Player.REAL:
        _log.warning("Event compaction is disabled in this simulation, because it would call the agent's own model.")
        update["events_compaction_config"] = None
    return app.model_copy(update=update)
