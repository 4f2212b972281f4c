"""Errors of access control: tokens, private files, and addresses that other machines can reach."""

from __future__ import annotations

from pathlib import Path

from adk_agent_sim.errors.base import SimulatorError

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
