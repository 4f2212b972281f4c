"""The entry of a running server in the user's data directory: how programs of the same user find its token,
and send requests to its web API.

    servers/50051.json         a server that agents connect to, by its gRPC port
    servers/web-8080.json      a server that has only a web app, by the port of that

Only its owner can read an entry. It is removed when the server stops; a server that was killed leaves a stale one
behind, whose token no server accepts any more.
"""

from __future__ import annotations

import http.client
import json
import os
import ssl
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from ipaddress import ip_address
from pathlib import Path
from typing import Any, NamedTuple, cast
from urllib.parse import urlsplit

from adk_agent_sim.errors import InsecureFile
from adk_agent_sim.persistence.default_path import get_data_folder
from adk_agent_sim.timeline.private_files import create_private_folder, read_private_file, write_private_file
from adk_agent_sim.timeline.strict_json import parse_json_object


@dataclass(frozen=True, kw_only=True)
class ServerEntry:
    """What programs of the same user need to know about a running server."""

    token: str = field(repr=False)
    pid: int = field(default_factory=os.getpid)
    grpc_port: int | None = None
    grpc_addresses: Sequence[str] = ()
    """`host:port` of every name or address under which agents reach it."""
    web_port: int | None = None
    web_url: str = ""
    """The address of the web app, without a code; empty if there is none."""
    web_address: str = ""
    """The URL at which the web app answers on this machine."""
    certificate: str = ""
    """The SHA-256 fingerprint of its certificate, if it uses TLS."""

    @property
    def path(self) -> Path:
        """The file of the entry."""
        name = f"web-{self.web_port}" if self.grpc_port is None else str(self.grpc_port)
        return _get_folder() / f"{name}.json"

    def write(self) -> None:
        """Write the file; replaces that of a server that is gone."""
        create_private_folder(get_data_folder())
        create_private_folder(_get_folder())
        write_private_file(self.path, json.dumps(asdict(self)))

    def remove(self) -> None:
        """Remove the file, unless another server has replaced it."""
        with suppress(OSError, InsecureFile):
            if (found := _read_entry(self.path)) and found.token == self.token:
                self.path.unlink()


def find_entry(grpc_port: int) -> ServerEntry | None:
    """Return the entry of the server on a gRPC port; None if there is none.

    Raises:
        InsecureFile: The file could have been written or read by others.
    """
    try:
        return _read_entry(_get_folder() / f"{grpc_port}.json")
    except RuntimeError:  # a user without a home directory, as in some containers
        return None


def list_entries() -> Iterator[ServerEntry]:
    """Yield the entries of all servers, those of the lowest ports first; some may be stale."""
    # By length first: the names are numbers, and 8080 comes before 10000.
    for path in sorted(_get_folder().glob("*.json"), key=lambda path: (len(path.name), path.name)):
        if entry := _read_entry(path):
            yield entry


def find_local_token(host: str, port: int) -> str:
    """Return the token of a server of this user that has this address; empty if there is none.

    The token of a local server is sent to no other machine: the address must be a loopback one, or one of the server's.
    """
    entry = find_entry(port)
    if entry is None:
        return ""
    addresses = {address.lower() for address in entry.grpc_addresses}
    if format_address(host, port).lower() in addresses:
        return entry.token
    # An agent may use localhost where the server has bound 127.0.0.1, ::1 or all interfaces.
    hosts = [address.rpartition(":")[0].strip("[]") for address in addresses]
    if is_loopback(host) and any(is_loopback(each) or is_wildcard(each) for each in hosts):
        return entry.token
    return ""


def is_loopback(host: str) -> bool:
    """Return whether an address can be reached from this machine only."""
    if host.lower() == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def is_wildcard(host: str) -> bool:
    """Return whether an address means all interfaces of the machine."""
    return host in ("0.0.0.0", "::", "")  # noqa: S104 - compared, not bound


def format_address(host: str, port: int) -> str:
    """Return `host:port`, with the brackets of an IPv6 address."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _get_folder() -> Path:
    return get_data_folder() / "servers"


def _read_entry(path: Path) -> ServerEntry | None:
    try:
        values: dict[str, Any] = parse_json_object(read_private_file(path))
        return ServerEntry(**values)
    except (OSError, TypeError, ValueError):  # none, of another user, or of another release
        return None


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
