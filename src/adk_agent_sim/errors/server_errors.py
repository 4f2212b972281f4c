"""Errors of the server, of who may use it, of requests to it, and of the connection to it."""

from __future__ import annotations

from pathlib import Path

from adk_agent_sim.errors.base import SimulatorError


class ServerUnreachable(SimulatorError):
    """No simulator server answers at the address."""

    def __init__(self, url: str, reason: str) -> None:
        super().__init__(
            f"No simulator server answers at {url}: {reason}. "
            "Start one with `adksim serve`, or set ADK_SIM_SERVER_URL to the address of a running one."
        )
        self.url = url


class PortInUse(SimulatorError):
    """The server cannot listen on the address."""

    def __init__(self, address: str, option: str) -> None:
        super().__init__(f"Cannot listen on {address}: it is in use, or not permitted. Choose {option}.")
        self.address = address


class InvalidField(SimulatorError):
    """A field of a request to the server is invalid; the request had no effect."""

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(f"{field} {reason}.")
        self.field = field


class MalformedValue(SimulatorError):
    """A value that was sent cannot be parsed."""

    def __init__(self, subject: str, reason: str) -> None:
        super().__init__(f"{subject} cannot be parsed: {reason}.")
        self.reason = reason


class NotFound(SimulatorError):
    """The agent, row, file or running call does not exist."""


class AgentNotLocal(SimulatorError):
    """The session's agent does not run in this process."""

    def __init__(self, session_id: str, action: str) -> None:
        super().__init__(
            f"Cannot {action} in session {session_id!r}: its agent does not run in this process. "
            "Start a new session to continue."
        )
        self.session_id = session_id


_ADVICE = (
    "run the client as the user who started the server, or set ADK_SIM_TOKEN to a token that `adksim token new NAME` "
    "prints on the server's machine."
)


class TokenRejected(SimulatorError):
    """The server does not accept the token of a request, or got none."""

    def __init__(self, *, is_missing: bool) -> None:
        reason = "This server requires a token" if is_missing else "The token is wrong, expired or revoked"
        super().__init__(f"{reason}: {_ADVICE}")


class TokenNameTaken(SimulatorError):
    """There is an access token with this name already."""

    def __init__(self, name: str) -> None:
        super().__init__(f"There is a token named {name!r} already. Choose another name, or revoke it first.")
        self.name = name


class InsecureFile(SimulatorError):
    """Other users can read or change a file that must be private, so it is not used."""

    def __init__(self, path: str | Path, reason: str, advice: str) -> None:
        super().__init__(f"{path} is not used, because {reason}. {advice}")
        self.path = str(path)


class ExposureRefused(SimulatorError):
    """The server would be reachable from other machines without encryption."""
