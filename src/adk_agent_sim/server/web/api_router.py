"""What every group of endpoints starts from: its router, and how endpoints get the sessions that they work on."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Request

from adk_agent_sim.server.sessions.session_services import ServedSession, SessionServices
from adk_agent_sim.server.web.responses import ErrorBody


def create_router(prefix: str) -> APIRouter:
    """Create a router whose endpoints answer errors with an `ErrorBody` and are named after their functions."""
    return APIRouter(
        prefix=prefix,
        responses={"default": {"model": ErrorBody}},
        generate_unique_id_function=lambda route: route.name,
    )


def _get_services(request: Request) -> SessionServices:
    return request.app.state.services


ServicesDependency = Annotated[SessionServices, Depends(_get_services)]


async def _open_session(services: ServicesDependency, session_id: str) -> ServedSession:
    """Return a session, for the operations in it; raise SessionNotFound if there is none."""
    await services.timeline.get_summary(session_id)
    return ServedSession(services, session_id)


SessionDependency = Annotated[ServedSession, Depends(_open_session)]
