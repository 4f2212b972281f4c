"""A real OAuth 2.0 authorization server with a service behind it, and agents whose tools need a sign-in there.

    the user --GET /authorize--> code --(in the address that the user is sent back to)--> ADK
    ADK --POST /token, code and client secret--> access token --GET /weather--> the service

A code is used once, belongs to a redirect address, and is exchanged only for the client that asked for it.
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Generator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from http.client import HTTPConnection
from typing import Any
from urllib.parse import parse_qs, unquote, urlencode, urlsplit

import httpx
from fastapi.openapi.models import OAuth2, OAuthFlowAuthorizationCode, OAuthFlows
from google.adk.agents import LlmAgent
from google.adk.apps import App
from google.adk.auth.auth_credential import AuthCredential, AuthCredentialTypes, OAuth2Auth
from google.adk.auth.auth_tool import AuthConfig
from google.adk.models import BaseLlm
from google.adk.tools import BaseTool, ToolContext
from google.adk.tools.authenticated_function_tool import AuthenticatedFunctionTool
from google.adk.tools.base_toolset import BaseToolset
from google.adk.tools.openapi_tool import OpenAPIToolset
from loopback_server import serve_on_loopback
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

CODE = "code-live-8fQ2nLw0"
ACCESS_TOKEN = "access-live-Zq81mQ0vXe"  # noqa: S105 - a made-up one
REFRESH_TOKEN = "refresh-live-Jt5pR7uB"  # noqa: S105 - a made-up one
CLIENT_SECRET = "client-live-W3xK9dCy"  # noqa: S105 - a made-up one
SECRETS = (CODE, ACCESS_TOKEN, REFRESH_TOKEN, CLIENT_SECRET)
REDIRECT_URI = "http://localhost:8000/dev-ui"
_CLIENT_ID = "weather-client"


@dataclass
class OAuthServer:
    """What the server did, by its endpoints."""

    url: str = ""
    exchanges: list[str] = field(default_factory=list[str])
    """The grant types of the token requests that succeeded."""

    refusals: list[str] = field(default_factory=list[str])
    """Why token requests were refused."""

    open_codes: set[str] = field(default_factory=set[str])

    def authorize(self, request: Request) -> Response:
        """Sign the user in at once, and send them back with a code."""
        query = request.query_params
        if (query.get("client_id"), query.get("redirect_uri")) != (_CLIENT_ID, REDIRECT_URI):
            return Response("unknown client", status_code=400)
        self.open_codes.add(CODE)
        return RedirectResponse(f"{REDIRECT_URI}?{urlencode({'code': CODE, 'state': query['state']})}", 302)

    async def exchange_code(self, request: Request) -> Response:
        """Give tokens for a code."""
        form = {name: values[0] for name, values in parse_qs((await request.body()).decode()).items()}
        problem = self._find_problem(form, _read_client(request, form))
        if problem:
            self.refusals.append(problem)
            return JSONResponse({"error": problem}, status_code=400)
        self.open_codes.remove(form["code"])
        self.exchanges.append(form["grant_type"])
        tokens = {"access_token": ACCESS_TOKEN, "refresh_token": REFRESH_TOKEN, "token_type": "Bearer"}
        return JSONResponse({**tokens, "expires_at": 4_000_000_000})

    def get_weather(self, request: Request) -> Response:
        """Answer those who have an access token."""
        if request.headers.get("authorization") != f"Bearer {ACCESS_TOKEN}":
            return JSONResponse({"error": "sign in first"}, status_code=401)
        return JSONResponse({"city": request.query_params.get("city"), "sky": "clear"})

    def sign_in(self, auth_uri: str) -> str:
        """Sign in as the user does in a browser; return the address to which the provider sends them back."""
        parts = urlsplit(auth_uri)
        # httpx and requests would log the code.
        with closing(HTTPConnection(parts.netloc)) as connection:
            connection.request("GET", f"{parts.path}?{parts.query}")
            answer = connection.getresponse()
            assert answer.status == HTTPStatus.FOUND, answer.read()
            return answer.headers["location"]

    def _find_problem(self, form: dict[str, str], client: tuple[str, str]) -> str:
        if client != (_CLIENT_ID, CLIENT_SECRET):
            return "invalid_client"
        if form.get("grant_type") != "authorization_code":
            return "unsupported_grant_type"
        is_valid = form.get("code") in self.open_codes and form.get("redirect_uri") == REDIRECT_URI
        return "" if is_valid else "invalid_grant"


def _read_client(request: Request, form: dict[str, str]) -> tuple[str, str]:
    scheme, _, encoded = request.headers.get("authorization", "").partition(" ")
    if scheme == "Basic":
        name, _, password = b64decode(encoded).decode().partition(":")
        return unquote(name), unquote(password)
    return form.get("client_id", ""), form.get("client_secret", "")


@contextmanager
def serve_oauth() -> Generator[OAuthServer]:
    """Run the server."""
    server = OAuthServer()
    routes = [
        Route("/authorize", server.authorize),
        Route("/token", server.exchange_code, methods=["POST"]),
        Route("/weather", server.get_weather),
    ]
    app = Starlette(routes=routes)

    async def serve_as_proxy(scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request whose target is a whole address, as proxies get it, like any other."""
        await app({**scope, "path": urlsplit(str(scope.get("path", ""))).path}, receive, send)

    with serve_on_loopback(serve_as_proxy) as server.url:
        yield server


