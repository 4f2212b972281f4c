"""What is published, built from the tree as a release would be."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from uv import find_uv_bin
from wheel_bundle import ROOT, environment_without_node


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel built from the tree."""
    return _build(ROOT, tmp_path_factory.mktemp("wheel"), "--wheel", dict(os.environ))


@pytest.fixture(scope="session")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An sdist built from the tree."""
    return _build(ROOT, tmp_path_factory.mktemp("sdist"), "--sdist", dict(os.environ))


@pytest.fixture(scope="session")
def wheel_of_sdist(sdist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel built from the sdist on a machine without Node, where npm would reach no registry."""
    folder = tmp_path_factory.mktemp("wheel-of-sdist")
    return _build(sdist, folder, "--wheel", environment_without_node(folder))


def _build(source: Path, folder: Path, kind: str, environment: dict[str, str]) -> Path:
    command = [find_uv_bin(), "build", "--quiet", kind, "--python", sys.executable, "--out-dir", str(folder), source]
    answer = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stderr
    (built,) = [path for path in folder.iterdir() if path.suffix in (".whl", ".gz")]
    return built
