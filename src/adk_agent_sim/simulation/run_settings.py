"""The settings of a session that a command starts: where ADK keeps it, how it begins, and how it is exported."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from google.adk.apps import App

from adk_agent_sim.adk.runs.agent_run import DEFAULT_USER_ID
from adk_agent_sim.adk.runs.session_storage import RunnerServices
from adk_agent_sim.golden.eval_criteria import EvalCriteria
from adk_agent_sim.simulation.simulation import Simulation


@dataclass(frozen=True, kw_only=True)
class RunSettings:
    """The settings of a session."""

    services: RunnerServices = field(default_factory=RunnerServices)
    """ADK's services; they are closed with the session."""

    state: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """The initial state."""

    user_id: str = DEFAULT_USER_ID
    """The ADK user id."""

    criteria: EvalCriteria | None = None
    """What `adk eval` compares; None to leave the criteria of the EvalSet's folder alone."""

    @asynccontextmanager
    async def open_simulation(self, app: App, state: Mapping[str, Any] | None = None) -> AsyncGenerator[Simulation]:
        """Open a simulation, and close it and the services at the end.

        Args:
            app: The agent's app.
            state: More of the initial state, such as that of a script.
        """
        try:
            async with Simulation(
                app,
                state={**(state or {}), **self.state},
                user_id=self.user_id,
                session_service=self.services.session,
                artifact_service=self.services.artifact,
                memory_service=self.services.memory,
            ) as sim:
                yield sim
        finally:
            await self.services.close()
