"""The apps that a scenario's world is made of, one file an app; and what is needed to write another."""

from adk_agent_sim.scenario.apps.app import JSON as JSON
from adk_agent_sim.scenario.apps.app import App as App
from adk_agent_sim.scenario.apps.surroundings import Surroundings as Surroundings
from adk_agent_sim.scenario.apps.tool import APP as APP
from adk_agent_sim.scenario.apps.tool import ENV as ENV
from adk_agent_sim.scenario.apps.tool import HIGH as HIGH
from adk_agent_sim.scenario.apps.tool import LOW as LOW
from adk_agent_sim.scenario.apps.tool import MEDIUM as MEDIUM
from adk_agent_sim.scenario.apps.tool import READ as READ
from adk_agent_sim.scenario.apps.tool import USER as USER
from adk_agent_sim.scenario.apps.tool import WRITE as WRITE
from adk_agent_sim.scenario.apps.tool import Notice as Notice
from adk_agent_sim.scenario.apps.tool import tool as tool
