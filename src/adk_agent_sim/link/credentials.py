"""How a client proves who it is, and recognizes the server: its token and the certificates that it trusts."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from adk_agent_sim.errors import ServerUnreachable, TokenRejected
from adk_agent_sim.link.server_entry import find_local_token

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
