"""The built-in apps, one file per app, and the names needed to write another."""

from adk_agent_sim.scenario.app_base.app import JSON as JSON
from adk_agent_sim.scenario.app_base.app import App as App
from adk_agent_sim.scenario.app_base.app_context import AppContext as AppContext
from adk_agent_sim.scenario.app_base.tool import APP as APP
from adk_agent_sim.scenario.app_base.tool import ENV as ENV
from adk_agent_sim.scenario.app_base.tool import HIGH as HIGH
from adk_agent_sim.scenario.app_base.tool import LOW as LOW
from adk_agent_sim.scenario.app_base.tool import MEDIUM as MEDIUM
from adk_agent_sim.scenario.app_base.tool import READ as READ
from adk_agent_sim.scenario.app_base.tool import USER as USER
from adk_agent_sim.scenario.app_base.tool import WRITE as WRITE
from adk_agent_sim.scenario.app_base.tool import NotificationTemplate as NotificationTemplate
from adk_agent_sim.scenario.app_base.tool import tool as tool
