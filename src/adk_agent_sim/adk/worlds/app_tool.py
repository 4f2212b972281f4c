"""A tool of a scenario's world as a tool of ADK."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from google.adk.tools import BaseTool, ToolContext
from google.genai import types

from adk_agent_sim.scenario.app_base.tool_schema import build_parameters_schema

if TYPE_CHECKING:
    from adk_agent_sim.adk.worlds.world_session import WorldSession
    from adk_agent_sim.scenario.world.agent_tools import OfferedTool


class AppTool(BaseTool):
    """Calls a tool of the world, under the name by which the world offers it.

    Errors of the tool are raised: ADK reports them to the model as it does for every tool.
    """

    never_waits: ClassVar[bool] = True
    """For the seat of tools: a world works without any waiting, also where its own time passes."""

    def __init__(self, offered: OfferedTool, session: WorldSession) -> None:
        super().__init__(name=offered.name, description=offered.description)
        self._offered = offered
        self._session = session
        # Once per run: ADK asks every tool for its declaration at every model call.
        self._declaration = types.FunctionDeclaration(
            name=offered.name,
            description=offered.description,
            parameters_json_schema=build_parameters_schema(offered.tool),
        )

    def _get_declaration(self) -> types.FunctionDeclaration:
        return self._declaration

    async def run_async(self, *, args: dict[str, Any], tool_context: ToolContext) -> Any:
        """Make the call now, in simulated time, and return what an agent sees of it."""
        return await self._session.call(self._offered.app, self._offered.tool, args, tool_context)
