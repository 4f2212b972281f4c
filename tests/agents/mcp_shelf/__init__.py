"""An agent whose tools come from an MCP server that it starts."""

from . import agent as agent
