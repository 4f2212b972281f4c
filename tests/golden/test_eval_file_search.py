"""Which files in the folder of an agent are listed as EvalSets."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from adk_agent_sim.golden.eval_set_files import MAX_EVAL_FILES, find_eval_files


def _write(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("{}")
    return path


def test_files_are_found_by_their_names_also_in_folders(tmp_path: Path) -> None:
    wanted = [
        _write(tmp_path / "eval" / "data" / "plan.test.json"),
        _write(tmp_path / "golden.evalset.json"),
        _write(tmp_path / "tests" / "old.test.json"),
    ]
    for other in ("test_config.json", "tests/fixture.json", "agent.py", "a/b/c/d/deep.evalset.json"):
        _write(tmp_path / other)

    assert find_eval_files(tmp_path) == wanted


def test_hidden_files_libraries_links_and_pipes_are_left_out(tmp_path: Path) -> None:
    agent = tmp_path / "agent"
    secret = _write(tmp_path / "elsewhere" / "secret.evalset.json")
    own = _write(agent / "own.evalset.json")
    _write(agent / ".cache" / "x.evalset.json")
    _write(agent / ".x.evalset.json")
    _write(agent / "node_modules" / "x.evalset.json")
    (agent / "folder.evalset.json").mkdir()
    try:
        (agent / "link.evalset.json").symlink_to(secret)
        (agent / "linked").symlink_to(secret.parent)
    except OSError:
        pytest.skip("this system has no links")
    if hasattr(os, "mkfifo"):
        os.mkfifo(agent / "pipe.evalset.json")

    assert find_eval_files(agent) == [own]


def test_there_is_a_limit_and_a_folder_that_is_gone_has_none(tmp_path: Path) -> None:
    for number in range(MAX_EVAL_FILES + 5):
        _write(tmp_path / f"{number}.evalset.json")

    assert len(find_eval_files(tmp_path)) == MAX_EVAL_FILES
    assert find_eval_files(tmp_path / "gone") == []
