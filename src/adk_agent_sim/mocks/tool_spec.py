"""What a mock knows about a tool: its name, the schema of its arguments and that of its results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from adk_agent_sim.forms.schema_dialect import JsonSchema


# Specs are compared by identity, so that what is compiled from one can be cached.
@dataclass(frozen=True, kw_only=True, eq=False)
class ToolSpec:
    """A tool as its declaration describes it."""

    name: str
    """The name by which the model calls it."""

    description: str = ""

    parameters: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """The JSON Schema of the arguments."""

    results: JsonSchema | None = None
    """The JSON Schema of the results; None if the tool does not declare any, or one that allows everything."""

    results_origin: str = ""
    """Where the schema of the results comes from: `output schema` or `return annotation`; empty without one."""

    is_mcp: bool = False
    """Whether it is a tool of an MCP server, whose results are wrapped in a `CallToolResult`."""

    @property
    def argument_names(self) -> list[str]:
        """The names of the arguments."""
        return [*self.parameters.get("properties", {})]
