"""Recognizes the tools by which ADK steers a run. They reach nothing outside it, so they are never simulated."""

from __future__ import annotations

from google.adk.tools import AgentTool, BaseTool, FunctionTool
from google.adk.tools.set_model_response_tool import SetModelResponseTool
from google.adk.tools.transfer_to_agent_tool import TransferToAgentTool

from adk_agent_sim.adk.compat import is_node_tool
from adk_agent_sim.timeline.framework_calls import CONTROL_TOOLS


def is_framework_tool(tool: BaseTool) -> bool:
    """Return whether a call of the tool is a step of the run itself.

    True for an agent or a workflow that is used as a tool: the tools inside it are calls of their own.
    """
    if tool.name in CONTROL_TOOLS or isinstance(tool, AgentTool | SetModelResponseTool | TransferToAgentTool):
        return True
    # A function is the most common tool and never a node, so it needs none of ADK's private names.
    return not isinstance(tool, FunctionTool) and is_node_tool(tool)
