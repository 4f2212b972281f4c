"""A real MCP server for the tests: over stdio by default, over HTTP on a loopback port with `http PORT`."""

import sys

import fork_request

fork_request.continue_where_imported("mcp.server.mcpserver")

from mcp.server.mcpserver import MCPServer  # noqa: E402 - not imported twice

server = MCPServer("shelf")


@server.tool()
def put(thing: str, times: int = 1) -> str:
    """Put a thing on the shelf."""
    return f"{times} x {thing}"


@server.tool()
def drop(thing: str) -> str:
    """Drop a thing; always fails."""
    raise RuntimeError(f"{thing} broke")


if __name__ == "__main__":
    if sys.argv[1:2] == ["http"]:
        server.run("streamable-http", host="127.0.0.1", port=int(sys.argv[2]))
    else:
        server.run("stdio")
