"""Everything that the web API does with sessions, wired in one place.

SessionRuns  (agents in this process) --+--> SessionDirectory     list, create, rename, close, delete
Timeline     (summaries and rows)     --+--> SessionReader        rows, briefing, request, state
                                        +--> SessionActions       as the user: messages, confirmations, cancel, stop
                                        +--> TurnActions          as the model: decide, suggest
                                        +--> FormChecks           problems of a form before it is sent
                                        +--> EnvironmentControls  rules and faults
                                        +--> SessionExporter      golden traces
"""

from __future__ import annotations

from adk_agent_sim.server.agent_catalog import AgentCatalog
from adk_agent_sim.server.environment_controls import EnvironmentControls
from adk_agent_sim.server.form_checks import FormChecks
from adk_agent_sim.server.live_updates import LiveUpdates
from adk_agent_sim.server.session_actions import SessionActions
from adk_agent_sim.server.session_directory import SessionDirectory
from adk_agent_sim.server.session_exporter import SessionExporter
from adk_agent_sim.server.session_reader import SessionReader
from adk_agent_sim.server.session_runs import SessionRuns
from adk_agent_sim.server.turn_actions import TurnActions
from adk_agent_sim.timeline.timeline import Timeline


class SessionServices:
    """The services for the sessions of one timeline."""

    def __init__(self, agents: AgentCatalog, timeline: Timeline, *, allow_remote_agents: bool = False) -> None:
        """Wire the services; with `allow_remote_agents`, agents in other processes may play on the timeline too."""
        self.agents = agents
        self._runs = runs = SessionRuns(agents, timeline, allow_remote_agents=allow_remote_agents)
        self.directory = SessionDirectory(timeline, runs)
        self.reader = SessionReader(timeline, runs)
        self.actions = SessionActions(timeline, runs, self.directory)
        self.turns = TurnActions(timeline, runs, self.directory)
        self.forms = FormChecks(timeline, runs)
        self.environment = EnvironmentControls(timeline, runs)
        self.exporter = SessionExporter(timeline, runs)
        self.live_updates = LiveUpdates(timeline, self.directory)

    async def close(self) -> None:
        """Close all runs and release the agents' resources."""
        await self._runs.close()
