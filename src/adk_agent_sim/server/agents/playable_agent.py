"""An agent that can be played: a version of its code, with the services that its runs use."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from adk_agent_sim.adk.players.session_player import SessionPlayer
from adk_agent_sim.adk.runs.agent_run import DEFAULT_USER_ID, AgentRun
from adk_agent_sim.adk.runs.session_storage import RunnerServices
from adk_agent_sim.golden.session import SimulatedAgentConfig
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.events import Player
from adk_agent_sim.timeline.timeline import Timeline


@dataclass(frozen=True)
class PlayableAgent:
    """An agent and the key by which the API addresses it."""

    key: str
    config: SimulatedAgentConfig
    services: RunnerServices
    revision: int = 0
    """Counts the changes of its code since the server started; the version of a running session stays as it is."""

    @property
    def app_name(self) -> str:
        """The name of its ADK app, which is in the sessions on the timeline."""
        return (self.config.app or self.config.agent).name

    def create_run(
        self,
        timeline: Timeline,
        *,
        player: SessionPlayer = Player.HUMAN,
        state: Mapping[str, Json] | None = None,
        user_id: str | None = None,
    ) -> AgentRun:
        """Return a new run of the agent, not opened yet.

        Args:
            timeline: Where its session is recorded.
            player: Who plays its models.
            state: The initial state.
            user_id: The ADK user id; None for the default.
        """
        return AgentRun(
            self.config.app or self.config.agent,
            timeline,
            player=player,
            state=state,
            user_id=user_id or DEFAULT_USER_ID,
            services=self.services,
        )

    def create_unlisted_run(self) -> AgentRun:
        """Return a run of the agent, not opened yet, that leaves nothing on a timeline or in the user's services."""
        services = replace(self.services, session=None, artifact=None)
        return AgentRun(self.config.app or self.config.agent, Timeline(), services=services)
