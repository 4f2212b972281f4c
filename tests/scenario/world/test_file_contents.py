"""The contents of a scenario's files are read from one directory and from nowhere else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from world_builders import build_scenario_file

from adk_agent_sim.scenario import JsonScenarioImporter, World
from adk_agent_sim.scenario.world.world import make_content_reader


def test_a_file_is_found_by_its_path(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.txt").write_bytes(b"hello")
    content = make_content_reader(tmp_path)
    assert (content("docs/a.txt"), content("/docs/a.txt")) == (b"hello", b"hello")
    assert content("docs/b.txt") is None
    assert content("docs") is None
    assert make_content_reader(None)("docs/a.txt") is None


@pytest.mark.req("004/self-contained")
@pytest.mark.parametrize("class_name", ["SandboxLocalFileSystem", "VirtualFileSystem"])
def test_the_files_of_a_scenario_are_empty_unless_their_contents_are_given(tmp_path: Path, class_name: str) -> None:
    (tmp_path / "a.txt").write_text("hello", encoding="utf-8")
    tree = {"name": "", "type": "directory", "children": [{"name": "a.txt", "type": "file"}]}
    file = build_scenario_file()
    file["apps"].append({"name": "Files", "class_name": class_name, "app_state": {"files": tree, "tmpdir": ""}})
    scenario, _, _ = JsonScenarioImporter().import_from_json(json.dumps(file))
    worlds = World(scenario), World(scenario, fs_content=tmp_path)
    assert [each.call("Files", "cat", {"path": "/a.txt"}) for each in worlds] == [b"", b"hello"]


@pytest.mark.parametrize("path", ["../secret", "/../secret", "docs/../../secret", "link", "a\0b", "x" * 5000])
def test_nothing_outside_is_found(path: str, tmp_path: Path) -> None:
    (tmp_path / "secret").write_bytes(b"secret")
    inside = tmp_path / "inside"
    inside.mkdir()
    (inside / "link").symlink_to(tmp_path / "secret")
    assert make_content_reader(inside)(path) is None
