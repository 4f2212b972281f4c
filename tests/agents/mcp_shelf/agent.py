"""A shelf keeper whose tools are those of an MCP server over stdio."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from google.adk.agents import LlmAgent
from google.adk.tools.mcp_tool import McpToolset, StdioConnectionParams
from mcp import StdioServerParameters

_SERVER = Path(__file__).parents[2] / "mcp_server.py"
_CONNECT_TIMEOUT = 120.0

root_agent = LlmAgent(
    name="mcp_shelf",
    model="gemini-2.5-flash",
    description="Keeps a shelf.",
    instruction="Put things on the shelf.",
    tools=[
        McpToolset(
            connection_params=StdioConnectionParams(
                server_params=StdioServerParameters(command=sys.executable, args=[str(_SERVER)], env=dict(os.environ)),
                timeout=_CONNECT_TIMEOUT,
            )
        )
    ],
)
