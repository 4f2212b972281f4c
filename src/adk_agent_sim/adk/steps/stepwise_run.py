"""A run of an agent, step by step: each message or decision is answered with the step that follows."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any, Self, cast

from google.adk.agents.run_config import RunConfig
from google.adk.apps import App
from google.adk.events import Event as AdkEvent
from google.adk.workflow import BaseNode
from google.genai import types

from adk_agent_sim.adk.environment.environment_factory import EnvironmentSource
from adk_agent_sim.adk.players.players import create_player_factory
from adk_agent_sim.adk.players.session_player import ModelFunction, StreamPlayer
from adk_agent_sim.adk.runs.agent_run import DEFAULT_USER_ID, AgentRun
from adk_agent_sim.adk.runs.run_task import unwrap_failure
from adk_agent_sim.adk.runs.session_storage import (
    BaseArtifactService,
    BaseMemoryService,
    BaseSessionService,
    RunnerServices,
)
from adk_agent_sim.adk.steps.steps import Done, ModelTurn, Step, StepTarget, ToolTurn, build_pause_step
from adk_agent_sim.environment.environment import Environment
from adk_agent_sim.environment.environment_report import EnvironmentReport
from adk_agent_sim.errors import RunFailed, SimulatorError
from adk_agent_sim.timeline.events import Event
from adk_agent_sim.timeline.history import HistoryEntry, build_history
from adk_agent_sim.timeline.store import MemoryStore
from adk_agent_sim.timeline.timeline import Timeline


class StepwiseRun:
    """A run of an agent on a timeline of its own, in memory.

    If the run fails, RunFailed is raised. What a person does in it is in `Simulation`.
    """

    def __init__(
        self,
        agent: BaseNode | App,
        *,
        model: str | ModelFunction | StreamPlayer = "human",
        state: Mapping[str, Any] | None = None,
        user_id: str = DEFAULT_USER_ID,
        run_config: RunConfig | None = None,
        environment: EnvironmentSource | None = None,
        session_service: BaseSessionService | None = None,
        artifact_service: BaseArtifactService | None = None,
        memory_service: BaseMemoryService | None = None,
    ) -> None:
        """Prepare a simulation; nothing runs before `start`.

        Args:
            agent: The agent or workflow, or an App with its plugins.
            model: Who plays the model: you ("human"), the agent's own model ("real"), a recording ("replay:FILE" with
                the path of an EvalSet, a timeline or a model cassette), the agent's own model, recorded to a cassette
                ("record:FILE"), or a function from the request to the response.
            state: The initial session state.
            user_id: The ADK user id.
            run_config: ADK's settings for the runs, such as streaming.
            environment: How tools are simulated: rules, the path of a rules file, or ADK's own config.
            session_service: Where ADK's session is, such as a database; by default in memory. You close it.
            artifact_service: Where artifacts are; by default in memory.
            memory_service: What `load_memory` searches; by default a memory of this session and its forks only.

        Raises:
            InvalidPlayer: There is no such `model`.
        """
        self._store = MemoryStore()
        self._change_event = asyncio.Event()
        create_player = create_player_factory(model)
        self.agent_run = self._watch(
            AgentRun(
                agent,
                Timeline(self._store),
                player=create_player(),
                state=state,
                user_id=user_id,
                run_config=run_config,
                environment=environment,
                services=RunnerServices(session=session_service, artifact=artifact_service, memory=memory_service),
            )
        )

    @property
    def session_id(self) -> str:
        """The id of the session on the timeline."""
        return self.agent_run.recorded_session.session_id

    @property
    def timeline(self) -> Timeline:
        """The timeline on which the session is recorded."""
        return self.agent_run.timeline

    def log(self) -> Sequence[Event]:
        """Return the events on the timeline so far."""
        return list(self._store.get_log(self.session_id))

    async def start(self) -> Self:
        """Open the session. `async with` does this for you; in a notebook, await it in a cell of its own."""
        await self.agent_run.open()
        return self

    async def close(self) -> None:
        """Stop the run and release the agent's resources. The recording can still be read and exported."""
        await self.agent_run.close()

    async def __aenter__(self) -> Self:
        return await self.start()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    @property
    def environment(self) -> Environment:
        """The simulated environment: count how often rules matched, disable one, put a fault on the next call."""
        return self.agent_run.environment

    @property
    def environment_report(self) -> EnvironmentReport:
        """What happened to the tool calls so far: which ran for real, which rule simulated the others, unused rules."""
        return self.agent_run.run_environment.plugin.report()

    async def next(self) -> Step:
        """Wait for the next step: a turn of the model, a call of a tool you play, a request to the user, or the end."""
        while True:
            if waiting := [*self.list_tool_turns(), *self.pending()]:
                return waiting[0]
            if not self.agent_run.is_running:
                return await self._get_last_step()
            # Nothing is awaited between the checks above and the wait, so no change can be missed.
            self._change_event.clear()
            await self._change_event.wait()

    def pending(self) -> list[ModelTurn]:
        """Return all turns that wait for a decision, oldest first; parallel agents have several."""
        requests = self.agent_run.recorded_session.pending_requests
        events = self.timeline.peek_pending_turns(self.session_id)
        # The timeline has a turn a moment before its request is here, and a moment longer if the player changes.
        return [
            ModelTurn(self._target, event, requests[event.turn_id]) for event in events if event.turn_id in requests
        ]

    def list_tool_turns(self) -> list[ToolTurn]:
        """Return all calls of tools that wait for your response, oldest first."""
        session = self.agent_run.recorded_session
        pending = self.timeline.tool_requests.peek_pending(self.session_id)
        waiting = [session.tool_requests[request_id] for request_id in pending if request_id in session.tool_requests]
        # The timeline has a cancelled call until the task of the call notices that it was cancelled.
        is_cancelling = session.running_calls.is_cancelling
        return [ToolTurn(self._target, request) for request in waiting if not is_cancelling(request.asked.call_id)]

    def running(self) -> list[str]:
        """Return the ids of the running tool calls, oldest first."""
        return self.agent_run.recorded_session.running_calls.call_ids

    def events(self) -> list[AdkEvent]:
        """Return the ADK events so far."""
        return list(self.agent_run.events)

    def history(self) -> list[HistoryEntry]:
        """Return the session as user queries, tool calls, their results, and final responses."""
        return build_history(self.log())

    async def state(self) -> Mapping[str, Any]:
        """Return the current ADK session state."""
        return await self.agent_run.get_state()

    async def find_missing_keys(self) -> list[str]:
        """Return the keys that instructions such as `Be {mood}.` need and the session state does not have."""
        return await self.agent_run.find_missing_keys()

    async def artifact(self, filename: str, version: int | None = None) -> types.Part | None:
        """Return a version of an artifact, by default the latest; None if there is none."""
        return await self.agent_run.storage.load_artifact(filename, version)

    @property
    def _target(self) -> StepTarget:
        # `Simulation` has the verbs; a run without them can only be followed.
        return cast("StepTarget", self)

    def _watch(self, run: AgentRun) -> AgentRun:
        run.on_change = self._change_event.set
        return run

    async def _get_last_step(self) -> Step:
        failure = self.agent_run.get_failure()
        if failure is not None:
            raise RunFailed(f"The run of {self.agent_run.name!r} failed: {_describe_failure(failure)}") from failure
        events = self.agent_run.events
        pending = (await self.timeline.get_summary(self.session_id)).pending
        return build_pause_step(self._target, pending.values(), events) or Done(_find_last_answer(events))


def _describe_failure(failure: BaseException) -> str:
    """Return the message of a failure, with its class unless it is one of ours."""
    cause = unwrap_failure(failure)
    return str(cause) if isinstance(cause, SimulatorError) else f"{type(cause).__name__}: {cause}"


def _find_last_answer(events: Sequence[AdkEvent]) -> types.Content | None:
    """Return the final response since the last user message; None if there is none."""
    for event in reversed(events):
        # An edit of the state is an event of the user too, but has no content.
        if event.author == "user" and event.content:
            return None
        if event.is_final_response() and event.content and event.content.parts:
            return event.content
    return None
