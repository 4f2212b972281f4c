"""Asks a running server of the same user for an address that opens its browser app."""

from __future__ import annotations

from adk_agent_sim.link.server_entry import ServerEntry
from adk_agent_sim.link.server_requests import request_json


def request_login_url(entry: ServerEntry) -> str:
    """Return the address; empty if no server answers, or another one than that of the entry."""
    answer = request_json(entry, "POST", "/api/login-url")
    return str(answer.body.get("url", "")) if answer is not None and answer.is_ok else ""
