"""Computes something expensive once for all workers of pytest."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from filelock import FileLock


def compute_once(
    factory: pytest.TempPathFactory, name: str, compute: Callable[[Path], dict[str, str]]
) -> dict[str, str]:
    """Return what `compute` returns for an empty folder; the other workers wait, and read it from a file."""
    base = factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / name
    with FileLock(f"{folder}.lock"):
        file = folder / "result.json"
        if not file.exists():
            folder.mkdir()
            file.write_text(json.dumps(compute(folder)))
        return json.loads(file.read_text())
