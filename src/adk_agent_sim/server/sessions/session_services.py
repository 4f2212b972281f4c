"""Everything that the web API does with sessions, wired in one place.

SessionRuns  (agents in this process) --+--> use_cases.sessions   list, rename, note, close, delete
Timeline     (summaries and rows)     --+--> SessionServices      a session with what can be done in it
                                        +--> ServedSession        what the use cases act in, and the endpoints read
                                        +--> LiveUpdates          what tabs hear of
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from contextlib import suppress
from weakref import WeakValueDictionary

from adk_agent_sim.adk.runs.agent_run import AgentRun
from adk_agent_sim.adk.worlds.world_run import WorldRun
from adk_agent_sim.errors import AgentNotLocal, SessionNotFound
from adk_agent_sim.link.agent_restarts import AgentRestarts, RestartConnection
from adk_agent_sim.server.agents.agent_catalog import AgentCatalog
from adk_agent_sim.server.agents.playable_agent import PlayableAgent
from adk_agent_sim.server.evals.eval_catalog import EvalCatalog
from adk_agent_sim.server.scenarios.world_runs import WorldRuns
from adk_agent_sim.server.sessions.live_updates import LiveUpdates
from adk_agent_sim.server.sessions.pauses import load_confirmation, load_pause
from adk_agent_sim.server.sessions.session_api_models import SessionDetail, SessionLink, TimeTravelInfo
from adk_agent_sim.server.sessions.session_runs import HUMAN, SessionRuns
from adk_agent_sim.timeline.read_model.session_summary import SessionSummary
from adk_agent_sim.timeline.timeline import Timeline
from adk_agent_sim.timeline.undone_events import find_undone_ranges, has_decision
from adk_agent_sim.use_cases.open_session import CreateAgentRun, OpenSession

_CANNOT_CONTINUE = (
    "The agent of this session runs in another process, which cannot continue it from here. Pass `restart=` to its "
    "SimulatorPlugin, or answer in the program that runs the agent."
)
_PROCESS_GONE = (
    "The process of this session's agent could continue it and has ended. Start it again with its SimulatorPlugin."
)


_REMOTE = (
    "The agent of this session runs in another process, which cannot restart it. Pass `restart=` to its "
    "SimulatorPlugin, or fork the stored session with `adksim fork --agent`."
)
_REMOTE_PLAYER = (
    "The agent of this session runs in another process, where its SimulatorPlugin says who plays its models. Start it "
    "with another `player=`, or fork the stored session with `adksim fork SESSION --turn N --agent DIR --model real`."
)
_GONE = (
    "The process of this session's agent could restart it and has ended. Fork the stored session with "
    "`adksim fork --agent`."
)
_UNKNOWN_AGENT = "The agent of this session is not on this server."
_WORLD_PLAYER = (
    "A person plays the agent of this session in the world of a scenario. Let a model play it with "
    "`adksim scenario run`."
)
_OVER = "This session cannot go on. Fork it to continue from any of its turns in a new session."


class SessionServices:
    """The services for the sessions of one timeline."""

    def __init__(
        self,
        agents: AgentCatalog,
        timeline: Timeline,
        *,
        allow_remote_agents: bool = False,
        restarts: AgentRestarts | None = None,
        evals: EvalCatalog | None = None,
    ) -> None:
        """Wire the services.

        Args:
            agents: The agents of this process.
            timeline: The sessions.
            allow_remote_agents: Whether agents in other processes may play on the timeline too.
            restarts: The sessions that these processes can restart.
            evals: The files of eval cases, among which exports are found.
        """
        self.agents = agents
        self.timeline = timeline
        self.evals = evals
        self.restarts = restarts or AgentRestarts(timeline)
        self.runs = SessionRuns(agents, timeline, allow_remote_agents=allow_remote_agents)
        self.worlds = WorldRuns(timeline, self.runs)
        self.live_updates = LiveUpdates(timeline, self.runs, agents, self.describe)
        # Weak: a lock lives as long as a request holds it or waits for it.
        self.time_travel_locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        """By session: one request after another changes what has happened in it."""
        self.replay_waits: dict[str, str] = {}
        """What the replays of sessions wait for."""

    async def describe(self, summary: SessionSummary) -> SessionDetail:
        """Return a session with what a person can do in it, as its summary describes it."""
        record, session = self.runs.describe(summary), ServedSession(self, summary.session.session_id)
        confirmation = await load_confirmation(self.timeline, summary) if record.pending else None
        pause = await load_pause(self.timeline, summary) if record.pending else None
        problem = session.answer_problem
        is_paused = confirmation is not None or pause is not None
        return SessionDetail(
            **dict(record),
            confirmation=confirmation,
            pause=pause,
            answer_problem=problem if is_paused else "",
            has_control=not problem,
            time_travel=await session.describe_time_travel(summary),
        )

    async def delete_untouched_sessions(self) -> None:
        """Delete the sessions in which nothing happened before their server was killed."""
        await self.runs.delete_untouched_sessions()

    async def close(self) -> None:
        """Close all runs and release the agents' resources."""
        await self.agents.close()
        await self.worlds.close()
        await self.runs.close()


