"""An agent in the catalog, whether its code is loaded or not."""

from __future__ import annotations

from dataclasses import dataclass

from adk_agent_sim.adk.loading.agent_loader import LoadFailure
from adk_agent_sim.server.agents.api_models import LoadStatus
from adk_agent_sim.server.agents.playable_agent import PlayableAgent


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
