"""Tools by which ADK steers a run: they reach nothing outside, so they are never simulated and never refused."""

from __future__ import annotations

from google.adk.tools import AgentTool, BaseTool
from google.adk.tools._node_tool import NodeTool  # pyright: ignore[reportPrivateUsage] - it has no public name
from google.adk.tools.set_model_response_tool import SetModelResponseTool
from google.adk.tools.transfer_to_agent_tool import TransferToAgentTool

_FRAMEWORK_TOOL_NAMES = frozenset({"transfer_to_agent", "set_model_response", "exit_loop", "finish_task"})


def is_framework_tool_name(name: str) -> bool:
    """The same, of a call in a file, where only its name is known; requests for consent and the like among them."""
    return name in _FRAMEWORK_TOOL_NAMES or name.startswith("adk_request_")


def is_framework_tool(tool: BaseTool) -> bool:
    """Whether a call of the tool is a step of the run itself; the tools inside an agent or workflow are others."""
    return tool.name in _FRAMEWORK_TOOL_NAMES or isinstance(
        tool, AgentTool | NodeTool | SetModelResponseTool | TransferToAgentTool
    )
