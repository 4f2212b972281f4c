"""Scenarios: file format, apps, the simulated world, and authoring in Python."""

from adk_agent_sim.scenario.format.agent_log import BaseAgentLog as BaseAgentLog
from adk_agent_sim.scenario.format.exporter import JsonScenarioExporter as JsonScenarioExporter
from adk_agent_sim.scenario.format.imported_scenario import (
    BenchmarkScenarioImportedFromJson as BenchmarkScenarioImportedFromJson,
)
from adk_agent_sim.scenario.format.imported_scenario import ScenarioImportedFromJson as ScenarioImportedFromJson
from adk_agent_sim.scenario.format.importer import JsonScenarioImporter as JsonScenarioImporter
from adk_agent_sim.scenario.format.scenario_files import load_scenario as load_scenario
from adk_agent_sim.scenario.format.scenario_files import load_scenarios as load_scenarios
from adk_agent_sim.scenario.story import Story as Story
from adk_agent_sim.scenario.story import StoryStep as StoryStep
from adk_agent_sim.scenario.verdict.judge import Judge as Judge
from adk_agent_sim.scenario.verdict.judge import judge as judge
from adk_agent_sim.scenario.verdict.soft_check import SoftCheck as SoftCheck
from adk_agent_sim.scenario.world.world import World as World
from adk_agent_sim.timeline.verdict import Verdict as Verdict
