"""Every command in docs/evals.md prints what the page says, and every option that it names exists."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from adk_agent_sim.adk.loading.agent_loader import get_demo_folder
from adk_agent_sim.cli.evals.evals import evals
from adk_agent_sim.cli.main import adksim

_PAGE = (Path(__file__).parents[1] / "docs" / "evals.md").read_text(encoding="utf-8")


def _find_blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", _PAGE, flags=re.S)


def test_the_commands_print_what_the_page_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "math_agent").symlink_to(get_demo_folder("math_agent"))
    for name in ("golden.evalset.json", "session.json"):
        (content,) = _find_blocks(f"json {name}")
        (tmp_path / name).write_text(content, encoding="utf-8")
    commands = [each for block in _find_blocks("console") for each in re.findall(r"\$ (.*)\n((?:(?!\$ ).*\n)*)", block)]

    results = [CliRunner().invoke(adksim, shlex.split(command)[1:]) for command, _ in commands]
    assert [result.stdout for result in results] == [output for _, output in commands]
    assert [result.exit_code for result in results] == [0, 1, 1, 0, 0]


def test_the_commands_of_the_browser_are_valid(tmp_path: Path) -> None:
    (block,) = _find_blocks("sh")
    lines = [shlex.split(line)[2:] for line in block.splitlines()]

    assert len(lines) == 2
    for arguments in lines:
        assert evals.make_context("evals", arguments).params["web"]
    for option in re.findall(r"`(--[a-z]+)", _PAGE):
        assert any(option in parameter.opts for parameter in evals.params), option
