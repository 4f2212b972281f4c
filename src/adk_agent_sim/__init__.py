"""Simulates everything around an agent built with Google's Agent Development Kit.

Names are resolved on first use, so importing a module loads that module only.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from adk_agent_sim.adk.environment.environment_factory import EnvironmentSimulationFactory
    from adk_agent_sim.adk.environment.environment_plugin import EnvironmentSimulationPlugin
    from adk_agent_sim.adk.environment.simulated_app import simulated
    from adk_agent_sim.adk.plugins.simulator_plugin import SimulatorPlugin
    from adk_agent_sim.adk.seats.tool_errors import ToolErrorPlugin
    from adk_agent_sim.errors import RunFailed
    from adk_agent_sim.golden.session import SimulatedAgentConfig
    from adk_agent_sim.server.simulator import AgentSimulator
    from adk_agent_sim.simulation.simulation import Simulation

__version__ = "0.1.0"

_HOMES = {
    "AgentSimulator": "adk_agent_sim.server.simulator",
    "EnvironmentSimulationFactory": "adk_agent_sim.adk.environment.environment_factory",
    "EnvironmentSimulationPlugin": "adk_agent_sim.adk.environment.environment_plugin",
    "RunFailed": "adk_agent_sim.errors",
    "SimulatedAgentConfig": "adk_agent_sim.golden.session",
    "Simulation": "adk_agent_sim.simulation.simulation",
    "SimulatorPlugin": "adk_agent_sim.adk.plugins.simulator_plugin",
    "ToolErrorPlugin": "adk_agent_sim.adk.seats.tool_errors",
    "simulated": "adk_agent_sim.adk.environment.simulated_app",
}

__all__ = [
    "AgentSimulator",
    "EnvironmentSimulationFactory",
    "EnvironmentSimulationPlugin",
    "RunFailed",
    "SimulatedAgentConfig",
    "Simulation",
    "SimulatorPlugin",
    "ToolErrorPlugin",
    "simulated",
]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(home), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
