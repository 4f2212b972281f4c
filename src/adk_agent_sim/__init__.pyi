from .adk.environment.environment_factory import EnvironmentSimulationFactory as EnvironmentSimulationFactory
from .adk.environment.environment_factory import simulated as simulated
from .adk.environment.environment_plugin import EnvironmentSimulationPlugin as EnvironmentSimulationPlugin
from .adk.plugins.simulator_plugin import SimulatorPlugin as SimulatorPlugin
from .adk.seats.tool_errors import ToolErrorPlugin as ToolErrorPlugin
from .errors import RunFailed as RunFailed
from .golden.session import SimulatedAgentConfig as SimulatedAgentConfig
from .server.simulator import AgentSimulator as AgentSimulator
from .simulation.simulation import Simulation as Simulation

__version__: str
