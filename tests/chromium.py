"""Finds the Chromium that the browser tests drive, and installs it if needed: `python tests/chromium.py`."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)


def find_system_chromium() -> Path | None:
    """Return the Chromium that is installed as a system package."""
    found = shutil.which("chromium", path=os.pathsep.join((os.environ.get("PATH", ""), "/usr/bin"))) or shutil.which(
        "chromium-browser"
    )
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
    if os.name == "posix" and os.geteuid() == 0 and shutil.which("apt-get"):
        environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        for command in (["update"], ["install", "--yes", "--no-install-recommends", "chromium"]):
            subprocess.run(["apt-get", "--quiet", *command], env=environment, check=True)
    else:
        subprocess.run([sys.executable, "-m", "playwright", "install", "chromium"], check=True)


def main() -> None:
    """Install Chromium unless it is installed."""
    with sync_playwright() as playwright:
        own = Path(playwright.chromium.executable_path)
    if find_system_chromium() is None and not own.is_file():
        install_chromium()


if __name__ == "__main__":
    main()
