"""Finds the Chromium that the browser tests drive, and installs it if needed: `python tests/chromium.py`."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)


_PACKAGES = ("chromium-headless-shell", "chromium")
"""Debian's packages and commands, the best first: the shell is the same engine without the window of a desktop browser,
and opens a page in a quarter of the CPU time."""


def find_system_chromium(commands: Sequence[str] = (*_PACKAGES, "chromium-browser")) -> Path | None:
    """Return the first of these that is installed as a system package."""
    path = os.pathsep.join((os.environ.get("PATH", ""), "/usr/bin"))
    found = next(filter(None, (shutil.which(command, path=path) for command in commands)), None)
    return Path(found) if found else None


def find_chromium(playwright_path: str) -> Path:
    """Return the Chromium to start: the system's, or the one that Playwright downloaded."""
    own = Path(playwright_path)
    found = find_system_chromium() or (own if own.is_file() else None)
    if found is None:
        raise FileNotFoundError("There is no Chromium on this machine: `make chromium` installs one.")
    return found


def install_chromium() -> None:
    """Install Chromium: Debian's package as root, else Playwright's own download."""
    if not _has_apt():
        subprocess.run([sys.executable, "-m", "playwright", "install", "chromium"], check=True)
    elif not any(_install_package(package) for package in _PACKAGES):
        raise OSError("Debian's packages of Chromium cannot be installed; see the messages of apt-get above.")


def _has_apt() -> bool:
    return os.name == "posix" and os.geteuid() == 0 and shutil.which("apt-get") is not None


def _install_package(package: str) -> bool:
    """Install a package of Debian; False if that fails, which without a network it does quickly."""
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    quickly = ["--quiet", "-o", "Acquire::Retries=0", "-o", "Acquire::http::Timeout=20"]
    install = ["apt-get", *quickly, "install", "--yes", "--no-install-recommends", package]
    if subprocess.run(install, env=environment, check=False).returncode == 0:
        return True
    # The lists of packages are missing or old.
    updated = subprocess.run(["apt-get", *quickly, "update"], env=environment, check=False).returncode == 0
    return updated and subprocess.run(install, env=environment, check=False).returncode == 0


def main() -> None:
    """Install Chromium unless it is installed; on Debian also its shell, because tests are much quicker with it."""
    if find_system_chromium(_PACKAGES[:1]) is not None:
        return  # there is nothing better, and to ask Playwright for its own takes seconds
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        own = Path(playwright.chromium.executable_path)
    if find_system_chromium() is None and not own.is_file():
        install_chromium()
    elif find_system_chromium(_PACKAGES[:1]) is None and _has_apt() and not _install_package(_PACKAGES[0]):
        print("The tests use the Chromium that is installed; with Debian's chromium-headless-shell they are quicker.")


if __name__ == "__main__":
    main()
