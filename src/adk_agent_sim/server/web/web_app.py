"""The web application without its guard: the API, the WebSocket, the pages, and how errors become responses."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from fastapi import FastAPI, Request, WebSocket
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response

from adk_agent_sim import __version__
from adk_agent_sim.errors import SimulatorError
from adk_agent_sim.forms.problem_messages import format_path
from adk_agent_sim.persistence.access_tokens import TokenKind
from adk_agent_sim.server.access.access_control import Grant
from adk_agent_sim.server.benches.api import bench_api
from adk_agent_sim.server.benches.bench_catalog import BenchCatalog
from adk_agent_sim.server.evals.api import eval_api
from adk_agent_sim.server.evals.eval_catalog import EvalCatalog
from adk_agent_sim.server.scenarios.api import scenario_api
from adk_agent_sim.server.scenarios.scenario_catalog import ScenarioCatalog
from adk_agent_sim.server.sessions.action_api import action_api
from adk_agent_sim.server.sessions.session_services import SessionServices
from adk_agent_sim.server.time_travel.api import time_travel_api
from adk_agent_sim.server.web.api import api
from adk_agent_sim.server.web.responses import ErrorBody, error_response, json_response
from adk_agent_sim.server.web.static_pages import StaticPages
from adk_agent_sim.use_cases.record import FieldProblem

_TOKEN_REQUIRED_MESSAGE = "The session of a browser cannot open others. Run `adksim open`, or use a token."  # noqa: S105 - a message


def create_app(
    services: SessionServices | None,
    *,
    server_id: str = "",
    is_persistent: bool = False,
    scenarios: ScenarioCatalog | None = None,
    evals: EvalCatalog | None = None,
    benches: BenchCatalog | None = None,
    create_login_url: Callable[[Grant], str] | None = None,
) -> FastAPI:
    """Create the application; without `services` it can only be described, as an OpenAPI document.

    Args:
        services: The sessions to serve.
        server_id: Identifies the set of sessions to the browser.
        is_persistent: Whether the sessions are stored in a database.
        scenarios: Scenarios to view and play.
        evals: Files of eval cases to view, check and edit.
        benches: Benches to watch.
        create_login_url: Returns an address that opens a session in a browser, for the token that asks for it.
    """
    app = FastAPI(
        title="adksim",
        version=__version__,
        # FastAPI's own pages load scripts from another site, which our policy forbids.
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
    )
    # Not `include_router`, which analyses every endpoint a second time: 40 ms at the first request of each server.
    app.router.routes.extend([*api.routes, *action_api.routes, *time_travel_api.routes])
    if scenarios or services is None:
        app.router.routes.extend(scenario_api.routes)
    if evals is not None or services is None:
        app.router.routes.extend(eval_api.routes)
    if benches or services is None:
        app.router.routes.extend(bench_api.routes)
    _add_error_handlers(app)
    if services is None:
        return app
    app.state.services = services
    app.state.scenarios = scenarios
    app.state.evals = evals
    app.state.benches = benches
    app.state.create_login_url = create_login_url
    app.state.facts = {
        "version": __version__,
        "server_id": server_id,
        "is_persistent": is_persistent,
        "scenario_count": len(scenarios or ()),
        "has_evals": evals is not None,
        "eval_file_count": evals.initial_count if evals is not None else 0,
        "bench_count": len(benches or ()),
    }
    app.add_api_websocket_route("/api/live", _serve_live_socket)
    app.add_route("/api/login-url", _serve_login_url, methods=["POST"], include_in_schema=False)
    # Last, in this order: the routes above match first, and an unknown API path must not get the index page.
    app.add_route("/api/{rest:path}", _handle_unknown_endpoint, include_in_schema=False)
    app.add_route("/{rest:path}", StaticPages().serve_file, methods=["GET"], include_in_schema=False)
    return app


def _add_error_handlers(app: FastAPI) -> None:
    app.add_exception_handler(SimulatorError, _handle_simulator_error)
    # A full disk or an EvalSet in a read-only folder: something the person can fix, so they get its message.
    app.add_exception_handler(OSError, _handle_simulator_error)
    app.add_exception_handler(RequestValidationError, _handle_validation_error)
    app.add_exception_handler(HTTPException, _handle_http_error)
    app.add_exception_handler(Exception, _handle_unexpected_error)


async def _serve_live_socket(socket: WebSocket) -> None:
    services: SessionServices = socket.app.state.services
    await services.live_updates.serve_tab(socket)


async def _serve_login_url(request: Request) -> Response:
    grant: Grant = request.scope["adksim.grant"]
    create_login_url: Callable[[Grant], str] | None = request.app.state.create_login_url
    if create_login_url is None or grant.token.kind is TokenKind.BROWSER:
        # A session that could open others would never end.
        return json_response(ErrorBody(error="TokenRequired", message=_TOKEN_REQUIRED_MESSAGE), 403)
    return JSONResponse({"url": create_login_url(grant)})


async def _handle_simulator_error(request: Request, error: Exception) -> Response:
    return error_response(error)


async def _handle_validation_error(request: Request, error: Exception) -> Response:
    details: Sequence[Any] = error.errors() if isinstance(error, RequestValidationError) else ()
    # The first element of a location is "body" or "query".
    problems = [FieldProblem(path=format_path(each["loc"][1:]), message=each["msg"]) for each in details]
    message = "The request is invalid: " + "; ".join(f"{each.path} {each.message}".strip() for each in problems)
    return json_response(ErrorBody(error="Unreadable", message=message, problems=problems), 422)


async def _handle_http_error(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    detail = error.detail if isinstance(error, HTTPException) else str(error)
    return json_response(ErrorBody(error=f"Http{status}", message=detail), status)


async def _handle_unexpected_error(request: Request, error: Exception) -> Response:
    # Starlette raises the exception again after this response, so uvicorn logs it with its traceback.
    message = f"The server failed with {type(error).__name__}. This is a bug; see the server's log for details."
    return json_response(ErrorBody(error="Unexpected", message=message), 500)


async def _handle_unknown_endpoint(request: Request) -> Response:
    return json_response(ErrorBody(error="Http404", message=f"The API has no endpoint {request.url.path}."), 404)
