"""The router that every group of endpoints starts from."""

from __future__ import annotations

from fastapi import APIRouter

from adk_agent_sim.server.web.api_models import ErrorBody


def create_router(prefix: str) -> APIRouter:
    """Create a router whose endpoints answer errors with an `ErrorBody` and are named after their functions."""
    return APIRouter(
        prefix=prefix,
        responses={"default": {"model": ErrorBody}},
        generate_unique_id_function=lambda route: route.name,
    )
