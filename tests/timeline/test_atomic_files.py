import os
from pathlib import Path
from typing import cast

import pytest

from adk_agent_sim.timeline.atomic_files import atomic_write, atomic_write_text


def test_a_file_and_its_folder_are_created(tmp_path: Path) -> None:
    atomic_write_text(tmp_path / "new" / "file.txt", "hello")

    assert (tmp_path / "new" / "file.txt").read_text() == "hello"


def test_a_writer_that_fails_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "file.txt"
    atomic_write_text(path, "old")

    with pytest.raises(TypeError), atomic_write(path) as file:
        file.writelines(["half of the new", cast("str", None)])

    assert [left.name for left in tmp_path.iterdir()] == ["file.txt"]
    assert path.read_text() == "old"


@pytest.mark.skipif(os.name != "posix", reason="permissions and links are POSIX's")
def test_permissions_and_links_survive(tmp_path: Path) -> None:
    target, link = tmp_path / "target.txt", tmp_path / "link.txt"
    atomic_write_text(target, "old")
    target.chmod(0o640)
    link.symlink_to(target)

    atomic_write_text(link, "new", keep_mode=True)

    assert link.is_symlink()
    assert (target.read_text(), target.stat().st_mode & 0o777) == ("new", 0o640)


def test_a_lone_surrogate_is_replaced(tmp_path: Path) -> None:
    atomic_write_text(tmp_path / "file.txt", "half \ud83d")

    assert (tmp_path / "file.txt").read_text(encoding="utf-8") == "half \ufffd"