def build_signed_in_app(model: BaseLlm | str, server: OAuthServer, kind: str) -> App:
    """Return an agent with a tool that signs the user in: a function, or an operation of an OpenAPI specification."""
    tool = _TOOLS[kind](server)
    return App(name="weather", root_agent=LlmAgent(name="weather", model=model, tools=[tool]))


def _build_auth_config(server: OAuthServer) -> AuthConfig:
    flow = OAuthFlowAuthorizationCode(
        authorizationUrl=f"{server.url}/authorize", tokenUrl=f"{server.url}/token", scopes={"weather": "Read it."}
    )
    client = OAuth2Auth(client_id=_CLIENT_ID, client_secret=CLIENT_SECRET, redirect_uri=REDIRECT_URI)
    return AuthConfig(
        auth_scheme=OAuth2(flows=OAuthFlows(authorizationCode=flow)),
        raw_auth_credential=AuthCredential(auth_type=AuthCredentialTypes.OAUTH2, oauth2=client),
    )


def _ask_service(server: OAuthServer, city: str, credential: AuthCredential) -> dict[str, Any]:
    """Call the service; the result has the token in it, as that of a careless tool."""
    token = credential.oauth2.access_token if credential.oauth2 else ""
    headers = {"Authorization": f"Bearer {token}"}
    answer = httpx.get(f"{server.url}/weather", params={"city": city}, headers=headers)
    return {**answer.json(), "sent": f"Authorization: Bearer {token}"}


def _build_authenticated_function(server: OAuthServer) -> BaseTool:
    def get_weather(city: str, credential: AuthCredential) -> dict[str, Any]:
        """Return the weather."""
        return _ask_service(server, city, credential)

    return AuthenticatedFunctionTool(func=get_weather, auth_config=_build_auth_config(server))


def _build_asking_function(server: OAuthServer) -> Any:
    config = _build_auth_config(server)

    def get_weather(city: str, tool_context: ToolContext) -> dict[str, Any]:
        """Return the weather."""
        credential = tool_context.get_auth_response(config)
        if credential is None:
            tool_context.request_credential(config)
            return {"status": "waiting for the user"}
        return _ask_service(server, city, credential)

    return get_weather


def _build_openapi_toolset(server: OAuthServer) -> BaseToolset:
    city = {"name": "city", "in": "query", "required": True, "schema": {"type": "string"}}
    answer = {"description": "The weather.", "content": {"application/json": {"schema": {"type": "object"}}}}
    operation = {"operationId": "get_weather", "parameters": [city], "responses": {"200": answer}}
    config = _build_auth_config(server)
    return OpenAPIToolset(
        spec_dict={
            "openapi": "3.0.0",
            "info": {"title": "Weather", "version": "1"},
            "servers": [{"url": "http://weather.example"}],
            "paths": {"/weather": {"get": operation}},
        },
        auth_scheme=config.auth_scheme,
        auth_credential=config.raw_auth_credential,
        # ADK refuses to call services on this machine, so the server is the proxy to one elsewhere.
        httpx_client_factory=lambda: httpx.AsyncClient(proxy=server.url),
    )


_TOOLS = {
    "function": _build_asking_function,
    "authenticated function": _build_authenticated_function,
    "openapi": _build_openapi_toolset,
}
