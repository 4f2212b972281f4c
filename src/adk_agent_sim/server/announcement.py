"""Announces a running server to programs of the same user, with an entry in the user's data directory."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Protocol

from adk_agent_sim.errors import InsecureFile
from adk_agent_sim.link.server_entry import ServerEntry
from adk_agent_sim.server.access.exposure import Exposure
from adk_agent_sim.text.escaped_logging import get_logger

_log = get_logger(__name__)


class Announce(Protocol):
    """Writes the entry of a server."""

    def __call__(self, *, grpc_port: int | None = None, web_port: int | None = None) -> None:
        """Write it for the ports that the server has bound."""
        ...


@asynccontextmanager
async def announce_server(exposure: Exposure, token: str) -> AsyncGenerator[Announce]:
    """Yield the function that writes the entry of a server; it is removed when the block ends."""
    written: list[ServerEntry] = []

    def announce(*, grpc_port: int | None = None, web_port: int | None = None) -> None:
        entry = ServerEntry(
            token=token,
            grpc_port=grpc_port,
            grpc_addresses=exposure.list_grpc_addresses(grpc_port) if grpc_port else (),
            web_port=web_port,
            web_url=exposure.build_web_url(web_port) if web_port else "",
            web_address=exposure.build_local_url(web_port) if web_port else "",
            certificate=exposure.tls.read_fingerprint() if exposure.tls else "",
        )
        try:
            entry.write()
        except (OSError, InsecureFile, RuntimeError) as error:  # RuntimeError: the user has no home directory
            _log.warning(
                "Agents and commands of this user cannot find the server's token (%s). Give them one that "
                "`adksim token new NAME` prints, as ADK_SIM_TOKEN.",
                error,
            )
        else:
            written.append(entry)

    try:
        yield announce
    finally:
        for entry in written:
            entry.remove()
