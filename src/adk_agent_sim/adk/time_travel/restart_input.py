"""What the `restart` function of a `SimulatorPlugin` gets: an ADK session to create, and the message to run it with."""

from __future__ import annotations

from collections.abc import AsyncIterable, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from inspect import isawaitable
from typing import Any, TypeAlias, cast
from uuid import uuid4

from google.adk.agents.run_config import RunConfig
from google.adk.events import Event as AdkEvent
from google.adk.runners import Runner
from google.adk.sessions import Session
from google.genai import types

from adk_agent_sim.adk.runs.session_storage import remove_shared_changes, select_own_artifacts, select_own_state
from adk_agent_sim.adk.time_travel.session_restore import RestoredSession
from adk_agent_sim.errors import ForkRefused
from adk_agent_sim.timeline.events import Event, UserSpoke
from adk_agent_sim.timeline.history import find_agent_joined

INCOMPLETE_SESSION = "Some events of the session cannot be read, so it cannot be replayed."


@dataclass(frozen=True, kw_only=True)
class SessionRestart:
    """A session that is to be run again, up to the turn that a person decides again.

        SimulatorPlugin(restart=lambda session: session.run(runner))

    The seats give the recorded decisions and results up to that turn; a restart only has to start the run.
    """

    app_name: str
    """The app of the session."""

    user_id: str
    """The user of the session."""

    session_id: str
    """The id of the ADK session to create. It is a new one: the plugin recognizes the run by it."""

    state: Mapping[str, Any]
    """The state of the session before the message, without what it shares with other sessions of the user or app."""

    events: Sequence[AdkEvent]
    """The events of the session before the message."""

    artifacts: Sequence[tuple[str, types.Part]]
    """The session's artifacts before the message: names and contents, one for each version, in the order of these."""

    message: types.Content
    """The user message to run the agent with."""

    async def run(self, runner: Runner, run_config: RunConfig | None = None) -> None:
        """Create the session with the services of a runner, and run its agent on the message to the end.

        Args:
            runner: A runner of the same app, with this plugin.
            run_config: ADK's settings for the run.

        Raises:
            ForkRefused: The runner has another app.
        """
        if runner.app_name != self.app_name:
            raise ForkRefused(
                f"The runner has the app {runner.app_name!r}, and the session is of {self.app_name!r}. "
                "Run it with a runner of that app."
            )
        await self.restore(runner)
        running = runner.run_async(
            user_id=self.user_id, session_id=self.session_id, new_message=self.message, run_config=run_config
        )
        async with aclosing(running):
            async for _ in running:
                pass

    async def restore(self, runner: Runner) -> Session:
        """Create the session with the services of a runner: its state, events and artifacts; nothing runs."""
        service = runner.session_service
        session = await service.create_session(
            app_name=self.app_name, user_id=self.user_id, session_id=self.session_id, state=dict(self.state)
        )
        for event in self.events:
            await service.append_event(session, event)
        if runner.artifact_service is not None:
            for filename, part in self.artifacts:
                await runner.artifact_service.save_artifact(
                    app_name=self.app_name,
                    user_id=self.user_id,
                    session_id=self.session_id,
                    filename=filename,
                    artifact=part,
                )
        return session


@dataclass(frozen=True, kw_only=True)
class SessionResume(SessionRestart):
    """A session that continues as it is: the message answers what ADK has asked the user for.

    The message may contain a credential: do not log it.
    """

    async def restore(self, runner: Runner) -> Session:
        """Return the session, which exists.

        Raises:
            ForkRefused: The session service of the runner does not have it any more.
        """
        session = await runner.session_service.get_session(
            app_name=self.app_name, user_id=self.user_id, session_id=self.session_id
        )
        if session is None:
            raise ForkRefused(
                f"The session service of the runner does not have the session {self.session_id!r}. "
                "Run it with the runner that it was started with."
            )
        return session


def describe_restart(
    completed: Sequence[Event], interrupted: Sequence[Event], restored: RestoredSession
) -> SessionRestart:
    """Return the session before the run that is replayed, under a new id; what other sessions share is left out."""
    joined = find_agent_joined(completed)
    if joined is None:
        raise ForkRefused(INCOMPLETE_SESSION)
    return SessionRestart(
        app_name=joined.app_name,
        user_id=joined.user_id,
        session_id=str(uuid4()),
        state=select_own_state(restored.state),
        events=[remove_shared_changes(event) for event in restored.events],
        artifacts=select_own_artifacts(restored.artifacts),
        message=types.Content.model_validate(cast("UserSpoke", interrupted[0].payload).content),
    )


RestartFunction: TypeAlias = Callable[[SessionRestart], Awaitable[object] | AsyncIterable[object]]
"""Creates the session and runs its agent on the message, to the end: an async function, or what `run_async` returns."""


async def run_restart(restart: RestartFunction, session: SessionRestart) -> None:
    """Call the function of the plugin, and run what it returns to its end."""
    returned = cast("object", restart(session))  # anybody's function may return anything
    if isawaitable(returned):
        await returned
    elif isinstance(returned, AsyncIterable):
        async for _ in cast("AsyncIterable[object]", returned):
            pass
    else:
        raise ForkRefused(
            "The `restart` function of the SimulatorPlugin has to be async, or to return what `Runner.run_async` "
            f"returns. It returned {type(returned).__name__}."
        )
