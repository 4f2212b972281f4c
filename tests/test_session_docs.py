"""The examples in docs/sessions.md and docs/agent-folders.md work, and the pages name every criterion and option."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import click
import pytest

from adk_agent_sim.cli.main import adksim
from adk_agent_sim.golden.eval_criteria import parse_criteria

_PAGE = (Path(__file__).parents[1] / "docs" / "sessions.md").read_text(encoding="utf-8")


async def test_the_example_sets_the_missing_key_and_exports_with_criteria(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (python,) = re.findall(r"```python\n(.*?)```", _PAGE, flags=re.S)
    monkeypatch.chdir(tmp_path)
    example: dict[str, Any] = {"__name__": "example"}
    exec(python, example)  # noqa: S102 - our own documentation

    result = await example["play"]()

    assert "Be calm." in result
    assert result.endswith("{'mood': 'calm'} ada")
    assert "['mood']" in capsys.readouterr().out
    assert (tmp_path / "sessions.db").exists()
    criteria = json.loads((tmp_path / "evals" / "test_config.json").read_text())["criteria"]
    assert criteria["tool_trajectory_avg_score"]["match_type"] == "IN_ORDER"


async def test_the_example_of_a_folder_is_served(tmp_path: Path) -> None:
    page = (Path(__file__).parents[1] / "docs" / "agent-folders.md").read_text(encoding="utf-8")
    (python,) = re.findall(r"```python\n(.*?)```", page, flags=re.S)
    example: dict[str, Any] = {"__name__": "example"}
    exec(python, example)  # noqa: S102 - our own documentation

    assert (await example["serve"](tmp_path / "my_agents")).startswith("http://127.0.0.1:")
    assert (tmp_path / "sessions.db").exists()
    commands = [line for block in re.findall(r"```bash\n(.*?)```", page, flags=re.S) for line in block.splitlines()]
    assert len(commands) == 3
    for line in commands:
        name, *arguments = line.removeprefix("adksim ").split()
        parent = click.Context(adksim)
        command = adksim.get_command(parent, name)
        assert command is not None
        command.make_context(name, arguments, parent=parent)  # raises if there is no such option


def test_every_criterion_of_the_table_is_one() -> None:
    table = _PAGE.split("## Criteria")[1]
    cells = [row.split("|")[1] for row in table.splitlines() if row.startswith("| `") and "--criteria" not in row]
    words = [word for cell in cells for word in re.findall(r"`([^`]+)`", cell)]

    assert len(words) == 10
    for word in words:
        parse_criteria([word])
