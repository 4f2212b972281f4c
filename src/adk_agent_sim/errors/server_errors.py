"""Errors of the server, of requests to it, and of the connection to it."""

from __future__ import annotations

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