class ServedSession(OpenSession):
    """A session of a server."""

    def __init__(self, services: SessionServices, session_id: str) -> None:
        """Open a session, which need not exist."""
        super().__init__(services.timeline, session_id)
        self.services = services
        self._agent: PlayableAgent | None = None

    @property
    def run(self) -> AgentRun | None:
        """The run on this server; None if there is none."""
        return self.services.runs.find(self.session_id)

    @property
    def process(self) -> RestartConnection | None:
        """The process that can continue the session."""
        return self.services.restarts.find(self.session_id)

    @property
    def may_be_remote(self) -> bool:
        """Whether the agent may run in another process."""
        return self.services.runs.allow_remote_agents

    @property
    def is_playable(self) -> bool:
        """Whether the session can go on, here or in another process."""
        return self.services.runs.is_playable(self.session_id)

    @property
    def answer_problem(self) -> str:
        """Why nobody can answer the agent's requests from here; empty if somebody can."""
        if self.run is not None or self.process is not None:
            return ""
        if not self.may_be_remote:
            return str(AgentNotLocal(self.session_id, "answer a request"))
        return _PROCESS_GONE if self.services.restarts.was_offered(self.session_id) else _CANNOT_CONTINUE

    @property
    def world_run(self) -> WorldRun | None:
        """The run in a scenario's world that is kept here."""
        return self.services.runs.worlds.get(self.session_id)

    @property
    def is_played_by_person(self) -> bool:
        """Whether a person plays the agent in a scenario's world, and its run has not ended."""
        return self.services.runs.is_played_by_person(self.session_id)

    async def find_time_travel_problem(self, *, is_fork: bool) -> str:
        """Return why the session cannot be forked, or continue from another point of it; empty if it can."""
        summary = await self.timeline.get_summary(self.session_id)
        return self._find_fork_problem(summary) if is_fork else self._find_rewind_problem(summary)

    async def describe_time_travel(self, summary: SessionSummary) -> TimeTravelInfo:
        """Return what of the session was undone, and what can be done about its past."""
        rewind_problem = self._find_rewind_problem(summary)
        sources = await self._list_links([summary.forked_from]) if summary.forked_from else []
        return TimeTravelInfo(
            player=self.services.runs.get_player(self.session_id),
            can_undo=not rewind_problem and has_decision(summary.segments, summary.last_seq),
            can_redo=not rewind_problem and summary.redoable_count > 0,
            rewind_problem=rewind_problem,
            fork_problem=self._find_fork_problem(summary),
            player_problem=self.find_player_problem(summary),
            undone=find_undone_ranges(summary.segments, summary.last_seq),
            forked_from=sources[0] if sources else None,
            forks=await self._list_links(summary.forks),
        )

    def _find_rewind_problem(self, summary: SessionSummary) -> str:
        """Return why nothing can be undone in the session; empty if it can."""
        if self.world_run is not None:
            return "" if self.session_id in self.services.runs.world_ids else _OVER
        if self.run is not None:
            return ""
        if summary.is_closed or self.process is None:
            return self._find_fork_problem(summary) or _OVER
        return ""

    def _find_fork_problem(self, summary: SessionSummary) -> str:
        """Return why the session cannot be forked; empty if it can."""
        # An agent that is not loaded is loaded when the session is forked.
        if self.world_run is not None or self.process is not None or self._may_have_agent(summary):
            return ""
        if not self.may_be_remote:
            failed = ", ".join(self.services.agents.list_failed_labels())
            return f"{_UNKNOWN_AGENT} These agents could not be loaded: {failed}." if failed else _UNKNOWN_AGENT
        return _GONE if self.services.restarts.was_offered(self.session_id) else _REMOTE

    def find_player_problem(self, summary: SessionSummary) -> str:
        """Return why nobody can choose who plays the models of the session; empty if somebody can."""
        if self.world_run is not None:
            return _WORLD_PLAYER
        if self.run is not None:
            return ""
        if self._may_have_agent(summary):
            return _OVER
        return _REMOTE_PLAYER if self.may_be_remote else _UNKNOWN_AGENT

    def _may_have_agent(self, summary: SessionSummary) -> bool:
        """Whether the agent is on this server, or may be one of the folder that nobody has opened yet."""
        runs = self.services.runs
        is_known = runs.find_agent(summary) is not None or runs.find_entry(summary) is not None
        return is_known or (summary.has_joined and self.services.agents.has_unopened_agents())

    async def _list_links(self, session_ids: Iterable[str]) -> list[SessionLink]:
        """Return the sessions that still exist."""
        links: list[SessionLink] = []
        for session_id in session_ids:
            with suppress(SessionNotFound):
                found = await self.timeline.get_summary(session_id)
                links.append(SessionLink(session_id=session_id, name=found.name))
        return links

    async def load_agent(self, *, is_fork: bool) -> CreateAgentRun | None:
        """Return what creates another run of the version of the agent that continues: for a fork, as its code is now.

        Raises:
            AgentLoadFailed: The agent's code cannot be loaded.
        """
        summary, run, runs = await self.timeline.get_summary(self.session_id), self.run, self.services.runs
        agent = self._agent = await runs.load_agent(summary) if is_fork else runs.find_agent(summary)
        if run is not None and agent is not None and runs.find_revision(self.session_id) == agent.revision:
            return lambda player, _: run.create_copy(player)
        if agent is None:
            return None
        return lambda player, user_id: agent.create_run(self.timeline, player=player, user_id=user_id)

    def keep_run(self, run: AgentRun) -> None:
        """Keep the run that continues the session, or a fork of it."""
        assert self._agent is not None  # noqa: S101 - `load_agent` has returned what created the run
        self.services.runs.set_player(self.services.runs.add(self._agent, run), HUMAN)

    def keep_world_run(self, run: WorldRun) -> None:
        """Let the fork of a run in a world go on."""
        self.services.worlds.add_fork(run)
