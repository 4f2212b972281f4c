"""A gRPC connection that survives server restarts: a call is retried until the server answers. Also how a client proves
who it is, and recognizes the server, and how it raises the errors whose classes the server names in a trailer.

Retries are safe because every request carries ids that the client generated, so the server recognizes a repetition.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, cast
from urllib.parse import urlsplit

import grpc
from grpc import StatusCode
from grpc.aio import AioRpcError

from adk_agent_sim import errors
from adk_agent_sim.errors import ServerUnreachable, SimulatorError, TokenRejected
from adk_agent_sim.generated.adksim.v1 import simulator_service_pb2_grpc
from adk_agent_sim.link.server_entry import find_local_token, format_address, is_loopback
from adk_agent_sim.text.escaped_logging import get_logger
from adk_agent_sim.timeline.strict_json import InvalidJson, parse_json_object

MAX_MESSAGE_BYTES = 64 * 1024 * 1024
"""The size limit of one message."""

DEFAULT_PORT = 50051

_INITIAL_DELAY, _MAX_DELAY = 0.05, 2.0


def build_ping_options(interval: float, timeout: float) -> list[tuple[str, int]]:
    """Return the options of gRPC to ask the other side whether it is still there.

    A machine that loses power closes no connection: only pings notice that it is gone.

    Args:
        interval: Seconds without data after which it is asked.
        timeout: Seconds after which a side that does not answer is disconnected.
    """
    return [
        ("grpc.keepalive_time_ms", round(interval * 1000)),
        ("grpc.keepalive_timeout_ms", round(timeout * 1000)),
        # Newer versions of gRPC wait for this one, by default a minute, whatever the one above says.
        ("grpc.http2.ping_timeout_ms", round(timeout * 1000)),
        # By default gRPC asks only twice, or rarely, until there is data to send.
        ("grpc.http2.max_pings_without_data", 0),
    ]


_CHANNEL_OPTIONS = [
    ("grpc.max_receive_message_length", MAX_MESSAGE_BYTES),
    ("grpc.max_send_message_length", MAX_MESSAGE_BYTES),
    # A server that has started must be noticed well within the shortest timeout of a call.
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 250),
    # In spite of its name, this is how long one attempt to connect may take.
    ("grpc.min_reconnect_backoff_ms", 2_000),
    *build_ping_options(interval=20.0, timeout=10.0),
    # Between two model calls there may be no call for minutes; a dead server is to be noticed before the next one.
    ("grpc.keepalive_permit_without_calls", 1),
]

_log = get_logger(__name__)


class Backoff:
    """The delay between two attempts: it doubles each time, up to a limit."""

    def __init__(self) -> None:
        self._seconds = _INITIAL_DELAY

    async def wait(self) -> None:
        """Wait before the next attempt."""
        # Real time must pass here. asyncio.sleep is banned by the linter, because simulated time uses a Clock.
        never: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        await asyncio.wait({never}, timeout=self._seconds)
        self._seconds = min(self._seconds * 2, _MAX_DELAY)

    def reset(self) -> None:
        """Return to the initial delay, after an attempt that succeeded."""
        self._seconds = _INITIAL_DELAY


class ReconnectingChannel:
    """Calls to one server. Use it from one event loop."""

    def __init__(self, url: str, *, connect_timeout: float | None, credentials: Credentials | None = None) -> None:
        """Prepare calls to `url`.

        Args:
            url: The server's gRPC address.
            connect_timeout: After how many seconds a call fails if the server has never answered; None for no limit.
            credentials: The token and the trusted certificates; by default those of the environment.
        """
        self.url = url
        self._connect_timeout = connect_timeout
        credentials = credentials or load_credentials(url)
        target = parse_target(url)
        self._tokens = TokenSource(credentials.token, target.host, target.port)
        self._channel = (
            grpc.aio.secure_channel(
                target.address, grpc.ssl_channel_credentials(credentials.root_certificates), _CHANNEL_OPTIONS
            )
            if target.is_secure
            else grpc.aio.insecure_channel(target.address, _CHANNEL_OPTIONS)
        )
        if credentials.token and not target.is_secure and not is_loopback(target.host):
            _log.warning(
                "The token is sent to %s without encryption, so that others in the network can read it. "
                "Use an https:// address.",
                url,
            )
        self.stub = cast("Any", simulator_service_pb2_grpc).SimulatorServiceStub(self._channel)
        self.has_answered = False
        """Whether there is a server: calls then wait for as long as a restart takes."""
        self._is_lost = False

    async def close(self) -> None:
        """Close the connection."""
        await self._channel.close()

    async def call(self, method: str, request: object) -> Any:
        """Call `method`, retrying while the server is unavailable; raise the error if the server rejects the call."""
        if not self.has_answered and self._connect_timeout is not None:
            try:
                async with asyncio.timeout(self._connect_timeout):
                    return await self._call_until_answered(method, request)
            except TimeoutError:
                # Another call on this connection may have been answered meanwhile: then the server is there.
                if not self.has_answered:
                    raise build_no_response_error(self.url, self._connect_timeout) from None
        return await self._call_until_answered(method, request)

    async def _call_until_answered(self, method: str, request: object) -> Any:
        backoff = Backoff()
        while True:
            # Read for each attempt, because a server that was restarted meanwhile has another token.
            token = self.get_token()
            try:
                # Without wait_for_ready, gRPC fails a call at once while it waits for its next attempt to connect.
                response = await getattr(self.stub, method)(
                    request, wait_for_ready=True, metadata=build_metadata(token)
                )
            except AioRpcError as error:
                if not self.renew_token(error, token):
                    self.raise_unless_transient(error)
                    await backoff.wait()
            else:
                self.mark_available()
                return response

    def get_token(self) -> str:
        """Return the token for the next call; empty if there is none."""
        return self._tokens.get_token()

    def renew_token(self, error: AioRpcError, rejected: str) -> bool:
        """Return whether a call was rejected for its token and there is another one now: the server was restarted."""
        return error.code() is grpc.StatusCode.UNAUTHENTICATED and self._tokens.renew(rejected)

    def raise_unless_transient(self, error: AioRpcError) -> None:
        """Raise an error that a retry cannot fix; otherwise record that the server is unavailable."""
        if error.code() not in TRANSIENT_CODES:
            raise restore_error(self.url, error)
        if has_error_trailer(error):  # a server is there, but its database has failed
            self.has_answered = True
        if not self._is_lost:
            _log.warning("Lost the connection to the simulator server at %s (%s); retrying.", self.url, error.details())
        self._is_lost = True

    def mark_available(self) -> None:
        """Record that the server answered."""
        if self._is_lost:
            _log.warning("Reconnected to the simulator server at %s.", self.url)
        self.has_answered, self._is_lost = True, False


def build_metadata(token: str) -> tuple[tuple[str, str], ...]:
    """Return the metadata of a call with a token, if there is one."""
    return (("authorization", f"Bearer {token}"),) if token else ()


def build_no_response_error(url: str, seconds: float) -> ServerUnreachable:
    """Build the error of a call to a server that has never answered."""
    hint = (
        f", or its certificate is not trusted (set {CA_FILE_VARIABLE} to the certificate of its authority)"
        if parse_target(url).is_secure
        else ""
    )
    return ServerUnreachable(url, f"no response within {seconds:g} seconds{hint}")


class ServerTarget(NamedTuple):
    """A parsed server URL."""

    host: str
    port: int
    is_secure: bool
    """Whether to use TLS."""

    @property
    def address(self) -> str:
        """The target for gRPC."""
        return format_address(self.host, self.port)


def parse_target(url: str) -> ServerTarget:
    """Parse a server URL; scheme and port are optional.

    Raises:
        ServerUnreachable: The URL is not an address.
    """
    try:
        # Without the slashes, urlsplit takes `localhost:50051` for a scheme and a path.
        parts = urlsplit(url if "//" in url else f"//{url}")
        # The port is only parsed when it is read: this is where one that is not a number raises.
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise ServerUnreachable(url, f"the address is invalid: {error}") from None
    if not host or parts.scheme not in ("", "grpc", "grpcs", "http", "https"):
        raise ServerUnreachable(url, "the address is invalid; use one such as localhost:50051")
    return ServerTarget(host, port or DEFAULT_PORT, parts.scheme in ("grpcs", "https"))


TOKEN_VARIABLE = "ADK_SIM_TOKEN"  # noqa: S105 - the name of a variable
CA_FILE_VARIABLE = "ADK_SIM_CA_FILE"


@dataclass(frozen=True, kw_only=True)
class Credentials:
    """What a client was given; see `load_credentials`."""

    token: str = field(default="", repr=False)
    """Empty to look for the entry of a local server."""
    root_certificates: bytes | None = None
    """The certificates of the authorities to trust, as PEM; None for those of the system."""


def load_credentials(url: str, token: str | None = None, ca_file: str | Path | None = None) -> Credentials:
    """Return the credentials for a server: what is given, or else what the environment says.

    Raises:
        ServerUnreachable: The CA file cannot be read.
        TokenRejected: The token has characters that no token has.
    """
    path = ca_file or os.environ.get(CA_FILE_VARIABLE)
    try:
        certificates = Path(path).read_bytes() if path else None
    except OSError as error:
        raise ServerUnreachable(url, f"the CA file {path} cannot be read ({error.strerror})") from None
    # A token that was read from a file or pasted often ends with a line break, which no header may contain.
    secret = (token or os.environ.get(TOKEN_VARIABLE, "")).strip()
    if not secret.isascii() or not secret.isprintable():  # gRPC would raise an error that shows it
        raise TokenRejected(is_missing=False)
    return Credentials(token=secret, root_certificates=certificates)


class TokenSource:
    """The token for one address: a given one, or that of the entry which the server's user can read."""

    def __init__(self, token: str, host: str, port: int) -> None:
        self._given = token
        self._host = host
        self._port = port
        self._found: str | None = None

    def get_token(self) -> str:
        """Return the token; empty if there is none.

        Raises:
            InsecureFile: The entry could have been written or read by others.
        """
        if self._given:
            return self._given
        if self._found is None:
            self._found = find_local_token(self._host, self._port)
        return self._found

    def renew(self, rejected: str) -> bool:
        """Look for another token than the one that was rejected; returns whether there is one.

        A server that was restarted has another token than before. Another call may have found it already.
        """
        if self._given:
            return False
        # An empty one is looked up again as well: the server may have written its entry only after the first attempt.
        if not self._found or self._found == rejected:
            self._found = find_local_token(self._host, self._port)
        return bool(self._found) and self._found != rejected


