"""The agent runs of this process, by session. A session without a run is read-only, unless remote agents may play."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Mapping
from dataclasses import replace

from adk_agent_sim.adk.runs.agent_run import AgentRun
from adk_agent_sim.adk.worlds.world_run import WorldRun
from adk_agent_sim.errors import SessionNotFound
from adk_agent_sim.server.agents.agent_catalog import AgentCatalog
from adk_agent_sim.server.agents.playable_agent import CatalogEntry, PlayableAgent
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.events import SERVER_STOPPED, SERVER_STOPPED_IN_RUN, Player
from adk_agent_sim.timeline.player_spec import PlayerKind
from adk_agent_sim.timeline.read_model.session_summary import SessionStatus, SessionSummary
from adk_agent_sim.timeline.session_liveness import OtherProcesses, SessionLiveness
from adk_agent_sim.timeline.session_queries import AgentSessions, SessionFilter
from adk_agent_sim.timeline.timeline import Timeline
from adk_agent_sim.use_cases.messages import start_session
from adk_agent_sim.use_cases.record import OperationResult
from adk_agent_sim.use_cases.session_host import HostedAgent, SessionHost

HUMAN = str(PlayerKind.HUMAN)


class SessionRuns(SessionHost):
    """Starts, finds and closes the runs of agents whose code is in this process."""

    def __init__(self, agents: AgentCatalog, timeline: Timeline, *, allow_remote_agents: bool = False) -> None:
        super().__init__()
        self.allow_remote_agents = allow_remote_agents
        """Whether agents in other processes play on the same timeline."""
        self._agents = agents
        self._timeline = timeline
        self._runs: dict[str, tuple[PlayableAgent, AgentRun]] = {}
        self._players: dict[str, str] = {}
        self.worlds: dict[str, WorldRun] = {}
        """The runs in worlds that people play or have played, by session."""
        self.world_ids: set[str] = set()
        """The sessions that a person plays now in a scenario's world, which sends the messages."""

    def __contains__(self, session_id: str) -> bool:
        return session_id in self._runs

    async def start(
        self, agent_key: str, *, state: Mapping[str, Json] | None = None, user_id: str | None = None
    ) -> OperationResult:
        """Start a session of an agent.

        Args:
            agent_key: The agent.
            state: The initial state.
            user_id: The ADK user id; None for the default.

        Raises:
            AgentLoadFailed: The agent's code cannot be loaded.
        """
        agent = await self._agents.load(agent_key)
        run = agent.create_run(self._timeline, state=state, user_id=user_id)
        answer = await start_session(run)
        self.add(agent, run)
        return answer

    def add(self, agent: PlayableAgent, run: AgentRun) -> str:
        """Add a run that is open, or put it in the place of the one that its session had; returns the session's id."""
        session_id = run.recorded_session.session_id
        self._runs[session_id] = (agent, run)
        return session_id

    def get_player(self, session_id: str) -> str:
        """Return who plays the models of a session, as it was asked for: `human`, `real`, or a recording."""
        return self._players.get(session_id, HUMAN)

    def set_player(self, session_id: str, player: str) -> None:
        """Remember who plays the models of a session."""
        self._players[session_id] = player

    def find(self, session_id: str) -> AgentRun | None:
        """Return the run of a session, or None if its agent does not run in this process."""
        return self._runs[session_id][1] if session_id in self._runs else None

    def find_agent(self, summary: SessionSummary) -> PlayableAgent | None:
        """Return the agent of a session: of its run, or for an earlier process's session, the app of that name."""
        if summary.session.session_id in self._runs:
            return self._runs[summary.session.session_id][0]
        return self._agents.find_by_app_name(summary.app_name) if summary.has_joined else None

    async def load_agent(self, summary: SessionSummary) -> PlayableAgent | None:
        """Return the agent of a session as its code is now, for a new session; None if it is not on this server.

        Raises:
            AgentLoadFailed: The agent's code cannot be loaded.
        """
        if summary.session.session_id in self._runs:
            return await self._agents.load(self._runs[summary.session.session_id][0].key)
        return await self._agents.load_by_app_name(summary.app_name) if summary.has_joined else None

    def find_entry(self, summary: SessionSummary) -> CatalogEntry | None:
        """Return the entry of the agent of a session without a run, whether it is loaded or not."""
        return self._agents.find_entry(summary.app_name) if summary.has_joined else None

    def find_revision(self, session_id: str) -> int | None:
        """Return the revision of the code that a session runs with; None if it does not run here."""
        return self._runs[session_id][0].revision if session_id in self._runs else None

    def select_sessions(self, is_selected: Callable[[str], bool]) -> AgentSessions | None:
        """Return the sessions of the agents with a selected display name; None if there is no such agent."""
        selected = [agent for agent in self._agents if is_selected(agent.config.name)]
        if not selected:
            return None
        own_ids = {session_id for session_id, (agent, _) in self._runs.items() if agent in selected}
        return AgentSessions(
            session_ids=own_ids,
            # Of several agents with one app, the first has the sessions of earlier processes.
            app_names=[agent.app_name for agent in selected if self._agents.find_by_app_name(agent.app_name) is agent],
            other_ids=self._runs.keys() - own_ids,
        )

    @property
    def liveness(self) -> SessionLiveness:
        """Which sessions can go on: all of them if agents may run in other processes."""
        others = OtherProcesses.ANY if self.allow_remote_agents else OtherProcesses.NONE
        return SessionLiveness(own_ids=self._runs.keys() | self.world_ids, others=others)

    def is_playable(self, session_id: str) -> bool:
        """Whether a session can go on: its agent runs here, or may run in another process."""
        return self.liveness.can_go_on(session_id)

    def has_world(self, session_id: str) -> bool:
        """Return whether the world that a session runs in can be seen here."""
        return session_id in self.worlds

    def find_hosted_agent(self, summary: SessionSummary) -> HostedAgent:
        """Return what lists show of the agent of a session, whether it is loaded or not."""
        if agent := self.find_agent(summary):
            revision = self.find_revision(summary.session.session_id)
            config = agent.config
            return HostedAgent(key=agent.key, revision=revision, name=config.agent.name, label=config.name)
        entry = self.find_entry(summary)
        return HostedAgent(key=entry.key if entry else "")

    def complete_filter(self, wanted: SessionFilter) -> SessionFilter:
        """Return a filter that also finds agents by the names that lists show."""
        text = wanted.text.casefold()
        return replace(
            super().complete_filter(wanted),
            of_agents=self.select_sessions(lambda name: name == wanted.agent),
            text_agents=self.select_sessions(lambda name: text != "" and text in name.casefold()),
        )

    def is_played_by_person(self, session_id: str) -> bool:
        """Whether a person plays the agent of a session in a scenario's world, and its run has not ended."""
        run = self.worlds.get(session_id)
        if run is None or session_id not in self.world_ids:
            return False
        # After an undo or in a fork, a person goes on in the place of whoever played.
        is_taken_over = run.agent_run is not None and run.agent_run.recorded_session.player is Player.HUMAN
        return is_taken_over or run.player_name == HUMAN

    async def close_run(self, session_id: str, reason: str) -> bool:
        """Close the run of a session, if it has one; returns whether it had."""
        if session_id not in self._runs:
            return False
        agent, run = self._runs.pop(session_id)
        self._players.pop(session_id, None)
        # Runs of one agent share its toolsets and connections: only the last run may release them.
        is_shared = any(other is agent for other, _ in self._runs.values())
        await run.close(release=not is_shared, reason=reason)
        return True

    async def close(self) -> None:
        """Close all runs and release the agents' resources; sessions in which nothing happened are deleted."""
        runs = [run for _, run in self._runs.values()]
        # Requests that are still being served must not find a run that is being closed.
        self._runs.clear()
        await asyncio.gather(*(self._close_with_server(run) for run in runs))

    async def _close_with_server(self, run: AgentRun) -> None:
        await run.close(reason=SERVER_STOPPED_IN_RUN if run.is_running else SERVER_STOPPED)
        with contextlib.suppress(SessionNotFound):
            await self._delete_untouched(await self._timeline.get_summary(run.recorded_session.session_id))

    async def delete_untouched_sessions(self) -> None:
        """Delete the sessions in which nothing happened before their server was killed."""
        for summary in await self._timeline.list_summaries(SessionFilter(statuses=(SessionStatus.NEW,))):
            if summary.has_joined and summary.session.session_id not in self._runs:
                await self._delete_untouched(summary)

    async def _delete_untouched(self, summary: SessionSummary) -> None:
        """Delete a session if its log has nothing but its beginning and its end, and nobody gave it a name."""
        if summary.last_seq == (2 if summary.is_closed else 1) and not summary.given_name:
            await self._timeline.delete_session(summary.session.session_id)
