"""An agent with its Runner, one ADK session and one session on a timeline: the engine under every way of playing it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import aclosing
from typing import Any
from uuid import uuid4

from google.adk.agents.run_config import RunConfig
from google.adk.apps import App
from google.adk.artifacts import InMemoryArtifactService
from google.adk.events import Event as AdkEvent
from google.adk.memory import InMemoryMemoryService
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.adk.workflow import BaseNode
from google.genai import types

from adk_agent_sim.adk.plugin import SeatPlugin
from adk_agent_sim.adk.seated import Scripted, SeatedSession
from adk_agent_sim.adk.tool_errors import ToolErrorPlugin
from adk_agent_sim.timeline.events import Outcome, Player
from adk_agent_sim.timeline.timeline import Timeline

DEFAULT_USER = "user"


class AgentRun:
    """Runs an agent whose model seat is taken."""

    def __init__(
        self,
        agent: BaseNode | App,
        timeline: Timeline,
        *,
        player: Player | Scripted = Player.HUMAN,
        state: Mapping[str, Any] | None = None,
        user_id: str = DEFAULT_USER,
        run_config: RunConfig | None = None,
    ) -> None:
        """Prepare a run; nothing happens before `open`."""
        self.app = agent if isinstance(agent, App) else App(name=agent.name, root_agent=agent)
        self.timeline = timeline
        self.events: list[AdkEvent] = []
        """The ADK events so far, the user's among them."""
        self.on_change: Callable[[], None] = lambda: None
        """Called when a turn begins to wait, and when a run ends."""
        self._player = player
        self._state = dict(state or {})
        self._user_id = user_id
        self._run_config = run_config
        self._plugin = SeatPlugin()
        self._runner = Runner(
            app=_with_seats(self.app, self._plugin),
            session_service=InMemorySessionService(),
            artifact_service=InMemoryArtifactService(),
            memory_service=InMemoryMemoryService(),
        )
        self._adk_session_id = str(uuid4())
        self._task: asyncio.Task[None] | None = None
        self.seated: SeatedSession

    @property
    def root(self) -> BaseNode:
        """The agent, or the workflow, that is played."""
        assert self.app.root_agent is not None  # noqa: S101 - an App refuses to be built without one
        return self.app.root_agent

    @property
    def name(self) -> str:
        """The name of the root agent."""
        return self.root.name

    async def open(self) -> None:
        """Open the session, here and on the timeline."""
        session = await self._runner.session_service.create_session(
            app_name=self.app.name, user_id=self._user_id, state=self._state, session_id=self._adk_session_id
        )
        placed = await self.timeline.create_session(description=self.name)
        self.seated = SeatedSession(self.timeline, placed.session_id, self._player)
        self.seated.on_asked = self._changed
        self._plugin.bind(session, self.seated)

    async def close(self) -> None:
        """Stop what runs, and release what the agent holds."""
        if self._task is not None and not self._task.done():
            self._task.cancel()
            await asyncio.wait({self._task})
        await self._runner.close()

    @property
    def is_running(self) -> bool:
        """Whether a message is being worked on."""
        return self._task is not None and not self._task.done()

    def start(self, message: types.Content) -> None:
        """Let the agent work on a user message."""
        self._task = asyncio.create_task(self._work(message), name=f"adksim-run-{self.name}")
        self._task.add_done_callback(lambda _: self._changed())

    def failure(self) -> BaseException | None:
        """Why the last run ended early, if it did."""
        if self._task is None or not self._task.done():
            return None
        if self._task.cancelled():
            return asyncio.CancelledError("the run was cancelled")
        return self._task.exception()

    async def artifact(self, filename: str) -> types.Part | None:
        """The newest version of an artifact of the session."""
        service = self._runner.artifact_service
        return (
            await service.load_artifact(
                app_name=self.app.name, user_id=self._user_id, session_id=self._adk_session_id, filename=filename
            )
            if service
            else None
        )

    async def state(self) -> Mapping[str, Any]:
        """The session state now."""
        session = await self._runner.session_service.get_session(
            app_name=self.app.name, user_id=self._user_id, session_id=self._adk_session_id
        )
        return dict(session.state) if session else {}

    async def _work(self, message: types.Content) -> None:
        invocation_id = ""
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
                    self.events.append(event)
        except asyncio.CancelledError:
            await self.seated.run_ended(invocation_id, Outcome.CANCELLED)
            raise

    def _changed(self) -> None:
        self.on_change()


def _with_seats(app: App, seats: SeatPlugin) -> App:
    """The app with our plugins around its own: seats first, errors last, so that its own plugins see both."""
    plugins = [seats, *app.plugins]
    if not any(isinstance(plugin, ToolErrorPlugin) for plugin in plugins):
        plugins.append(ToolErrorPlugin())
    return app.model_copy(update={"plugins": plugins})
