"""Requests to the web API of a running server of the same user, which is found by its entry."""

from __future__ import annotations

import http.client
import json
import ssl
from collections.abc import Mapping
from hashlib import sha256
from typing import Any, NamedTuple, cast
from urllib.parse import urlsplit

from adk_agent_sim.link.server_entry import ServerEntry, list_entries
from adk_agent_sim.timeline.strict_json import parse_json_object

_TIMEOUT_SECONDS = 5.0
_MAX_ANSWER_BYTES = 16 * 1024 * 1024


class ServerAnswer(NamedTuple):
    """What a server answers."""

    status: int
    body: Mapping[str, Any]

    @property
    def is_ok(self) -> bool:
        """Whether the request succeeded."""
        return self.status == http.HTTPStatus.OK


def request_json(
    entry: ServerEntry,
    method: str,
    path: str,
    body: Mapping[str, Any] | None = None,
    *,
    timeout: float | None = _TIMEOUT_SECONDS,
) -> ServerAnswer | None:
    """Return the answer of a server; None if none answers, or another one than that of the entry.

    Args:
        entry: The server.
        method: The HTTP method.
        path: The path, with `/api`.
        body: What to send as JSON.
        timeout: How many seconds the server may take for each part of its answer; None for no limit.
    """
    try:
        connection = _connect(entry, timeout)
        if connection is None:
            return None
        try:
            data = b"" if body is None else json.dumps(body).encode()
            headers = {
                "Authorization": f"Bearer {entry.token}",
                "Host": urlsplit(entry.web_address).netloc,
                "Content-Length": str(len(data)),
                "Content-Type": "application/json",
            }
            connection.request(method, path, body=data, headers=headers)
            answer = connection.getresponse()
            # What is longer than the limit is cut, which makes it invalid JSON: the answer then counts as none.
            return ServerAnswer(answer.status, parse_json_object(answer.read(_MAX_ANSWER_BYTES)))
        finally:
            connection.close()
    except (OSError, http.client.HTTPException, ValueError):
        return None


def find_server(session_id: str) -> ServerEntry | None:
    """Return the running server of the same user that has a session; None if none has it."""
    for entry in list_entries():
        answer = request_json(entry, "GET", f"/api/sessions/{session_id}") if entry.web_port else None
        if answer is not None and answer.is_ok:
            return entry
    return None


def _connect(entry: ServerEntry, timeout: float | None) -> http.client.HTTPConnection | None:
    parts = urlsplit(entry.web_address)
    host, port = parts.hostname or "", parts.port
    if parts.scheme != "https":
        return http.client.HTTPConnection(host, port, timeout=timeout)
    # The certificate has the names for other machines, and may be of an own authority. Whether it is the right one is
    # known from the entry, before the token is sent.
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    connection = http.client.HTTPSConnection(host, port, timeout=timeout, context=context)
    connection.connect()
    certificate = cast("ssl.SSLSocket", connection.sock).getpeercert(binary_form=True)
    if sha256(certificate or b"").hexdigest() != entry.certificate:
        connection.close()
        return None
    return connection


def request_login_url(entry: ServerEntry) -> str:
    """Return the address; empty if no server answers, or another one than that of the entry."""
    answer = request_json(entry, "POST", "/api/login-url")
    return str(answer.body.get("url", "")) if answer is not None and answer.is_ok else ""
