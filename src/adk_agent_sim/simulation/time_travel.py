"""The part of `Simulation` that goes back in time: fork, undo, redo, and another player from any turn on."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
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
from adk_agent_sim.adk.runs.runner_services import RunnerServices
from adk_agent_sim.adk.runs.user_message import build_user_message
from adk_agent_sim.adk.steps.steps import Answer, ModelTurn, Step
from adk_agent_sim.adk.time_travel.callback_names import list_callbacks
from adk_agent_sim.adk.time_travel.fork_point import ForkPlan, build_plan, choose_fork_point
from adk_agent_sim.adk.time_travel.fork_source import ForkSource, read_settled_source, read_source, read_source_of_run
from adk_agent_sim.adk.time_travel.session_forking import (
    fork_between_runs,
    fork_session,
    redo_turn,
    undo_turn,
    update_player,
)
from adk_agent_sim.simulation.session_actions import SessionActions
from adk_agent_sim.timeline.events import Event, Player
from adk_agent_sim.timeline.jsonl import load_session
from adk_agent_sim.timeline.session_state import find_agent_joined
from adk_agent_sim.timeline.store import MemoryStore
from adk_agent_sim.timeline.timeline import Timeline
from adk_agent_sim.timeline.turn_prefix import TurnPrefix, cut_at_end
from adk_agent_sim.timeline.undone_events import remove_undone_events


class TimeTravel(SessionActions):
    """Forks, undoes and redoes the session of a simulation."""

    async def fork(
        self,
        turn: ModelTurn | str | int | None = None,
        *,
        response: Answer | types.Content | LlmResponse | None = None,
        message: Answer | types.Content | None = None,
        model: str | ModelFunction | StreamPlayer = "human",
        anyway: bool = False,
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
            anyway: Continue even if the replay differs from the recording; the new session says so.

        Raises:
            ReplayDiverged: The replay differs from the recording; the error names the first difference.
            ForkRefused: There is no turn with that number.
            TurnNotFound: There is no turn with that id.
        """
        if turn is None and message is None and response is None and not self._agent_run.is_running:
            create_player = create_player_factory(model)
            summary = await self._agent_run.timeline.get_summary(self._agent_run.recorded_session.session_id)
            run = await fork_between_runs(
                self._agent_run,
                lambda: self._agent_run.create_copy(create_player()),
                description=_name_fork(summary.name),
            )
            return self._adopt(run, self._store)
        await self._agent_run.record_profile_switch()  # so that the turn's profile is on the timeline
        source, prefix = await read_settled_source(
            self._agent_run, lambda events: _choose_point(events, turn, replaces_message=message is not None)
        )
        return await self._fork_source(
            source,
            prefix,
            self._agent_run.create_copy,
            self._store,
            response=response,
            message=message,
            model=model,
            anyway=anyway,
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
        anyway: bool = False,
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
            anyway: As in `fork`.

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
            anyway=anyway,
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
        anyway: bool = False,
    ) -> Self:
        """Fork a session of a store; the arguments and errors are those of `fork_file`."""
        timeline = Timeline(store)
        source = await read_source(timeline, session_id)
        joined = find_agent_joined(source.events)

        def create_run(player: SessionPlayer) -> AgentRun:
            user_id = joined.user_id if joined else DEFAULT_USER_ID
            return AgentRun(
                agent,
                timeline,
                player=player,
                user_id=user_id,
                run_config=run_config,
                environment=environment,
                services=services,
            )

        prefix = _choose_point(source.events, turn, replaces_message=message is not None)
        return await cls._fork_source(
            source, prefix, create_run, store, response=response, message=message, model=model, anyway=anyway
        )

    @classmethod
    async def _fork_source(
        cls,
        source: ForkSource,
        prefix: TurnPrefix,
        create_run: Callable[[SessionPlayer], AgentRun],
        store: MemoryStore,
        *,
        response: Answer | types.Content | LlmResponse | None,
        message: Answer | types.Content | None,
        model: str | ModelFunction | StreamPlayer,
        anyway: bool,
    ) -> Self:
        create_player = create_player_factory(model)
        run = await fork_session(
            source,
            prefix,
            lambda: create_run(create_player()),
            description=_name_fork((await source.timeline.get_summary(source.session_id)).name),
            anyway=anyway,
        )
        self = cls._adopt(run, store)
        if message is not None:
            await run.start(build_user_message(run.root_agent, message))
        await self._wait_for_turn()
        if response is not None:
            step = await self.next()
            is_complete = isinstance(response, types.Content | LlmResponse)
            await (step.decide(response) if is_complete else step.respond(response))
        return self

    async def plan_fork(self, turn: ModelTurn | str | int | None = None) -> ForkPlan:
        """Return what a fork at a turn does, without doing it: above all, which callbacks run again."""
        source = await read_source_of_run(self._agent_run)
        prefix = _choose_point(source.events, turn)
        return build_plan(prefix, list_callbacks(self._agent_run.app, prefix.replayed_events))

    async def undo(self, *, model: str | ModelFunction | StreamPlayer = "human", anyway: bool = False) -> Step:
        """Undo the last decision, with all that followed from it, and return its turn, to be decided again.

        The session stays the same. The timeline still shows what was undone; golden traces do not contain it. Several
        undos go back turn by turn, and `redo` goes forward again.

        Args:
            model: Who plays the model from there on; by default you.
            anyway: Continue even if the replay differs from the recording.

        Raises:
            ForkRefused: No turn was decided.
            ReplayDiverged: The replay differs from the recording. The session is unchanged.
        """
        self._replace_run(await undo_turn(self._agent_run, create_player_factory(model), anyway=anyway))
        return await self.next()

    async def redo(self, *, model: str | ModelFunction | StreamPlayer = "human", anyway: bool = False) -> Step:
        """Make the decision again that was undone last, and return the step that followed it.

        Raises:
            ForkRefused: Nothing was undone since the last decision or message.
            ReplayDiverged: The replay differs from the recording. The session is unchanged.
        """
        self._replace_run(await redo_turn(self._agent_run, create_player_factory(model), anyway=anyway))
        return await self.next()

    def seat(self, *, model: str | ModelFunction | StreamPlayer) -> None:
        """Let another player take the model's seat, from the turn on that waits now, or else from the next one.

            sim.seat(model="real")
            done = await sim.next()

        Args:
            model: Who plays it, as in `Simulation`.
        """
        player = create_player_factory(model)()
        session = self._agent_run.recorded_session
        counting = remove_undone_events(self._store.get_log(session.session_id))
        update_player(player, cut_at_end(counting), has_message=True)
        session.change_player(player)

    async def _wait_for_turn(self) -> None:
        """Wait until a turn or a tool call waits for a person, if one plays the models."""
        run = self._agent_run
        while (
            run.recorded_session.player is Player.HUMAN
            and run.is_running
            and not (self.pending() or self.list_tool_turns())
        ):
            self._change_event.clear()
            await self._change_event.wait()

    def _replace_run(self, run: AgentRun) -> None:
        self._agent_run = self._watch(run)
        # Who waits for the next step of the old run has to look at the new one.
        self._change_event.set()

    @classmethod
    def _adopt(cls, run: AgentRun, store: MemoryStore) -> Self:
        """Return the simulation of a run that is open."""
        # The constructor would prepare a run of its own.
        self = cls.__new__(cls)
        self._store = store
        self._change_event = asyncio.Event()
        self._agent_run = self._watch(run)
        return self


async def plan_stored_fork(app: App, store: MemoryStore, session_id: str, turn: str | int | None) -> ForkPlan:
    """Return what a fork of a stored session does, without doing it."""
    source = await read_source(Timeline(store), session_id)
    prefix = choose_fork_point(source.events, turn)
    return build_plan(prefix, list_callbacks(app, prefix.replayed_events))


def _choose_point(
    events: Sequence[Event], turn: ModelTurn | str | int | None, *, replaces_message: bool = False
) -> TurnPrefix:
    point = turn.turn_id if isinstance(turn, ModelTurn) else turn
    return choose_fork_point(events, point, replaces_message=replaces_message)


def _name_fork(name: str) -> str:
    """Return the name of a forked session."""
    return name if name.startswith("Fork of ") else f"Fork of {name}"
