"""The part of `Simulation` that goes back in time: fork, undo, redo, and another player from any turn on."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Self

from google.adk.agents.run_config import RunConfig
from google.adk.apps import App
from google.adk.models.llm_response import LlmResponse
from google.adk.workflow import BaseNode
from google.genai import types

from adk_agent_sim.adk.environment.environment_factory import EnvironmentSource
from adk_agent_sim.adk.players.players import create_player_factory
from adk_agent_sim.adk.players.session_player import ModelFunction, SessionPlayer, StreamPlayer
from adk_agent_sim.adk.runs.agent_run import DEFAULT_USER_ID, AgentRun
from adk_agent_sim.adk.runs.session_storage import RunnerServices
from adk_agent_sim.adk.steps.steps import Answer, ModelTurn, Step
from adk_agent_sim.simulation.session_actions import SessionActions
from adk_agent_sim.timeline.events import Player
from adk_agent_sim.timeline.jsonl import load_session
from adk_agent_sim.timeline.store import MemoryStore
from adk_agent_sim.timeline.timeline import Timeline
from adk_agent_sim.use_cases import messages, time_travel, turns
from adk_agent_sim.use_cases.open_session import OpenSession
from adk_agent_sim.use_cases.time_travel import TimeTravelAction, TimeTravelPlan, TimeTravelPoint


class TimeTravel(SessionActions):
    """Forks, undoes and redoes the session of a simulation."""

    async def fork(
        self,
        turn: ModelTurn | str | int | None = None,
        *,
        response: Answer | types.Content | LlmResponse | None = None,
        message: Answer | types.Content | None = None,
        model: str | ModelFunction | StreamPlayer = "human",
        force: bool = False,
    ) -> Self:
        """Fork the session into a new one, and return its simulation, to be closed by `await forked.close()`.

        What was decided before the turn is not decided again, and no tool runs twice: the runs that are over are
        copied, and the run of the turn is replayed with its recorded decisions and results. Only its callbacks run
        again; `plan_fork` lists them.

            forked = await sim.fork(2)                             # the second turn waits for another decision
            turn = await forked.next()

            forked = await sim.fork(2, response="The answer is 5")
            forked = await sim.fork(2, message="What is 2+3?")     # the run of the turn, with another message

        Args:
            turn: The turn that is decided again: its number from 1, its id, or the turn itself. By default the fork
                is where the session is now; with `message`, at the last user message.
            response: What the turn is decided with: a final response, or anything that a model could return.
            message: The user message that is sent instead of the one that led to the turn.
            model: Who plays the model from there on, as in `Simulation`.
            force: Continue even if the replay differs from the recording; the new session says so.

        Raises:
            ReplayDiverged: The replay differs from the recording; the error names the first difference.
            ForkRefused: There is no turn with that number.
            TurnNotFound: There is no turn with that id.
        """
        return await self._fork(
            self.open_session(), self._store, turn, response=response, message=message, model=model, force=force
        )

    @classmethod
    async def fork_file(
        cls,
        agent: BaseNode | App,
        path: str | Path,
        turn: str | int | None = None,
        *,
        response: Answer | types.Content | LlmResponse | None = None,
        message: Answer | types.Content | None = None,
        model: str | ModelFunction | StreamPlayer = "human",
        run_config: RunConfig | None = None,
        environment: EnvironmentSource | None = None,
        services: RunnerServices | None = None,
        force: bool = False,
    ) -> Self:
        """Fork a session that was written with `export_jsonl`, for example in another process, long ago.

        Args:
            agent: The agent or App of the session, as it is now.
            path: The file.
            turn: As in `fork`, and so are the other arguments.
            response: As in `fork`.
            message: As in `fork`.
            model: As in `fork`.
            run_config: ADK's settings for the runs.
            environment: How tools are simulated from there on.
            services: Where the new ADK session is; by default in memory.
            force: As in `fork`.

        Raises:
            ImportRefused: The file is no timeline.
            ForkRefused: As in `fork`.
        """
        store = MemoryStore()
        session = await load_session(path, store)
        return await cls.fork_stored(
            agent,
            store,
            session.session_id,
            turn,
            response=response,
            message=message,
            model=model,
            run_config=run_config,
            environment=environment,
            services=services,
            force=force,
        )

    @classmethod
    async def fork_stored(
        cls,
        agent: BaseNode | App,
        store: MemoryStore,
        session_id: str,
        turn: str | int | None = None,
        *,
        response: Answer | types.Content | LlmResponse | None = None,
        message: Answer | types.Content | None = None,
        model: str | ModelFunction | StreamPlayer = "human",
        run_config: RunConfig | None = None,
        environment: EnvironmentSource | None = None,
        services: RunnerServices | None = None,
        force: bool = False,
    ) -> Self:
        """Fork a session of a store; the arguments and errors are those of `fork_file`."""
        session = open_stored_session(
            agent, store, session_id, run_config=run_config, environment=environment, services=services
        )
        return await cls._fork(session, store, turn, response=response, message=message, model=model, force=force)

    @classmethod
    async def _fork(
        cls,
        session: OpenSession,
        store: MemoryStore,
        turn: ModelTurn | str | int | None,
        *,
        response: Answer | types.Content | LlmResponse | None,
        message: Answer | types.Content | None,
        model: str | ModelFunction | StreamPlayer,
        force: bool,
    ) -> Self:
        point = _build_point(turn, replaces_message=message is not None)
        await time_travel.perform(session, "fork", point, create_player=create_player_factory(model), force=force)
        run = session.require_run("fork the session")
        self = cls._adopt(run, store)
        if message is not None:
            await messages.send_message(self.open_session(), message)
        await self._wait_for_turn()
        if response is not None:
            step = await self.next()
            is_complete = isinstance(response, types.Content | LlmResponse)
            await (step.decide(response) if is_complete else step.respond(response))
        return self

    async def plan_fork(self, turn: ModelTurn | str | int | None = None) -> TimeTravelPlan:
        """Return what a fork at a turn does, without doing it: above all, which callbacks run again."""
        return await time_travel.plan_time_travel(self.open_session(), "fork", _build_point(turn))

    async def undo(self, *, model: str | ModelFunction | StreamPlayer = "human", force: bool = False) -> Step:
        """Undo the last decision, with all that followed from it, and return its turn, to be decided again.

        The session stays the same. The timeline still shows what was undone; golden traces do not contain it. Several
        undos go back turn by turn, and `redo` goes forward again.

        Args:
            model: Who plays the model from there on; by default you.
            force: Continue even if the replay differs from the recording.

        Raises:
            ForkRefused: No turn was decided.
            ReplayDiverged: The replay differs from the recording. The session is unchanged.
        """
        return await self._rewind("undo", model, force=force)

    async def redo(self, *, model: str | ModelFunction | StreamPlayer = "human", force: bool = False) -> Step:
        """Make the decision again that was undone last, and return the step that followed it.

        Raises:
            ForkRefused: Nothing was undone since the last decision or message.
            ReplayDiverged: The replay differs from the recording. The session is unchanged.
        """
        return await self._rewind("redo", model, force=force)

    async def _rewind(
        self, action: TimeTravelAction, model: str | ModelFunction | StreamPlayer, *, force: bool
    ) -> Step:
        session = self.open_session()
        await time_travel.perform(session, action, create_player=create_player_factory(model), force=force)
        self.agent_run = self._watch(session.require_run(action))
        # Who waits for the next step of the old run has to look at the new one.
        self._change_event.set()
        return await self.next()

    def seat(self, *, model: str | ModelFunction | StreamPlayer) -> None:
        """Let another player take the model's seat, from the turn on that waits now, or else from the next one.

            sim.seat(model="real")
            done = await sim.next()

        Args:
            model: Who plays it, as in `Simulation`.
        """
        turns.choose_player(self.open_session(), create_player_factory(model)(), self.log())

    async def _wait_for_turn(self) -> None:
        """Wait until a turn or a tool call waits for a person, if one plays the models."""
        run = self.agent_run
        while (
            run.recorded_session.player is Player.HUMAN
            and run.is_running
            and not (self.pending() or self.list_tool_turns())
        ):
            self._change_event.clear()
            await self._change_event.wait()

    @classmethod
    def _adopt(cls, run: AgentRun, store: MemoryStore) -> Self:
        """Return the simulation of a run that is open."""
        # The constructor would prepare a run of its own.
        self = cls.__new__(cls)
        self._store = store
        self._change_event = asyncio.Event()
        self.agent_run = self._watch(run)
        return self


def open_stored_session(
    agent: BaseNode | App,
    store: MemoryStore,
    session_id: str,
    *,
    run_config: RunConfig | None = None,
    environment: EnvironmentSource | None = None,
    services: RunnerServices | None = None,
) -> OpenSession:
    """Return a stored session, which is forked with this agent; the arguments are those of `Simulation.fork_file`."""
    timeline = Timeline(store)

    def create_run(player: SessionPlayer, user_id: str | None) -> AgentRun:
        return AgentRun(
            agent,
            timeline,
            player=player,
            user_id=user_id or DEFAULT_USER_ID,
            run_config=run_config,
            environment=environment,
            services=services,
        )

    return OpenSession(timeline, session_id, create_run=create_run)


def _build_point(turn: ModelTurn | str | int | None, *, replaces_message: bool = False) -> TimeTravelPoint:
    point = turn.turn_id if isinstance(turn, ModelTurn) else turn
    return TimeTravelPoint(turn=point, replaces_message=replaces_message)
