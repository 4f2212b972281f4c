"""Asks a running server of the same user for an address that opens its browser app."""

from __future__ import annotations

import http.client
import ssl
from hashlib import sha256
from typing import cast
from urllib.parse import urlsplit

from adk_agent_sim.link.server_entry import ServerEntry
from adk_agent_sim.timeline.strict_json import parse_json_object

_TIMEOUT_SECONDS = 5.0
_MAX_ANSWER_BYTES = 64 * 1024


def request_login_url(entry: ServerEntry) -> str:
    """Return the address; empty if no server answers, or another one than that of the entry."""
    try:
        connection = _connect(entry)
        if connection is None:
            return ""
        try:
            host = urlsplit(entry.web_address).netloc
            headers = {"Authorization": f"Bearer {entry.token}", "Host": host, "Content-Length": "0"}
            connection.request("POST", "/api/login-url", headers=headers)
            answer = connection.getresponse()
            return (
                str(parse_json_object(answer.read(_MAX_ANSWER_BYTES))["url"])
                if answer.status == http.HTTPStatus.OK
                else ""
            )
        finally:
            connection.close()
    except (OSError, http.client.HTTPException, ValueError, KeyError):
        return ""


def _connect(entry: ServerEntry) -> http.client.HTTPConnection | None:
    parts = urlsplit(entry.web_address)
    host, port = parts.hostname or "", parts.port
    if parts.scheme != "https":
        return http.client.HTTPConnection(host, port, timeout=_TIMEOUT_SECONDS)
    # The certificate has the names for other machines, and may be of an own authority. Whether it is the right one is
    # known from the entry, before the token is sent.
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    connection = http.client.HTTPSConnection(host, port, timeout=_TIMEOUT_SECONDS, context=context)
    connection.connect()
    certificate = cast("ssl.SSLSocket", connection.sock).getpeercert(binary_form=True)
    if sha256(certificate or b"").hexdigest() != entry.certificate:
        connection.close()
        return None
    return connection