# gRPC takes bytes only in metadata whose name ends in -bin; values of other names must be ASCII.
ERROR_TRAILER = "adksim-error-bin"
"""The trailer in which the server sends an error's class name and attributes, as JSON."""

TRANSIENT_CODES = frozenset(
    {StatusCode.UNAVAILABLE, StatusCode.CANCELLED, StatusCode.UNKNOWN, StatusCode.DEADLINE_EXCEEDED}
)
"""Statuses of a call that failed because the server or the network was down; such a call is retried."""

_ERROR_CLASSES: Mapping[str, type[SimulatorError]] = {
    name: kind for name, kind in vars(errors).items() if isinstance(kind, type) and issubclass(kind, SimulatorError)
}


def restore_error(url: str, error: AioRpcError) -> SimulatorError:
    """Return the error that the server raised, or a plain SimulatorError if the status does not name one."""
    message = error.details() or error.code().name
    trailer = _read_error_trailer(error)
    kind = _ERROR_CLASSES.get(trailer.get("error", ""))
    if kind is None:
        return SimulatorError(f"The simulator server at {url} answered {error.code().name}: {message}.")
    # The constructors build the message from their arguments, which are not sent: the message and the
    # attributes are, so they are set directly.
    restored = kind.__new__(kind)
    Exception.__init__(restored, message)
    vars(restored).update(trailer["about"])
    return restored


def has_error_trailer(error: AioRpcError) -> bool:
    """Return whether the status comes from a simulator server, rather than from the network."""
    return bool(_read_error_trailer(error))


def _read_error_trailer(error: AioRpcError) -> dict[str, Any]:
    for name, value in error.trailing_metadata() or ():
        if name == ERROR_TRAILER:
            try:
                return parse_json_object(value)
            except InvalidJson:
                return {}
    return {}
