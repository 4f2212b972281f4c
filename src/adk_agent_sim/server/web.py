"""The web application: the API, the live socket and the pages, inside the guard."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fastapi import FastAPI, Request, WebSocket
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from adk_agent_sim import __version__
from adk_agent_sim.errors import SimulatorError
from adk_agent_sim.forms.messages import dotted
from adk_agent_sim.server.answers import refused, told
from adk_agent_sim.server.api import api
from adk_agent_sim.server.live import Live
from adk_agent_sim.server.pages import Pages
from adk_agent_sim.server.scenario_api import scenario_api
from adk_agent_sim.server.scenarios import Scenarios
from adk_agent_sim.server.sessions import Sessions
from adk_agent_sim.server.shapes import ProblemShape, Refusal


def application(
    sessions: Sessions | None, *, server_id: str = "", keeps: bool = False, scenarios: Scenarios | None = None
) -> FastAPI:
    """The application without its guard; without sessions, only to be described."""
    app = FastAPI(
        title="adk-agent-sim",
        version=__version__,
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        generate_unique_id_function=lambda route: route.name,
    )
    app.include_router(api)
    if scenarios or sessions is None:
        app.include_router(scenario_api)
    app.add_exception_handler(SimulatorError, _refused)
    app.add_exception_handler(OSError, _refused)
    app.add_exception_handler(RequestValidationError, _unreadable)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(Exception, _unexpected)
    if sessions is None:
        return app
    app.state.sessions = sessions
    app.state.scenarios = scenarios
    found = len(scenarios or ())
    app.state.facts = {"version": __version__, "server_id": server_id, "keeps": keeps, "scenarios": found}
    live = Live(sessions)

    async def follow(socket: WebSocket) -> None:
        await live.serve(socket)

    app.add_api_websocket_route("/api/live", follow)
    app.add_route("/api/{rest:path}", _no_such_endpoint, include_in_schema=False)
    app.add_route("/{rest:path}", Pages().answer, methods=["GET"], include_in_schema=False)
    return app


async def _refused(request: Request, error: Exception) -> Response:
    return refused(error)


async def _unreadable(request: Request, error: Exception) -> Response:
    found: Sequence[Any] = error.errors() if isinstance(error, RequestValidationError) else ()
    problems = [ProblemShape(path=dotted(one["loc"][1:]), message=one["msg"]) for one in found]
    message = "The request cannot be read: " + "; ".join(f"{one.path} {one.message}".strip() for one in problems)
    return told(Refusal(error="Unreadable", message=message, problems=problems), 422)


async def _http(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    detail = error.detail if isinstance(error, HTTPException) else str(error)
    return told(Refusal(error=f"Http{status}", message=detail), status)


async def _unexpected(request: Request, error: Exception) -> Response:
    message = f"Something broke inside the server ({type(error).__name__}); its log says more. This is a bug."
    return told(Refusal(error="Unexpected", message=message), 500)


async def _no_such_endpoint(request: Request) -> Response:
    return told(Refusal(error="Http404", message=f"There is no {request.url.path} in this API."), 404)
