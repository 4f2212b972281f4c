"""A real MCP server over HTTP that lists and runs its tools only with a bearer token, and agents that use it."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from google.adk.agents import LlmAgent
from google.adk.apps import App
from google.adk.models import BaseLlm
from google.adk.tools.mcp_tool import McpToolset, StreamableHTTPConnectionParams
from loopback_server import serve_on_loopback
from mcp.server.mcpserver import MCPServer
from pausing_agents import OAUTH
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

TOKEN = "mcp-live-Zq81mQ0vXe"  # noqa: S105 - a made-up one


@contextmanager
def serve_guarded_mcp() -> Generator[str]:
    """Run the server in a thread; yield its address."""
    with serve_on_loopback(_Guard(_build_server())) as url:
        yield f"{url}/mcp"


def build_guarded_app(model: BaseLlm | str, url: str) -> App:
    """Return an agent with the tools of the server, for which the user has to sign in."""
    shelf = McpToolset(
        connection_params=StreamableHTTPConnectionParams(url=url, timeout=120),
        auth_scheme=OAUTH.auth_scheme,
        auth_credential=OAUTH.raw_auth_credential,
    )
    return App(name="shelf", root_agent=LlmAgent(name="shelf", model=model, instruction="Fill it.", tools=[shelf]))


class _Guard:
    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_allowed = scope["type"] != "http" or (b"authorization", f"Bearer {TOKEN}".encode()) in scope["headers"]
        await (self._app if is_allowed else Response(status_code=401))(scope, receive, send)


def _build_server() -> ASGIApp:
    server = MCPServer("shelf")

    @server.tool()
    def put(thing: str, times: int = 1) -> str:  # pyright: ignore[reportUnusedFunction] - registered
        """Put a thing on the shelf."""
        return f"{times} x {thing}"

    return server.streamable_http_app()
