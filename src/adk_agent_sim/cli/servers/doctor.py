"""`adksim doctor`: checks whether this machine can run the simulator."""

from __future__ import annotations

import os
import re
import shutil
import socket
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import click

from adk_agent_sim import __version__
from adk_agent_sim.cli.exit_codes import ExitCode
from adk_agent_sim.text.terminal_output import print_json, print_line, style

_MIN_ADK_VERSION = (2, 13)
_PORTS = {8080: "the browser app", 50051: "remote agents"}
_BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_OPTIONAL_PACKAGES = {
    "pandas": "`adk eval` (pip install 'google-adk[eval]')",
    "mcp": "MCP toolsets (pip install 'google-adk[mcp]')",
}


@dataclass(frozen=True)
class Diagnosis:
    """The result of one check."""

    what: str
    is_ok: bool
    detail: str
    is_required: bool = False
    """Whether the simulator cannot run without it."""


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print the results as JSON.")
def doctor(as_json: bool) -> None:
    """Check this machine: versions, optional packages, ports, browser, writable paths.

    Exits with 1 if something required is missing; optional parts are only reported.

    \b
    adksim doctor
    adksim doctor --json
    """
    diagnoses = list(_run_checks())
    if as_json:
        print_json(
            [
                {"what": each.what, "ok": each.is_ok, "detail": each.detail, "needed": each.is_required}
                for each in diagnoses
            ]
        )
    else:
        for diagnosis in diagnoses:
            failed = style("--", fg="red" if diagnosis.is_required else "yellow")
            mark = style("ok", fg="green") if diagnosis.is_ok else failed
            print_line("  ", mark, f"  {diagnosis.what:<24} {diagnosis.detail}")
    has_failed = any(diagnosis.is_required and not diagnosis.is_ok for diagnosis in diagnoses)
    sys.exit(ExitCode.FAILED if has_failed else ExitCode.OK)


def _run_checks() -> Iterator[Diagnosis]:
    yield Diagnosis("Python", sys.version_info >= (3, 11), sys.version.split()[0], is_required=True)
    yield Diagnosis("adksim", True, __version__)
    yield _check_adk()
    for package, use in _OPTIONAL_PACKAGES.items():
        installed = _find_version(package)
        yield Diagnosis(package, installed is not None, installed or f"not installed; needed for {use}")
    for port, use in _PORTS.items():
        is_free = _is_port_free(port)
        detail = f"free, for {use}" if is_free else f"in use; {use} will need another one (--port, --grpc-port)"
        yield Diagnosis(f"port {port}", is_free, detail)
    browser = next((path for name in _BROWSERS if (path := shutil.which(name))), None)
    yield Diagnosis("browser", browser is not None, browser or "no Chromium or Chrome found on PATH")
    for name, path in {"current directory": Path.cwd(), "temporary folder": Path(tempfile.gettempdir())}.items():
        is_writable = os.access(path, os.W_OK)
        yield Diagnosis(name, is_writable, f"{path} is {'writable' if is_writable else 'not writable'}")


def _check_adk() -> Diagnosis:
    installed = _find_version("google-adk")
    if installed is None:
        return Diagnosis("google-adk", False, "not installed; pip install google-adk", is_required=True)
    # The first two numbers only: a version may end with a letter or more, as `2.14rc1` and `2.14.dev3+local` do.
    numbers = re.match(r"(\d+)(?:\.(\d+))?", installed, re.ASCII)
    is_supported = numbers is not None and (int(numbers[1]), int(numbers[2] or 0)) >= _MIN_ADK_VERSION
    minimum = ".".join(map(str, _MIN_ADK_VERSION))
    detail = installed if is_supported else f"{installed}; {minimum} or newer is needed (pip install -U google-adk)"
    return Diagnosis("google-adk", is_supported, detail, is_required=True)


def _find_version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _is_port_free(port: int) -> bool:
    with closing(socket.socket()) as probe:
        return probe.connect_ex(("127.0.0.1", port)) != 0
