"""`adksim doctor`: what this machine has, and what it lacks."""

from __future__ import annotations

import json
import os
import shutil
import socket
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import click

_MIN_ADK_VERSION = (2, 13)
_PORTS = {8080: "the browser app", 50051: "remote agents"}
_BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_OPTIONAL_PACKAGES = {
    "pandas": "`adk eval` (pip install 'google-adk[eval]')",
    "mcp": "MCP toolsets (pip install 'google-adk[mcp]')",
}


@dataclass(frozen=True)
class Diagnosis:
    """One thing that was looked at."""

    what: str
    ok: bool
    detail: str
    needed: bool = False
    """Whether nothing works without it."""


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")
def doctor(as_json: bool) -> None:
    """Look at this machine: versions, optional parts, ports, browser, writable paths.

    Exit code 1 if something is missing that is always needed.
    """
    findings = list(_run_checks())
    if as_json:
        click.echo(json.dumps([asdict(finding) for finding in findings], indent=2))
    else:
        for finding in findings:
            mark = (
                click.style("ok", fg="green")
                if finding.ok
                else click.style("--", fg="red" if finding.needed else "yellow")
            )
            click.echo(f"  {mark}  {finding.what:<24} {finding.detail}")
    sys.exit(1 if any(finding.needed and not finding.ok for finding in findings) else 0)


def _run_checks() -> Iterator[Diagnosis]:
    yield Diagnosis("Python", sys.version_info >= (3, 11), sys.version.split()[0], needed=True)
    yield Diagnosis("adk-agent-sim", True, version("adk-agent-sim"))
    yield _check_adk()
    for package, use in _OPTIONAL_PACKAGES.items():
        found = _find_version(package)
        yield Diagnosis(package, found is not None, found or f"not installed; needed for {use}")
    for port, use in _PORTS.items():
        free = _is_port_free(port)
        yield Diagnosis(f"port {port}", free, f"free, for {use}" if free else f"taken; {use} will need another one")
    browser = next((path for name in _BROWSERS if (path := shutil.which(name))), None)
    yield Diagnosis("browser", browser is not None, browser or "no Chromium or Chrome found on the path")
    for name, path in {"working folder": Path.cwd(), "temporary folder": Path(tempfile.gettempdir())}.items():
        writable = os.access(path, os.W_OK)
        yield Diagnosis(name, writable, f"{path} is {'writable' if writable else 'not writable'}")


def _check_adk() -> Diagnosis:
    found = _find_version("google-adk")
    if found is None:
        return Diagnosis("google-adk", False, "not installed; pip install google-adk", needed=True)
    enough = tuple(int(part) for part in found.split(".")[:2]) >= _MIN_ADK_VERSION
    wanted = ".".join(map(str, _MIN_ADK_VERSION))
    return Diagnosis("google-adk", enough, found if enough else f"{found}; {wanted} or newer is needed", needed=True)


def _find_version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _is_port_free(port: int) -> bool:
    with closing(socket.socket()) as probe:
        return probe.connect_ex(("127.0.0.1", port)) != 0
