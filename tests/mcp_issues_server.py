"""A real MCP server over stdio whose tools fail: a tracker of issues that only a mock can play."""

import fork_request

fork_request.continue_where_imported("mcp.server.mcpserver")

from typing import NoReturn  # noqa: E402 - as the next one

from mcp.server.mcpserver import MCPServer  # noqa: E402 - not imported twice
from pydantic import BaseModel  # noqa: E402 - as the one before

server = MCPServer("tracker")


class Issue(BaseModel):
    """An issue."""

    number: int
    repo: str
    title: str
    state: str


class Found(BaseModel):
    """Issues that were found."""

    issues: list[Issue]


def _refuse() -> NoReturn:
    raise RuntimeError("the real tool must not run")


@server.tool()
def tracker__create_issue(repo: str, title: str) -> Issue:
    """Open an issue."""
    _refuse()


@server.tool()
def tracker__get_issue(issue_number: int) -> Issue:
    """Show an issue."""
    _refuse()


@server.tool()
def tracker__update_issue(issue_number: int, state: str) -> Issue:
    """Change an issue."""
    _refuse()


@server.tool()
def tracker__search_issues(query: str) -> Found:
    """Find issues."""
    _refuse()


if __name__ == "__main__":
    server.run("stdio")
