"""Virtual environments with few packages, such as that of the generator of the protocol's classes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

HAS_GENERATOR = pytest.mark.skipif(
    sys.version_info >= (3, 13), reason="grpcio-tools 1.62.3, the generator, has no wheel for it"
)


def create_environment(folder: Path, *packages: str) -> Path:
    """Create a virtual environment with only these packages, and return its Python."""
    uv = [sys.executable, "-m", "uv", "--quiet"]
    subprocess.run([*uv, "venv", "--python", sys.executable, folder], check=True)
    python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    subprocess.run([*uv, "pip", "install", "--python", python, *packages], check=True)
    return python
