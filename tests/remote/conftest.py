"""A server for agents of other processes, in this process, and a client with its token."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
from api_client import NO_TLS, ApiClient

from adk_agent_sim.server.composition import RunningServices, ServeSettings, run_services


@pytest.fixture
async def served(tmp_path: Path) -> AsyncIterator[RunningServices]:
    async with run_services(ServeSettings(database=tmp_path / "s.db", grpc_port=0, port=0)) as running:
        yield running


@pytest.fixture
async def browser(served: RunningServices) -> AsyncIterator[ApiClient]:
    assert served.web is not None
    headers = {"Authorization": f"Bearer {served.token}"}
    async with httpx.AsyncClient(verify=NO_TLS, base_url=served.web.base_url, headers=headers, timeout=300) as client:
        yield ApiClient(served.web, client)
