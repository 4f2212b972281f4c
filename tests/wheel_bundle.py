"""Reads the packaged browser app, and simulates machines without the tools to build it."""

from __future__ import annotations

import os
import shutil
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
STATIC_PREFIX = "adk_agent_sim/server/static/"


def read_bundle(wheel: Path) -> dict[str, bytes]:
    """Return the files of the browser app in a wheel, by their paths below it."""
    with zipfile.ZipFile(wheel) as archive:
        return {
            name.removeprefix(STATIC_PREFIX): archive.read(name)
            for name in archive.namelist()
            if name.startswith(STATIC_PREFIX)
        }


def environment_without_node(folder: Path) -> dict[str, str]:
    """Return the environment of a machine that has no Node and whose npm would reach nothing."""
    empty = folder / "no-programs"
    empty.mkdir(exist_ok=True)
    assert shutil.which("node", path=str(empty)) is None
    return {
        **{name: value for name, value in os.environ.items() if not name.lower().startswith("npm_")},
        "PATH": str(empty),
        "npm_config_registry": "http://127.0.0.1:9",
        "npm_config_cache": str(folder / "no-npm-cache"),
        "npm_config_fetch_retries": "0",
    }
