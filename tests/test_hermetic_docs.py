"""docs/hermetic.md works as written: every file is written, every command is run, every line is typed."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path

import fork_server
import pytest
from processes import run_adksim

_PAGE = Path(__file__).parents[1] / "docs" / "hermetic.md"
_BLOCK = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.M | re.S)


def _run(command: str, folder: Path, typed: str) -> subprocess.CompletedProcess[str]:
    """Run a line as a shell would, as far as the page uses one."""
    line, _, target = command.partition(" > ")
    program, *arguments = shlex.split(line)
    if program == "adksim":
        done = run_adksim(*arguments, cwd=folder, text_input=typed)
    else:
        assert program == "python"
        done = fork_server.run(arguments, environment=os.environ, cwd=folder)
    if target:
        (folder / target).write_text(done.stdout)
    return done


def _iter_blocks() -> Iterator[tuple[str, str, str]]:
    yield from _BLOCK.findall(_PAGE.read_text(encoding="utf-8"))


@pytest.mark.process
def test_the_page_leads_to_a_test_that_passes_without_tools_and_fails_as_it_says(tmp_path: Path) -> None:
    blocks = list(_iter_blocks())
    (typed,) = [text for _, note, text in blocks if note == "typed"]
    (failures,) = [text.splitlines() for _, note, text in blocks if note == "failure"]
    ran: list[str] = []
    for language, note, text in blocks:
        if note.startswith("file="):
            path = tmp_path / note.removeprefix("file=")
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
        elif language == "sh":
            for command in text.splitlines():
                done = _run(command, tmp_path, typed)
                assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
                ran.append(command)

    assert ran == [
        "adksim run rates",
        "adksim env from-trace rates.evalset.json > rates/rules.yaml",
        "adksim env check rates/rules.yaml --agent rates",
        "python -m pytest test_rates.py",
    ]
    ((target, added),) = [(note, text) for _, note, text in blocks if note.startswith("add=")]
    with (tmp_path / target.removeprefix("add=")).open("a") as agent:
        agent.write(added)
    failed = _run(ran[-1], tmp_path, "")
    assert failed.returncode == 1
    assert [line for line in failures if line not in failed.stdout] == [], failed.stdout
