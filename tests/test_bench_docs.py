"""Every block of docs/bench.md runs, in its order and in one folder."""

import contextlib
import doctest
import io
import os
import re
import shlex
import shutil
from pathlib import Path
from typing import Any

import pytest
from bench_folders import run_command

_PAGE = Path(__file__).parents[1] / "docs" / "bench.md"
_BLOCKS: list[tuple[str, str]] = re.findall(r"```(\w+)\n(.*?)```", _PAGE.read_text(encoding="utf-8"), flags=re.S)


@pytest.mark.process
def test_every_block_does_what_the_page_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in ("examples", "tests/corpus/are/compact"):
        shutil.copytree(_PAGE.parents[1] / folder, tmp_path / folder)
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, Any] = {"__name__": "example"}
    printed = ""
    for language, text in _BLOCKS:
        if language == "python":
            with contextlib.redirect_stdout(io.StringIO()) as output:
                exec(text, namespace)  # noqa: S102 - our own documentation
            printed = output.getvalue()
        elif language == "text":
            _compare(text, printed)
        elif language == "console":
            _run_commands(text)

    assert {language for language, _ in _BLOCKS} == {"python", "text", "console", "sh"}
    needs_model = [text for language, text in _BLOCKS if language == "sh"]
    assert needs_model[0] == "adksim bench scenarios/ --agent my_agents/assistant --runs 3 --out bench1\n"
    assert len(needs_model) == 2
    _check_options(needs_model[1])


def _check_options(block: str) -> None:
    """Check that a command that needs a model would be started: with a name that is no model, it says just that."""
    command = shlex.split(block.replace("\\\n", " ").replace("--model gemini-2.5-flash", "--model unknown"))
    done = run_command(*command[1:], cwd=Path.cwd())
    assert (command[0], done.returncode) == ("adksim", 2), done.stderr
    assert "Error: Invalid value for --model: The model 'unknown' cannot be used" in done.stderr


def _run_commands(block: str) -> None:
    for command, expected in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, flags=re.MULTILINE):
        program, *arguments = shlex.split(command)
        done = run_command(*arguments, cwd=Path(os.getcwd()))

        assert (program, done.returncode) == ("adksim", 0), done.stderr
        _compare(expected, done.stdout)


def _compare(expected: str, actual: str) -> None:
    """Compare output; `...` in the page stands for anything, and spaces and empty lines do not count."""
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    matches = doctest.OutputChecker().check_output(expected, actual, flags)
    assert matches, f"The page says:\n{expected}\nIt is:\n{actual}"
