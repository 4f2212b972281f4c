"""An agent that can be played: a version of its code, with the services that its runs use."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Self

from adk_agent_sim.adk.loading.agent_loader import LoadFailure
from adk_agent_sim.adk.players.session_player import SessionPlayer
from adk_agent_sim.adk.runs.agent_run import DEFAULT_USER_ID, AgentRun
from adk_agent_sim.adk.runs.run_app import remove_simulator_plugin
from adk_agent_sim.adk.runs.session_storage import RunnerServices
from adk_agent_sim.golden.session import SimulatedAgentConfig
from adk_agent_sim.server.agents.api_models import LoadStatus
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

    @classmethod
    def of_config(cls, key: str, config: SimulatedAgentConfig, services: RunnerServices, revision: int = 0) -> Self:
        """Return an agent without the simulator's plugin: each run would log that it is left out."""
        played = config if config.app is None else replace(config, app=remove_simulator_plugin(config.app))
        return cls(key, played, services, revision)

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


@dataclass(eq=False, kw_only=True)
class CatalogEntry:
    """An agent, the version of it that new sessions use, and why there is none."""

    key: str
    label: str
    """The name that people see."""

    folder_name: str = ""
    """The name of its folder; empty for an agent that was given as an object."""

    agent: PlayableAgent | None = None
    """The version that was loaded last; it may be outdated."""

    failure: LoadFailure | None = None
    """Why the last attempt to load it failed; None if it did not."""

    is_loading: bool = False

    revision: int = 0
    """Counts the changes of its code."""

    @property
    def is_current(self) -> bool:
        """Whether new sessions can use the version that is loaded."""
        return self.agent is not None and self.failure is None and self.agent.revision == self.revision

    @property
    def was_opened(self) -> bool:
        """Whether somebody has wanted its code."""
        return self.agent is not None or self.failure is not None or self.is_loading

    @property
    def status(self) -> LoadStatus:
        """Whether its code is loaded."""
        if self.failure is not None:
            return LoadStatus.FAILED
        if self.is_loading:
            return LoadStatus.LOADING
        return LoadStatus.LOADED if self.agent is not None else LoadStatus.NOT_LOADED

    @property
    def app_name(self) -> str:
        """The name of its ADK app; before it is loaded, that of its folder, which apps have by default."""
        return self.agent.app_name if self.agent is not None else self.folder_name
